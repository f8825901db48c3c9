"""The directory of a ZIM archive, read straight from its bytes: what libzim cannot list in cluster order.

Every offset taken from the file is checked against its size before it is followed, so a damaged file gives an
ArchiveError, never an IndexError, a struct.error or an endless loop. Reads go through files, not memory maps: a
failing disk then gives an OSError that can be told instead of a signal that kills the process.

Format: https://wiki.openzim.org/wiki/ZIM_file_format (all numbers little-endian).
"""

from __future__ import annotations

import os
import struct
from array import array
from bisect import bisect_right
from contextlib import ExitStack
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Self

from aborist.errors import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["DELETED", "REDIRECT", "UNREADABLE", "Directory", "Header", "Name", "Source", "damaged", "numbers"]

MAGIC = 0x044D495A
CHECKSUM_BYTES = 16

# Values of a directory entry's type that are no index into the list of MIME types.
REDIRECT = 0xFFFF
DELETED = 0xFFFD  # and 0xFFFE, a link target: both without content
UNREADABLE = 0xFFFC  # ours: the pointer to the entry leads outside the file


BLOCK_ENTRIES = 1 << 16  # 6 MB of a usual directory at a time
WINDOW_BYTES = 1 << 26  # a block whose entries lie further apart is read entry by entry
NAME_BYTES = 1 << 9  # first attempt; doubled up to the longest name there can be
LONGEST_NAME_BYTES = 1 << 18
MIME_LIST_BYTES = 1 << 20

_HEADER = struct.Struct("<IHH16sIIQQQQIIQ")
_RECORD = struct.Struct("<HBBIII")  # type, parameters, namespace, revision, cluster or redirect's target, blob


def damaged(file: Path, found: str) -> ArchiveError:
    """An error that says the archive's own bytes are at fault."""
    return ArchiveError(
        expected=f"an intact ZIM archive at {file}",
        found=" ".join(found.split()),
        next="download it again or restore it from a copy",
    )


