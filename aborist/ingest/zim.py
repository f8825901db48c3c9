"""ZIM archives: opened, listed in the order in which they are cheap to read, and read.

Contract: whatever is wrong with a file is an ArchiveError in plain words; libzim's own exceptions end here. A
damaged cluster costs its articles, each told as Unreadable, never the rest of the archive. Paths are libzim's
`Entry.path` unchanged: with its namespace (`A/...`) in the old scheme, without in the new.

Format: https://wiki.openzim.org/wiki/ZIM_file_format
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, NamedTuple, Self

from libzim.reader import Archive as LibzimArchive
from libzim.reader import set_cluster_cache_max_size

from aborist.errors import ArchiveError
from aborist.ingest.catalog import FILE_SUFFIX, UNREAD_TYPES, USES, Catalog, Part, catalog, essence
from aborist.ingest.cluster import Clusters
from aborist.ingest.directory import Directory, Header, Source, damaged
from aborist.memory import is_short, shortage
from aborist.printable import printable
from aborist.types import Alias, Article

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from libzim.reader import Entry

__all__ = [
    "Archive",
    "Catalog",
    "Part",
    "Unreadable",
    "find_archives",
    "open_archive",
    "read",
    "read_one",
    "scan",
    "title_of",
]

# What libzim's C++ exceptions arrive as; ValueError covers names that are no UTF-8.
LIBZIM_ERRORS = (RuntimeError, LookupError, ValueError, ArithmeticError, MemoryError, OSError)
# libzim's cluster cache, against its default of 16 MiB, which counts content but not the decoder it keeps with each
# cluster. The cluster that is read stays in any case. 2026-11-30, `read` of enwiki_medium (28,437 articles) in cluster
# order, 1 MiB / 64 kiB / 1 byte: 178 / 40 / 27 MB at the peak, 4,900 / 340 / 21 MB of address space, 1.18 / .99 / .94
# CPU s: none is decompressed twice.
_CLUSTER_CACHE_BYTES = 1
REDIRECT_HOPS = 50  # followed through libzim for one look-up; a scan follows chains of any length

# Ends of file names that are no part of a title. Not .js and the like: "Node.js" is an article.
PAGE_SUFFIXES = frozenset({"html", "htm", "xhtml", "php", "asp", "aspx", "txt", "md", "pdf", "epub"})

_SPLIT = re.compile(r"(?P<whole>.+\.zim)(?P<part>[a-z]{2})$")
_SPLIT_PARTS = tuple(map("".join, product(ascii_lowercase, repeat=2)))
# Some writers leave the heading's italics in the title; a tag without its end is the title's own text.
_MARKUP = re.compile(r"<(?P<tag>i|b|em|strong|span|sub|sup|small)(?: [^<>]*)?>(?P<inner>[^<>]*)</(?P=tag)>")
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+/")  # crawled sites: "example.org/page"


class Archive:
    """One open ZIM archive, for one thread; close it or use it as a context manager.

    `size` is in bytes over all parts, `uuid` 32 hex digits, `checksum` the MD5 at the file's end (hex) or "";
    `title`, `date`, `name`, `flavour` and the languages are metadata, empty where absent or unreadable.
    """

    def __init__(self, source: Source, zim: LibzimArchive) -> None:
        self.zim = zim
        self.new_scheme: bool = zim.has_new_namespace_scheme
        self.directory = Directory(source, new_scheme=self.new_scheme)
        self.file = source.parts[0]
        self.stem = _SPLIT.sub(r"\g<whole>", self.file.name).removesuffix(".zim").removesuffix(".ZIM")
        self.size = source.size
        self.uuid = self.directory.header.uuid.hex()
        self.checksum: str = zim.checksum if zim.has_checksum else ""
        self.title, self.date, self.name, self.flavour = map(self._metadata, ("Title", "Date", "Name", "Flavour"))
        codes = (code.strip() for code in self._metadata("Language").split(","))
        self.languages = tuple(code for code in codes if code)  # as given ("eng"), the main one first
        self.language = self.languages[0] if self.languages else ""

    @cached_property
    def main_path(self) -> str | None:
        """Path of the main page with its redirects followed, or None."""
        try:
            entry = _followed(self.zim.main_entry) if self.zim.has_main_entry else None
            path: str | None = entry.path if entry else None
        except LIBZIM_ERRORS:
            return None
        return path

    def verify(self) -> tuple[bool, str]:
        """Whether the whole file agrees with its checksum, and if not, why; reads every byte."""
        try:
            good = self.zim.check()
        except LIBZIM_ERRORS as error:
            return False, _words(error)
        return good, "" if good else "the archive's content does not agree with its checksum"

    def _metadata(self, key: str) -> str:
        try:
            return printable(bytes(self.zim.get_metadata(key)).decode(errors="replace")).strip()
        except LIBZIM_ERRORS:  # absent, or in a damaged cluster: the articles may be well all the same
            return ""

    def close(self) -> None:
        self.directory.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_archive(path: str | Path) -> Archive:
    """The archive at `path`; a split one by its first part (`x.zimaa`) or as the whole (`x.zim`).

    :raises ArchiveError: missing, unreadable, not a ZIM, cut short, a part missing, or refused by libzim
    """
    path = Path(path)
    try:
        source = Source(_parts(path))
    except (OSError, ValueError) as error:
        raise _absent(path, getattr(error, "strerror", None) or str(error)) from error
    try:
        if len(source.parts) > 1:
            _check_complete(source)
        Header.of(source)  # its words for what is wrong are plainer than libzim's
        set_cluster_cache_max_size(_CLUSTER_CACHE_BYTES)
        with _silent():
            zim = LibzimArchive(source.parts[0])
        return Archive(source, zim)
    except ArchiveError:
        source.close()
        raise
    except LIBZIM_ERRORS as error:
        source.close()
        raise damaged(path, _words(error)) from error


@contextmanager
def _silent() -> Iterator[None]:
    """Keeps what libzim's C++ prints off standard error: Xapian complains there of every language it cannot stem,
    and has no switch for it."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def find_archives(paths: Iterable[str | Path]) -> tuple[list[Path], list[ArchiveError]]:
    """The archives that are named or stand in a named folder (not below it), each once, and what is wrong.

    Order: as named, a folder's sorted by name. A split archive is listed by its first part.
    """
    found: dict[Path, Path] = {}
    errors: list[ArchiveError] = []
    for path in map(Path, paths):
        try:
            for candidate in _in_folder(path) if path.is_dir() else [path]:
                try:
                    first = _parts(candidate)[0]
                    found.setdefault(first.resolve(), first)
                except ArchiveError as error:
                    errors.append(error)
        except ArchiveError as error:
            errors.append(error)
        except (OSError, ValueError) as error:
            errors.append(_absent(path, getattr(error, "strerror", None) or str(error)))
    return list(found.values()), errors


