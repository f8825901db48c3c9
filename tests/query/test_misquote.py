"""What stands nowhere verbatim in one passage: across the border of two, in other forms, with a word changed."""

from __future__ import annotations

import pytest

from aborist import render
from aborist.engine import Engine
from aborist.query.question import parse
from aborist.query.routes.misquote import Across
from aborist.query.routes.phrase import WHOLE_SCORE, is_misquote
from tests import zims
from tests.query.conftest import Make, Site, asking

_FIRST = "The keeper of the lighthouse wrote down each ship that passed in the night. "
_LONG = " ".join(f"On day {n} nothing else was seen from the gallery but water." for n in range(12))


@pytest.fixture(scope="module")
def logbook(make: Make) -> Engine:
    pages = [
        zims.Page(
            "Log", "Log", f"<html><body><p>{_FIRST}{_LONG}</p><p>Fog came over the bay at noon.</p></body></html>"
        ),
        zims.page("Weather", "Fog came over the hills. From the gallery but water could be seen."),
        zims.page("Campaign", "He was defeated for re-election in the spring."),
        *(zims.page(f"Diary {n}", f"She told them that they are not a part of it, day {n}.") for n in range(60)),
        zims.page("Letter", "She told me that they were not a part of it."),
    ]
    return Engine.open(make(Site(pages, name="logbook")))


def test_a_sequence_across_the_border_of_two_passages_is_found_as_a_whole(logbook: Engine) -> None:
    answer = logbook.ask("from the gallery but water fog came over the bay")
    assert (answer.results[0].title, answer.results[0].verdict.rule) == ("Log", "phrase")
    assert answer.results[0].hits["phrase"].score >= WHOLE_SCORE
    assert {e.quote[-6:] for e in answer.evidence if e.title == "Log"} >= {"water.", " noon."}


def test_a_border_needs_both_sides_in_the_same_article(logbook: Engine) -> None:
    hits = asking(logbook, "but water fog came over the hills").hits("phrase")
    assert hits
    assert all(hit.score < WHOLE_SCORE for _, hit in hits)


def test_borders_are_not_looked_for_in_questions(logbook: Engine) -> None:
    asked = asking(logbook, "where is the water fog came over")
    assert not list(Across()._borders(asked.question, asked.terms))


def test_among_many_that_hold_the_stems_those_with_the_very_forms_come_first(logbook: Engine) -> None:
    assert logbook.ask("that they were not a").results[0].title == "Letter"


@pytest.mark.parametrize(
    "said", ["he was defeated for success in the spring", "he was defeated for re-entry in the spring"]
)
def test_the_changed_word_may_be_of_two_parts_on_either_side(logbook: Engine, said: str) -> None:
    title, hit = asking(logbook, said).hits("phrase")[0]
    assert title == "Campaign"
    assert is_misquote(hit)


def test_a_misquote_is_told_as_one(logbook: Engine) -> None:
    answer = logbook.ask("he was defeated for success in the spring")
    assert "one word changed" in answer.results[0].verdict.why
    routes = render.reply(answer)["results"][0]["routes"]
    assert routes["phrase"]["matched"] == ["he was defeated for success in the spring (one word changed)"]


def test_what_is_read_for_borders_is_bounded_whatever_is_quoted(logbook: Engine) -> None:
    said = " ".join(f'"day {n} nothing else was seen from fog came over she told them"' for n in range(300))
    asked = asking(logbook, said)
    assert len(asked.question.quotes) <= 8
    ((number, shard),) = asked.shards
    before = logbook.index.shelf.asked
    list(Across(fetched=20).prepare(asked.question, asked.terms)(shard, number))
    assert logbook.index.shelf.asked - before <= 20


@pytest.mark.parametrize(
    ("text", "framed"),
    [
        ("the quick brown fox", False),
        ("and the quick brown fox", False),
        ("is it so?", True),
        ("what is a fox", True),
        ("tell me about foxes", True),
        ("кто такой Пушкин", True),
        ("белеет парус одинокий", False),
        ("天空为什么是蓝色的？", True),
    ],
)
def test_a_question_is_told_from_a_bare_phrase_by_its_form(text: str, framed: bool) -> None:
    assert parse(text).framed is framed
