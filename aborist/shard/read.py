"""Reads one published shard: articles, their text and layout, term statistics.

Each route owns its one SELECT and runs it on `Shard.db`; what several of them need stands here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import apsw
import zstandard

from aborist.errors import DamagedShard
from aborist.shard import schema
from aborist.types import Document, Kind, Section, Span

__all__ = ["Entry", "Frequency", "Layout", "Shard"]

_CACHED_DOCUMENTS = 64


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


class Frequency(NamedTuple):
    """In how many articles, leads and passages a term stands."""

    articles: int
    leads: int
    passages: int


class Shard:
    """A published shard, open for reading. Any SQLite error while reading it becomes DamagedShard."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.db = schema.open_readonly(path)
        self.layout = lru_cache(_CACHED_DOCUMENTS)(self._layout)
        (dictionary,) = self.rows("SELECT value FROM fact WHERE name = 'dictionary'")[0]
        trained = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._unpack = zstandard.ZstdDecompressor(dict_data=trained)

    def close(self) -> None:
        self.db.close()

    def rows(self, statement: str, bindings: dict[str, object] | None = None) -> list[tuple]:  # type: ignore[type-arg]
        """All rows of one SELECT."""
        try:
            return self.db.execute(statement, bindings).fetchall()
        except (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError) as error:
            raise self.damaged(str(error)) from error

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
        return [Entry(*row)._replace(kind=Kind(row[3])) for row in found]

    def entry(self, article: int) -> Entry:
        return self.entries("id = :id", {"id": article})[0]

    def article_of(self, passage: int) -> int:
        """The article a passage belongs to: the greatest id not above the passage's."""
        (article,) = self.rows(
            "SELECT id FROM article WHERE id <= :passage ORDER BY id DESC LIMIT 1", {"passage": passage}
        )[0]
        return int(article)

    def _layout(self, article: int) -> Layout:
        """Text, sections and passages of an article (the most recent ones are kept)."""
        found = self.rows("SELECT body, layout FROM text WHERE id = :id", {"id": article})
        if not found:
            raise self.damaged(f"article {article} without text")
        try:
            text = self._unpack.decompress(found[0][0]).decode()
            layout = json.loads(self._unpack.decompress(found[0][1]))
        except (zstandard.ZstdError, ValueError) as error:
            raise self.damaged(f"unreadable text of article {article} ({error})") from error
        sections = tuple(Section(tuple(heading), *rest) for heading, *rest in layout["sections"])
        passages = tuple(Span(*numbers[:3]) for numbers in layout["passages"])
        return Layout(Document(text, sections), passages, tuple(numbers[3] for numbers in layout["passages"]))

    def frequencies(self, terms: Iterable[str]) -> dict[str, Frequency]:
        """Document frequencies of the terms this shard knows."""
        found = {}
        for term in terms:
            for row in self.rows("SELECT articles, leads, passages FROM term WHERE term = :term", {"term": term}):
                found[term] = Frequency(*row)
        return found

    def aliases(self, article: int) -> list[tuple[str, str | None, str | None]]:
        """(title, path, anchor) of each further name of an article, in the archive's order."""
        return self.rows(
            "SELECT title, path, anchor FROM alias WHERE article = :id AND path IS NOT NULL ORDER BY id",
            {"id": article},
        )
