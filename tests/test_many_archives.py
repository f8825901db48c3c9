"""An index of many archives: files are opened when they are looked into, few stay open, answers stay the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.engine import Engine
from aborist.library import Library
from aborist.mount import mount
from aborist.shard.known import Known, mark
from aborist.shard.read import Layout
from aborist.shard.shelf import Shelf
from aborist.types import Answer
from aborist.verify import verify
from tests import zims
from tests.conftest import build_index

ARCHIVES = 36
OPEN = 8
QUESTIONS = (
    "what is a gadget", "gadget bb", "where is the quill of archive ac", "R2D2", "what is the lamp of ad for",
    "zorblat", "gadgit of ae", "the and of", "tea",
)  # fmt: skip


def name(number: int) -> str:
    return ascii_lowercase[number // 26] + ascii_lowercase[number % 26]


def write(folder: Path, number: int) -> Path:
    own = name(number)
    pages = [
        zims.page(
            f"Gadget {own}", f"The gadget of {own} is a tool that every archive has, and tea is drunk beside it."
        ),
        zims.page(f"Quill {own}", f"A quill in archive {own}, which is kept beside the lamp of {own} for writing."),
    ]
    redirects = [("r2", "R2-D2", f"Quill_{own}")] if number == 33 else []
    return zims.build(folder / f"many{own}.zim", pages, redirects)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    return build_index([write(folder, number) for number in range(ARCHIVES)], folder / "shards")


@pytest.fixture
def few_open(many: Path) -> Iterator[Engine]:
    engine = Engine(mount(many, shelf=Shelf[Layout](OPEN)))
    yield engine
    engine.close()


def open_shards() -> int:
    links = [link for link in Path("/proc/self/fd").iterdir() if link.exists()]
    return sum(link.readlink().suffix == ".db" for link in links)


def told(answer: Answer) -> object:
    results = [(result.archive, result.path, round(result.score, 9)) for result in answer.results]
    return answer.answered, results[:1], answer.coverage.shards_answered, answer.warnings


def test_nothing_is_opened_before_it_is_looked_into_and_few_stay_open(few_open: Engine) -> None:
    before = open_shards()
    assert len(few_open.mounted) == ARCHIVES
    for question in QUESTIONS:
        few_open.ask(question)
        assert open_shards() - before <= OPEN
        assert len(few_open.index.shelf) <= OPEN
    few_open.close()
    assert open_shards() == before


def test_a_question_that_one_archive_answers_opens_few_others(few_open: Engine) -> None:
    before = open_shards()
    (best, *_) = few_open.ask("what is bbx quill bb").results
    assert best.archive == "manybb"
    looked = [mounted for mounted in few_open.mounted if mounted.may_hold([mark("bb")])]
    assert len(looked) < ARCHIVES / 4
    assert few_open.ask("R2D2").results[0].archive == f"many{name(33)}"  # by the key of a redirect's title
    assert open_shards() - before <= OPEN


def test_answers_are_those_of_an_index_that_is_open_as_a_whole(many: Path, few_open: Engine) -> None:
    whole = Engine(mount(many, shelf=Shelf[Layout](ARCHIVES)))
    for question in QUESTIONS:
        assert told(few_open.ask(question)) == told(whole.ask(question)), question
    whole.close()


def test_an_article_is_found_and_read_after_its_file_was_closed(many: Path) -> None:
    with Library.open(many) as library:
        found = [library.article(f"Quill {name(number)}")[0] for number in range(ARCHIVES)]
        library.close()
        assert [one.document().text.count("lamp") for one in found] == [1] * ARCHIVES
        assert not library.faults


def test_a_file_that_took_the_place_of_a_shard_is_never_read(many: Path, tmp_path: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(many, tmp_path / "shards"))
    engine = Engine(mount(copy, shelf=Shelf[Layout](OPEN)))
    shard = copy / "manybb" / "000.db"
    other = tmp_path / "other"
    shutil.copy(copy / "manybc" / "000.db", other)
    other.replace(shard)
    for _ in range(2):
        answer = engine.ask("gadget bb")
        assert "manybb" not in [result.archive for result in answer.results]
        assert answer.coverage.shards_answered == ARCHIVES - 1
        assert any("manybb/000.db" in warning and "another file" in warning for warning in answer.warnings)
    engine.close()


def test_verify_compares_the_filter_with_the_words(many: Path, tmp_path: Path) -> None:
    import json
    import shutil

    copy = Path(shutil.copytree(many / "manyaa", tmp_path / "shards" / "manyaa"))
    assert not verify(copy.parent)[0].faults
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["shards"][0]["known"] = Known.of({"other"}).pack()
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert ["filter" in fault.expected for fault in verify(copy.parent)[0].faults] == [True]


@given(st.sets(st.text(), max_size=50), st.text())
def test_a_filter_never_denies_what_was_put_in(words: set[str], other: str) -> None:
    known = Known.unpack(Known.of(words).pack())
    assert known is not None
    assert all(known.may_hold(mark(word)) for word in words)
    assert not Known.of(set()).may_hold(mark(other))


def test_a_filter_seldom_takes_a_stranger_for_known() -> None:
    known = Known.of({f"word{n}" for n in range(5_000)})
    assert sum(known.may_hold(mark(f"other{n}")) for n in range(20_000)) < 200  # 1 in 318 expected


@pytest.mark.parametrize("text", ["", "no base64", "=", "ю"])
def test_what_is_no_filter_rules_nothing_out(text: str) -> None:
    assert Known.unpack(text) is None


class Book:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_a_shelf_closes_what_was_used_longest_ago_and_keeps_texts_within_their_room() -> None:
    shelf = Shelf[str](most=2, text_bytes=100)
    first, second, third = Book(), Book(), Book()
    for book in (first, second, first, third):
        shelf.use(book)
    assert [book.closed for book in (first, second, third)] == [0, 1, 0]
    for number in range(5):
        shelf.keep(first, number, f"text {number}", 30)
    shelf.keep(first, 9, "too large", 101)
    kept = [shelf.document(first, number) for number in (0, 1, 2, 3, 4, 9)]
    assert kept == [None, None, "text 2", "text 3", "text 4", None]
