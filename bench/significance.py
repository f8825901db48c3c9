"""Paired tests on per-question values: randomisation, Holm's correction, bootstrap interval.

A `weighted` difference is d_q * w_q, where w_q is 1 / (groups * questions of its group): the sum over all questions is
then the macro difference, and flipping signs question by question tests it as it tests a plain mean (one group).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bench.fixed import SEED

__all__ = ["holm", "interval", "randomisation", "weighted"]

Vector = NDArray[np.float64]

RESAMPLES = 10_000  # of the bootstrap
# 100,000: the least p-value that can be said is .00001, which stays below .01 after Holm over hundreds of rows.
DRAWN = 100_000
# 2^16 sign vectors cost less than those that are drawn, and the p-value is exact.
EXACT_UP_TO = 16
# Sign vectors are drawn in parts, so that memory does not grow with the resamples.
PART = 500
# Sums that differ by less are one sum computed in two orders.
TOLERANCE = 1e-9


def weighted(groups: Mapping[str, Vector]) -> Vector:
    """The differences of all groups in one vector whose sum is the mean over the groups of their means."""
    return np.concatenate([values / (len(groups) * len(values)) for values in groups.values()])


def randomisation(differences: Vector) -> float:
    """Two-sided p-value of Fisher's paired randomisation test for sum(differences) = 0.

    Every sign vector up to 16 differences that are not 0, else 100,000 drawn ones with (count + 1) / (n + 1), which
    never says 0 (Phipson and Smyth 2010). Smucker, Allan and Carterette, CIKM 2007, on why this test.
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    observed = abs(moved.sum()) - TOLERANCE * np.abs(moved).sum()
    if len(moved) <= EXACT_UP_TO:
        # Half of the sign vectors: the others are their negatives, with the same absolute sum.
        signs = np.array([(1.0, *rest) for rest in product((-1.0, 1.0), repeat=len(moved) - 1)])
        return float(np.mean(np.abs(signs @ moved) >= observed))
    random = np.random.default_rng(SEED)
    count = 0
    for _ in range(DRAWN // PART):
        drawn = 1.0 - 2.0 * random.integers(0, 2, size=(PART, len(moved)), dtype=np.int8)
        count += int(np.sum(np.abs(drawn @ moved) >= observed))
    return (count + 1) / (DRAWN + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for being many (Holm 1979), in the order they came; each at most 1."""
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for done, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - done) * p_values[place]))
        corrected[place] = highest
    return corrected


def interval(groups: Mapping[str, Vector], level: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of the macro mean: questions are drawn again within their group."""
    random = np.random.default_rng(SEED)
    total = np.zeros(RESAMPLES)
    for values in groups.values():
        for start in range(0, RESAMPLES, PART):
            drawn = random.integers(0, len(values), size=(PART, len(values)), dtype=np.int32)
            total[start : start + PART] += values[drawn].mean(axis=1) / len(groups)
    low, high = np.quantile(total, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
