"""What the ranking's weights and the gate rest on: `python -m bench.features --shards DIR --questions FILE`.

Asks the questions once and keeps every listed article's features. Prints macro hit@1 with each weight changed alone,
then fits the gate's logistic regression and prints its weights and AUROC. Nothing is written: the constants are
changed by hand, in `aborist/query/rank.py` and `gate.py`, with the date. Never run it on a test split.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aborist.config import open_engine
from aborist.query.gate import ACCEPTED
from aborist.query.rank import Ranker
from bench.groups import GROUPS, group_of

__all__ = ["auroc", "fit", "main"]

LISTED = 25
FACTORS = (0.0, 0.5, 1.5, 2.0)
WEIGHTED = ("exact", "article", "lead", "title", "window", "trigrams", "coverage")
GATE = ("terms", "window", "coverage", "passages", "exact", "lead", "article", "title", "trigrams")
UNANSWERED = "unanswered"
# How much an example counts: the article left when the right one is removed, and a question without an answer.
REMOVED_WEIGHT, UNANSWERED_WEIGHT = 0.5, 0.3

Matrix = NDArray[np.float64]


class Row(NamedTuple):
    """A listed article: whether it is right, its score, its features, and whether its title is the topic."""

    right: bool
    score: float
    features: Mapping[str, float]
    titled: bool


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
    _print_gate(examples)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.features", description=__doc__)
    parser.add_argument("--shards", type=Path, required=True, help="an index of the questions' archive")
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines with gold_in_archive")
    parser.add_argument("--per-group", type=int, default=150, help="questions a group (default 150)")
    return parser


def _ask(shards: Path, questions: Path, per_group: int) -> Iterator[Example]:
    by_group: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in questions.read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        group = UNANSWERED if asked.get("answerable") is False else group_of(asked["set"])
        if not asked.get("stale") and (group == UNANSWERED or (group in GROUPS and asked["gold_in_archive"])):
            by_group[group].append(asked)
    engine = open_engine(shards)
    for group, listed in by_group.items():
        listed.sort(key=lambda asked: hashlib.sha256(asked["question"].encode()).hexdigest())
        for asked in listed[: per_group * (2 if group == UNANSWERED else 1)]:
            gold = asked["gold_in_archive"] if group != UNANSWERED else ()
            answer = engine.ask(asked["question"], LISTED)
            rows = [Row(r.title in gold, r.score, r.features, "title" in r.hits) for r in answer.results]
            if rows:
                yield Example(group, rows)
    engine.close()


def _macro(examples: Sequence[Example], changed: Mapping[str, float]) -> float:
    """Macro hit@1 when these weights are raised by these amounts."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for group, rows in examples:
        if group != UNANSWERED:
            best = max(rows, key=lambda row: row.score + sum(d * row.features[n] for n, d in changed.items()))
            hits[group].append(best.right)
    return float(np.mean([np.mean(found) for found in hits.values()]))


def _print_gate(examples: Sequence[Example]) -> None:
    rows: list[tuple[Row, bool, float, str]] = []
    for group, listed in examples:
        first = listed[0]
        if first.titled:
            continue
        kind = "absent" if group == UNANSWERED else "own"
        rows.append((first, first.right, UNANSWERED_WEIGHT if kind == "absent" else 1.0, kind))
        left = next((row for row in listed if not row.right), None)
        if kind == "own" and first.right and left:
            rows.append((left, False, REMOVED_WEIGHT, "removed"))
    x = np.array([[row.features[name] for name in GATE] for row, *_ in rows])
    y = np.array([right for _, right, *_ in rows], dtype=float)
    weights = np.array([weight for *_, weight, _ in rows])
    kinds = np.array([kind for *_, kind in rows])
    bias, found = fit(x, y, weights)
    z = x @ found + bias
    print("gate: bias", round(bias, 2), {name: round(float(w), 2) for name, w in zip(GATE, found, strict=True)})
    own = kinds == "own"
    for name, against in (("own wrong first hits", own & (y == 0)), ("removed", kinds == "removed"),
                          ("answer absent", kinds == "absent")):  # fmt: skip
        chosen = (own & (y == 1)) | against
        passed = float(np.mean(1 / (1 + np.exp(-z[against])) >= ACCEPTED))
        print(f"  against {name}: AUROC {auroc(z[chosen], y[chosen]):.3f}, {passed:.2f} of them pass")
    print(f"  of the right first hits {float(np.mean(1 / (1 + np.exp(-z[own & (y == 1)])) >= ACCEPTED)):.2f} pass")


def fit(x: Matrix, y: Matrix, weights: Matrix, penalty: float = 0.001, steps: int = 50) -> tuple[float, Matrix]:
    """(bias, weights) of a logistic regression, by Newton's method (Hastie et al., ESL, section 4.4.1)."""
    full = np.hstack([np.ones((len(x), 1)), x])
    ridge = np.eye(full.shape[1]) * 2 * penalty * weights.sum()
    ridge[0, 0] = 0.0
    found = np.zeros(full.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-full @ found))
        gradient = full.T @ (weights * (y - p)) - ridge @ found
        curvature = (full * (weights * p * (1 - p))[:, None]).T @ full + ridge
        found = found + np.linalg.solve(curvature, gradient)
    return float(found[0]), found[1:]


def auroc(scores: Matrix, labels: Matrix) -> float:
    """Area under the ROC curve: the share of (positive, negative) pairs in order, ties counted half."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    above = (positive[:, None] > negative[None, :]).sum() + 0.5 * (positive[:, None] == negative[None, :]).sum()
    return float(above / (len(positive) * len(negative)))


if __name__ == "__main__":
    sys.exit(main())
