"""ask() over whole indexes: damage, several archives, restrictions, and the same answers from any number of shards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aborist.engine import Engine
from aborist.errors import IndexStateError
from aborist.query.routes import ROUTES
from aborist.render import reply
from aborist.types import Answer
from tests import zims
from tests.query.conftest import (
    LIBRARY,
    RUSSIAN,
    Make,
    Site,
    apart,
    cut,
    encyclopedia,
    library,
    library_shards,
    make,
    make_index,
)

__all__ = ["cut", "library", "library_shards", "make"]  # fixtures

CONFIDENCES = ("strong", "partial", "weak", "unknown")


def assert_sound(engine: Engine, answer: Answer, k: int = 10) -> None:
    """What holds for every answer, whatever was asked and whatever is broken."""
    assert json.dumps(reply(answer), ensure_ascii=False).encode()
    assert answer.answered or answer.reason.strip()
    assert not answer.answered or (answer.results and answer.results[0].verdict.accepted)
    assert len(answer.results) <= k
    scores = [result.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)
    places = [(result.archive, result.path) for result in answer.results]
    assert len(set(places)) == len(places)
    assert len(answer.evidence) <= 10
    assert [item.id for item in answer.evidence] == [f"E{n}" for n in range(1, len(answer.evidence) + 1)]
    texts = {}
    for mounted in engine.mounted:
        for item in answer.evidence:
            if item.archive == mounted.manifest.archive and (item.archive, item.path) not in texts:
                for entry in mounted.shard.entries("path = :path", {"path": item.path}):
                    texts[item.archive, item.path] = entry.root, mounted.shard.layout(entry.id).document.text
    for item in answer.evidence:
        root, text = texts[item.archive, item.path]
        assert (item.archive, item.path) in places
        assert item.root == root
        assert text[item.start : item.end] == item.quote
        assert all(item.start <= start < end <= item.end for start, end in item.highlights)
    if answer.evidence and answer.results:
        assert places[0] in {(item.archive, item.path) for item in answer.evidence} or not texts.get(places[0])
    assert answer.coverage.confidence in CONFIDENCES
    assert 0 <= answer.coverage.probability <= 1
    assert 0 <= answer.coverage.shards_answered <= answer.coverage.shards_total
    for ranking in answer.rankings:
        assert [hit.rank for hit in ranking.hits] == list(range(1, len(ranking.hits) + 1))
    assert len(set(answer.warnings)) == len(answer.warnings)


def titles(answer: Answer) -> list[str]:
    return [result.title for result in answer.results]


# -- any text --------------------------------------------------------------------------------------------------------

pieces = st.lists(
    st.sampled_from(
        'tea coffee oceania war "hot water" who said what is the of C++ C# r2d2 TCP协议 quill AND NOT NEAR( * ^ ( ) '
        "l'eau don't «чай» search library for 1984 drink burner kiln state-of-the-art cofee ghbdtn \ud800 \0 ?".split(
            " "
        )
    ),
    max_size=14,
).map(" ".join)


@pytest.fixture(scope="module")
def sound(library: Engine) -> Callable[[str, int], None]:
    """Asks and checks; a function, because an engine would be printed at length in a failing example."""
    return lambda text, k: assert_sound(library, library.ask(text, k), k)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.one_of(pieces, st.text(st.characters(exclude_categories=()), max_size=80)), k=st.integers(1, 12))
@example("has oceania always been at war with east asia", 3)
@example("Blank", 1)
@example("\ud800" * 5_000, 1)
def test_any_text_gets_a_sound_answer(sound: Callable[[str, int], None], text: str, k: int) -> None:
    sound(text, k)


@pytest.mark.parametrize("k", [0, -1, 1, 3, 1_000])
def test_k_bounds_what_is_listed(library: Engine, k: int) -> None:
    answer = library.ask("drink", k)
    assert_sound(library, answer, max(0, k))
    assert titles(answer) == titles(library.ask("drink", 1_000))[: max(0, k)]


FIRST = [
    ("has oceania always been at war with east asia", "Nineteen Eighty-Four"),
    ("what is tea", "Tea"), ("chai", "Tea"), ("Who was Teodor Brask?", "Brask, Teodor"),
    ("Brask’s theory", "Drift of the plates"), ("Dornische Mauer", "Große Dornische Mauer"), ("dorn", "Dorn"),
    ("Quill bonded labour emancipation", "Ferdan Quill"), ("what is C++?", "C++"), ("what is C#", "C#"),
    ("what is C", "C"), ("what is R&D?", "R&D"), ("r2d2", "R2-D2"),
    ("where is KVA?", "Kestrel Valley International Airport"),
    ("Which oven has a state-of-the-art burner?", "Brannock kiln"),
    ("Why does the Brannock kiln avoid using a tall flue?", "Brannock kiln"),
    ("who said a rolling stone gathers no moss", "Proverbs"), ("什么是TCP协议", "TCP协议"),
    ("what is Hello Kitty", "Hello Kitty"),
    ("cofee", "Coffee"), ("Field manual", "Field manual"), ("search library for tea", "Tea"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "title"), FIRST)
def test_the_right_article_comes_first(library: Engine, question: str, title: str) -> None:
    assert titles(library.ask(question))[0] == title


@pytest.mark.parametrize("question", ["what is tea", "chai", "what is C++?", '"hot water over cured leaves"', "Tea?"])
def test_an_exact_title_and_a_quotation_are_answered(library: Engine, question: str) -> None:
    assert library.ask(question).answered


@pytest.mark.parametrize(
    "question",
    ["when is the zorblat to ship to the quonset?", "what is the of it by", "zorblat", "who was Quonset Zorblat",
     "12345678"],
)  # fmt: skip
def test_what_the_index_does_not_know_is_refused(library: Engine, question: str) -> None:
    assert not library.ask(question).answered


@pytest.mark.parametrize(("question", "title"), [("body: oceania", "Oceania"), ("title: chimney", "Chimney")])
def test_a_word_before_a_colon_is_a_word(library: Engine, question: str, title: str) -> None:
    assert titles(library.ask(question))[0] == title


def test_a_name_that_differs_by_a_sign_is_another_thing(make: Make) -> None:
    pages = (zims.page("C#", "It was made by a large company."), zims.page("Tea", "A drink."))
    engine = Engine.open(make(Site(pages, name="signs")))
    assert not any(result.verdict.rule == "title" for result in engine.ask("what is C++").results)


def test_a_disambiguation_page_answers_its_name_and_nothing_more(library: Engine) -> None:
    assert titles(library.ask("Quill"))[0] in {"Quill", "Quill (pen)"}
    assert titles(library.ask("Quill bonded labour"))[0] == "Ferdan Quill"


def test_quotation_marks_restrict_the_results_to_what_holds_them(library: Engine) -> None:
    assert titles(library.ask('"hot water" drink')) == ["Tea"]
    assert len(titles(library.ask("hot water drink"))) > 1
    # A quotation that stands nowhere restricts nothing.
    assert "Tea" in titles(library.ask('"cold water" drink tea'))


@pytest.mark.parametrize(
    "question",
    [
        "has oceania always been at war with east asia",
        'has oceania always been at war with "east asia"?',
        '"has oceania always been at war" with east asia',
    ],
)
def test_quotation_marks_round_part_of_a_question_are_harmless(library: Engine, question: str) -> None:
    assert titles(library.ask(question))[0] == "Nineteen Eighty-Four"


def test_the_first_hit_of_every_route_is_looked_at(cut: dict[int, Engine]) -> None:
    _, questions = encyclopedia()
    for question, _ in questions:
        answer = cut[1].ask(question, 1_000)
        if not answer.question.quotes:
            listed = {result.ref for result in answer.results}
            assert all(ranking.hits[0].ref in listed for ranking in answer.rankings if ranking.hits), question


# -- modes and routes ------------------------------------------------------------------------------------------------


def test_without_vectors_hybrid_is_lexical_and_dense_answers_nothing(library: Engine) -> None:
    hybrid, lexical, dense = (library.ask("what is tea", mode=mode) for mode in ("hybrid", "lexical", "dense"))
    assert titles(hybrid) == titles(lexical)
    assert reply(hybrid)["routes"]["dense"]["state"] == "off: no vectors"
    assert not dense.answered
    assert "no vectors" in dense.reason
    assert_sound(library, dense)


SUBSETS = [names for size in (0, 1, 2, len(ROUTES) - 1) for names in combinations(ROUTES, size)]


@pytest.mark.parametrize("names", SUBSETS, ids="+".join)
def test_any_subset_of_the_routes_gives_a_sound_answer(library_shards: Path, names: tuple[str, ...]) -> None:
    engine = Engine.open(library_shards, routes={name: ROUTES[name] for name in names})
    for question in (
        "what is tea",
        "has oceania always been at war with east asia",
        '"hot water"',
        "cofee",
        "",
    ):
        answer = engine.ask(question)
        assert_sound(engine, answer)
        assert {ranking.route for ranking in answer.rankings} <= set(names)
        assert {route for result in answer.results for route in result.hits} <= set(names)
        states = reply(answer)["routes"]
        assert all(states[name]["state"].startswith("off") for name in ROUTES if name not in names)


@pytest.mark.parametrize("route", ROUTES)
def test_each_route_alone_finds_something(library_shards: Path, route: str) -> None:
    engine = Engine.open(library_shards, routes={route: ROUTES[route]})
    question = {"phrase": '"hot water over cured leaves"', "core": "aromatic tea leaves"}.get(route, "tea")
    assert "Tea" in titles(engine.ask(question))


# -- number of shards ------------------------------------------------------------------------------------------------


def differing(cut: dict[int, Engine], count: int, seen: Callable[[Answer], object]) -> dict[str, tuple[object, object]]:
    """The questions for which `seen` is another thing in `count` shards than in one."""
    _, questions = encyclopedia()
    assert len(questions) == 50
    both = {question: (seen(cut[1].ask(question)), seen(cut[count].ask(question))) for question, _ in questions}
    return {question: pair for question, pair in both.items() if pair[0] != pair[1]}


@pytest.mark.parametrize("count", [2, 7])
def test_the_number_of_shards_changes_no_first_result_nor_whether_it_answers(
    cut: dict[int, Engine], count: int
) -> None:
    def first(answer: Answer) -> object:
        return answer.answered, [(r.path, round(r.score, 6)) for r in answer.results[:1]]

    assert not differing(cut, count, first)


@pytest.mark.parametrize("count", [2, 7])
def test_below_the_first_result_the_number_of_shards_changes_little(cut: dict[int, Engine], count: int) -> None:
    """Each shard's FTS5 gathers with its own statistics, so what is barely found may differ. These pages are made of
    few words and hundreds are nearly equal: the worst case. bench/README.md gives the figure on real articles."""
    _, questions = encyclopedia()
    shared = 0.0
    for question, _ in questions:
        one, many = ({(r.archive, r.path) for r in cut[n].ask(question).results} for n in (1, count))
        shared += len(one & many) / max(1, len(one | many))
    assert shared / len(questions) > 0.5


def test_equal_pages_stand_in_the_same_order_on_any_number_of_shards(make: Make) -> None:
    pages = [zims.page(f"Copy {n}", "An identical text about herons.") for n in range(1, 7)]
    orders = set()
    for count in (1, 2, 3):
        engine = Engine.open(make(Site(apart(pages), name="copies"), shard_count=count))
        assert [m.shard.one("SELECT count(*) FROM article")[0] for m in engine.mounted] == [6 // count] * count
        orders.add(tuple(titles(engine.ask("identical herons"))))
    assert len(orders) == 1


def test_asking_twice_gives_the_same_answer(library: Engine) -> None:
    for question, _ in FIRST:
        one, other = library.ask(question), library.ask(question)
        assert (one.results, one.evidence, one.coverage) == (other.results, other.evidence, other.coverage)


# -- several archives ------------------------------------------------------------------------------------------------

MEDICAL = Site(
    (
        zims.page("Insulin", "Insulin is a hormone that lowers blood sugar. " * 3),
        zims.page("Tea", "Tea keeps the patient awake."),
        zims.page("Aspirin", "Aspirin is a drug against pain."),
    ),
    name="medbook",
)
GENERAL = Site(
    (
        zims.page("Insulin", "Insulin is a hormone."),
        zims.page("Heron", "A heron is a bird that drinks no tea."),
    ),
    name="general",
)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("several")
    make_index(folder, MEDICAL, GENERAL, RUSSIAN)
    return make_index(folder, LIBRARY, shard_count=2)


@pytest.fixture
def copied(several: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(several, tmp_path / "shards"))


def test_an_article_of_two_archives_is_listed_once_from_the_fuller_with_a_warning(several: Path) -> None:
    engine = Engine.open(several)
    answer = engine.ask("what is insulin")
    assert [(result.title, result.archive) for result in answer.results] == [("Insulin", "medbook")]
    (warning,) = answer.warnings
    assert all(word in warning for word in ("medbook", "general"))
    assert_sound(engine, answer)


def test_no_warning_is_given_of_articles_that_are_not_listed(several: Path) -> None:
    answer = Engine.open(several).ask("which bird drinks no hormone", 1)
    assert titles(answer) == ["Heron"]
    assert not answer.warnings


@pytest.mark.parametrize("name", ["medbook", "general"])
@pytest.mark.parametrize("named", [True, False])
def test_a_named_archive_alone_answers(several: Path, name: str, named: bool) -> None:
    engine = Engine.open(several)
    answer = engine.ask(f"search {name} for insulin") if named else engine.ask("insulin", archive=name)
    assert {result.archive for result in answer.results} == {name}
    assert (answer.coverage.shards_answered, answer.coverage.shards_total) == (1, 1)
    assert not answer.warnings


def test_an_archive_that_is_not_there_is_named(several: Path) -> None:
    answer = Engine.open(several).ask("insulin", archive="nowhere")
    assert not answer.answered
    assert "nowhere" in answer.warnings[0]
    assert "medbook" in answer.warnings[0]


def test_each_language_is_asked_in_its_own_stems(several: Path) -> None:
    engine = Engine.open(several)
    assert titles(engine.ask("кто написал Войну и мир"))[0] == "Война и мир"
    assert titles(engine.ask("who was Teodor Brask"))[0] == "Brask, Teodor"
    assert titles(engine.ask("что такое TCP"))[0] == "TCP"


def test_the_other_keyboard_layout_and_a_typo_are_said_to_be_so(several: Path) -> None:
    engine = Engine.open(several)
    for typed, title in (("cnjkbwf ahfywbb", "Париж"), ("what is aspirn", "Aspirin")):
        answer = engine.ask(typed)
        assert titles(answer)[0] == title
        assert answer.question.asked == typed
        assert typed in answer.warnings[0]


def test_a_respelled_word_that_the_answer_does_not_hold_is_no_answer(make: Make) -> None:
    """The tower's article says nothing of plinkets; plankets stand in another one."""
    tower = zims.page(
        "Brannock tower", "The Brannock tower is a landmark of iron. It rises above the Brannock harbour."
    )
    other = zims.page("Carpets", "A planket is a woollen cover. Weavers trade each planket for salt.")
    engine = Engine.open(make(Site((tower, other), name="tower")))
    refused = engine.ask("how many plinkets has the Brannock tower")
    assert not refused.answered
    assert refused.coverage.missing == ("plinkets",)
    assert titles(engine.ask("what is a plinket"))[0] == "Carpets"


