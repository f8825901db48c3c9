"""What the ranking's weights rest on: `python -m bench.features --shards DIR --questions FILE`.

Asks the questions once, keeps every listed article's features, and prints macro hit@1 with each weight changed alone.
Nothing is written: the constants are changed by hand, in `aborist/query/rank.py`, with the date. Never run it on a
test split.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aborist.config import open_engine
from aborist.query.rank import Ranker
from bench import articles
from bench.arguments import positive
from bench.groups import GROUPS, group_of

__all__ = ["main"]

LISTED = 25
FACTORS = (0.0, 0.5, 1.5, 2.0)
WEIGHTED = ("exact", "article", "lead", "title", "window", "trigrams", "coverage")


class Row(NamedTuple):
    """A listed article: whether it is right, its score, its features."""

    right: bool
    score: float
    features: Mapping[str, float]


class Example(NamedTuple):
    group: str
    rows: list[Row]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    examples = list(_ask(options.shards, options.questions, options.per_group))
    print(f"{len(examples)} questions; macro hit@1 {_macro(examples, {}):.4f} as it is")
    ranker = Ranker()
    for name in WEIGHTED:
        default = getattr(ranker, name)
        tried = ", ".join(f"{f * default:g}: {_macro(examples, {name: (f - 1) * default}):.4f}" for f in FACTORS)
        print(f"  {name} ({default:g})  {tried}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.features", description=__doc__)
    parser.add_argument("--shards", type=Path, required=True, help="an index of the questions' archive")
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines with gold_in_archive")
    parser.add_argument("--per-group", type=positive, default=150, help="questions a group (default 150)")
    return parser


def _ask(shards: Path, questions: Path, per_group: int) -> Iterator[Example]:
    by_group: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for asked in articles.rows(questions):
        group = group_of(asked["set"])
        if not asked.get("stale") and group in GROUPS and asked["gold_in_archive"]:
            by_group[group].append(asked)
    engine = open_engine(shards)
    for group, listed in by_group.items():
        listed.sort(key=lambda asked: hashlib.sha256(asked["question"].encode()).hexdigest())
        for asked in listed[:per_group]:
            results = engine.ask(asked["question"], LISTED).results
            if found := [Row(r.title in asked["gold_in_archive"], r.score, r.features) for r in results]:
                yield Example(group, found)
    engine.close()


def _macro(examples: Sequence[Example], changed: Mapping[str, float]) -> float:
    """Macro hit@1 when these weights are raised by these amounts."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for group, rows in examples:
        best = max(rows, key=lambda row: row.score + sum(d * row.features[n] for n, d in changed.items()))
        hits[group].append(best.right)
    return float(np.mean([np.mean(found) for found in hits.values()]))


if __name__ == "__main__":
    sys.exit(main())
