"""What the gate's models are fitted on, with which weights, and what they say of questions they have not seen."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from aborist.query.gate import LEVELS, value
from bench.gate_examples import Example
from bench.gate_fit import Fitted, signed_fit

__all__ = [
    "KINDS",
    "MIXTURES",
    "SIGNS",
    "WORTH",
    "by_model",
    "family",
    "fitted",
    "labels",
    "matrix",
    "of_model",
    "predicted",
    "rule_precision",
    "weigh",
]

# How a feature may speak: for an answer (+1), against it (-1), either way (0). A weight with another sign is an
# accident of its companions; leaving those out costs no log loss on unseen titles (2026-11-30, 0 in a thousand).
SIGNS: Mapping[str, int] = {
    "exact": 1, "lead": 1, "title": 1, "pairs": 1, "surprise": 1, "unknown": -1, "names_missing": -1,
    "numbers_missing": -1, "unsuited": -1, "core": 1, "words": 0, "length": 0, "margin": 1, "sentence_margin": 1,
    "peers": -1,
    # A paragraph and a long article differ in what each is worth: without length the calibration error doubles.
    "length*lead": 0, "length*title": 0, "length*pairs": 0, "length*surprise": 0, "length*margin": 0,
    "length*sentence_margin": 0,
}  # fmt: skip
# The part of each family of sets in a model. Families not named are measured only.
MIXTURES: Mapping[str, Mapping[str, float]] = {
    "eng": {"xquad_en": 0.25, "xquadtitles_en": 0.25, "enwiki": 0.4, "elsewhere": 0.1},
    "rus": {"xquad_ru": 0.3, "xquadtitles_ru": 0.4, "enwiki": 0.2, "elsewhere": 0.1},
    "": {
        "xquad_en": 0.1,
        "xquad_ru": 0.1,
        "xquad_de": 0.1,
        "xquad_es": 0.1,
        "xquadtitles_en": 0.1,
        "xquadtitles_ru": 0.1,
        "enwiki": 0.3,
        "elsewhere": 0.1,
    },
}
# The part of each kind in a family, whatever their number: what is assumed of the questions that people ask.
KINDS: Mapping[str, float] = {
    "own": 1.0, "paragraph": 0.25, "article": 0.25, "removed": 0.5, "absent": 0.25, "elsewhere": 0.5,
}  # fmt: skip
# What an answer at each level brings if it is right, and costs if it is wrong; a refusal brings and costs nothing. A
# wrong answer called strong costs one and a half times what a right one brings, one called weak about half of that.
WORTH: Mapping[str, tuple[float, float]] = dict(zip(LEVELS, ((0.65, 0.35), (0.85, 0.6), (1.0, 1.5)), strict=True))
FOLDS = 2
RULES = ("title", "phrase")

Matrix = NDArray[np.float64]


def family(example: Example) -> str:
    return example.set.partition("/")[0]


def of_model(examples: Sequence[Example], language: str) -> list[Example]:
    """The examples that a model is fitted on."""
    return [one for one in examples if family(one) in MIXTURES[language] and one.kind in KINDS]


def weigh(examples: Sequence[Example], language: str) -> Matrix:
    """The weight of each example: its family's part times its kind's, shared by as many as there are; mean 1."""
    mixture = MIXTURES[language]
    kinds = [(family(one), one.kind) for one in examples]
    counts = Counter(kinds)
    weights = np.array([mixture.get(name, 1.0) * KINDS[kind] / counts[name, kind] for name, kind in kinds])
    return np.asarray(weights * len(weights) / weights.sum(), dtype=np.float64)


def matrix(examples: Sequence[Example]) -> Matrix:
    return np.array([[value(one.features, name) for name in SIGNS] for one in examples])


def labels(examples: Sequence[Example]) -> Matrix:
    return np.array([float(one.right) for one in examples])


def fitted(examples: Sequence[Example], language: str) -> Fitted:
    """The model of a language; what found no article at all teaches nothing."""
    chosen = [one for one in of_model(examples, language) if one.features]
    return signed_fit(matrix(chosen), labels(chosen), weigh(chosen, language), list(SIGNS.values()))


def by_model(model: Fitted, examples: Sequence[Example]) -> Matrix:
    """The probability of each example; 0 where no article was found."""
    held = [n for n, one in enumerate(examples) if one.features]
    found = np.zeros(len(examples))
    if held:
        found[held] = model.probability(matrix([examples[n] for n in held]))
    return found


def predicted(examples: Sequence[Example], language: str) -> Matrix:
    """The probability of each example by a model fitted on the other half of the groups (titles, gold articles)."""
    folds = np.array([int(hashlib.sha256(one.group.encode()).hexdigest(), 16) % FOLDS for one in examples])
    found = np.zeros(len(examples))
    for fold in range(FOLDS):
        model = fitted([one for one, own in zip(examples, folds, strict=True) if own != fold], language)
        found[folds == fold] = by_model(model, [one for one, own in zip(examples, folds, strict=True) if own == fold])
    return found


def rule_precision(examples: Sequence[Example]) -> dict[str, float]:
    """How often the first article is right that a rule accepts, in the mixture of the pooled model."""
    chosen = of_model(examples, "")
    right, weights = labels(chosen), weigh(chosen, "")
    rules = np.array([one.rule for one in chosen])
    return {rule: float(np.average(right[rules == rule], weights=weights[rules == rule])) for rule in RULES}
