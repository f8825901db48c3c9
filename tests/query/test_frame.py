"""Frames and roles over a small library of works, sayings, people and places; and the rules as data."""

from __future__ import annotations

import pytest

from aborist.engine import Engine
from aborist.query.frame import FACTS, rules
from aborist.query.kind import kinds_of
from aborist.types import Document, Section
from tests import zims
from tests.query.conftest import Make, Site

SHELF = Site(
    (
        zims.page("The Glass Orchard", "The Glass Orchard is a 1931 satirical novel by Hanna Oster. It begins with"
                  ' "No lamp in Dornmouth burns twice on the same oil". In it the council tells the people that'
                  ' the river has always been on their side of the wall.'),
        zims.page("Two Candles", 'Two Candles is a drama film. Its rich man dies with the word "Quillenbrook". What'
                  ' Quillenbrook was, and that the meaning of Quillenbrook is a sled, is told at the end.'),
        zims.page("Marrow (film)", "Marrow is a 1974 film directed by Pell Ardent. Call the ferry was his line."),
        zims.page("Captain Vesper", "Captain Vesper is a fictional character in a radio play. His best known line is"
                  ' "never trade a compass for a map".'),
        zims.page("Teodor Brask", "Teodor Brask was a geologist. He told his students that"
                  ' "every mountain is a slow wave that has not broken yet", and drew maps of the Dornmouth basin.'),
        zims.page("No moss on a moving stone", '"No moss on a moving stone" is a proverb of the millers. It is told of'
                  " people who travel."),
        zims.page("Kettle law", "The Kettle law is an adage that is usually told as: a watched kettle sings for the"
                  ' neighbour. Another form is "the kettle you leave sings for nobody at all".'),
        zims.page("Dornmouth", "Dornmouth is a town at the mouth of the river Dorn. Its walls were built in 1340."),
        zims.page("River", "A river is a natural stream of fresh water that flows towards a sea or a lake."),
        zims.page("Wall", "A wall is an upright structure of stone that has two sides and always encloses an area."),
        zims.page("Compass", "A compass is an instrument that shows the north. Sailors trade it dearly."),
        zims.page("Hanna Oster", "Hanna Oster was a novelist from Dornmouth. She wrote The Glass Orchard."),
        zims.page("Basin of Dornmouth", "The basin of Dornmouth lies low and is drained by the river Dorn."),
    ),
    name="shelf",
)  # fmt: skip
ORCHARD = "The Glass Orchard"
# question, the work that it is taken as a reference to, the rule
REFERENCES = [
    ("no lamp in dornmouth burns twice on the same oil", ORCHARD, "work, quoted"),
    ("has the river always been on their side of the wall", ORCHARD, "work, word for word"),
    ("who said has always been on their side", ORCHARD, "work, asked for as a quotation"),
    ("what is the meaning of quillenbrook", "Two Candles", "work, word of it"),
    ("call the ferry", "Marrow (film)", "work, all of it"),
    ("marrow is a 1974 film directed", "Marrow (film)", "work that is named, all of it"),
    ("who said never trade a compass for a map", "Captain Vesper", "work, quoted"),
    ("never trade a compass for the map", "Captain Vesper", "work, quoted"),  # misquoted
    ("every mountain is a slow wave that has not broken yet", "Teodor Brask", "sentence quoted"),
    ("who said a slow wave that has not broken", "Teodor Brask", "saying asked for, quoted"),
    ("no moss on a moving stone", "No moss on a moving stone", "saying"),
    ("what does the kettle law mean", "Kettle law", "saying, asked for as one"),
    ("the kettle you leave sings for nobody", "Kettle law", "saying, repeated"),
    ("a watched kettle sings for the neighbour", "Kettle law", "saying, word for word"),
]
LITERAL = [
    "what is a river",
    "where is Dornmouth",
    "what does dornmouth mean",  # asked as a word, answered by the article on the thing
    "when was The Glass Orchard published",  # about the work, not an allusion to it
    "who wrote The Glass Orchard",
    "the glass orchard",
    "who was Captain Vesper",
    "an upright structure of stone that has two sides",  # verbatim, from an article on no work
    "instrument that shows the north",
    "drained by the river Dorn",
    "who drew maps of the Dornmouth basin",
]
NO_ANSWER = ["zorblat", "who said zorblat is a quonset", "", "?", "who painted the starry cabbage"]


