"""Small real archives for tests, written by libzim itself, and ways to break them on purpose.

Layout that is patched here: https://wiki.openzim.org/wiki/ZIM_file_format
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from libzim.writer import ContentProvider, Creator, Hint, Item, StringProvider

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "Page",
    "break_pointer",
    "build",
    "dirents",
    "page",
    "point",
    "smash_cluster",
    "split",
    "truncate",
]


class Page(NamedTuple):
    """One entry to write; `front` is the hint for a front article (None: libzim decides by the type)."""

    path: str
    title: str
    content: str | bytes
    mime: str = "text/html"
    front: bool | None = True


class _Item(Item):  # type: ignore[misc]  # libzim ships no annotations that mypy finds
    def __init__(self, entry: Page) -> None:
        super().__init__()
        self.entry = entry

    def get_path(self) -> str:
        return self.entry.path

    def get_title(self) -> str:
        return self.entry.title

    def get_mimetype(self) -> str:
        return self.entry.mime

    def get_contentprovider(self) -> ContentProvider:
        return StringProvider(self.entry.content)

    def get_hints(self) -> dict[Hint, int]:
        return {} if self.entry.front is None else {Hint.FRONT_ARTICLE: self.entry.front}


def page(title: str, text: str = "", path: str | None = None) -> Page:
    """An HTML article; its path is the title with underscores unless given."""
    body = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text or title}</p></body></html>"
    return Page(title.replace(" ", "_") if path is None else path, title, body)


def build(
    file: Path,
    pages: Iterable[Page],
    redirects: Sequence[tuple[str, str, str]] = (),
    *,
    aliases: Sequence[tuple[str, str, str]] = (),
    main: str | None = None,
    metadata: Mapping[str, str] | None = None,
    cluster_bytes: int | None = None,
    compression: str | None = None,
) -> Path:
    """Write an archive and return its path.

    `redirects` and `aliases` (entries that share the content of another) are (path, title, target's path). An
    archive is named after its file and English unless `metadata` says otherwise; {} writes none.
    """
    creator = Creator(file).config_indexing(False, "eng")
    if cluster_bytes is not None:
        creator.config_clustersize(cluster_bytes)
    if compression is not None:
        creator.config_compression(compression)
    if main is not None:
        creator.set_mainpath(main)
    with creator:
        for entry in pages:
            creator.add_item(_Item(entry))
        for path, title, target in redirects:
            creator.add_redirection(path, title, target, {Hint.FRONT_ARTICLE: True})
        for path, title, target in aliases:
            creator.add_alias(path, title, target, {Hint.FRONT_ARTICLE: True})
        named = {"Title": file.stem, "Language": "eng", "Name": file.stem} if metadata is None else metadata
        for key, value in named.items():
            creator.add_metadata(key, value)
    return file


def dirents(data: bytes | bytearray) -> dict[str, tuple[int, int]]:
    """Number and offset in bytes of every directory entry, by namespace and path ("C/Home")."""
    count, table = struct.unpack_from("<I", data, 24)[0], struct.unpack_from("<Q", data, 32)[0]
    found = {}
    for number in range(count):
        (offset,) = struct.unpack_from("<Q", data, table + 8 * number)
        name = offset + (12 if data[offset : offset + 2] == b"\xff\xff" else 16)
        found[f"{chr(data[offset + 3])}/{data[name : data.index(0, name)].decode()}"] = number, offset
    return found


def point(file: Path, source: str, target: str | int) -> None:
    """Make the redirect at path `source` lead to the entry at path `target`, or to an entry number.

    The writer itself drops loops and dangling redirects, so the bytes are patched (the checksum then fails).
    """
    data = bytearray(file.read_bytes())
    entries = dirents(data)
    number = entries[f"C/{target}"][0] if isinstance(target, str) else target
    struct.pack_into("<I", data, entries[f"C/{source}"][1] + 8, number)
    file.write_bytes(data)


def smash_cluster(file: Path, path: str) -> None:
    """Overwrite the middle of the cluster that holds the entry at `path`."""
    data = bytearray(file.read_bytes())
    (cluster,) = struct.unpack_from("<I", data, dirents(data)[f"C/{path}"][1] + 8)
    (count,) = struct.unpack_from("<I", data, 28)
    (table,) = struct.unpack_from("<Q", data, 48)
    starts = [*struct.unpack_from(f"<{count}Q", data, table), len(data)]
    start, end = starts[cluster], min(other for other in starts if other > starts[cluster])
    quarter = (end - start) // 4
    data[start + quarter : start + 3 * quarter] = b"\xa5" * (2 * quarter)
    file.write_bytes(data)


def break_pointer(file: Path, path: str, offset: int = 2**62) -> None:
    """Make the directory's pointer to the entry at `path` lead to `offset`."""
    data = bytearray(file.read_bytes())
    table = struct.unpack_from("<Q", data, 32)[0]
    struct.pack_into("<Q", data, table + 8 * dirents(data)[f"C/{path}"][0], offset)
    file.write_bytes(data)


def truncate(file: Path, keep: int) -> None:
    """Keep only the first `keep` bytes; a negative number cuts that many off the end."""
    file.write_bytes(file.read_bytes()[:keep])


def split(file: Path, size: int) -> list[Path]:
    """Replace `x.zim` by parts of `size` bytes, `x.zimaa`, `x.zimab`, ..., and return them."""
    data = file.read_bytes()
    parts = []
    for number, start in enumerate(range(0, len(data), size)):
        part = file.with_name(f"{file.name}{chr(97 + number // 26)}{chr(97 + number % 26)}")
        part.write_bytes(data[start : start + size])
        parts.append(part)
    file.unlink()
    return parts
