"""The question in an analyzer's stems: sequence, content, weights, joined words, statistics."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.query.question import parse
from aborist.query.terms import Collection, Level, Terms, word_stems
from aborist.shard.read import Frequency
from aborist.text import analyzer_for

ENGLISH = Collection(analyzer_for("eng"), Level(100, 300.0), Level(100, 90.0), Level(400, 80.0))


def terms(text: str, frequencies: dict[str, int] | None = None, collection: Collection = ENGLISH) -> Terms:
    """Terms with each stem's number of passages given (10 where it is not)."""
    question = parse(text)
    counted = {stem: Frequency(10, 5, 10) for _, stem, _ in word_stems(question, collection.analyzer)}
    counted |= {stem: Frequency(min(n, 100), 1, n) for stem, n in (frequencies or {}).items()}
    return Terms(question, collection, counted)


@pytest.mark.parametrize(
    ("text", "sequence", "content"),
    [
        ("what is tea", "what is tea", "tea"),
        ("the mice and the cats", "the mous and the cat", "mous cat"),
        ("cats and cats", "cat and cat", "cat"),
        ("l'eau du TCP协议", "l eau du tcp 协议", "l eau du tcp 协议"),
        ("to be or not to be", "to be or not to be", "to be or not"),
        ("东京塔", "东京 京塔", "东京 京塔"),
    ],
)
def test_sequence_keeps_everything_and_content_what_carries_the_topic(text: str, sequence: str, content: str) -> None:
    found = terms(text)
    assert " ".join(found.sequence) == sequence
    assert set(found.content) == set(content.split())
    assert len(found.words) == len(found.sequence)


def test_weights_are_shares_of_one_and_rarer_terms_weigh_more() -> None:
    found = terms("kiln tower", {"kiln": 2, "tower": 90})
    assert found.weight(found.content) == pytest.approx(1.0)
    assert found.weight(["kiln"]) > found.weight(["tower"]) > 0
    assert found.weight(["kiln", "kiln", "elsewhere"]) == found.weight(["kiln"])
    assert found.weight([]) == 0


@given(st.lists(st.sampled_from("tea kiln tower mice l'eau 协议 of the".split()), min_size=1, max_size=8),
       st.lists(st.sampled_from(["tea", "kiln", "tower", "mous", "eau", "协议", "x"])))  # fmt: skip
def test_weight_is_monotonic_and_bounded(words: list[str], held: list[str]) -> None:
    found = terms(" ".join(words))
    assert 0 <= found.weight(held) <= 1 + 1e-9
    assert found.weight([*held, "tea"]) >= found.weight(held)


def test_known_terms_come_rarest_first_without_those_that_stand_nowhere() -> None:
    found = terms("kiln tower harbour zorblat", {"kiln": 50, "tower": 3, "harbour": 7, "zorblat": 0})
    assert found.known == ("tower", "harbour", "kiln")


@pytest.mark.parametrize(("language", "content"), [("tlh", {"kiln"}), ("eng", {"kiln", "stub"})])
def test_a_common_word_is_a_function_word_only_where_the_language_has_no_list_of_them(
    language: str, content: set[str]
) -> None:
    large = Collection(analyzer_for(language), Level(5_000, 300.0), Level(5_000, 90.0), Level(20_000, 80.0))
    common = {"stub": 15_000, "kiln": 12}
    assert set(terms("kiln stub", common, large).content) == content
    # Where nothing else is left it is what is asked for, and in a small collection shares mean nothing.
    assert terms("stub", common, large).content == ("stub",)
    small = Collection(analyzer_for(language), Level(100, 300.0), Level(100, 90.0), Level(400, 80.0))
    assert set(terms("kiln stub", {"stub": 390, "kiln": 12}, small).content) == {"kiln", "stub"}


def test_joined_words_count_for_either_part_where_the_collection_holds_them() -> None:
    held = terms("war with east asia", {"eastasia": 2})
    assert held.compounds == {"eastasia": ("east", "asia")}
    assert "eastasia" in held.known
    assert terms("war with east asia").compounds == {}


def test_nothing_known_weighs_nothing_wrong() -> None:
    empty = Collection(analyzer_for("eng"), Level(0, 1.0), Level(0, 1.0), Level(0, 1.0))
    found = Terms(parse("what is tea"), empty, {})
    assert found.known == ()
    assert 0 <= found.weight(["tea"]) <= 1


def test_a_weight_is_the_same_to_the_last_bit_in_whatever_order_the_stems_come() -> None:
    words = "apple bridge candle dragon engine falcon garden harbour island jungle".split()
    found = terms(" ".join(words), dict(zip(words, range(1, 60, 6), strict=False)))
    shares = [found.weight([stem]) for stem in found.content]
    assert found.weight(found.content) == math.fsum(shares) == found.weight(reversed(found.content))
