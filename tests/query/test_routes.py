"""Each route on a small real index: what it finds, what it must leave alone, and that no text makes it fail."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aborist.engine import Engine
from aborist.query.routes import ROUTES
from aborist.query.routes.phrase import WHOLE_SCORE
from aborist.types import Hit, Ranking
from tests import zims
from tests.query.conftest import LIBRARY, Make, Site, apart, asking

# route, question, the title that comes first
FIRST = [
    ("title", "what is tea", "Tea"),
    ("title", "TEA", "Tea"),
    ("title", "Chai", "Tea"),
    ("title", "where is KVA?", "Kestrel Valley International Airport"),
    ("title", "Who was Teodor Brask?", "Brask, Teodor"),
    ("title", "Brask's theory", "Drift of the plates"),
    ("title", "Brask’s theory", "Drift of the plates"),
    ("title", "tell me about Brasks theory", "Drift of the plates"),
    ("title", "große dornische mauer", "Große Dornische Mauer"),
    ("title", "grosse dornische mauer", "Große Dornische Mauer"),
    ("title", "r2d2", "R2-D2"),
    ("title", "R2 D2", "R2-D2"),
    ("title", "what is C++?", "C++"),
    ("title", "what is C#?", "C#"),
    ("title", "what is C", "C"),
    ("title", "what is R&D?", "R&D"),
    ("title", "east asia", "East Asia"),
    ("title", "TCP协议", "TCP协议"),
    ("title", "Field manual", "Field manual"),
    ("title", "what is Hello Kitty", "Hello Kitty"),
    ("title-like", "Dornische Mauer", "Große Dornische Mauer"),
    ("title-like", "who lives beside the Brannock kiln today", "Brannock kiln"),
    ("title-like", "Kestrel airport", "Kestrel Valley International Airport"),
    ("title-like", "什么是TCP协议", "TCP协议"),
    ("title-like", "nineteen eighty four plot", "Nineteen Eighty-Four"),
    ("core", "dystopian novel Orwell", "Nineteen Eighty-Four"),
    ("core", "roasted beans yemen", "Coffee"),
    ("body", "Which oven burns smoke twice", "Brannock kiln"),
    ("body", "what is brewed from roasted beans", "Coffee"),
    ("body", "the emancipation of bonded labourers", "Ferdan Quill"),
    ("body", "hot water leaves", "Tea"),
    ("phrase", "has oceania always been at war with east asia", "Nineteen Eighty-Four"),
    ("phrase", '"state of the art burner"', "Brannock kiln"),
    ("phrase", "who said a rolling stone gathers no moss", "Proverbs"),
    ("phrase", "who said a rolling stone collects no moss", "Proverbs"),
    ("phrase", '"forbidden"', "Nineteen Eighty-Four"),
    ("phrase", "they say that a rolling stone gathers no moss on its way", "Proverbs"),
    ("phrase", '"传输层通信"', "TCP协议"),
]  # fmt: skip
RUSSIAN = [
    ("title", "кто написал Войну и мир", "Война и мир"),
    ("title", "расскажи о Париже", "Париж"),
    ("title", "столица Франции", "Париж"),
    ("title", "что такое еж", "Ёж"),
    ("title", "ЙОД", "Йод"),
    ("body", "кто ест насекомых", "Ёж"),
    ("core", "роман-эпопея Толстого", "Война и мир"),
    ("phrase", "кто сказал я мыслю следовательно я существую", "Декарт"),
    ("phrase", "«мыслю, следовательно»", "Декарт"),
]
# route, question, a title that it must not find
NEVER = [
    ("title", "RD", "R&D"),
    ("title", "what is R&D", "R (letter)"),
    ("title", "what is Hello Kitty", "Kitty"),
    ("title", "tea in Yemen", "Tea"),
    ("phrase", "is tea a drink", "Coffee"),
    ("phrase", "who said stone rolling a moss gathers no", "Proverbs"),
]


@pytest.mark.parametrize(("route", "question", "title"), FIRST)
def test_a_route_finds_what_it_is_for(library: Engine, route: str, question: str, title: str) -> None:
    assert asking(library, question).titles(route)[:1] == [title]


@pytest.mark.parametrize(("route", "question", "title"), RUSSIAN)
def test_a_route_finds_what_it_is_for_in_russian(russian: Engine, route: str, question: str, title: str) -> None:
    assert asking(russian, question).titles(route)[:1] == [title]


@pytest.mark.parametrize(("route", "question", "title"), NEVER)
def test_a_route_leaves_alone_what_is_not_meant(library: Engine, route: str, question: str, title: str) -> None:
    assert title not in asking(library, question).titles(route)


@pytest.mark.parametrize("question", ["йод", "иод"])
def test_i_and_short_i_are_two_letters(russian: Engine, question: str) -> None:
    assert ("Йод" in asking(russian, question).titles("title")) == (question == "йод")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("question", ["zorblat quonset", "ъъъ", "龍", "12345678"])
def test_a_route_finds_nothing_for_words_that_stand_nowhere(library: Engine, route: str, question: str) -> None:
    assert asking(library, question).hits(route) == []


PIECES = """"tea" AND OR NOT NEAR( * ^ : - who said «C» 中国协议 l'eau is the of""".split()


@pytest.fixture(scope="module")
def probed(library: Engine) -> Callable[[str, str], list[Hit]]:
    """What a route gives for a text; a function, because an engine would be printed at length in a failing example."""

    def probe(route: str, text: str) -> list[Hit]:
        asked = asking(library, text)
        return [hit for _, hit in asked.hits(route)] if asked.question.words else []

    return probe


@pytest.mark.parametrize("route", ROUTES)
@settings(max_examples=30)
@given(text=st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)))
def test_no_text_makes_a_route_fail(probed: Callable[[str, str], list[Hit]], route: str, text: str) -> None:
    for hit in probed(route, text):
        assert hit.score >= 0
        assert all(number >= 0 for number in hit.passages)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("question", [question for _, question, _ in FIRST[::4]])
