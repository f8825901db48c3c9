"""Fills one shard with parts of records, each committed whole; `shard.finish` is the pass after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw
import zstandard

from aborist.memory import BuildMemory
from aborist.shard import layout, schema, spool
from aborist.shard.core import Common
from aborist.shard.schema import select
from aborist.shard.spool import Notes, Stub
from aborist.shard.stream import Stream
from aborist.shard.tally import Tally
from aborist.text import Analyzer, fold, title_bag, title_key
from aborist.types import Alias, Document, Kind, Span
from aborist.vocabulary import Vocabulary

__all__ = ["Learnt", "Record", "ShardWriter", "Stub", "insert_aliases", "set_facts"]

# zstd with a 112 kB dictionary. 2026-11-30, enwiki_medium (28,437 articles), one worker: level 3 99.3 MB, 6 97.6 MB, in
# 27 CPU s either way; level 9 two workers 98.3 MB.
_TEXT_LEVEL = 9


class Record(NamedTuple):
    """An article ready to be stored: its text and the stems that are indexed."""

    path: str
    title: str
    kind: Kind
    root: bytes
    document: Document
    passages: tuple[Span, ...]
    heads: tuple[str, ...]  # stems of "Title - Section", one a passage
    bodies: tuple[str, ...]  # stems, one a passage
    lengths: tuple[int, ...]  # of the bodies, in tokens
    title_stems: str
    words: Sequence[int]  # numbers of the stems of title and bodies, in the writer's vocabulary
    title_tokens: int  # how many of them are the title
    lead_tokens: int  # how many of them are the lead: the title and the first tokens
    links: tuple[str, ...]  # paths of the other articles this one links to
    aliases: tuple[Alias, ...]


class Learnt(NamedTuple):
    """What a sample of the archive's pages taught."""

    dictionary: bytes  # for zstd; empty for a small archive
    common: Common


class ShardWriter:
    """One shard file under construction in the build folder `folder`."""

    def __init__(
        self, folder: Path, number: int, vocabulary: Vocabulary, learnt: Learnt, memory: BuildMemory | None = None
    ) -> None:
        self.path = folder / f"{number:03}.db"
        self._vocabulary = vocabulary
        self._analyzer = vocabulary.analyzer
        self.db = schema.open_build(self.path, memory)
        dictionary, self.common = learnt
        trained = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._pack = zstandard.ZstdCompressor(level=_TEXT_LEVEL, dict_data=trained, write_dict_id=False)
        # Each time: a build may have been killed between its tables and this.
        self.db.execute("INSERT OR IGNORE INTO fact VALUES('dictionary', ?)", (dictionary,))

    def close(self) -> None:
        self.db.close()

    def done_parts(self) -> dict[int, int]:
        """The parts that are committed, and how many articles each has."""
        return dict(select(self.db, "SELECT number, articles FROM part ORDER BY number"))

    def spool_path(self, number: int) -> Path:
        """Where the spool of a part stands."""
        return self.path.with_suffix(f".{number:05}.spool")

    def write_part(self, number: int, records: Iterable[Record | Stub], unreadable: Counter[str]) -> int:
        """Store all records of a part and commit; returns how many articles. Interrupted, nothing stays.

        `unreadable` is read after the last record: what was left out, by reason.
        """
        notes, tally = Notes(unreadable=unreadable), Tally(self._vocabulary, self.common)
        written = passage_tokens = 0
        with self.db, Stream(self.db) as self._stream:
            ((article, before),) = select(self.db, "SELECT coalesce(max(id + passages), 1), count(*) FROM article")
            for record in records:
                if isinstance(record, Stub):
                    notes.stubs.append(record)
                    continue
                self._insert(article, record)
                tally.add(before + written, record.words, record.lead_tokens, record.title_tokens)
                notes.links.update(record.links)
                passage_tokens += sum(record.lengths) + sum(map(_length, record.heads or (record.title_stems,)))
                article += max(1, len(record.passages))
                written += 1
            self.db.execute("INSERT INTO part VALUES(?, ?, ?)", (number, written, passage_tokens))
            spool.save(self.spool_path(number), notes, tally.keywords())
        return written

    def _insert(self, article: int, record: Record) -> None:
        passages = max(1, len(record.passages))
        packed = self._pack.compress(layout.pack(record.document, record.passages, record.lengths))
        self.db.execute(
            "INSERT INTO article VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (article, record.path, record.title, int(record.kind), record.root, passages,
             len(record.words), record.lead_tokens, self._stream.append(packed), len(packed)),
        )  # fmt: skip
        # An article without text is one empty passage: its title must be found all the same.
        heads, bodies = (record.heads, record.bodies) if record.passages else ((record.title_stems,), ("",))
        self.db.executemany(
            "INSERT INTO passage(rowid, body, head) VALUES(?, ?, ?)",
            zip(range(article, article + passages), bodies, heads, strict=True),
        )
        own = Alias(record.title, "")
        insert_aliases(self.db, article, (own, *record.aliases), self._analyzer)


def insert_aliases(db: apsw.Connection, article: int, aliases: Iterable[Alias], analyzer: Analyzer) -> None:
    """Store names of an article; one without a path is its own title."""
    db.executemany(
        "INSERT INTO alias(article, title, path, anchor, key, bag, folded) VALUES(?, ?, ?, ?, ?, ?, ?)",
        (
            (
                article,
                alias.title,
                alias.path or None,
                alias.anchor or None,
                title_key(alias.title),
                title_bag(analyzer.stems(alias.title)),
                fold(alias.title),
            )
            for alias in aliases
        ),
    )


def set_facts(db: apsw.Connection, facts: Mapping[str, str | int | bytes]) -> None:
    """Record named values of a shard."""
    db.executemany("INSERT OR REPLACE INTO fact VALUES(?, ?)", facts.items())


def _length(stems: str) -> int:
    return stems.count(" ") + 1 if stems else 0