def _in_folder(folder: Path) -> list[Path]:
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_file() and entry.name[0] != ".")
    archives = {name: None for name in names if name.lower().endswith(".zim")}
    archives |= {f"{match['whole']}aa": None for name in names if (match := _SPLIT.fullmatch(name))}
    if not archives:
        raise _absent(folder, "a folder without one", "name a .zim file, or a folder that holds some")
    return [folder / name for name in sorted(archives)]


def _parts(path: Path) -> list[Path]:
    """The files that make up the archive: one, or the parts of a split one in order."""
    if path.is_dir():
        raise _absent(path, "a folder", "name a .zim file in it")
    split = _SPLIT.fullmatch(path.name)
    whole = path.with_name(split["whole"]) if split else path
    if split and split["part"] != "aa":
        raise _absent(path, "a later part of a split archive", f"name {whole.name}aa or {whole.name} instead")
    if not split and path.exists():
        if not path.is_file():
            raise _absent(path, "no ordinary file")
        return [path]
    parts = [part for letters in _SPLIT_PARTS if (part := Path(f"{whole}{letters}")).is_file()]
    if not parts:
        raise _absent(path, "no such file")
    for part, letters in zip(parts, _SPLIT_PARTS, strict=False):
        if not part.name.endswith(letters):
            raise _part_missing(Path(f"{whole}{letters}"))
    return parts


def _check_complete(source: Source) -> None:
    """Raise for a split archive that lacks its last parts, naming the first of them."""
    try:
        Header.of(source)
    except ArchiveError as error:
        if "cut short" not in error.found or len(source.parts) == len(_SPLIT_PARTS):
            raise
        part = source.parts[0].with_suffix(f".zim{_SPLIT_PARTS[len(source.parts)]}")
        raise _part_missing(part, ", or one before it cut short") from error


def _absent(path: Path, found: str, next_: str = "check the path and its permissions") -> ArchiveError:
    return ArchiveError(expected=f"a ZIM archive at {path}", found=found, next=next_)


def _part_missing(part: Path, doubt: str = "") -> ArchiveError:
    return ArchiveError(
        expected=f"every part of the split archive beside {part}",
        found=f"part {part.name} missing{doubt}",
        next=f"put {part.name} into the same folder, or download the parts again",
    )


