"""Reads one published shard: articles, their text and layout, term statistics.

Each route owns its one SELECT and runs it on `Shard.db`; what several of them need stands here.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt
import zstandard

from aborist.errors import DamagedShard
from aborist.shard import core, functions, layout, schema, stream
from aborist.shard.known import MOST_WORDS, Known
from aborist.shard.shelf import Shelf
from aborist.text import match_phrase
from aborist.types import Document, Kind, Span

__all__ = ["Counted", "Entry", "Frequency", "Layout", "Shard"]

_ENTRY_TYPES = (int, str, str, int, bytes, int, int, int, int)
_KINDS = frozenset(map(int, Kind))
_ROOT_BYTES = 32
_LONGEST_TEXT = 1 << 30  # bytes: a frame that says more was altered
_PIECE_BYTES = 180  # a section or passage in memory: 2026-11-30, tracemalloc, 300 articles of enwiki_medium: 173
# What SQLite raises for pages that do not fit together, and apsw for text that is no UTF-8.
_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError, UnicodeDecodeError)


class Entry(NamedTuple):
    """An article's row, without its text."""

    id: int
    path: str
    title: str
    kind: Kind
    root: bytes
    passages: int
    tokens: int
    lead_tokens: int
    links: int


class Layout(NamedTuple):
    """An article's text with its passages; `lengths` are passage lengths in tokens."""

    document: Document
    passages: tuple[Span, ...]
    lengths: tuple[int, ...]


class Counted(NamedTuple):
    """Passages by rowid, ascending, with their articles, their lengths in tokens (prefix included), and how often each
    term stands in them (passages x terms, at most 255)."""

    articles: npt.NDArray[np.int64]
    passages: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    counts: npt.NDArray[np.uint8]


class Frequency(NamedTuple):
    """In how many articles, leads and passages a term stands."""

    articles: int
    leads: int
    passages: int


_COUNTED = "SELECT rowid, counted(passage, :first) FROM passage WHERE passage MATCH :expression"


