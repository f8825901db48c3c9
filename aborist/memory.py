"""How much memory there is, and how it is shared out: to a build's processes, to the caches of an open index.

Figures are peaks measured on enwiki_medium (28,437 articles) on 2026-11-30; `python -m bench.build` prints a build's.
"""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aborist.errors import MemoryLimitError, UsageError

__all__ = [
    "BuildMemory",
    "Limit",
    "QueryMemory",
    "for_build",
    "for_query",
    "is_short",
    "limit",
    "parse_size",
    "shortage",
    "workers",
]

MB = 1 << 20
_SIZE = re.compile(r"(\d{1,12})\s*([KMGT]?)i?B?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_UNLIMITED = 1 << 60  # what cgroup v1 says for "no limit" lies above

PARENT = 70 * MB  # the process that leads a build: program, directory, sampled pages
WORKER = 90 * MB  # a worker with its caches empty: program, a part's counts
LEAST = 24 * MB  # caches of a worker below which a build would crawl
ASKING = 80 * MB  # a process that answers, its caches empty
LEAST_ASKING = 8 * MB
PAGE_COST = 10  # bytes at the peak for each byte of a page's HTML: 9.5 at 50 MB of text
_PROBE = 128 * MB  # zstd's largest window
WORD_COST = 250  # bytes of a word in the analyzer's caches


class Limit(NamedTuple):
    """Bytes that may be used, and who says so."""

    bytes: int
    source: str

    def __str__(self) -> str:
        return f"{self.bytes // MB} MB ({self.source})"


@dataclass(frozen=True, slots=True)
class BuildMemory:
    """What one process of a build may hold; the defaults are what more memory does not speed up."""

    cache: int = 64 * MB  # SQLite's pages
    postings: int = 64 * MB  # that FTS5 collects before it writes a segment
    words: int = 400_000  # in each of the analyzer's caches
    links: int = 1_000_000  # link targets counted before they go to the disk: about 150 MB
    page: int = 512 * MB  # of HTML; a larger page is left out


@dataclass(frozen=True, slots=True)
class QueryMemory:
    """What an open index may hold."""

    # A process may open 1,024 files by default on Linux, 256 on macOS; an open shard holds .3 MB and its page cache,
    # and opening one anew costs .2 ms.
    open_shards: int = 128
    pages_kib: int = 2000  # SQLite's page cache, an open shard
    texts: int = 64 * MB
    words: int = 400_000


def parse_size(text: str) -> int:
    """Bytes of "512M", "1.5G" is none. Raises UsageError."""
    match = _SIZE.fullmatch(text.strip())
    size = int(match[1]) * _UNITS[match[2].upper()] if match else 0
    if size <= 0:
        raise UsageError(
            expected="a size of memory such as 512M or 2G", found=repr(text), next="correct --memory, or the setting"
        )
    return size


def limit(asked: int = 0) -> Limit:
    """The least of what was asked for (0: nothing) and what the system allows."""
    hard = list(_limits())
    if asked:
        return min([Limit(asked, "--memory or the setting memory"), *hard])
    return min([*hard, *_available()], default=Limit(_UNLIMITED, "no limit"))


def _limits() -> Iterator[Limit]:
    """What the kernel enforces: for this process, and for the control groups it is in, version 1 and 2."""
    for name in ("RLIMIT_AS", "RLIMIT_DATA"):
        soft, _ = resource.getrlimit(getattr(resource, name))
        if soft != resource.RLIM_INFINITY:
            yield Limit(soft, name)
    for file in _group_files():
        try:
            found = int(file.read_text(encoding="ascii"))  # version 2 says "max" for none
        except (OSError, ValueError):
            continue
        if found < _UNLIMITED:
            yield Limit(found, f"control group, {file.name}")


def _group_files(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> Iterator[Path]:
    """Where limits stand: of the group of this process and of every group around it.

    https://docs.kernel.org/admin-guide/cgroup-v2.html, https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
    """
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux
        return
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        base, name = (root / "memory", "memory.limit_in_bytes") if kinds else (root, "memory.max")
        inner = base / path.lstrip("/")
        for folder in (inner, *inner.parents):
            if folder.is_relative_to(base):
                yield folder / name


def _available() -> Iterator[Limit]:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:  # no Linux
        return
    if match := re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE):
        yield Limit(int(match[1]) << 10, "memory that is free now")


def workers(found: Limit, cores: int) -> int:
    """How many processes fit, at most one a core, at least one."""
    return max(1, min(cores, (found.bytes - PARENT) // (WORKER + LEAST)))


def for_build(found: Limit, count: int) -> BuildMemory:
    """The share of each of so many workers. Raises MemoryLimitError where it is too small."""
    needed = PARENT + count * (WORKER + LEAST)
    if found.bytes < needed:
        fits = workers(found, count)
        raise MemoryLimitError(
            expected=f"at least {needed // MB} MB for a build with {count} worker(s)",
            found=str(found),
            next=f"set --workers {fits}" if fits < count else "raise the limit or --memory",
        )
    spare = (found.bytes - PARENT) // count - WORKER
    own = BuildMemory()
    return BuildMemory(
        cache=min(own.cache, spare // 6),
        postings=min(own.postings, spare // 6),
        words=min(own.words, spare // 4 // WORD_COST),
        links=min(own.links, (PARENT + spare) // 3 // 150),
        page=min(own.page, 2 * spare // 5 // PAGE_COST),
    )


def for_query(found: Limit) -> QueryMemory:
    """What an open index may hold. Raises MemoryLimitError where it is too little."""
    needed = ASKING + LEAST_ASKING
    if found.bytes < needed:
        raise MemoryLimitError(
            expected=f"at least {needed // MB} MB for asking", found=str(found), next="raise the limit or --memory"
        )
    spare = found.bytes - ASKING
    own = QueryMemory()
    shards = min(own.open_shards, max(4, spare // 3 // MB))
    return QueryMemory(
        open_shards=shards,
        pages_kib=max(64, min(own.pages_kib, spare // 3 // shards // 1024 - 300)),
        texts=min(own.texts, spare // 4),
        words=min(own.words, spare // 4 // WORD_COST),
    )


def is_short() -> bool:
    """Whether not even one cluster's decoder could be had now."""
    try:
        bytearray(_PROBE)
    except MemoryError:
        return True
    return False


def shortage(next_: str = "free memory, or set a smaller --memory and --workers 1") -> MemoryLimitError:
    """What is told when memory ran out all the same."""
    return MemoryLimitError(expected="enough memory", found=f"none left of {limit()}", next=next_)
