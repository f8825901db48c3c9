"""What counts as a quotation, and how it is held against a question."""

from __future__ import annotations

import pytest

from aborist.engine import Engine
from aborist.query.matches import Read
from aborist.query.quotation import Echo, echoes, spoken
from aborist.query.rank import Ranker
from tests import zims
from tests.query.conftest import Make, Site, asking, find

LINE = "the lamp burns twice"


def echoed(make: Make, text: str, question: str) -> list[Echo]:
    """The quotations of an article with this text, held against a question."""
    asked = asking(Engine.open(make(Site((zims.page("Page", text), zims.page("Other", "Nothing of it."))))), question)
    candidate, entry, layout, matching = find(asked, "Page")
    (scored,) = Ranker().scores([Read(candidate, entry, layout, matching)], asked.terms)
    return echoes(asked.question, scored, layout, asked.terms)


@pytest.mark.parametrize("marks", ['"{}"', "“{}”", "„{}“", "„{}”", "«{}»", "»{}«"])
def test_quotations_are_known_by_their_marks(make: Make, marks: str) -> None:
    (echo,) = echoed(make, f"They say {marks.format(LINE)} there.", LINE)
    assert (echo.text, echo.whole, echo.share, echo.held) == (LINE, True, 1.0, 1.0)
    assert echo.said == pytest.approx(1.0)


@pytest.mark.parametrize("text", [f"They say {LINE} there.", f"They 'say {LINE}' there.", f'They say "{LINE} there.'])
def test_what_stands_in_no_pair_of_marks_is_no_quotation(make: Make, text: str) -> None:
    assert echoed(make, text, LINE) == []


def test_a_part_of_the_question_in_a_part_of_the_quotation(make: Make) -> None:
    (echo,) = echoed(make, 'He said "at night the lamp burns" once.', LINE)
    assert (len(echo.run), echo.words, echo.share, echo.held, echo.whole) == (3, 5, 3 / 4, 3 / 5, False)


@pytest.mark.parametrize(
    ("quoted", "titled"),
    [("Man of the Lamp", True), ("The Lamp at 9", True), ("the lamp burns", False), ("Lamp", False)],
)
def test_a_quotation_in_capitals_is_a_title(make: Make, quoted: str, titled: bool) -> None:
    (echo,) = echoed(make, f'He saw "{quoted}" once.', "lamp")
    assert echo.titled is titled


def test_marks_that_never_close_end_nothing(make: Make) -> None:
    assert echoed(make, "« lamp " * 3_000, "lamp") == []


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("who said every lamp burns", 3),
        ('"the lamp burns" which film', 3),
        ('in which year did a man sing "the lamp" there', 0),  # the marks only point at a part of it
        ("where is the lamp", 0),
    ],
)
def test_words_are_spoken_where_they_are_most_of_the_question(library: Engine, question: str, words: int) -> None:
    asked = asking(library, question)
    assert len(spoken(asked.question, asked.terms)) == words
