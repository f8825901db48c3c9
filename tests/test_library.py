"""Articles by name and by root, over several archives, whole or damaged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.citations import check, read_claims
from aborist.errors import AboristError, IndexStateError, NotFoundError, UsageError
from aborist.library import Library, section_at
from aborist.merkle import document_root
from aborist.render import article_item, passage_item
from aborist.verify import verify


@pytest.fixture(scope="module")
def library(shards: Path) -> Iterator[Library]:
    with Library.open(shards) as opened:
        yield opened
        assert not opened.faults


def _all(library: Library) -> list[tuple[str, str]]:
    return [
        (manifest.archive, path)
        for manifest, shards in library.holdings
        for shard in shards
        for (path,) in shard.rows("SELECT path FROM article ORDER BY id")
    ]


def test_every_path_title_and_alias_leads_to_its_article(library: Library) -> None:
    places = _all(library)
    assert len(places) == 21
    for archive, path in places:
        found = next(one for one in library.find(path) if one.archive == archive)
        assert found.entry.path == path
        for name in (found.entry.title, *found.aliases()):
            assert (archive, path) in [(one.archive, one.entry.path) for one in library.find(name)]


def test_every_root_leads_back_and_every_section_starts_in_itself(library: Library) -> None:
    for archive, path in _all(library):
        found = next(one for one in library.find(path) if one.archive == archive)
        document = found.document()
        assert document_root(document) == found.entry.root
        same = library.cited(found.entry.root.hex())
        assert (archive, path) in [(one.archive, one.entry.path) for one in same]
        for section in document.sections:
            assert section_at(document, section.start) is section
            assert section_at(document, section.end - 1) is section
            item = passage_item(found, section.start, section.end)
            assert item["heading"] == list(section.heading)
            assert item["quote"] in article_item(found)["text"]


def test_a_nearer_way_of_naming_wins_over_the_order_of_archives(library: Library) -> None:
    assert [one.archive for one in library.find("Coffee")] == ["other", "small"]
    assert [one.archive for one in library.find("COFFEE")] == ["other", "small"]
    assert library.find("Copy_two")[0].entry.title == "Copy two"


@given(st.text())
def test_any_text_is_a_legal_name(shards: Path, name: str) -> None:
    with Library.open(shards, "small") as library:
        with suppress(NotFoundError):
            assert library.article(name)
        assert not library.faults


@given(st.text(max_size=70))
def test_any_text_as_a_root_is_found_or_refused(shards: Path, root: str) -> None:
    with Library.open(shards, "small") as library, pytest.raises(AboristError) as caught:
        library.cited(root)
    assert caught.value.exit_status in (2, 3)


KEYS = st.sampled_from(["evidence", "answer", "sentences", "root", "quote", "start", "end", "id"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_claims_or_wrong_usage(shards: Path, value: object) -> None:
    try:
        claims = read_claims(json.dumps(value))
    except UsageError:
        return
    with Library.open(shards, "small") as library:
        checks = check(library, claims)
    assert len(checks) == len(claims)
    assert all(one.failures for one in checks)


@given(st.text())
def test_any_text_is_claims_or_wrong_usage(text: str) -> None:
    with suppress(UsageError):
        assert read_claims(text)


def test_a_damaged_shard_is_a_fault_and_the_rest_is_served(index_copy: Path) -> None:
    shard = index_copy / "small" / "001.db"
    data = shard.read_bytes()
    shard.write_bytes(data[:8192] + b"\xa5" * (len(data) - 8192))
    with Library.open(index_copy) as library:
        assert library.find("Mate")
        assert len(library.faults) == 1
        assert "001.db" in library.faults[0]
        with pytest.raises(NotFoundError, match=r"001\.db"):
            library.cited("0" * 64)


def test_there_must_be_an_index(tmp_path: Path) -> None:
    for call in (Library.open, verify):
        with pytest.raises(IndexStateError, match="aborist index"):
            call(tmp_path)


def test_verify_tells_its_steps(shards: Path) -> None:
    told: list[tuple[str, str, int, int]] = []
    verify(shards, deep=True, tell=lambda *step: told.append(step))
    assert {archive for archive, *_ in told} == {"small", "other", "russian"}
    assert all(done <= of for _, _, done, of in told)
    assert {"000.db: recomputing roots", "extracting a sample again"} <= {step for _, step, *_ in told}