class Shard:
    """A published shard, read-only. What SQLite reports of a torn or altered file becomes DamagedShard.

    Its file is opened when it is first looked into, so that is when damage shows; the shelf, which shards of one
    index share, may close it again, and the next look opens it anew.
    """

    def __init__(self, path: Path, shelf: Shelf[Layout] | None = None, seen: os.stat_result | None = None) -> None:
        self.path = path
        self._seen = seen  # the file as it was when its manifest was read: another one of its name is not opened
        self._shelf = Shelf[Layout]() if shelf is None else shelf
        self._opened: apsw.Connection | None = None
        self._unpack: zstandard.ZstdDecompressor | None = None

    @property
    def db(self) -> apsw.Connection:
        """The open file. Good until another shard of the shelf is looked into."""
        if self._opened is None:
            self._opened = schema.open_readonly(self.path)
            if self._seen and not os.path.samestat(self._seen, self.path.stat()):
                self.close()
                raise DamagedShard(
                    expected=f"the shard {self.path.parent.name}/{self.path.name} as it was when the index was opened",
                    found="another file of that name",
                    next="ask again: its archive was indexed anew meanwhile",
                )
            try:
                functions.register(self._opened)  # this reads the schema
                schema.run(self._opened, f"PRAGMA cache_size=-{self._shelf.pages_kib}")
            except (*_DAMAGE, apsw.NoFTS5Error) as error:
                raise self.damaged(str(error)) from error
        self._shelf.use(self)
        return self._opened

    def close(self) -> None:
        """Let go of the file; a later look opens it again."""
        if self._opened is not None:
            self._opened.close()
        self._opened = self._unpack = None

    def rows(self, statement: str, bindings: dict[str, object] | None = None) -> list[tuple[Any, ...]]:
        """All rows of one SELECT."""
        try:
            return self.db.execute(statement, bindings).fetchall()
        except apsw.NoMemError as error:
            raise MemoryError from error
        except _DAMAGE as error:
            raise self.damaged(str(error)) from error

    def one(self, statement: str, bindings: dict[str, object] | None = None) -> tuple[Any, ...]:
        """The first row of a SELECT that a sound shard always answers."""
        for row in self.rows(statement, bindings):
            return row
        raise self.damaged("a row that should be there is missing")

    def damaged(self, found: str) -> DamagedShard:
        return DamagedShard(
            expected=f"a sound shard {self.path.parent.name}/{self.path.name}",
            found=found,
            next="run `aborist verify`, then `aborist index` on its archive again",
        )

    def entries(self, where: str, bindings: dict[str, object]) -> list[Entry]:
        """Articles by a condition on the article table (a constant of the caller's, never user text)."""
        found = self.rows(
            f"SELECT id, path, title, kind, root, passages, tokens, lead_tokens, links FROM article WHERE {where}",
            bindings,
        )
        return [self._entry(row) for row in found]

    def entry(self, article: int) -> Entry:
        for entry in self.entries("id = :id", {"id": article}):
            return entry
        raise self.damaged(f"no article {article}")

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        types = tuple(map(type, row))
        if types != _ENTRY_TYPES or row[3] not in _KINDS or len(row[4]) != _ROOT_BYTES:
            raise self.damaged(f"a damaged row of article {row[0]}")
        return Entry(*row)._replace(kind=Kind(row[3]))

    def matching(self, entry: Entry, expression: str) -> list[int]:
        """Numbers of the article's passages whose text (not prefix) matches an FTS5 expression, in order; "" matches
        none."""
        if not expression:
            return []
        rows = self.rows(
            "SELECT rowid FROM passage WHERE passage MATCH :expression AND rowid BETWEEN :first AND :last"
            " ORDER BY rowid",
            {
                "expression": f"body : ({expression})",
                "first": entry.id,
                "last": entry.id + entry.passages - 1,
            },
        )
        return [passage - entry.id for (passage,) in rows]

    def counted(self, expression: str, first: int) -> Counted:
        """The passages that match an FTS5 expression; counted are its phrases from the one numbered `first` on."""
        rows = self.rows(_COUNTED, {"expression": expression, "first": first})
        passages, packed = zip(*rows, strict=True) if rows else ((), ())
        counts = np.frombuffer(b"".join(packed), np.uint8).reshape(len(rows), -1 if rows else 2)
        lengths = counts[:, 0] + 256 * counts[:, 1].astype(np.int64)
        found = np.array(passages, np.int64)
        return Counted(self.articles[self._holders(found)], found, lengths, counts[:, 2:])

    def placed(self, statement: str, bindings: dict[str, object]) -> list[tuple[int, int]]:
        """(article, passage) of each passage whose rowid a SELECT gives."""
        passages = np.array([row for (row,) in self.rows(statement, bindings)], np.int64)
        return list(zip(self.articles[self._holders(passages)].tolist(), passages.tolist(), strict=True))

    def keyword(self, term: str) -> tuple[core.Ordinals, core.Levels] | None:
        """The postings of a core keyword, articles as places in `articles`; None for a term that is not common."""
        for (blob,) in self.rows("SELECT postings FROM core WHERE term = :term", {"term": term}):
            try:
                ordinals, levels = core.unpack(blob)
            except ValueError as error:
                raise self.damaged(f"core keywords that are {error}") from error
            if len(ordinals) and ordinals[-1] >= len(self.articles):
                raise self.damaged(f"core keywords of {term!r} in no article")
            return ordinals, levels
        return None

    def holders(self, term: str) -> tuple[core.Ordinals, npt.NDArray[np.int64]]:
        """The articles that hold a term in a passage, as places in `articles`, and in how many passages each."""
        rows = self.rows("SELECT rowid FROM passage WHERE passage MATCH :term", {"term": match_phrase((term,))})
        return np.unique(self._holders(np.array([row for (row,) in rows], np.int64)), return_counts=True)

    def _holders(self, passages: npt.NDArray[np.int64]) -> core.Ordinals:
        """The places in `articles` of those that passages belong to."""
        found = np.searchsorted(self.articles, passages, side="right") - 1
        if len(found) and found.min() < 0:
            raise self.damaged(f"passage {passages.min()} of no article")
        return found

    @cached_property
    def articles(self) -> core.Ordinals:
        """The ids of all articles, ascending: 8 bytes each in memory."""
        try:
            return core.unpack_ids(*self.one("SELECT value FROM fact WHERE name = 'articles_at'"))
        except ValueError as error:
            raise self.damaged(f"article ids that are {error}") from error

    def layout(self, article: int) -> Layout:
        """Text, sections and passages of an article; the shelf keeps the most recent ones."""
        kept = self._shelf.document(self, article)
        if kept is None:
            kept = self._layout(article)
            pieces = len(kept.passages) + len(kept.document.sections)
            self._shelf.keep(self, article, kept, sys.getsizeof(kept.document.text) + _PIECE_BYTES * pieces)
        return kept

    def _layout(self, article: int) -> Layout:
        found = self.rows("SELECT stored_at, stored_bytes FROM article WHERE id = :id", {"id": article})
        if not found:
            raise self.damaged(f"no article {article}")
        try:
            packed = stream.read(self.db, *found[0])
            if len(packed) < found[0][1]:
                raise self.damaged(f"article {article} without text")
            if zstandard.frame_content_size(packed) > _LONGEST_TEXT:
                raise self.damaged(f"article {article} with a text of an impossible length")
            return Layout(*layout.unpack(self._decompressor().decompress(packed)))
        except apsw.NoMemError as error:
            raise MemoryError from error
        except apsw.Error as error:
            raise self.damaged(str(error)) from error
        except (zstandard.ZstdError, ValueError, TypeError, LookupError, struct.error) as error:
            raise self.damaged(f"unreadable text of article {article} ({error})") from error

    def _decompressor(self) -> zstandard.ZstdDecompressor:
        if self._unpack is None:
            (dictionary,) = self.one("SELECT value FROM fact WHERE name = 'dictionary'")
            if not isinstance(dictionary, bytes):
                raise self.damaged("no compression dictionary")
            trained = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
            self._unpack = zstandard.ZstdDecompressor(dict_data=trained)
        return self._unpack

    def known(self) -> Known | None:
        """A filter over its terms and its names' keys and stems; None where they are too many for one."""
        terms = self.rows("SELECT term FROM term LIMIT :most", {"most": MOST_WORDS + 1})
        names = self.rows("SELECT key, bag FROM alias LIMIT :most", {"most": MOST_WORDS + 1})
        words = {term for (term,) in terms}
        for key, bag in names:
            words.update((key, *bag.split()))
        return Known.of(words) if len(words) <= MOST_WORDS and len(names) <= MOST_WORDS else None

    def paths(self, articles: Iterable[int]) -> list[tuple[int, str]]:
        """(article, path) of articles."""
        return self.rows(
            "SELECT id, path FROM article WHERE id IN (SELECT value FROM json_each(:ids))",
            {"ids": json.dumps(list(articles))},
        )

    def titled(self, keys: Iterable[str], most: int = 20) -> list[tuple[int, str]]:
        """(in-links, title) of names with one of these keys (text.title_key), of the most linked articles first."""
        return self.rows(
            "SELECT article.links, alias.title FROM alias JOIN article ON article.id = alias.article"
            " WHERE key IN (SELECT value FROM json_each(:keys)) ORDER BY 1 DESC, 2 LIMIT :most",
            {"keys": json.dumps(sorted(keys)), "most": most},
        )

    def frequencies(self, terms: Iterable[str]) -> dict[str, Frequency]:
        """Document frequencies of the terms this shard knows."""
        found = {}
        for term in terms:
            for row in self.rows("SELECT articles, leads, passages FROM term WHERE term = :term", {"term": term}):
                if not all(isinstance(count, int) for count in row):
                    raise self.damaged(f"document frequencies {row!r} of {term!r}")
                found[term] = Frequency(*row)
        return found

    def aliases(self, article: int) -> list[tuple[str, str | None, str | None]]:
        """(title, path, anchor) of each further name of an article, in the archive's order."""
        return self.rows(
            "SELECT title, path, anchor FROM alias WHERE article = :id AND path IS NOT NULL ORDER BY id",
            {"id": article},
        )