# -- damage ----------------------------------------------------------------------------------------------------------


def overwrite(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(b"\xa5" * size)


def cut_to(size: int, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:size])


def coverage(answer: Answer) -> tuple[int, int]:
    return answer.coverage.shards_answered, answer.coverage.shards_total


def other_schema(file: Path) -> None:
    db = apsw.Connection(str(file))
    db.execute("PRAGMA user_version=99").fetchall()
    db.close()


DAMAGE: dict[str, Callable[[Path], None]] = {
    "missing": Path.unlink,
    "overwritten": overwrite,
    "empty": partial(cut_to, 0),
    "cut short": partial(cut_to, -1),
    "of another schema": other_schema,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_shard_damaged_before_opening_is_named_and_the_rest_answers(copied: Path, damage: str) -> None:
    DAMAGE[damage](copied / "library" / "001.db")
    engine = Engine.open(copied)
    for question in ("what is insulin", "столица Франции", "zorblat", "tea"):
        answer = engine.ask(question)
        assert_sound(engine, answer)
        assert coverage(answer) == (4, 5)
        assert any("001.db" in warning for warning in answer.warnings)
    assert engine.ask("what is insulin").answered


def test_a_shard_overwritten_while_it_is_open_is_left_out_from_then_on(copied: Path) -> None:
    engine = Engine.open(copied)
    (path,) = [
        m.shard.path for m in engine.mounted if m.shard.path.parent.name == "library" and m.shard.path.name == "001.db"
    ]
    with path.open("r+b") as file:
        file.write(b"\xa5" * path.stat().st_size)
    for question in ("what is insulin", "has oceania always been at war with east asia", "drink"):
        assert_sound(engine, engine.ask(question))
    answer = engine.ask("столица Франции")
    assert_sound(engine, answer)
    assert coverage(answer) == (4, 5)
    assert any("library/001.db" in warning for warning in answer.warnings)
    assert titles(engine.ask("what is insulin")) == ["Insulin"]


@pytest.mark.parametrize("opened", [True, False])
def test_coverage_of_a_named_archive_counts_its_damaged_shard(copied: Path, opened: bool) -> None:
    engine = Engine.open(copied) if opened else None
    file = copied / "library" / "001.db"
    with file.open("r+b") as raw:
        raw.write(b"\xa5" * file.stat().st_size)
    engine = engine or Engine.open(copied)
    for _ in range(2):  # found on the first question, remembered on the second
        assert coverage(engine.ask("what is tea", archive="library")) == (1, 2)
        assert coverage(engine.ask("what is insulin", archive="medbook")) == (1, 1)


@pytest.mark.parametrize("question", ["", "?", "x" * 5_000])
def test_coverage_is_that_of_the_index_whatever_is_asked(copied: Path, question: str) -> None:
    (copied / "library" / "001.db").unlink()
    engine = Engine.open(copied)
    assert engine.ask(question).coverage.shards_total == 5
    assert engine.ask(question, mode="dense").coverage.shards_total == 5


def test_every_shard_gone_is_an_answer_too(copied: Path) -> None:
    for file in copied.glob("*/*.db"):
        file.unlink()
    engine = Engine.open(copied)
    answer = engine.ask("what is tea")
    assert_sound(engine, answer)
    assert not answer.answered
    assert answer.coverage.confidence == "unknown"
    assert coverage(answer) == (0, 5)


def tamper(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        size = file.stat().st_size
        db = apsw.Connection(str(file))
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        db.execute("PRAGMA journal_mode=off").fetchall()
        db.execute(statement).fetchall()
        db.close()
        with file.open("r+b") as raw:
            raw.truncate(size)

    return change


# A sound file with senseless values: what a flipped bit leaves behind.
SENSELESS = {
    "counts beyond the number of rows": "UPDATE term SET passages = 1000000, articles = 1000000, leads = 1000000",
    "counts of another type": "UPDATE term SET passages = 'many'",
    "aliases of no article": "UPDATE alias SET article = article + 100000",
    "aliases of another type": "UPDATE alias SET article = 'x' || article",
    "postings cut short": "UPDATE core SET postings = substr(postings, 1, 1)",
    "postings of another type": "UPDATE core SET postings = 'text'",
    "articles without rows": "DELETE FROM article",
    "articles that begin later": "UPDATE article SET id = id + 100000",
    "more passages than there are": "UPDATE article SET passages = passages + 1000",
    "texts of another article": "UPDATE article SET stored_at = 0",
    "texts that are no text": "UPDATE text SET piece = x'00'",
    "texts of no length": "UPDATE article SET stored_bytes = 0",
    "texts beyond the end": "UPDATE article SET stored_at = stored_at + 1000000000",
    "texts gone": "DELETE FROM text",
    "no dictionary": "UPDATE fact SET value = x'0102' WHERE name = 'dictionary'",
}


@pytest.mark.parametrize("damage", SENSELESS)
def test_senseless_values_in_a_shard_never_end_in_an_exception(copied: Path, damage: str) -> None:
    tamper(SENSELESS[damage])(copied / "library" / "000.db")
    engine = Engine.open(copied)
    for question, _ in FIRST:
        answer = engine.ask(question)
        assert answer.answered or answer.reason
    assert titles(engine.ask("what is insulin")) == ["Insulin"]


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"schema": 99}'])
def test_a_damaged_manifest_is_named_and_the_other_archives_answer(copied: Path, content: bytes) -> None:
    (copied / "library" / "manifest.json").write_bytes(content)
    engine = Engine.open(copied)
    answer = engine.ask("what is insulin")
    assert_sound(engine, answer)
    assert answer.answered
    assert any("library" in warning for warning in answer.warnings)
    assert answer.coverage.shards_answered < answer.coverage.shards_total


def test_an_archive_that_was_replaced_since_is_said_to_be_stale(tmp_path: Path) -> None:
    shards = make_index(tmp_path, MEDICAL)
    assert not Engine.open(shards).ask("aspirin").warnings
    zims.build(tmp_path / "medbook.zim", [zims.page("New", "Other text.")])
    answer = Engine.open(shards).ask("aspirin")
    assert answer.answered
    assert any("stale" in warning and "medbook" in warning for warning in answer.warnings)
    (tmp_path / "medbook.zim").unlink()  # it may live elsewhere by now
    assert not Engine.open(shards).ask("aspirin").warnings


@pytest.mark.parametrize("name", ["absent", "."])
def test_no_index_at_all_says_what_to_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(IndexStateError) as caught:
        Engine.open(tmp_path / name)
    assert "aborist index" in caught.value.next


def test_reading_changes_no_file(copied: Path) -> None:
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in copied.rglob("*")}
    engine = Engine.open(copied)
    for question, _ in FIRST:
        engine.ask(question)
    engine.close()
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in copied.rglob("*")} == before
