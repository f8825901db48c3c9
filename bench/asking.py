"""Asks one index many questions in several processes and keeps what is measured, articles named by their path."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from aborist.config import open_engine
from aborist.render import reply
from bench import pool
from bench.fixed import DEPTH
from bench.metrics import percentile

__all__ = ["Heard", "Place", "Result", "Target", "ask_all", "rank_of", "times"]


class Place(NamedTuple):
    """Which article: titles may repeat, paths do not."""

    archive: str
    path: str


@dataclass(frozen=True, slots=True)
class Target:
    """The index that is asked, or one archive of it, by so many processes."""

    shards: Path
    archive: str | None = None
    processes: int = 2


@dataclass(frozen=True, slots=True)
class Result:
    place: Place
    title: str
    rule: str  # what it was accepted by, "" when it was rejected


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply, best first; `cpu_ms` is CPU time of the asking process."""

    results: tuple[Result, ...]
    quotes: tuple[str, ...]
    cpu_ms: float

    @property
    def first(self) -> Result | None:
        return self.results[0] if self.results else None


def ask_all(target: Target, questions: Sequence[str], label: str) -> list[Heard]:
    """One reply for each question, in their order."""
    return pool.each(partial(_opened, target), questions, target.processes, label)


def rank_of(heard: Heard, gold: Collection[Place]) -> int | None:
    """The rank, from 1, of the first listed article that is right; None when none is."""
    return next((rank for rank, result in enumerate(heard.results, 1) if result.place in gold), None)


def times(heard: Sequence[Heard]) -> dict[str, float | None]:
    """p50 and p95 of CPU milliseconds."""
    spent = [one.cpu_ms for one in heard]
    return {"cpu_ms_p50": percentile(spent, 50), "cpu_ms_p95": percentile(spent, 95)}


def _opened(target: Target) -> Callable[[str], Heard]:
    engine = open_engine(target.shards)

    def ask(question: str) -> Heard:
        start = time.process_time()
        answer = reply(engine.ask(question, k=DEPTH, archive=target.archive))
        spent = (time.process_time() - start) * 1000
        results = tuple(
            Result(Place(one["archive"], one["path"]), one["title"], one["accepted_by"] or "")
            for one in answer["results"]
        )
        return Heard(results, tuple(item["quote"] for item in answer["evidence"]), spent)

    return ask
