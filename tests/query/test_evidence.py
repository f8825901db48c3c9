"""Passages chosen as proof: how many, whose, in what order; and the sentences that are marked in them."""

from __future__ import annotations

import pytest

from aborist.engine import Engine
from aborist.query.evidence import highlights, news
from aborist.query.question import parse
from aborist.sentence import sentences
from aborist.text import analyzer_for
from aborist.types import Answer
from tests import zims
from tests.query.conftest import Make, Site, asking, find


def long_page(title: str, fact: str) -> zims.Page:
    """Ten sections, one of which holds the fact."""
    filler = "The weather of the district is described in many reports of that time. " * 8
    body = "".join(
        f"<h2>Part {n}</h2><p>{filler}{fact if n == 6 else ''} {filler}</p><p>{title} is named again. {filler}</p>"
        for n in range(10)
    )
    return zims.Page(title, title, f"<html><body><p>{title} is a district. {filler}</p>{body}</body></html>")


@pytest.fixture(scope="module")
def districts(make: Make) -> Engine:
    pages = [long_page(name, f"The wooden observatory of {name} was opened by Ursel Yarnos.")
             for name in ("Brador", "Fengil", "Harkel", "Lommur", "Narpel")]  # fmt: skip
    return Engine.open(make(Site(pages, name="districts")))


QUESTIONS = ["who opened the wooden observatory of Fengil", "what is Fengil", "wooden observatory", "district weather",
             '"wooden observatory of Harkel"', "reports of the weather in Brador and Narpel"]  # fmt: skip


def of_first(answer: Answer) -> list[str]:
    return [item.quote for item in answer.evidence if item.title == answer.results[0].title]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_evidence_is_bounded_comes_from_listed_articles_and_holds_one_of_the_first(
    districts: Engine, question: str, k: int
) -> None:
    answer = districts.ask(question, k)
    assert 1 <= len(answer.evidence) <= 10
    assert {item.title for item in answer.evidence} <= {result.title for result in answer.results}
    assert of_first(answer)
    assert len({(item.title, item.start) for item in answer.evidence}) == len(answer.evidence)


def test_a_named_article_is_quoted_though_many_others_say_more_of_the_name(make: Make) -> None:
    said = "Oda Lindqvist met the mayor of the town and wrote of it in her letters to a friend. " * 12
    sections = "".join(f"<h2>Part {n}</h2><p>Oda Lindqvist, part {n}. {said}</p>" for n in range(6))
    others = [zims.Page(f"Town_{n}", f"Town {n}", f"<html><body>{sections}</body></html>") for n in range(9)]
    pages = [zims.page("Oda Lindqvist", "A painter of the north who left no letters."), *others]
    answer = Engine.open(make(Site(pages, name="painter"))).ask("what is Oda Lindqvist")
    assert answer.results[0].title == "Oda Lindqvist"
    assert of_first(answer)


@pytest.mark.parametrize(
    ("asked", "sentence", "new"),
    [
        ("who opened it", "Ursel Yarnos and Ivan Brask opened it.", 1.0),
        ("who is Ursel", "a naïve café señor met Ursel über dem tal", 0.0),
        ("when did it open", "It opened in 1931, on the 5th.", 0.5),
        ("when was the 1931 treaty", "The treaty of 1931.", 0.0),
        ("why is it so", "Because of Ursel in 1931.", 0.0),
    ],
)
def test_news_is_what_a_sentence_holds_of_the_sort_asked_for_beyond_the_question(
    asked: str, sentence: str, new: float
) -> None:
    assert news(parse(asked), sentence) == new


@pytest.mark.parametrize("name", ["Brador", "Fengil", "Harkel", "Lommur", "Narpel"])
def test_the_passage_that_answers_comes_first(districts: Engine, name: str) -> None:
    answer = districts.ask(f"who opened the wooden observatory of {name}")
    assert answer.results[0].title == name
    first = answer.evidence[0]
    assert f"observatory of {name} was opened by Ursel Yarnos" in first.quote
    assert first.heading == ("Part 6",)
    marked = [first.quote[start - first.start : end - first.start] for start, end in first.highlights]
    assert any("Ursel Yarnos" in sentence for sentence in marked)


