"""The systems that are compared, behind one call: a question in, an `Outcome` out.

aborist is asked in this process and read through its reply object (the same one that --json prints), so that
nothing here depends on its types.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bench.baselines import Fts5, LibzimSearcher, LibzimSuggestions
from bench.peers import PEERS, Peer, Server, serving
from bench.sparse import Bm25s
from bench.tantivy_index import Tantivy

__all__ = ["DEFAULT", "SYSTEMS", "Outcome", "Passage", "Setting", "System", "asking", "outcome_of_reply"]


@dataclass(frozen=True, slots=True)
class Passage:
    title: str
    quote: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a system gave back, best first, no title twice; None where it knows no such thing.

    `cpu_ms` is told only by systems that work in another process, whose time the asking one cannot see.
    """

    titles: tuple[str, ...]
    refused: bool | None = None
    evidence: tuple[Passage, ...] | None = None
    route_ms: Mapping[str, float] = field(default_factory=dict)
    confidence: str | None = None
    probability: float | None = None  # that the first listed article answers
    cpu_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What a system may open: the archives, aborist's index of them, a folder for its own index."""

    archives: Sequence[Path]
    shards: Path
    cache: Path


class System(Protocol):
    def __call__(self, question: str, k: int, /) -> Outcome: ...


class Titles(Protocol):
    """A baseline that knows titles only; a title may come twice."""

    def titles(self, question: str, k: int) -> list[str]: ...


def outcome_of_reply(reply: Mapping[str, Any], probability: float | None = None) -> Outcome:
    """The reply object of aborist, reduced to what is measured."""
    return Outcome(
        titles=_once(result["title"] for result in reply["results"]),
        refused=reply["status"] != "answered",
        evidence=tuple(Passage(item["title"], item["quote"]) for item in reply["evidence"]),
        route_ms={name: float(route["ms"]) for name, route in reply["routes"].items()},
        confidence=reply["coverage"]["confidence"],
        probability=probability,
    )


def _once(titles: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(titles))


@contextmanager
def open_aborist(setting: Setting) -> Iterator[System]:
    engine = importlib.import_module("aborist.config").open_engine(setting.shards)
    render = importlib.import_module("aborist.render").reply

    def ask(question: str, k: int) -> Outcome:
        answer = engine.ask(question, k=k)
        return outcome_of_reply(render(answer), answer.coverage.probability)

    try:
        yield ask
    finally:
        engine.close()


Opener = Callable[[Setting], AbstractContextManager[System]]


def baseline(make: Callable[[Setting], Titles]) -> Opener:
    """A system from a class that lists titles. Raises what the class raises, UnavailableError among it."""

    @contextmanager
    def opened(setting: Setting) -> Iterator[System]:
        lister = make(setting)
        yield lambda question, k: Outcome(_once(lister.titles(question, k)))

    return opened


def peer(facts: Peer) -> Opener:
    """A system that is served by another program. Opening raises UnavailableError where it cannot be installed."""

    @contextmanager
    def opened(setting: Setting) -> Iterator[System]:
        with serving(facts, setting.archives, setting.cache) as server:
            yield asking(server)

    return opened


def asking(server: Server) -> System:
    """A system from a peer that runs; its time is the server's own."""

    def ask(question: str, k: int) -> Outcome:
        before = server.cpu_ms()
        titles = _once(server.titles(question, k))
        return Outcome(titles, cpu_ms=server.cpu_ms() - before)

    return ask


# One line for each system that can be compared; `--systems` reads its keys.
SYSTEMS: Mapping[str, Opener] = {
    "aborist": open_aborist,
    "fts5": baseline(lambda setting: Fts5(setting.archives, setting.cache)),
    "bm25s": baseline(lambda setting: Bm25s(setting.archives, setting.cache)),
    "tantivy": baseline(lambda setting: Tantivy(setting.archives, setting.cache)),
    "libzim": baseline(lambda setting: LibzimSearcher(setting.archives)),
    "suggestions": baseline(lambda setting: LibzimSuggestions(setting.archives)),
    **{facts.name: peer(facts) for facts in PEERS},
}
# Peers are installed from the net when they are asked for, so they have to be asked for; tantivy ranks by bm25s's
# formula, so that it is there for its speed (bench.speed).
ON_DEMAND = {"tantivy", *(facts.name for facts in PEERS)}
DEFAULT = [name for name in SYSTEMS if name not in ON_DEMAND]
