"""The gate's figures: how well right is told from wrong, how true the probabilities are, what the levels mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aborist.query.accept import passes
from bench.gate_examples import Example
from bench.gate_fit import auroc, calibration_error, reliability
from bench.gate_train import KINDS, family, labels, weigh

__all__ = ["figures", "level_of", "lines"]

Matrix = NDArray[np.float64]
REFUSED = "refused"


def level_of(example: Example, probability: float, least: Mapping[str, float], rules: Mapping[str, float]) -> str:
    """The level at which an example's article would be shown, or "refused"."""
    if not example.features or not (example.rule or passes(example.features, probability, min(least.values()))):
        return REFUSED
    sure = max(probability, rules.get(example.rule, 0.0))
    return [level for n, (level, from_) in enumerate(least.items()) if n == 0 or sure >= from_][-1]


def figures(
    examples: Sequence[Example], p: Matrix, least: Mapping[str, float], rules: Mapping[str, float]
) -> dict[str, Any]:
    """By family: AUROC of each kind of negative, calibration, and what stands at each level, by set and kind.

    `right`: against first hits that are right; `answerable`: against all questions that have an answer.
    """
    found = {}
    for name in dict.fromkeys(map(family, examples)):
        chosen = [n for n, one in enumerate(examples) if family(one) == name]
        own, scores = [examples[n] for n in chosen], p[chosen]
        counted = np.array([one.kind in KINDS for one in own])
        told = [one for one in own if one.kind in KINDS]
        weights = weigh(told, "")
        found[name] = {
            "auroc": _aurocs(own, scores),
            "ece": calibration_error(scores[counted], labels(told), weights),
            "reliability": [one._asdict() for one in reliability(scores[counted], labels(told), weights)],
            "levels": _levels(own, scores, least, rules),
        }
    return found


def _aurocs(examples: Sequence[Example], scores: Matrix) -> dict[str, dict[str, float]]:
    kinds = np.array([one.kind for one in examples])
    right, own = labels(examples) == 1, kinds == "own"
    against = {"wrong first hit": own & ~right, **{str(k): kinds == k for k in dict.fromkeys(kinds) if k != "own"}}
    found = {}
    for kind, negative in against.items():
        if negative.any() and (own & right).any():
            answerable = own & ~negative
            found[kind] = {
                name: auroc(np.r_[scores[positive], scores[negative]], np.r_[np.ones(n), np.zeros(negative.sum())])
                for name, positive in (("right", own & right), ("answerable", answerable))
                if (n := int(positive.sum()))
            }
    return found


def _levels(
    examples: Sequence[Example], scores: Matrix, least: Mapping[str, float], rules: Mapping[str, float]
) -> dict[str, dict[str, dict[str, float | None]]]:
    """By "set kind": the share of its questions at each level, and of those the share whose first article is right."""
    levels = np.array([level_of(one, s, least, rules) for one, s in zip(examples, scores, strict=True)])
    names = np.array([f"{one.set} {one.kind}" for one in examples])
    right = labels(examples)
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for name in dict.fromkeys(names):
        at = {level: (names == name) & (levels == level) for level in (*list(least)[::-1], REFUSED)}
        found[str(name)] = {
            level: {
                "share": float(chosen.sum() / (names == name).sum()),
                "right": float(right[chosen].mean()) if chosen.any() else None,
            }
            for level, chosen in at.items()
        }
    return found


def lines(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The figures of each model and family, readable."""
    for model, by_family in found.items():
        for name, told in by_family.items():
            yield f"\n{model} / {name}: ECE {told['ece']:.3f}"
            for kind, values in told["auroc"].items():
                yield f"  AUROC against {kind:<18} " + ", ".join(f"{n} {v:.3f}" for n, v in values.items())
            for group, levels in told["levels"].items():
                shown = (
                    f"{level} {at['share']:.2f}" + (f" ({at['right']:.2f} right)" if at["right"] is not None else "")
                    for level, at in levels.items()
                )
                yield f"    {group:<28} " + ", ".join(shown)