class Source:
    """The bytes of one archive, over all its parts. Not for use by two threads at once."""

    def __init__(self, parts: Sequence[Path]) -> None:
        self.parts = tuple(parts)
        with ExitStack() as stack:
            # Unbuffered: names are read here and there, and a buffer would fetch eight times as much.
            self._files = [stack.enter_context(part.open("rb", buffering=0)) for part in self.parts]
            sizes = [file.seek(0, 2) for file in self._files]
            self._stack = stack.pop_all()
        self._starts = [0, *accumulate(sizes)]
        self.size = self._starts[-1]  # bytes

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset`.

        :raises ArchiveError: when they do not all lie in the archive, or the disk fails
        """
        if offset < 0 or length < 0 or offset + length > self.size:
            raise damaged(self.parts[0], f"a pointer to byte {offset + length} of {self.size}")
        pieces = []
        part = bisect_right(self._starts, offset) - 1
        while length > 0:
            wanted = min(length, self._starts[part + 1] - offset)
            pieces.append(self._read_part(part, offset - self._starts[part], wanted))
            offset, length, part = offset + wanted, length - wanted, part + 1
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read_part(self, part: int, offset: int, length: int) -> bytes:
        try:
            # May return less than asked for (Linux: 2 GiB at most), but not on these block sizes.
            piece = os.pread(self._files[part].fileno(), length, offset)
        except OSError as error:
            raise damaged(self.parts[part], f"a disk that fails: {error.strerror}") from error
        if len(piece) != length:
            raise damaged(self.parts[part], "a file that became shorter while it was read")
        return piece

    def close(self) -> None:
        self._stack.close()


class Header(NamedTuple):
    """The 80 bytes at the start of every archive; the names ending in `_at` are offsets in bytes."""

    magic: int
    major: int
    minor: int
    uuid: bytes
    entries: int
    clusters: int
    paths_at: int
    titles_at: int
    clusters_at: int
    mimes_at: int
    main: int
    layout: int
    checksum_at: int

    @classmethod
    def of(cls, source: Source) -> Self:
        """The header.

        :raises ArchiveError: for a file that is empty, no ZIM, or shorter than its header says
        """
        if source.size < _HEADER.size or source.read(0, 4) != MAGIC.to_bytes(4, "little"):
            found = "an empty file" if source.size == 0 else "a file that is not a ZIM archive"
            raise ArchiveError(
                expected=f"a ZIM archive at {source.parts[0]}",
                found=found,
                next="check which file it is, or download the archive again",
            )
        header = cls(*_HEADER.unpack(source.read(0, _HEADER.size)))
        # Cheap and sure: the checksum is the last thing in the file, so a cut download ends before it.
        if (whole := header.checksum_at + CHECKSUM_BYTES) > source.size:
            raise damaged(source.parts[0], f"{source.size} bytes of {whole}: the file is cut short")
        return header


class Name(NamedTuple):
    """The strings of one entry; `title` is "" where none is stored (by the format the path is the title)."""

    mime: int
    space: str
    path: str
    title: str
    cluster: int  # of a redirect: its target
    blob: int


class Directory:
    """All entries of an archive; an entry's number is its place in the order of paths, as in libzim."""

    def __init__(self, source: Source, *, new_scheme: bool) -> None:
        self.source = source
        self.new_scheme = new_scheme
        self.header = header = Header.of(source)
        for what, end in (
            ("directory", header.paths_at + 8 * header.entries),
            ("cluster list", header.clusters_at + 8 * header.clusters),
        ):
            if end > source.size:
                raise damaged(source.parts[0], f"a {what} that reaches outside the file")
        room = max(0, min(MIME_LIST_BYTES, source.size - header.mimes_at))
        listed, end_mark, _ = source.read(header.mimes_at, room).partition(b"\0\0")
        if not end_mark:
            raise damaged(source.parts[0], "a list of MIME types without an end")
        self.mimes = tuple(mime.decode(errors="replace") for mime in listed.split(b"\0"))

    def records(self) -> Iterator[tuple[int, int, int, int]]:
        """Type, namespace, cluster (a redirect: its target) and blob of every entry in order; nothing kept.

        An entry whose pointer leads outside the file has the type UNREADABLE.

        :raises ArchiveError: when the disk fails
        """
        last = self.source.size - _RECORD.size
        for start in range(0, self.header.entries, BLOCK_ENTRIES):
            count = min(BLOCK_ENTRIES, self.header.entries - start)
            offsets = struct.unpack(f"<{count}Q", self.source.read(self.header.paths_at + 8 * start, 8 * count))
            low, high = min(offsets), min(max(offsets), last)
            near = 0 <= high - low <= WINDOW_BYTES
            window = self.source.read(low, high - low + _RECORD.size) if near else b""
            for offset in offsets:
                if offset > last:
                    yield UNREADABLE, 0, 0, 0
                    continue
                raw, at = (window, offset - low) if near else (self.source.read(offset, _RECORD.size), 0)
                mime, _, space, _, target, blob = _RECORD.unpack_from(raw, at)
                yield mime, space, target, blob

    def name(self, entry: int) -> Name:
        """Type, namespace, path, own title and place of an entry.

        :raises ArchiveError: when there is no such entry or its strings do not end
        """
        if not 0 <= entry < self.header.entries:
            raise damaged(self.source.parts[0], f"a reference to entry {entry} of {self.header.entries}")
        (at,) = struct.unpack("<Q", self.source.read(self.header.paths_at + 8 * entry, 8))
        length = NAME_BYTES
        while True:
            data = self.source.read(at, max(_RECORD.size, min(length, self.source.size - at)))
            mime, _, space, _, cluster, blob = _RECORD.unpack_from(data)
            # A redirect has no blob number: its strings begin four bytes earlier.
            strings = data[_RECORD.size - 4 if mime == REDIRECT else _RECORD.size :].split(b"\0", 2)
            if len(strings) == 3:
                path, title = (string.decode(errors="replace") for string in strings[:2])
                return Name(mime, chr(space), path, title, cluster, blob)
            if length >= LONGEST_NAME_BYTES or at + length >= self.source.size:
                raise damaged(self.source.parts[0], f"entry {entry} without an end to its name")
            length *= 2

    def path(self, name: Name) -> str:
        """The path as libzim's `Entry.path` gives it: with the namespace in the old scheme."""
        return name.path if self.new_scheme else f"{name.space}/{name.path}"


def numbers() -> array[int]:
    return array("I")
