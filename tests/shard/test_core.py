"""Postings of core keywords: order, cut, and both columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aborist.shard import core


def place(article: int, impact: int) -> int:
    return (255 - impact) << 32 | article


@given(st.lists(st.tuples(st.integers(1, 2**32 - 1), st.integers(0, 255)), max_size=50))
def test_unpack_gives_articles_and_impacts_in_descending_impact(postings: list[tuple[int, int]]) -> None:
    ids, impacts = core.unpack(core.pack(sorted(place(*posting) for posting in postings)))
    expected = sorted(postings, key=lambda posting: (-posting[1], posting[0]))
    assert list(zip(ids, impacts, strict=True)) == expected


def test_only_the_strongest_postings_are_kept() -> None:
    places = sorted(place(article, article % 256) for article in range(1, core.LONGEST + 1000))
    ids, impacts = core.unpack(core.pack(places))
    assert len(ids) == core.LONGEST
    assert list(impacts) == sorted(impacts, reverse=True)
    assert min(impacts) > 0
