"""The measures against hand-worked numbers, numpy and ir-measures."""

from __future__ import annotations

import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, Success, nDCG

from bench.metrics import Gate, gate, hit, holds_answer, mean, ndcg, percentile, reciprocal_rank

RANKED = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
titles = st.text("abcdefghijklmnop", min_size=1, max_size=2)
rankings = st.lists(titles, unique=True, max_size=15)
golds = st.frozensets(titles, min_size=1, max_size=12)
numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("gold", "k", "found"),
    [
        ({"a"}, 1, True),
        ({"b"}, 1, False),
        ({"e"}, 5, True),
        ({"f"}, 5, False),
        ({"x", "b"}, 5, True),
        (set(), 5, False),
    ],
)
def test_hit_looks_at_the_first_k(gold: set[str], k: int, found: bool) -> None:
    assert hit(RANKED, gold, k) is found


@pytest.mark.parametrize(
    ("gold", "value"),
    [({"a"}, 1.0), ({"b"}, 0.5), ({"d", "c"}, 1 / 3), ({"j"}, 0.1), ({"k"}, 0.0), (set(), 0.0)],
)
def test_reciprocal_rank_is_that_of_the_first_right_title_within_ten(gold: set[str], value: float) -> None:
    assert reciprocal_rank(RANKED, gold) == pytest.approx(value)


def test_ndcg_by_hand() -> None:
    # Right at ranks 2 and 3 of two: (1/log2 3 + 1/log2 4) / (1/log2 2 + 1/log2 3)
    expected = (1 / math.log2(3) + 0.5) / (1 + 1 / math.log2(3))
    assert ndcg(RANKED, {"b", "c"}) == pytest.approx(expected)
    assert ndcg(RANKED, {"a"}) == 1.0
    assert ndcg(RANKED, set()) == 0.0
    assert ndcg([], {"a"}) == 0.0


# No deadline: the first call loads the providers of ir-measures.
@settings(deadline=None)
@given(rankings, golds)
def test_ranking_measures_agree_with_ir_measures(ranked: list[str], gold: frozenset[str]) -> None:
    qrels = [ir_measures.Qrel("q", title, 1) for title in gold]
    run = [ir_measures.ScoredDoc("q", title, float(-rank)) for rank, title in enumerate(ranked)]
    # An empty run has no query to report on; every measure is 0 then.
    theirs = ir_measures.calc_aggregate([Success @ 1, Success @ 5, RR @ 10, nDCG @ 10], qrels, run) if run else {}
    assert float(hit(ranked, gold, 1)) == theirs.get(Success @ 1, 0)
    assert float(hit(ranked, gold, 5)) == theirs.get(Success @ 5, 0)
    assert reciprocal_rank(ranked, gold) == pytest.approx(theirs.get(RR @ 10, 0))
    assert ndcg(ranked, gold) == pytest.approx(theirs.get(nDCG @ 10, 0))


@given(rankings, golds, st.integers(1, 12))
def test_more_depth_never_loses_a_hit(ranked: list[str], gold: frozenset[str], k: int) -> None:
    assert hit(ranked, gold, k) <= hit(ranked, gold, k + 1)
    assert reciprocal_rank(ranked, gold, k) <= reciprocal_rank(ranked, gold, k + 1)
    assert 0 <= ndcg(ranked, gold, k) <= 1


@pytest.mark.parametrize(
    ("passage", "answers", "held"),
    [
        ("It opened in 1889.", ["1889"], True),
        ("It opened in 18895.", ["1889"], False),
        ("A party was held.", ["art"], False),
        ("The ÉCLAIR, a pastry", ["eclair"], True),
        ("It is 3,776 m high", ["3,776"], True),
        ("Homer wrote it", ["Virgil", "Homer"], True),
        ("Homer wrote it", [], False),
        ("Homer wrote it", ["", "?!"], False),
        ("", ["Homer"], False),
        # Short answers must be there word for word and in order.
        ("Kane Citizen", ["Citizen Kane"], False),
        # Sentences: most of the words are enough.
        (
            "The city of Oslo is the capital and largest city of Norway.",
            ["Oslo is the capital and the largest city of all Norway"],
            True,
        ),
        ("Bergen is a city.", ["Oslo is the capital and the largest city of all Norway"], False),
    ],
)
def test_an_answer_is_held_by_words_not_letters(passage: str, answers: list[str], held: bool) -> None:
    assert holds_answer(passage, answers) is held


@given(st.text(), st.text(), st.text())
def test_a_passage_holds_every_piece_set_apart_by_blanks(before: str, answer: str, after: str) -> None:
    spoken = holds_answer(answer, [answer])  # false for text without a word
    assert holds_answer(f"{before} {answer} {after}", [answer]) == spoken


def test_gate_by_hand() -> None:
    # Refused: one rightly, one wrongly; two had no answer.
    assert gate([True, True, False, False], [False, True, False, True]) == Gate(precision=0.5, recall=0.5)
    assert gate([False, False], [True, True]) == Gate(None, None)
    assert gate([], []) == Gate(None, None)
    assert gate([False], [False]) == Gate(None, 0.0)


def test_gate_wants_one_verdict_for_each_question() -> None:
    with pytest.raises(ValueError, match="zip"):
        gate([True], [])


@given(numbers, st.floats(0, 100))
def test_percentile_agrees_with_numpy(values: list[float], p: float) -> None:
    assert percentile(values, p) == pytest.approx(float(np.percentile(values, p)), abs=1e-6)


def test_nothing_has_no_mean_and_no_percentile() -> None:
    assert mean([]) is None
    assert percentile([], 50) is None
    assert mean([1, 2]) == 1.5
