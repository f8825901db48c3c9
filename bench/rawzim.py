"""The least code that reads an unsplit ZIM, so that floor and baseline owe nothing to the code they measure.

Format: https://wiki.openzim.org/wiki/ZIM_file_format. Read by mmap, whole clusters, each once.
"""

from __future__ import annotations

import lzma
import mmap
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Self
from uuid import UUID

import zstandard
from selectolax.lexbor import LexborHTMLParser

__all__ = ["NoZimError", "Page", "RawZim", "body_text", "corpus_name", "corpus_uuid", "pages", "texts"]

MAGIC = 0x044D495A
HEADER = struct.Struct("<IHH16sIIQQQQIIQ")
DIRENT = struct.Struct("<HBcIII")
FIRST_SPECIAL_MIME = 0xFFFD  # deleted, link target; 0xFFFF is a redirect
PLAIN, LZMA, ZSTD = 1, 4, 5


class Page(NamedTuple):
    path: str
    title: str
    content: bytes


class Dirent(NamedTuple):
    cluster: int
    blob: int
    path: str
    title: str


class NoZimError(ValueError):
    """A file that is no ZIM archive; the message names it."""


class RawZim:
    """A ZIM file as a context manager. :raises NoZimError: it is none. :raises ValueError: an unknown compression."""

    def __init__(self, path: Path) -> None:
        if path.stat().st_size < HEADER.size:
            raise NoZimError(f"{path.name} is no ZIM file")
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = HEADER.unpack_from(self._map, 0)
        if header[0] != MAGIC:
            raise NoZimError(f"{path.name} is no ZIM file")
        self.uuid = str(UUID(bytes=header[3]))
        entries, clusters, paths_at, _, clusters_at, self._mimes_at, _, _, end = header[4:]
        self._dirents: tuple[int, ...] = struct.unpack_from(f"<{entries}Q", self._map, paths_at)
        self._clusters: tuple[int, ...] = struct.unpack_from(f"<{clusters}Q", self._map, clusters_at)
        self._sorted_clusters: list[int] = sorted((*self._clusters, end))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._map.close()

    def html(self) -> list[Dirent]:
        """The text/html entries of the content namespace (C, or A in the old scheme), in cluster order."""
        html = {i for i, mime in enumerate(self._mimes()) if mime.startswith(b"text/html")}
        found = []
        for at in self._dirents:
            mime, _, namespace, _, cluster, blob = DIRENT.unpack_from(self._map, at)
            if mime >= FIRST_SPECIAL_MIME or mime not in html or namespace not in b"CA":
                continue
            path_end = self._map.find(b"\0", at + 16)
            title_end = self._map.find(b"\0", path_end + 1)
            path = self._map[at + 16 : path_end].decode(errors="replace")
            title = self._map[path_end + 1 : title_end].decode(errors="replace")
            found.append(Dirent(cluster, blob, path, title or path))
        return sorted(found)

    def blobs(self, cluster: int) -> tuple[bytes, tuple[int, ...]]:
        """The unpacked cluster and its offsets: blob i is `data[offsets[i]:offsets[i + 1]]`."""
        start = self._clusters[cluster]
        kind, packed = self._map[start], self._map[start + 1 : self._cluster_end(start)]
        data = _unpack(kind & 15, packed)
        code, width = ("Q", 8) if kind & 16 else ("I", 4)
        count = struct.unpack_from(f"<{code}", data)[0] // width  # the first offset ends the table
        return data, struct.unpack_from(f"<{count}{code}", data)

    def _mimes(self) -> list[bytes]:
        end = self._map.find(b"\0\0", self._mimes_at)
        return self._map[self._mimes_at : end].split(b"\0")

    def _cluster_end(self, start: int) -> int:
        # Clusters need not lie in the order of their numbers, so the next one is looked up by offset.
        return self._sorted_clusters[bisect_right(self._sorted_clusters, start)]


def _unpack(kind: int, packed: bytes) -> bytes:
    if kind == ZSTD:
        return zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    if kind == LZMA:
        return lzma.LZMADecompressor().decompress(packed)
    if kind <= PLAIN:
        return packed
    raise ValueError(f"cluster compression {kind} is none of plain, lzma, zstd")


def pages(zim: RawZim) -> Iterator[Page]:
    """Every HTML page once, in the order of the file, each cluster unpacked once."""
    for number, dirents in groupby(zim.html(), attrgetter("cluster")):
        data, offsets = zim.blobs(number)
        for dirent in dirents:
            start, end = offsets[dirent.blob : dirent.blob + 2]
            yield Page(dirent.path, dirent.title, data[start:end])


def body_text(html: bytes) -> str:
    """The text of the page's body, tags replaced by blanks; nothing else is cleaned."""
    body = LexborHTMLParser(html).body
    return body.text(separator=" ") if body else ""


def corpus_uuid(path: Path) -> str:
    with RawZim(path) as zim:
        return zim.uuid


def corpus_name(archives: Iterable[Path]) -> str:
    """Eight digits of each archive's UUID, joined: what indexes of them are called."""
    return "-".join(corpus_uuid(archive)[:8] for archive in archives)


def texts(archives: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Title and text of every page of all archives, in their order."""
    for archive in archives:
        with RawZim(archive) as zim:
            yield from ((page.title, body_text(page.content)) for page in pages(zim))
