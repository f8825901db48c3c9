"""Decides whether the question is answered, how sure that is, and says why not."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aborist.query.rank import Scored
from aborist.query.terms import Terms
from aborist.types import Verdict

__all__ = ["confidence", "probability", "refusal"]

# Logistic weights over lexical and structural features; see bench/RESULTS.md for how they were chosen.
_WEIGHTS = {"window": 4.0, "coverage": 1.5, "passages": 2.0, "title": 1.0, "trigrams": 1.0}
_TITLE, _PHRASE = 3.0, 3.0
_BIAS = -5.0
_STRONG, _PARTIAL = 0.8, 0.5


def probability(scored: Scored, verdict: Verdict) -> float:
    """How likely the article answers the question, 0..1."""
    total = _BIAS + sum(weight * scored.features[name] for name, weight in _WEIGHTS.items())
    total += {"title": _TITLE, "phrase": _PHRASE}.get(verdict.rule, 0.0)
    return 1 / (1 + math.exp(-total))


def confidence(sure: float, answered: bool) -> str:
    """strong | partial | weak."""
    if not answered:
        return "weak"
    return "strong" if sure >= _STRONG else "partial" if sure >= _PARTIAL else "weak"


def refusal(best: Scored | None, verdict: Verdict | None, terms: Sequence[Terms], missing: Sequence[str]) -> str:
    """The reason of a no_answer, naming the words that were not found."""
    if best is None or verdict is None:
        if missing:
            return f"nothing matched: no article holds {', '.join(repr(word) for word in missing[:5])}"
        return "nothing matched: the question has only words that stand everywhere"
    if missing:
        return f"no article answers it: {', '.join(repr(word) for word in missing[:5])} not found; nearest is {best.entry.title!r}"
    return f"no article answers it: in {best.entry.title!r} {verdict.why}"
