"""The baselines on the bundled samples: real archives, real searches."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from libzim.reader import Archive
from libzim.writer import Creator, Hint, Item, StringProvider

from bench.baselines import Fts5, LibzimSearcher, LibzimSuggestions, NoIndexError, match_expression
from bench.rawzim import LZMA, PLAIN, ZSTD, NoZimError, RawZim, _unpack, body_text, corpus_uuid, pages
from bench.sparse import Bm25s
from bench.tantivy_index import Tantivy

SAMPLES = Path(__file__).parents[2] / "samples"
ENGLISH, RUSSIAN = SAMPLES / "sample_en.zim", SAMPLES / "seeds_ru.zim"


class Page(Item):  # type: ignore[misc]  # libzim ships no annotations
    def get_path(self) -> str:
        return "A"

    def get_title(self) -> str:
        return "Only page"

    def get_mimetype(self) -> str:
        return "text/html"

    def get_contentprovider(self) -> StringProvider:
        return StringProvider("<html><body>words</body></html>")

    def get_hints(self) -> dict[Hint, bool]:
        return {Hint.FRONT_ARTICLE: True}


@pytest.fixture(scope="module")
def fts5(tmp_path_factory: pytest.TempPathFactory) -> Fts5:
    return Fts5([ENGLISH, RUSSIAN], tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Bm25s:
    return Bm25s([ENGLISH, RUSSIAN], tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def tantivy(tmp_path_factory: pytest.TempPathFactory) -> Tantivy:
    return Tantivy([ENGLISH, RUSSIAN], tmp_path_factory.mktemp("cache"))


@pytest.fixture
def unindexed(tmp_path: Path) -> Path:
    path = tmp_path / "unindexed.zim"
    with Creator(path) as creator:
        creator.add_item(Page())
    return path


def test_fts5_finds_words_stemmed_and_in_both_languages(fts5: Fts5) -> None:
    assert fts5.titles("what is an aardwolf", 3)[0] == "Aardwolf"
    assert "Чёрная дыра" in fts5.titles("что такое чёрная дыра", 5)


def test_fts5_falls_for_the_flagship_question(fts5: Fts5) -> None:
    titles = fts5.titles("has oceania always been at war with east asia", 10)
    assert "Nineteen Eighty-Four" in titles[1:]


def test_fts5_index_is_built_once(tmp_path: Path) -> None:
    Fts5([RUSSIAN], tmp_path)
    (database,) = tmp_path.iterdir()
    built = database.stat().st_mtime_ns
    Fts5([RUSSIAN], tmp_path)
    assert [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == [built]


@pytest.mark.parametrize(
    "question", ["", "?!", 'a "quote" AND (b OR', "NEAR(x, 2)", "title:x*", "\0", "\ud800 x", "^a -b"]
)
def test_no_question_is_an_error_to_the_baselines(fts5: Fts5, sparse: Bm25s, tantivy: Tantivy, question: str) -> None:
    for system in (fts5, sparse, tantivy, LibzimSearcher([ENGLISH]), LibzimSuggestions([ENGLISH])):
        assert isinstance(system.titles(question, 3), list)


def test_bm25s_finds_words_stemmed_in_both_languages_and_nothing_where_no_word_is_shared(sparse: Bm25s) -> None:
    assert sparse.titles("what are aardwolves and an aardwolf", 3)[0] == "Aardwolf"
    assert "Чёрная дыра" in sparse.titles("что такое чёрная дыра", 5)
    assert sparse.titles("xyzzyx", 3) == []
    assert len(sparse.titles("history", 1000)) > 50


def test_tantivy_ranks_as_bm25s_does(sparse: Bm25s, tantivy: Tantivy) -> None:
    # Both are Lucene's BM25 with English stems; k1 differs (1.2 and 1.5), and lengths are kept in one byte.
    for question in ("what is an aardwolf", "who painted with oil in Vienna", "ratio of light that a surface reflects"):
        ours, theirs = tantivy.titles(question, 10), sparse.titles(question, 10)
        assert ours[0] == theirs[0]
        assert len(set(ours) & set(theirs)) >= 0.7 * len(theirs)
    assert tantivy.titles("xyzzyx", 3) == []


def test_bm25s_is_built_once(tmp_path: Path) -> None:
    Bm25s([RUSSIAN], tmp_path)
    built = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    Bm25s([RUSSIAN], tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == built


@given(st.text())
def test_any_text_is_a_legal_match_expression(text: str) -> None:
    expression = match_expression(text)
    assert expression.count('"') % 2 == 0
    assert (expression == "") == (not [c for c in text if c.isalnum() or c == "_"])


def test_stop_words_are_asked_only_when_there_is_nothing_else() -> None:
    assert match_expression("who is the Who of Oz") == '"oz"'
    assert match_expression("to be or not to be") == '"to" OR "be" OR "or" OR "not"'


def test_libzim_searches_its_own_index_and_takes_turns() -> None:
    searcher = LibzimSearcher([ENGLISH, RUSSIAN])
    assert searcher.titles("aardwolf", 2)[0] == "Aardwolf"
    assert searcher.titles("Байкал", 3)[0] == "Байкал"


def test_suggestions_complete_a_title_and_follow_redirects() -> None:
    suggestions = LibzimSuggestions([ENGLISH])
    assert suggestions.titles("aardw", 3) == ["Aardwolf"]
    assert suggestions.titles("1984", 3)[0] == "Nineteen Eighty-Four"
    assert suggestions.titles("what is an aardwolf", 3) == []


def test_libzim_says_so_when_there_is_no_index(unindexed: Path) -> None:
    with pytest.raises(NoIndexError, match=r"no index: unindexed\.zim"):
        LibzimSearcher([unindexed])


def test_the_raw_reader_agrees_with_libzim() -> None:
    archive = Archive(ENGLISH)
    with RawZim(ENGLISH) as zim:
        read = list(pages(zim))
        assert zim.uuid == str(archive.uuid) == corpus_uuid(ENGLISH)
    assert len(read) == 137  # 136 and the main page
    for page in read:
        entry = archive.get_entry_by_path(page.path)
        assert (page.title, page.content) == (entry.title, bytes(entry.get_item().content))


@pytest.mark.parametrize(
    ("kind", "packed"),
    [(ZSTD, zstandard.compress(b"text")), (LZMA, lzma.compress(b"text")), (PLAIN, b"text"), (0, b"text")],
)
def test_every_compression_of_the_format_is_read(kind: int, packed: bytes) -> None:
    assert _unpack(kind, packed) == b"text"


def test_an_unknown_compression_is_named() -> None:
    with pytest.raises(ValueError, match="compression 9"):
        _unpack(9, b"")


def test_a_file_that_is_no_zim_is_named(tmp_path: Path) -> None:
    path = tmp_path / "not.zim"
    path.write_bytes(b"x" * 100)
    with pytest.raises(ValueError, match=r"not\.zim is no ZIM file"):
        RawZim(path)


@pytest.mark.parametrize("content", [b"", b"ZIM"])
def test_a_file_shorter_than_a_header_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "short.zim"
    path.write_bytes(content)
    with pytest.raises(NoZimError, match=r"short\.zim is no ZIM file"):
        RawZim(path)


def test_body_text_is_the_body_alone() -> None:
    assert body_text(b"<head><title>no</title></head><body><p>a<b>b</b></p></body>").split() == ["a", "b"]
    assert body_text(b"") == ""