@pytest.fixture(scope="module")
def shelf(make: Make) -> Engine:
    return Engine.open(make(SHELF))


@pytest.mark.parametrize(("question", "work", "rule"), REFERENCES)
def test_words_from_somewhere_are_a_reference_to_it(shelf: Engine, question: str, work: str, rule: str) -> None:
    answer = shelf.ask(question)
    assert (answer.frame.kind, answer.frame.work) == ("reference", work)
    assert answer.frame.rule == rule
    assert answer.results[0].role.name == "primary_reference_source"


@pytest.mark.parametrize("question", LITERAL)
def test_a_question_about_a_thing_is_literal(shelf: Engine, question: str) -> None:
    answer = shelf.ask(question)
    assert answer.answered
    assert (answer.frame.kind, answer.frame.work) == ("literal", None)
    assert {result.role.name for result in answer.results} == {"background_source"}


@pytest.mark.parametrize("question", NO_ANSWER)
def test_without_an_answer_there_is_no_frame(shelf: Engine, question: str) -> None:
    answer = shelf.ask(question)
    assert not answer.answered
    assert (answer.frame.kind, answer.frame.work) == (None, None)
    assert {result.role.name for result in answer.results} <= {"background_source"}


def test_each_rule_for_a_reference_decides_some_question() -> None:
    named = {rule.name for rule in rules("frame") if rule.outcome == "reference"}
    assert named == {rule for *_, rule in REFERENCES}


def test_what_the_words_mean_literally_is_told_from_what_stands_beside_the_work(shelf: Engine) -> None:
    roles = {r.title: r.role.name for r in shelf.ask("has the river always been on their side of the wall").results}
    assert roles["The Glass Orchard"] == "primary_reference_source"
    assert roles["River"] == roles["Wall"] == "literal_world_background"
    asked = shelf.ask("no lamp in dornmouth burns twice on the same oil").results
    roles = {result.title: result.role.name for result in asked}
    assert roles["Dornmouth"] == "literal_world_background"
    assert roles["Hanna Oster"] == "background_source"


def test_every_work_that_quotes_the_words_is_a_source_of_them(make: Make) -> None:
    line = '"the tide keeps its own accounts"'
    engine = Engine.open(make(Site((
        zims.page("Low Water", f"Low Water is a play by Ida Renn. It ends with {line}."),
        zims.page("High Water", f"High Water is a film by Otto Renn after a play. It opens with {line}."),
        zims.page("Tide", "The tide is the rise and fall of the sea."),
    ), name="tides")))  # fmt: skip
    roles = {result.title: result.role.name for result in engine.ask("the tide keeps its own accounts").results}
    assert roles["Low Water"] == roles["High Water"] == "primary_reference_source"
    assert roles["Tide"] == "literal_world_background"


RUSSIAN_SHELF = Site(
    (
        zims.page("Стеклянный сад", "«Стеклянный сад» — сатирический роман Анны Остер 1931 года. Он начинается"
                  " словами «ни одна лампа не горит дважды на одном масле»."),
        zims.page("Лампа", "Лампа — прибор, который даёт свет. Масло в ней горит ровно."),
        zims.page("Остер, Анна", "Анна Остер — писательница. О себе она говорила: «пишу только то, чего боюсь сама»."),
    ),
    language="rus",
    name="sad",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "kind", "work"),
    [
        ("кто сказал ни одна лампа не горит дважды", "reference", "Стеклянный сад"),
        ("ни одна лампа не горит дважды на одном масле", "reference", "Стеклянный сад"),
        ("кто сказал пишу только то чего боюсь сама", "reference", "Остер, Анна"),
        ("что такое лампа", "literal", None),
        ("кто написал Стеклянный сад", "literal", None),
    ],
)
def test_russian_questions_have_their_frame(make: Make, question: str, kind: str, work: str | None) -> None:
    frame = Engine.open(make(RUSSIAN_SHELF)).ask(question).frame
    assert (frame.kind, frame.work) == (kind, work)


# -- what an article is on -----------------------------------------------------------------------------------------

