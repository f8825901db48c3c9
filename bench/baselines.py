"""What aborist is measured against: plain full-text search over the same archive, and libzim's own searches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import apsw

from bench.rawzim import corpus_name, texts

__all__ = [
    "STOP_WORDS",
    "Fts5",
    "LibzimSearcher",
    "LibzimSuggestions",
    "NoIndexError",
    "UnavailableError",
    "build_fts5",
    "final_title",
]

# English function words and question words, the usual short list; Russian ones for the Russian sample.
STOP_WORDS = frozenset(
    """a an and are as at be been but by can could did do does for from had has have he her his how i if in
    into is it its me my no not of on or our she so some such than that the their them then there
    these they this to us was we were what when where which while who whom whose why will with would
    you your а бы в во вы где да для до его ее её если же за и из или их к как какая какие какой
    когда кто ли мне мы на не него но о об он она они от по под при про с со сколько так такая такие
    такое такой то у чем что чтобы это эта этот я""".split()
)
WORD = re.compile(r"\w+")


class UnavailableError(Exception):
    """A system that cannot be asked here; the message says why. The others are measured without it."""


class NoIndexError(UnavailableError):
    """The archive has no full-text index, so libzim cannot search it."""


def build_fts5(archives: Sequence[Path], database: Path) -> None:
    """Writes one row an article (title, text) of all `archives`; published by rename, so never half-built."""
    database.parent.mkdir(parents=True, exist_ok=True)
    building = database.with_suffix(".building")
    building.unlink(missing_ok=True)
    connection = apsw.Connection(str(building))
    connection.execute(
        """pragma journal_mode=off; pragma synchronous=off;
        create virtual table article using fts5(title, body, tokenize='porter unicode61');
        begin"""
    ).fetchall()  # apsw runs statement by statement, as far as rows are asked for
    connection.executemany("insert into article(title, body) values(?, ?)", texts(archives))
    connection.execute("commit")
    connection.close()
    building.rename(database)


class Fts5:
    """BM25 of SQLite's FTS5 with its defaults: porter stems, OR over the words that are no stop words."""

    name = "fts5"

    def __init__(self, archives: Sequence[Path], cache: Path) -> None:
        database = cache / f"fts5-{corpus_name(archives)}.db"
        if not database.exists():
            build_fts5(archives, database)
        self._connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)

    def titles(self, question: str, k: int) -> list[str]:
        """The best `k` titles, best first; ties in the order of the archive."""
        expression = match_expression(question)
        if not expression:
            return []
        rows = self._connection.execute(
            """select title from article where article match :expression
            order by bm25(article), rowid limit :k""",
            {"expression": expression, "k": k},
        )
        return [title for (title,) in rows]


def match_expression(question: str) -> str:
    """An OR over the quoted words; stop words only where nothing else is asked; "" without any word."""
    words = WORD.findall(question.replace("\0", " ").lower())
    content = [word for word in words if word not in STOP_WORDS] or words
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(content))


class LibzimSearcher:
    """libzim's own Searcher on the Xapian index inside the archive, the question as it was asked.

    Several archives take turns (all first hits, then all second ones): their scores are not given out.
    :raises NoIndexError: none of the archives has a full-text index.
    """

    name = "libzim"

    def __init__(self, archives: Sequence[Path]) -> None:
        self._archives = [archive for archive in _opened(archives) if archive.has_fulltext_index]
        if not self._archives:
            raise NoIndexError(f"no index: {', '.join(archive.name for archive in archives)}")

    def titles(self, question: str, k: int) -> list[str]:
        from libzim.search import Query, Searcher

        text = _crossing(question)
        found = [(one, Searcher(one).search(Query().set_query(text)).getResults(0, k)) for one in self._archives]
        return _in_turns(found, k)


class LibzimSuggestions:
    """libzim's SuggestionSearcher: what the search box of a reader offers while the question is typed into it.

    Several archives take turns. A redirect counts as the article it leads to.
    """

    name = "suggestions"

    def __init__(self, archives: Sequence[Path]) -> None:
        self._archives = _opened(archives)

    def titles(self, question: str, k: int) -> list[str]:
        from libzim.suggestion import SuggestionSearcher

        text = _crossing(question)
        return _in_turns([(one, SuggestionSearcher(one).suggest(text).getResults(0, k)) for one in self._archives], k)


def _opened(archives: Sequence[Path]) -> list[Any]:
    from libzim.reader import Archive

    return [Archive(archive) for archive in archives]


def _crossing(question: str) -> str:
    # NUL and lone surrogates cannot cross into the C++ library.
    return question.encode(errors="replace").decode().replace("\0", " ")


def _in_turns(found: Iterable[tuple[Any, Iterable[str]]], k: int) -> list[str]:
    """At most `k` titles: every archive's first path, then every second one; each title once."""
    ranked = [[final_title(archive, path) for path in paths] for archive, paths in found]
    turns = (titles[rank] for rank in range(k) for titles in ranked if rank < len(titles))
    return list(dict.fromkeys(turns))[:k]


def final_title(archive: Any, path: str) -> str:
    """The title of the article at a path of a libzim Archive, its redirects followed (libzim refuses loops)."""
    entry = archive.get_entry_by_path(path)
    if entry.is_redirect:
        entry = archive.get_entry_by_path(entry.get_item().path)
    return str(entry.title)