def test_a_ranking_lists_each_article_once_and_no_more_than_the_limit(
    library: Engine, route: str, question: str
) -> None:
    limit = ROUTES[route].limit
    assert limit >= 1
    ranking = Ranking.of(route, (hit for _, hit in asking(library, question).hits(route)), limit=limit)
    assert len({hit.ref for hit in ranking.hits}) == len(ranking.hits) <= limit
    assert [hit.rank for hit in ranking.hits] == list(range(1, len(ranking.hits) + 1))


# -- the phrase route ------------------------------------------------------------------------------------------------

VERSE = "under the wide and starry sky dig the grave and let me lie"


@pytest.fixture(scope="module")
def verses(make: Make) -> Engine:
    pages = (
        zims.page("Requiem", f"It begins: {VERSE}. The rest is less known."),
        zims.page("Stars", "The sky is wide and starry, and under it lie the graves that we let them dig."),
        zims.page("Other", "Nothing of the kind stands here."),
    )
    return Engine.open(make(Site(pages, name="verses")))


@pytest.mark.parametrize("length", range(2, 13))
def test_a_quoted_stretch_of_any_length_is_found_verbatim(verses: Engine, length: int) -> None:
    words = VERSE.split()
    for first in range(len(words) - length + 1):
        asked = asking(verses, f'"{" ".join(words[first : first + length])}"')
        assert asked.hits("phrase")[0][0] == "Requiem"
        assert asked.hits("phrase")[0][1].score >= WHOLE_SCORE


@pytest.mark.parametrize("place", range(1, 12))
def test_a_misquote_by_one_word_still_lands_below_the_verbatim_ones(verses: Engine, place: int) -> None:
    words = VERSE.split()
    words[place] = "kind"
    (title, hit), *_ = asking(verses, f"who said {' '.join(words)}").hits("phrase")
    assert title == "Requiem"
    assert hit.score < WHOLE_SCORE


def test_the_order_of_the_words_counts(verses: Engine) -> None:
    assert "Requiem" not in asking(verses, '"starry and wide"').titles("phrase")
    assert "Requiem" not in asking(verses, "lie me let and grave the").titles("phrase")


@pytest.mark.parametrize("question", ['tea"', '""', '"tea', "''", "«»", '"""tea"""'])
def test_quotation_marks_in_the_question_are_harmless(library: Engine, question: str) -> None:
    assert "Tea" in library.ask(f"{question} tea").results[0].title


# -- every route on every number of shards ---------------------------------------------------------------------------


@pytest.mark.parametrize("route", ["title", "title-like", "core", "phrase"])
@pytest.mark.parametrize("question", [question for _, question, _ in FIRST])
def test_a_route_finds_the_same_in_one_shard_and_in_three(
    split: tuple[Engine, Engine], route: str, question: str
) -> None:
    one, three = (asking(engine, question).titles(route) for engine in split)
    assert set(one) == set(three)


@pytest.fixture(scope="module")
def split(make: Make) -> tuple[Engine, Engine]:
    one, three = (
        Engine.open(make(LIBRARY._replace(pages=apart(LIBRARY.pages)), shard_count=count)) for count in (1, 3)
    )
    assert [len(three.mounted), min(m.shard.one("SELECT count(*) FROM article")[0] for m in three.mounted)] >= [3, 3]
    return one, three


def test_misquotes_are_looked_for_alike_on_any_number_of_shards(make: Make) -> None:
    # One page holds five words of the question verbatim, another all six of them but one.
    pages = [
        zims.page("Window", "Someone wrote that a rolling stone gathers no grass."),
        zims.page("Misquote", "They sing: a rolling stone collects no moss."),
    ]
    question = "a rolling stone gathers no moss"
    found = []
    for count in (1, 2):
        engine = Engine.open(make(Site(apart(pages), name="stones"), shard_count=count))
        assert [m.shard.one("SELECT count(*) FROM article")[0] for m in engine.mounted] == [2 // count] * count
        found.append(set(asking(engine, question).titles("phrase")))
    assert found[0] == found[1]
