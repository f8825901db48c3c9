"""The measures that ir-measures has none of, as pure functions: answers in passages, refusals, percentiles."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from bench.words import plain

__all__ = ["Gate", "gate", "holds_answer", "mean", "percentile"]

# Answers of so many words are sentences (WikiQA), seldom repeated to the letter: most words must be there.
SENTENCE_WORDS = 8
SENTENCE_OVERLAP = 0.8


def holds_answer(passage: str, answers: Iterable[str]) -> bool:
    """Whether the passage holds one of the answers.

    Case, diacritics and punctuation count for nothing, word borders do ("art" is not in "party"). An answer
    of `SENTENCE_WORDS` words or more also counts when `SENTENCE_OVERLAP` of its distinct words are there.
    """
    words = plain(passage).split()
    line, known = f" {' '.join(words)} ", set(words)
    return any(_is_in(plain(answer).split(), line, known) for answer in answers)


def _is_in(answer: list[str], line: str, known: set[str]) -> bool:
    if not answer:
        return False
    if f" {' '.join(answer)} " in line:
        return True
    distinct = set(answer)
    return len(answer) >= SENTENCE_WORDS and len(distinct & known) >= SENTENCE_OVERLAP * len(distinct)


@dataclass(frozen=True, slots=True)
class Gate:
    """How well "no answer" is said. None where nothing was refused, or nothing had to be."""

    precision: float | None  # of the refused questions, the share that has no answer in the archive
    recall: float | None  # of the questions without an answer, the share that was refused


def gate(refused: Sequence[bool], answerable: Sequence[bool]) -> Gate:
    """Precision and recall of refusing, over questions of which it is known whether they can be answered."""
    right = sum(r and not a for r, a in zip(refused, answerable, strict=True))
    said, due = sum(refused), sum(not a for a in answerable)
    return Gate(right / said if said else None, right / due if due else None)


def mean(values: Iterable[float]) -> float | None:
    """The arithmetic mean; None of nothing."""
    values = list(values)
    return sum(values) / len(values) if values else None


def percentile(values: Collection[float], p: float) -> float | None:
    """The p-th percentile (0..100) with linear interpolation, as numpy's default; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    position = (len(ordered) - 1) * p / 100
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)
