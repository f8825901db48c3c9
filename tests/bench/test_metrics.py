"""The measures that ir-measures has none of, against hand-worked numbers and numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics import Gate, gate, holds_answer, mean, percentile

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("passage", "answers", "held"),
    [
        ("It opened in 1889.", ["1889"], True),
        ("It opened in 18895.", ["1889"], False),
        ("A party was held.", ["art"], False),
        ("The ÉCLAIR, a pastry", ["eclair"], True),
        ("It is 3,776 m high", ["3,776"], True),
        # Letters that are capital only once their form is taken away.
        ("5 kHz", ["5 ㎑"], True),
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
