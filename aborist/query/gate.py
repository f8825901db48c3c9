"""How likely an article answers the question, how sure the reply may sound, and why a question is refused.

The probability is a logistic regression over lexical and structural features, one a language, kept as data in
`data/gate.json` with what it was fitted on; `python -m bench.gate --fit` writes that file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from aborist.errors import ModelError
from aborist.query.signals import SIGNALS_VERSION
from aborist.text import ANALYZER_VERSION
from aborist.types import Verdict

__all__ = ["LEVELS", "SIMILARITIES", "Gate", "Model", "Weight", "read", "refusal", "stored_gate", "value"]

FORMAT = 1
LEVELS = ("weak", "partial", "strong")  # rising; below the first a question is refused
POOLED = ""  # the model of every language that has none of its own
# Features that measure the topic, not whether it is answered: see `Model.probability`.
SIMILARITIES = frozenset({"similarity"})


@dataclass(frozen=True, slots=True)
class Weight:
    """A feature's part: its value, kept within what was seen in training, standardised, times the weight."""

    mean: float
    scale: float
    low: float
    high: float
    weight: float

    def of(self, value: float) -> float:
        return self.weight * (min(self.high, max(self.low, value)) - self.mean) / self.scale


def value(features: Mapping[str, float], name: str) -> float:
    """A feature, or the product of those that `*` joins."""
    return math.prod(features[part] for part in name.split("*"))


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic regression over features and products of features ("length*margin")."""

    bias: float
    weights: Mapping[str, Weight]

    def probability(self, features: Mapping[str, float], answered: float) -> float:
        """How likely an article with these features answers the question, 0..1.

        A similarity may lower that, or raise what the lexical features alone bring to `answered`; it never lifts
        anything over that line, whatever its weight.
        """
        known = [name for name in self.weights if features.keys() >= set(name.split("*"))]
        parts = {name: self.weights[name].of(value(features, name)) for name in known}
        alike = {name for name in known if not SIMILARITIES.isdisjoint(name.split("*"))}
        lexical = _sigmoid(self.bias + sum(part for name, part in parts.items() if name not in alike))
        whole = _sigmoid(self.bias + sum(parts.values()))
        return whole if lexical >= answered else min(whole, lexical)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


@dataclass(frozen=True, slots=True)
class Gate:
    """The models by language, the least probability of each level, and how often a rule's answers are right."""

    models: Mapping[str, Model]
    least: Mapping[str, float]
    rules: Mapping[str, float]

    @property
    def answered(self) -> float:
        """From which probability on an article is an answer."""
        return self.least["weak"]

    def probability(self, features: Mapping[str, float], language: str) -> float:
        """By the language's own model or the pooled one."""
        return self.models.get(language, self.models[POOLED]).probability(features, self.answered)

    def level(self, verdict: Verdict) -> tuple[str, float]:
        """(strong | partial | weak, probability) of an answer that rests on an article with this verdict."""
        if not verdict.accepted:
            return "weak", verdict.probability
        sure = max(verdict.probability, self.rules.get(verdict.rule, 0.0))
        return next((level for level in reversed(LEVELS) if sure >= self.least[level]), "weak"), sure


@cache
def stored_gate() -> Gate:
    """The gate that comes with the package, read once. :raises ModelError: it does not fit the program."""
    return read(files("aborist").joinpath("data/gate.json").read_text(encoding="utf-8"))


def read(text: str) -> Gate:
    """A gate from its JSON. :raises ModelError: another format, other signals or stems, or broken figures."""
    try:
        stored = json.loads(text)
        _check_versions(stored)
        found = Gate(
            {language: _model(model) for language, model in stored["models"].items()},
            {level: float(stored["thresholds"][level]) for level in LEVELS},
            {rule: float(precision) for rule, precision in stored["rules"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _misfit("a gate model with weights, thresholds and rules", f"{type(error).__name__}: {error}") from error
    if POOLED not in found.models or sorted(found.least.values()) != list(found.least.values()):
        raise _misfit("a pooled model and rising thresholds", f"models {list(found.models)}, {dict(found.least)}")
    return found


def _check_versions(stored: Mapping[str, Any]) -> None:
    wanted = {"format": FORMAT, "signals": SIGNALS_VERSION, "analyzer": ANALYZER_VERSION}
    held = {name: stored[name] for name in wanted}
    if held != wanted:
        raise _misfit(f"a gate model for {wanted}", str(held))


def _model(stored: Mapping[str, Any]) -> Model:
    weights = {name: Weight(*map(float, figures)) for name, figures in stored["weights"].items()}
    broken = [n for n, w in weights.items() if w.scale <= 0 or not all(map(math.isfinite, (w.mean, w.weight, w.scale)))]
    if broken or not math.isfinite(stored["bias"]):
        raise ValueError(f"figures of {', '.join(broken) or 'the bias'} that are no finite numbers")
    return Model(float(stored["bias"]), weights)


def _misfit(expected: str, found: str) -> ModelError:
    return ModelError(expected=expected, found=found, next="install aborist again, or run `python -m bench.gate --fit`")


def refusal(nearest: str, verdict: Verdict | None, missing: Sequence[str]) -> str:
    """The reason of a no_answer: the words that were not found, and the nearest article ("" when there is none)."""
    listed = ", ".join(repr(word) for word in missing[:5])
    if verdict is None:
        return f"nothing matched: no article holds {listed}" if missing else "nothing matched"
    if missing:
        return f"no article answers it: {listed} not found; nearest is {nearest!r}"
    return f"no article answers it: its words stand in none closely enough; nearest is {nearest!r}"
