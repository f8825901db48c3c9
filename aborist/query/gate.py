"""How likely an article answers the question, how sure the reply may sound, and why a question is refused.

The probability is a logistic regression over lexical and structural features, never over a similarity alone.
Fitted 2026-11-30 on 1,200 dev questions of enwiki_medium (150 a group, stale golds left out) against their own wrong
first hits, the best article left when the right one is removed (weight .5) and 300 squad2 questions whose answer is
absent (weight .3): AUROC .79 / .88 / .81. A margin to the second article would add to the first two, but says nothing
in a small archive, where there is no second.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from aborist.types import Verdict

__all__ = ["ACCEPTED", "confidence", "probability", "refusal"]

_BIAS = -6.1
_WEIGHTS = {
    "terms": 1.59, "window": 1.4, "coverage": 0.45, "passages": 0.57, "exact": 1.27, "lead": 1.27, "article": 0.2,
    "title": 3.2, "trigrams": 0.36,
}  # fmt: skip
# Where .85 of the right first hits pass, .44 of the wrong ones, .26 of those left when the right one is removed.
ACCEPTED = 0.4
# What exact titles and verbatim sayings were right in, on the seed corpora and dev: they are not asked the regression.
_BY_RULE = {"title": 0.95, "phrase": 0.85}
_STRONG, _PARTIAL = 0.6, 0.4


def probability(features: Mapping[str, float]) -> float:
    """How likely an article with these features answers the question, 0..1."""
    total = _BIAS + sum(weight * features[name] for name, weight in _WEIGHTS.items())
    return 1 / (1 + math.exp(-total))


def confidence(features: Mapping[str, float], verdict: Verdict) -> tuple[str, float]:
    """(strong | partial | weak, probability) of an answer that rests on an article with this verdict."""
    if not verdict.accepted:
        return "weak", min(probability(features), ACCEPTED)
    sure = max(probability(features), _BY_RULE.get(verdict.rule, 0.0))
    return ("strong" if sure >= _STRONG else "partial" if sure >= _PARTIAL else "weak"), sure


def refusal(nearest: str, verdict: Verdict | None, missing: Sequence[str]) -> str:
    """The reason of a no_answer: the words that were not found, and the nearest article ("" when there is none)."""
    listed = ", ".join(repr(word) for word in missing[:5])
    if verdict is None:
        return f"nothing matched: no article holds {listed}" if missing else "nothing matched"
    if missing:
        return f"no article answers it: {listed} not found; nearest is {nearest!r}"
    return f"no article answers it: its words stand in none closely enough; nearest is {nearest!r}"
