"""What the finishing pass needs of each part beside the shard: links, refresh stubs, keyword candidates.

A part's spool is written before the part is committed, so a part that is done has one.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
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
    """Candidates for core keywords, as columns: what `add` was given, and what iterating gives back."""

    articles: array[int] = field(default_factory=lambda: array("I"))
    sizes: array[int] = field(default_factory=lambda: array("I"))
    ids: array[int] = field(default_factory=lambda: array("I"))
    counts: array[int] = field(default_factory=lambda: array("I"))
    terms: list[str] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict, repr=False)

    def add(self, article: int, counted: Sequence[tuple[str, int]]) -> None:
        known = self._known
        self.articles.append(article)
        self.sizes.append(len(counted))
        self.ids.extend([known.setdefault(term, len(known)) for term, _ in counted])
        self.counts.extend([count for _, count in counted])

    def __iter__(self) -> Iterator[tuple[int, Sequence[int], Sequence[int]]]:
        """(article, term numbers, counts) of each article."""
        bounds = pairwise(accumulate(self.sizes, initial=0))
        for article, (start, end) in zip(self.articles, bounds, strict=True):
            yield article, self.ids[start:end], self.counts[start:end]

    def pack(self) -> bytes:
        terms = "\n".join(self._known).encode()
        columns = (self.articles, self.sizes, self.ids, self.counts)
        lengths = [len(terms), *(len(column) * column.itemsize for column in columns)]
        return struct.pack("<5I", *lengths) + terms + b"".join(column.tobytes() for column in columns)

    @classmethod
    def unpack(cls, packed: bytes) -> Keywords:
        found = cls()
        columns = (found.articles, found.sizes, found.ids, found.counts)
        lengths = struct.unpack_from("<5I", packed)
        starts = list(accumulate(lengths, initial=20))
        found.terms = packed[starts[0] : starts[1]].decode().split("\n")
        for column, start, end in zip(columns, starts[1:], starts[2:], strict=False):
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
