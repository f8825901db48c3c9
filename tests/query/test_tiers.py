"""What outranks every likeness: exact names, and words that stand in the text as they were asked."""

from __future__ import annotations

import pytest

from aborist.engine import Engine
from aborist.query.question import parse
from tests import zims
from tests.query.conftest import Make, Site

_STUDY = "The tone was peremptory. A study published in Nature Communications in October looked at the tone."


@pytest.fixture(scope="module")
def shelf(make: Make) -> Engine:
    pages = [
        zims.page("The Beatles", "A band from Liverpool that recorded for eight years."),
        zims.page("Beetle", "Beetles are insects. The beetle has two pairs of wings; the beetles are everywhere."),
        zims.page("Jupiter", "The largest planet circles the sun in twelve years."),
        zims.page("Venus", "What is hidden by clouds is a hot planet. What is known of it is little."),
        zims.page("Etiquette", _STUDY),
        zims.page("Journals", "Nature Communications is a journal. Nature Communications appears on the web."),
        zims.page("Hosting", "The company hosts virtual museums and other sites."),
        zims.page("Red Tiger", "A striped fish of the rivers."),
        zims.page("Tiger", "The tiger is the largest cat. The red coat of a tiger has dark stripes."),
        zims.page("Ferdan", "Ferdan met Oda Lindqvist on the way to the coast."),
        zims.page("Oda", "Oda is a name. Oda Brask and Ines Lindqvist bore it; Oda was the name of a Lindqvist."),
    ]
    redirects = [("The_Beetles", "The Beetles", "The_Beatles"), ("♃", "♃", "Jupiter")]
    return Engine.open(make(Site(pages, redirects, name="shelf")))


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("The Beetles", "The Beatles"),
        ("what is The Beetles", "The Beatles"),
        ("what is the beetle", "Beetle"),
        ("♃", "Jupiter"),
        ("what is ♃?", "Jupiter"),
        ("tell me about ♃", "Jupiter"),
        ("qu'est-ce que ♃", "Jupiter"),
        ("what is Red Tiger", "Red Tiger"),
    ],
)
def test_a_name_in_its_very_letters_comes_first_whatever_the_texts_say(
    shelf: Engine, question: str, title: str
) -> None:
    answer = shelf.ask(question)
    assert (answer.results[0].title, answer.results[0].verdict.rule) == (title, "title")


@pytest.mark.parametrize("question", ["☉", "?!", "。", "--"])
def test_a_sign_that_names_nothing_has_no_words(shelf: Engine, question: str) -> None:
    answer = shelf.ask(question)
    assert (answer.answered, answer.reason) == (False, "no words in the question")


def test_a_quoted_part_does_not_hide_a_longer_run(shelf: Engine) -> None:
    answer = shelf.ask('peremptory. A study published in "Nature Communications" in October')
    assert answer.results[0].title == "Etiquette"
    assert answer.results[0].features["phrase"] == 1.0


@pytest.mark.parametrize(
    ("question", "said"), [("virtual museums", 0.0), ("oda lindqvist", 0.0), ('"virtual museums"', 1.0)]
)
def test_a_short_noun_phrase_or_name_is_no_quotation_unless_it_is_marked(
    shelf: Engine, question: str, said: float
) -> None:
    assert shelf.ask(question).results[0].features["said"] == said


def test_a_person_without_an_article_is_found_where_the_name_stands(shelf: Engine) -> None:
    assert shelf.ask("who is Oda Lindqvist").results[0].title == "Ferdan"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('like the "Odyssey", there is even', 'like the "Odyssey", there is even'),
        ('what is the "Odyssey"?', "Odyssey"),
        ('the "Odyssey"', "Odyssey"),
    ],
)
def test_a_marked_word_is_the_topic_of_a_question_not_of_a_bare_phrase(text: str, first: str) -> None:
    assert parse(text).topics[0].strip('"') == first.strip('"')


def test_a_quotation_without_blanks_is_one_by_its_length(make: Make) -> None:
    pages = [zims.page("论语", "开头说：有朋自远方来不亦乐乎。"), zims.page("朋友", "朋友自远方来。")]
    answer = Engine.open(make(Site(pages, language="zho", name="confucius"))).ask("有朋自远方来不亦乐乎")
    assert (answer.results[0].title, answer.results[0].verdict.rule) == ("论语", "phrase")


def test_why_is_answered_by_a_passage_that_states_a_reason(make: Make) -> None:
    pages = [
        zims.page(
            "Cadmium ink",
            "The ink has a blue line like the sky, a sky-blue line, and a second sky-blue line beside it.",
        ),
        zims.page(
            "Lord Brask",
            "Brask studied light in gases for years. Light is scattered there, which explains why the sky is blue.",
        ),
        zims.page("Rain", "Rain falls from clouds."),
    ]
    engine = Engine.open(make(Site(pages, name="sky")))
    assert engine.ask("why is the sky blue").results[0].title == "Lord Brask"
    assert engine.ask("sky blue line").results[0].title == "Cadmium ink"
