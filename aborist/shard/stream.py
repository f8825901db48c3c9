"""Articles' compressed texts as one stream of bytes, cut into pieces that each fill a page of the database.

A row an article would leave an eighth of the pages unused (2026-11-30, enwiki_medium: 5.2 of 40.9 MB).
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

import apsw

from aborist.shard.schema import select

__all__ = ["PIECE", "Stream", "read"]

# The most that a page of 8192 bytes holds in one row without an overflow page (8157), less the row's header.
# https://www.sqlite.org/fileformat2.html#b_tree_pages
PIECE = 8144


class Stream:
    """Appends to the stream; what is appended inside the block is in the database at its end."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        ((last,),) = select(db, "SELECT coalesce(max(id), -1) FROM text")
        self._next: int = last + 1  # the piece that is begun; the last one of an earlier block stays short
        self._held = bytearray()

    def append(self, data: bytes) -> int:
        """Add data; returns the byte of the stream where it starts."""
        at = self._next * PIECE + len(self._held)
        self._held += data
        whole = len(self._held) // PIECE
        self._write(whole)
        return at

    def _write(self, pieces: int) -> None:
        if pieces:
            starts = range(0, pieces * PIECE, PIECE)
            rows = ((self._next + n, bytes(self._held[at : at + PIECE])) for n, at in enumerate(starts))
            self._db.executemany("INSERT INTO text VALUES(?, ?)", rows)
            del self._held[: pieces * PIECE]
            self._next += pieces

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._held:
            self._write(1)


def read(db: apsw.Connection, at: int, size: int) -> bytes:
    """`size` bytes of the stream from `at`; fewer where it ends before."""
    first, last = at // PIECE, (at + size - 1) // PIECE
    pieces = select(db, "SELECT piece FROM text WHERE id BETWEEN ? AND ? ORDER BY id", (first, last))
    start = at - first * PIECE
    return b"".join(piece for (piece,) in pieces)[start : start + size]