KINDS = [
    ("eng", "Nineteen Eighty-Four", "Nineteen Eighty-Four is a 1949 dystopian novel by the writer.", "work"),
    ("eng", "Jaws (film)", "Shark.", "work"),
    ("eng", "It Is So-So, Is It", "It Is So-So, Is It is a 1990 film by a young director.", "work"),
    ("eng", "Hamlet", "Play by William Shakespeare\nThe Tragedy of Hamlet is the longest one.", "work"),
    ("eng", "Alien", "Directed by: Ridley Scott\nIt was well received.", "work"),
    ("eng", "The Hobbit", "The Hobbit, or There and Back Again is a children's fantasy novel by the author.", "work"),
    ("eng", "Yoda", 'Yoda is a fictional character in the "Star Wars" franchise.', "fiction"),
    ("eng", "Veni, vidi, vici", 'Veni, vidi, vici (Latin for "I was there") is a phrase ascribed to Caesar.', "saying"),
    ("eng", "All your base are ours", '"All your base are ours" is an Internet meme.', "saying"),
    ("eng", "To be", '"To be" is the opening of a speech given by Hamlet.', "saying"),
    ("eng", "Pell Ardent", "Pell Ardent is a film director and novel writer from Dorn.", ""),
    ("eng", "Sophia", "American actress\nSophia is an actress whose first film was a success.", ""),
    ("eng", "City of Boston", "The City of Boston was a British single-screw steamship of the Inman Line.", ""),
    ("eng", "Aprendi", "Aprendi is the second album by the singer, It was released by nobody else in 1979", "work"),
    ("eng", "War", "War is an armed conflict between states.", ""),
    ("rus", "Война и мир", "«Война и мир» — роман-эпопея Льва Толстого.", "work"),
    ("rus", "Солярис (фильм, 1972)", "«Солярис» — лента Андрея Тарковского.", "work"),
    ("rus", "Тарковский", "Андрей Тарковский — советский режиссёр фильмов, автор сценария.", ""),
    ("deu", "Der Prozess", "Der Prozess ist ein unvollendeter Kriminalroman von Franz Kafka.", "work"),
    ("deu", "Lang", "Fritz Lang war ein Filmregisseur aus Wien.", ""),
    ("fra", "L’Étranger", "L’Étranger est un roman d’Albert Camus.", "work"),
    ("fra", "Truffaut", "François Truffaut est un réalisateur de films français.", ""),
    ("spa", "Rayuela", "Rayuela es una novela del escritor Julio Cortázar.", "work"),
    ("spa", "Bunuel", "Luis Buñuel fue un director de cine.", ""),
    ("", "Rayuela", "Rayuela es una novela del escritor Julio Cortázar.", ""),  # no language is English
    ("ita", "Rayuela", "Rayuela es una novela del escritor Julio Cortázar.", "work"),  # no table: any language's words
]  # fmt: skip


@pytest.mark.parametrize(("language", "title", "text", "kind"), KINDS)
def test_an_article_says_what_it_is_on(language: str, title: str, text: str, kind: str) -> None:
    document = Document(text, (Section((), "", 0, len(text)),))
    assert kinds_of(title, document, language) == ({kind} if kind else set())


def test_an_empty_article_is_on_nothing() -> None:
    assert kinds_of("Blank", Document("", ()), "eng") == set()


# -- the rules as data ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["frame", "role"])
def test_rules_name_facts_that_exist_and_the_last_one_always_holds(table: str) -> None:
    known = {*FACTS, "reference", "first"} if table == "role" else set(FACTS)
    found = rules(table)
    assert {fact for rule in found for fact in (*rule.all, *rule.none)} <= known
    assert (found[-1].all, found[-1].none) == ((), ())
    assert len({rule.name for rule in found}) == len(found)
    assert all(rule.why for rule in found)


def test_every_fact_is_used_by_a_rule() -> None:
    used = {fact for table in ("frame", "role") for rule in rules(table) for fact in (*rule.all, *rule.none)}
    assert set(FACTS) <= used


def test_outcomes_are_those_of_the_contract() -> None:
    assert {rule.outcome for rule in rules("frame")} == {"none", "reference", "literal"}
    assert {rule.outcome for rule in rules("role")} == {
        "primary_reference_source", "literal_world_background", "background_source",
    }  # fmt: skip
