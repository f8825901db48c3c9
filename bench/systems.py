"""The systems that are compared, behind one call: a question in, an `Outcome` out.

aborist is asked in this process and read through its reply object (the same one that --json prints), so that
nothing here depends on its types.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bench.baselines import Fts5, LibzimSearcher

__all__ = ["SYSTEMS", "Outcome", "Passage", "Setting", "System", "outcome_of_reply"]


@dataclass(frozen=True, slots=True)
class Passage:
    title: str
    quote: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a system gave back, best first; `refused` and `evidence` are None where it knows neither."""

    titles: tuple[str, ...]
    refused: bool | None = None
    evidence: tuple[Passage, ...] | None = None
    route_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a system may open: the archives, aborist's index of them, a folder for its own index."""

    archives: Sequence[Path]
    shards: Path
    cache: Path


class System(Protocol):
    def __call__(self, question: str, k: int, /) -> Outcome: ...


def outcome_of_reply(reply: Mapping[str, Any]) -> Outcome:
    """The reply object of aborist, reduced to what is measured."""
    return Outcome(
        titles=tuple(dict.fromkeys(result["title"] for result in reply["results"])),
        refused=reply["status"] != "answered",
        evidence=tuple(Passage(item["title"], item["quote"]) for item in reply["evidence"]),
        route_ms={name: float(route["ms"]) for name, route in reply["routes"].items()},
    )


def open_aborist(setting: Setting) -> System:
    engine = importlib.import_module("aborist.config").open_engine(setting.shards)
    render = importlib.import_module("aborist.render").reply

    def ask(question: str, k: int) -> Outcome:
        return outcome_of_reply(render(engine.ask(question, k=k)))

    return ask


def open_fts5(setting: Setting) -> System:
    baseline = Fts5(setting.archives, setting.cache)
    return lambda question, k: Outcome(tuple(dict.fromkeys(baseline.titles(question, k))))


def open_libzim(setting: Setting) -> System:
    """:raises NoIndexError: no archive has a full-text index."""
    baseline = LibzimSearcher(setting.archives)
    return lambda question, k: Outcome(tuple(dict.fromkeys(baseline.titles(question, k))))


# One line for each system that can be compared; `--systems` reads its keys.
SYSTEMS: Mapping[str, Callable[[Setting], System]] = {
    "aborist": open_aborist,
    "fts5": open_fts5,
    "libzim": open_libzim,
}