def _words(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _followed(entry: Entry) -> Entry | None:
    """The entry a redirect ends at, or None for a loop."""
    for _ in range(REDIRECT_HOPS):
        if not entry.is_redirect:
            return entry
        entry = entry.get_redirect_entry()
    return None


def title_of(path: str, stored: str) -> str:
    """The title of an entry: the stored one, else what its path says.

    An empty title means by the format that it equals the path ("AC/DC", "Node.js", "Spider-Man"), but writers
    leave it empty for files without a title too: a path that ends like a file or starts like a web address is
    read as a file name ("docs/field-manual.pdf" gives "field manual"). Nothing is percent-decoded.
    """
    if stored.strip():
        return printable(_MARKUP.sub(r"\g<inner>", stored)).replace("\n", " ").replace("\t", " ")
    suffix = FILE_SUFFIX.search(path)
    is_page = suffix is not None and suffix[1].lower() in PAGE_SUFFIXES
    if not is_page and not path.endswith("/") and not _HOST.match(path):
        return path.replace("_", " ")
    last = path.rstrip("/").rpartition("/")[2]
    name = last.removesuffix(suffix[0]) if suffix is not None and is_page else last
    return name.replace("_", " ").replace("-", " ").strip() or path


class Unreadable(NamedTuple):
    """An entry that is listed but cannot be read."""

    path: str
    reason: str


def scan(archive: Archive) -> Catalog:
    """What the archive holds to index and what it leaves out, from one pass over its directory.

    :raises ArchiveError: when the directory cannot be read
    """

    def content(entry: int) -> bytes:
        try:
            return _content(archive.zim._get_entry_by_id(entry))  # noqa: SLF001  namespace X has no public way in
        except LIBZIM_ERRORS as error:
            raise damaged(archive.file, _words(error)) from error

    return catalog(archive.directory, content)


def read(archive: Archive, part: Part) -> Iterator[Article | Unreadable]:
    """The articles of a part in its order, each with its aliases; PDFs and e-books without content.

    In the order of (cluster, blob) each cluster is decompressed once.
    """
    clusters, aliases = Clusters(archive.directory), iter(part.aliases)
    for entry, count in zip(part.entries, part.alias_counts, strict=True):
        path, others = f"entry {entry}", tuple(islice(aliases, count))
        result: Article | Unreadable
        try:
            name = archive.directory.name(entry)
            path, mime = archive.directory.path(name), archive.directory.mimes[name.mime]
            unread = essence(mime) in UNREAD_TYPES
            content = b"" if unread else clusters.blob(name.cluster, name.blob)
            if content is None:
                # Public look-ups go by path, a binary search; the number is at hand.
                content = _content(archive.zim._get_entry_by_id(entry))  # noqa: SLF001
            title = title_of(name.path, name.title)
            result = Article(path, title, mime, content, tuple(_aliases(archive, others)))
        except ArchiveError as error:
            result = Unreadable(path, error.found)
        except LIBZIM_ERRORS as error:
            result = Unreadable(path, _words(error))
        yield result


def read_one(archive: Archive, path: str) -> Article | None:
    """The article at `path` or where its redirects end, without aliases; None if there is none of its kind.

    :raises ArchiveError: when it is there and cannot be read
    """
    try:
        entry = _followed(archive.zim.get_entry_by_path(path))
    except LIBZIM_ERRORS:  # libzim tells a damaged directory and an unknown path alike
        return None
    try:
        if entry is None or essence(mime := entry.get_item().mimetype) not in USES:
            return None
        content = b"" if essence(mime) in UNREAD_TYPES else _content(entry)
        bare = entry.path if archive.new_scheme else entry.path[2:]
        return Article(entry.path, title_of(bare, entry.title if entry.title != bare else ""), mime, content)
    except LIBZIM_ERRORS as error:
        raise damaged(archive.file, f"{path}: {_words(error)}") from error


def _content(entry: Entry) -> bytes:
    try:
        return bytes(entry.get_item().content)
    except (MemoryError, RuntimeError) as error:
        # A damaged length asks for too much as well; "not enough memory" are zstd's words.
        if is_short() and (isinstance(error, MemoryError) or "not enough memory" in str(error)):
            raise shortage() from error
        raise


def _aliases(archive: Archive, entries: Iterable[int]) -> Iterator[Alias]:
    for entry in entries:
        try:
            name = archive.directory.name(entry)
        except ArchiveError:  # costs a name, not the article
            continue
        yield Alias(title_of(name.path, name.title), archive.directory.path(name))