def test_a_definition_is_proved_by_the_lead(districts: Engine) -> None:
    assert districts.ask("what is Lommur").evidence[0].start == 0


@pytest.mark.parametrize("question", QUESTIONS)
def test_highlights_are_whole_sentences_in_order_inside_the_passage(districts: Engine, question: str) -> None:
    for item in districts.ask(question).evidence:
        assert item.highlights
        whole = {(item.start + start, item.start + end) for start, end in sentences(item.quote)}
        assert set(item.highlights) <= whole
        assert list(item.highlights) == sorted(item.highlights)
        assert len(set(item.highlights)) == len(item.highlights)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_sentences_are_marked_than_asked_for(districts: Engine, most: int) -> None:
    asked = asking(districts, "district weather reports of Brador")
    _, _, layout, matching = find(asked, "Brador")
    for passage in matching:
        assert 1 <= len(highlights(layout, passage, asked.terms, most=most)) <= most


def test_where_no_sentence_says_anything_the_first_is_marked(districts: Engine) -> None:
    asked = asking(districts, "zorblat quonset")
    _, _, layout, _ = find(asked, "Brador")
    (only,) = highlights(layout, 0, asked.terms)
    assert only[0] == layout.passages[0].start


def test_the_section_that_a_redirect_points_to_is_proof(make: Make) -> None:
    # A page that only refreshes to a section of another one is a redirect to that section.
    body = "".join(
        f'<h2 id="S{n}">S{n}</h2><p>Paragraph {n} tells of something. {"It goes on. " * 30}</p>' for n in range(6)
    )
    stub = '<html><head><meta http-equiv="refresh" content="0;url=Whole#S4"></head><body></body></html>'
    pages = (zims.Page("Whole", "Whole", f"<html><body><p>Whole has parts.</p>{body}</body></html>"),
             zims.Page("Fourth", "Fourth", stub))  # fmt: skip
    engine = Engine.open(make(Site(pages, name="sections")))
    answer = engine.ask("what is Fourth")
    assert answer.results[0].title == "Whole"
    assert answer.evidence[0].heading == ("S4",)
    assert answer.results[0].url.endswith("#S4")


def test_the_analyzer_of_the_index_is_the_question_s(districts: Engine) -> None:
    assert districts.mounted[0].analyzer is analyzer_for("eng")


@pytest.fixture(scope="module")
def towers(make: Make) -> Engine:
    tower = (
        "<html><body><p>The Brador Tower is a tower in the middle of Brador. It was meant to stand for a year."
        " With its masts the height is 330 m today.</p>"
        "<h2>Builder</h2><p>The mason Ines Velder planned it in the village of Narpel.</p></body></html>"
    )
    pages = [
        zims.Page("Brador_Tower", "Brador Tower", tower),
        zims.page("Towers", "The height of the Brador Tower was 300 m. The height of Brador Tower is often told."),
        zims.page("Lamps", "A lamp of no importance."),
    ]
    return Engine.open(make(Site(pages, name="towers")))


def quoted(answer: Answer) -> list[str]:
    first = answer.evidence[0]
    return [first.quote[start - first.start : end - first.start] for start, end in first.highlights]


def test_what_the_title_says_is_understood_in_its_article(towers: Engine) -> None:
    asked = asking(towers, "how many metres is the height of the Brador Tower")
    _, _, layout, _ = find(asked, "Brador Tower")
    ((start, end),) = highlights(layout, 0, asked.terms, "how many", "Brador Tower")
    assert layout.document.text[start:end] == "With its masts the height is 330 m today."
    (start, end), *_ = highlights(layout, 0, asked.terms, "how many")
    assert layout.document.text[start:end].startswith("The Brador Tower is a tower")


def test_the_answer_of_a_named_article_is_quoted_from_it(towers: Engine) -> None:
    answer = towers.ask("Brador Tower")
    assert answer.results[0].verdict.rule == "title"
    assert answer.evidence[0].title == "Brador Tower"


def test_a_named_article_without_what_is_asked_is_no_sure_answer(towers: Engine) -> None:
    answer = towers.ask("when was Lamps")
    assert answer.results[0].verdict.rule == "title"
    assert answer.coverage.confidence == "weak"
