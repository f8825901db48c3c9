"""What the finishing pass needs of each part beside the shard: links, refresh stubs, keyword candidates.

A part's spool is written before the part is committed, so a part that is done has one.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import apsw
import zstandard

from aborist.memory import BuildMemory
from aborist.shard.publish import sync
from aborist.types import Alias

__all__ = [
    "DamagedBuild",
    "Keywords",
    "LinkCounter",
    "Notes",
    "Stub",
    "load_keywords",
    "load_notes",
    "resolved",
    "save",
]

_LEVEL = 1  # zstd
_HEADER = struct.Struct("<I")
_COLUMNS = struct.Struct("<6I")


def _numbers() -> array[int]:
    return array("I")


class DamagedBuild(Exception):
    """What an interrupted build left cannot be continued."""


class Stub(NamedTuple):
    """A page that only refreshes to another: a name of a target that may stand in any shard."""

    title: str
    path: str
    target: str
    anchor: str
    aliases: tuple[Alias, ...] = ()  # redirects to the stub


@dataclass(slots=True)
class Notes:
    """What a part says of the archive as a whole."""

    links: Counter[str] = field(default_factory=Counter)  # by target path: how many articles link there
    stubs: list[Stub] = field(default_factory=list)
    unreadable: Counter[str] = field(default_factory=Counter)  # entries by reason


@dataclass(slots=True)
class Keywords:
    """A part's words with their frequencies, and its core keywords term by term, as columns."""

    terms: list[str] = field(default_factory=list)  # all words of the part, in order
    in_articles: array[int] = field(default_factory=_numbers)  # of each term: in how many of the part's articles
    in_leads: array[int] = field(default_factory=_numbers)
    common: array[int] = field(default_factory=_numbers)  # of each posting: the number of its common term, ascending
    articles: array[int] = field(default_factory=_numbers)  # their ordinals in the shard, ascending in each term
    levels: array[int] = field(default_factory=lambda: array("B"))

    def _columns(self) -> tuple[array[int], ...]:
        return self.in_articles, self.in_leads, self.common, self.articles, self.levels

    def pack(self) -> bytes:
        terms = "\n".join(self.terms).encode()
        columns = self._columns()
        lengths = [len(terms), *(len(column) * column.itemsize for column in columns)]
        return _COLUMNS.pack(*lengths) + terms + b"".join(column.tobytes() for column in columns)

    @classmethod
    def unpack(cls, packed: bytes) -> Keywords:
        found = cls()
        starts = list(accumulate(_COLUMNS.unpack_from(packed), initial=_COLUMNS.size))
        found.terms = packed[starts[0] : starts[1]].decode().split("\n") if starts[1] > starts[0] else []
        for column, start, end in zip(found._columns(), starts[1:], starts[2:], strict=False):
            column.frombytes(packed[start:end])
        return found


def save(path: Path, notes: Notes, keywords: Keywords) -> None:
    """Write a part's spool and force it to the disk."""
    compress = zstandard.ZstdCompressor(level=_LEVEL).compress
    told = compress(json.dumps([notes.links, notes.stubs, notes.unreadable]).encode())
    path.write_bytes(_HEADER.pack(len(told)) + told + compress(keywords.pack()))
    sync(path)
    sync(path.parent)


def load_notes(path: Path) -> Notes:
    """Raises DamagedBuild when the spool is absent or damaged; so does `load_keywords`."""
    told, _ = _read(path)
    links, stubs, unreadable = json.loads(told)
    return Notes(Counter(links), [_stub(*stub) for stub in stubs], Counter(unreadable))


def load_keywords(path: Path) -> Keywords:
    return Keywords.unpack(_read(path, notes=False)[1])


def _stub(title: str, path: str, target: str, anchor: str, aliases: Sequence[Sequence[str]]) -> Stub:
    return Stub(title, path, target, anchor, tuple(Alias(*alias) for alias in aliases))


def _read(path: Path, *, notes: bool = True) -> tuple[bytes, bytes]:
    """Both halves of a spool, only one of them unpacked."""
    try:
        data = path.read_bytes()
        end = _HEADER.size + _HEADER.unpack_from(data)[0]
        if notes:
            return zstandard.decompress(data[_HEADER.size : end]), b""
        return b"", zstandard.decompress(data[end:])
    except (FileNotFoundError, struct.error, zstandard.ZstdError) as error:
        raise DamagedBuild(f"{path.name}: {error}") from error


def resolved(stubs: Sequence[Stub]) -> list[Stub]:
    """The stubs, each path once, with chains followed to what is no stub; loops are left out."""
    by_path = {stub.path: stub for stub in stubs}
    # A redirect to a stub is one of its names.
    names = {alias.path: stub.path for stub in stubs for alias in stub.aliases} | {path: path for path in by_path}
    found = []
    for stub in by_path.values():
        last, seen = stub, {stub.path}
        while (following := names.get(last.target)) and following not in seen:
            seen.add(following)
            last = by_path[following]
        if last.target not in names:
            found.append(stub._replace(target=last.target, anchor=last.anchor))
    return found


class LinkCounter:
    """Adds up in-links by target path over all shards, on disk, so that memory stays flat."""

    def __init__(self, path: Path, memory: BuildMemory | None = None) -> None:
        memory = memory or BuildMemory()
        self._most = memory.links
        # Made anew by every run: without a journal, what a kill left is not even a database that can be dropped from.
        path.unlink(missing_ok=True)
        self._db = apsw.Connection(str(path))
        self._held = Counter[str]()
        for pragma in ("journal_mode=off", "synchronous=off", f"cache_size=-{memory.cache >> 10}"):
            self._db.execute(f"PRAGMA {pragma}").fetchall()
        self._db.execute("CREATE TABLE link(path TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID")

    def add(self, links: Mapping[str, int]) -> None:
        self._held.update(links)
        if len(self._held) > self._most:
            self._flush()

    def _flush(self) -> None:
        with self._db:
            self._db.executemany(
                "INSERT INTO link VALUES(?, ?) ON CONFLICT(path) DO UPDATE SET n = n + excluded.n",
                sorted(self._held.items()),
            )
        self._held.clear()

    def close(self) -> None:
        self._flush()
        self._db.close()
