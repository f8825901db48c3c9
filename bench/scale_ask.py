"""Asks one index and tells what that costs, in a process of its own: what `bench.scale` starts for each archive.

Prints one JSON object: CPU ms of every question by kind, of each stage by kind, and the memory the process took.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import aborist.engine
from aborist.config import open_engine
from aborist.engine import Engine
from aborist.query.fuse import FUSERS
from aborist.query.routes import FALLBACKS, ROUTES
from aborist.query.routes.route import Probe, Route
from aborist.query.terms import Terms
from aborist.types import Question as Parsed
from bench.arguments import positive
from bench.clock import Clock
from bench.fixed import DEPTH
from bench.groups import GROUPS, group_of
from bench.metrics import mean
from bench.questions import Question, load, sample

__all__ = ["NATURAL", "STAGES", "kind_of", "main"]

NATURAL = "natural"  # the kind of all questions of the eight groups
WARM_UP = 2  # questions of each kind that are asked before any is timed
PEAK = "VmHWM:"  # proc_pid_status(5); unlike getrusage's it begins anew with the program

# Stage of what the engine calls; routes are added by name, and what they read is theirs.
STAGES = {
    "aborist.engine.parse": "parse",
    "aborist.engine.Engine._terms": "statistics",
    "aborist.shard.read.Shard.frequencies": "statistics",
    "aborist.shard.read.Shard.entry": "read text",
    "aborist.shard.read.Shard.matching": "read text",
    "aborist.shard.read.Shard._layout": "read text",
    "aborist.engine.document_root": "read text",
    "aborist.query.rank.Ranker.scores": "score",
    "aborist.query.tiers.Tiers.tiered": "score",
    "aborist.compose.Composer.judged": "judge",
    "aborist.engine.once": "judge",
    "aborist.engine.quoting": "judge",
    "aborist.compose.Composer.answer": "compose",
    "aborist.query.tries.second_tries": "second tries",
    "aborist.engine.Engine.ask": "everything else",
}


@dataclass(frozen=True, slots=True)
class _Timed:
    """A route whose halves count for the stage of its name."""

    route: Route
    clock: Clock
    stage: str

    @property
    def limit(self) -> int:
        return self.route.limit

    def prepare(self, question: Parsed, terms: Terms) -> Probe:
        probe = self.clock.wrapped(self.route.prepare, self.stage)(question, terms)
        # A probe may be a generator: its work is done where it is listed.
        return self.clock.wrapped(lambda shard, number: list(probe(shard, number)), self.stage)


def kind_of(question: Question) -> str:
    """What is timed together: a synthetic archive's kinds are sets, the eight groups of real ones are all natural."""
    return NATURAL if group_of(question.set) in GROUPS else question.set


def _timings(shards: Path, questions: Sequence[Question]) -> tuple[dict[str, list[float]], dict[str, list[bool]]]:
    """CPU ms of each question by kind, each asked once, after some that are not counted; of those with gold whether it
    came first."""
    found: dict[str, list[float]] = defaultdict(list)
    right: dict[str, list[bool]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    with closing(open_engine(shards)) as engine:
        warm = [question for question in questions if _count(seen, kind_of(question)) <= WARM_UP]
        for question in warm:
            engine.ask(question.text, DEPTH)
        for question in questions:
            if question in warm:
                continue
            start = time.process_time()
            answer = engine.ask(question.text, DEPTH)
            found[kind_of(question)].append((time.process_time() - start) * 1000)
            if question.gold:
                first = answer.results[0].title if answer.results else ""
                right[kind_of(question)].append(first in question.gold)
    return found, right


def _count(seen: dict[str, int], kind: str) -> int:
    seen[kind] += 1
    return seen[kind]


def _stages(shards: Path, questions: Iterable[Question]) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Mean CPU ms of each stage by kind, and the names of STAGES that the program does not have."""
    spent: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    routes = {name: f"route {name}" for name in ROUTES}
    clock = Clock(whole=frozenset(routes.values()))
    with ExitStack() as stack:
        missing = stack.enter_context(clock.watching(STAGES))
        fusers = {name: clock.wrapped(fuse, "fuse") for name, fuse in FUSERS.items()}
        stack.enter_context(mock.patch.object(aborist.engine, "FUSERS", fusers))
        stack.enter_context(mock.patch.object(aborist.engine, "FALLBACKS", _timed_fallbacks(clock, routes)))
        engine = stack.enter_context(closing(open_engine(shards)))
        engine.routes = {name: _Timed(route, clock, routes[name]) for name, route in engine.routes.items()}
        for question in questions:
            clock.seconds.clear()
            engine.ask(question.text, DEPTH)
            _note(spent[kind_of(question)], clock.seconds)
    asked = {kind: max(map(len, stages.values())) for kind, stages in spent.items()}
    return {
        kind: {stage: 1000 * sum(seconds) / asked[kind] for stage, seconds in stages.items()}
        for kind, stages in spent.items()
    }, missing


def _timed_fallbacks(clock: Clock, routes: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: [one._replace(route=_Timed(one.route, clock, routes[name])) for one in fallbacks]
        for name, fallbacks in FALLBACKS.items()
    }


def _note(spent: dict[str, list[float]], seconds: Mapping[str, float]) -> None:
    for stage, used in seconds.items():
        spent[stage].append(used)


def _peak_mb() -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(PEAK))


def _articles(engine: Engine) -> int:
    return sum(manifest.articles for manifest in engine.index.manifests)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the JSON object."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale_ask", description=__doc__)
    parser.add_argument("--shards", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--per-kind", type=positive, default=50, metavar="N")
    options = parser.parse_args(arguments)
    chosen = _chosen(load(options.questions), options.per_kind)
    with closing(open_engine(options.shards)) as engine:
        articles = _articles(engine)
    timings, right = _timings(options.shards, chosen)
    peak = _peak_mb()
    stages, missing = _stages(options.shards, chosen)
    hits = {kind: mean(first) for kind, first in right.items()}
    found = {"articles": articles, "cpu_ms": timings, "hit1": hits, "max_rss_mb": peak}
    found |= {"stages": stages, "seams_missing": missing}
    print(json.dumps(found))
    return 0


def _chosen(questions: Sequence[Question], per_kind: int) -> list[Question]:
    """Always the same ones; of the eight groups as many as of any other kind, in all. Kinds take turns."""
    groups = [question for question in questions if kind_of(question) == NATURAL != question.set]
    others = [question for question in questions if kind_of(question) == question.set]
    spread = sample(groups, -(-per_kind // len(GROUPS)) + 1)
    return sorted([*sample(others, per_kind), *spread], key=lambda question: question.id.rpartition("-")[2])


if __name__ == "__main__":
    sys.exit(main())
