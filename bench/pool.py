"""Runs one function over many items in several processes, in order, with progress on stderr."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

__all__ = ["each"]

T = TypeVar("T")
R = TypeVar("R")

_CHUNK = 16  # items sent at once: a question takes about 30 ms, so that a chunk is half a second
_REPORT_SECONDS = 20.0  # between two lines where no terminal shows a live one

_work: Callable[[Any], Any]


def each(opened: Callable[[], Callable[[T], R]], items: Sequence[T], processes: int, label: str) -> list[R]:
    """`opened()(item)` for every item, in their order. `opened` is called once in every process and must pickle."""
    if processes == 1 or len(items) <= _CHUNK:
        work = opened()
        return list(_shown(map(work, items), len(items), label))
    # spawn: a fork would share SQLite's and the stemmer's state with the parent.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_open, initargs=(opened,)) as pool:
        return list(_shown(pool.map(_one, items, chunksize=_CHUNK), len(items), label))


def _open(opened: Callable[[], Callable[[Any], Any]]) -> None:
    global _work  # noqa: PLW0603  a process of the pool opens its index once
    _work = opened()


def _one(item: Any) -> Any:
    return _work(item)


def _shown(results: Iterable[R], total: int, label: str) -> Iterator[R]:
    begun = last = time.monotonic()
    live = sys.stderr.isatty()
    for number, result in enumerate(results, 1):
        now = time.monotonic()
        if now - last >= (0.2 if live else _REPORT_SECONDS):
            last = now
            left = (now - begun) / number * (total - number)
            line = f"{label}: {number:,} of {total:,}, {left:.0f} s left"
            print(f"\r\033[K{line}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True)
        yield result
    if live:
        print("\r\033[K", end="", file=sys.stderr)
