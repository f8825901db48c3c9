"""The gate's fit and its measures: logistic regression with signs, AUROC, calibration error, thresholds by cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bin", "Fitted", "auroc", "calibration_error", "fit", "reliability", "signed_fit", "thresholds"]

Matrix = NDArray[np.float64]
_PENALTY = 1e-4  # ridge on standardised weights; 1e-3 and 1e-5 change no AUROC by more than .001 (2026-11-30)


class Fitted(NamedTuple):
    """A regression over the columns `kept` of a matrix, which are standardised by `mean` and `scale` first."""

    kept: list[int]
    mean: Matrix
    scale: Matrix
    bias: float
    weights: Matrix

    def probability(self, x: Matrix) -> Matrix:
        z = self.bias + (x[:, self.kept] - self.mean) / self.scale @ self.weights
        return np.asarray(1 / (1 + np.exp(-z)), dtype=np.float64)


def signed_fit(x: Matrix, y: Matrix, weights: Matrix, signs: Sequence[int]) -> Fitted:
    """A regression in which no column speaks against its sign (+1 for, -1 against, 0 either): the column whose weight
    is most wrong leaves, until none is."""
    kept = [n for n in range(x.shape[1]) if np.ptp(x[:, n]) > 0]
    while True:
        mean = np.average(x[:, kept], axis=0, weights=weights)
        scale = np.sqrt(np.average((x[:, kept] - mean) ** 2, axis=0, weights=weights))
        bias, found = fit((x[:, kept] - mean) / scale, y, weights, _PENALTY)
        wrong = [found[place] * signs[n] for place, n in enumerate(kept)]
        if not wrong or min(wrong) >= 0:
            return Fitted(kept, mean, scale, bias, found)
        del kept[int(np.argmin(wrong))]


def fit(x: Matrix, y: Matrix, weights: Matrix, penalty: float = 0.0, steps: int = 25) -> tuple[float, Matrix]:
    """(bias, weights) of a logistic regression, by Newton's method (Hastie et al., ESL, section 4.4.1)."""
    full = np.hstack([np.ones((len(x), 1)), x])
    ridge = np.eye(full.shape[1]) * 2 * penalty * weights.sum()
    ridge[0, 0] = 0.0
    found = np.zeros(full.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-full @ found))
        gradient = full.T @ (weights * (y - p)) - ridge @ found
        step = np.linalg.solve((full * (weights * p * (1 - p))[:, None]).T @ full + ridge, gradient)
        found = found + step
        if np.abs(step).max() < 1e-9:
            break
    return float(found[0]), found[1:]


def auroc(scores: Matrix, labels: Matrix) -> float:
    """Area under the ROC curve: the share of (positive, negative) pairs in order, ties counted half."""
    positive, negative = np.sort(scores[labels == 1]), scores[labels == 0]
    below, upto = (np.searchsorted(positive, negative, side) for side in ("left", "right"))
    return float((len(positive) - (below + upto) / 2).sum() / (len(positive) * len(negative)))


class Bin(NamedTuple):
    """Of the predictions in one tenth: their weight, their mean, and the share that came true."""

    weight: float
    predicted: float
    observed: float


def reliability(p: Matrix, y: Matrix, weights: Matrix, bins: int = 10) -> list[Bin]:
    """Bins of equal width over 0..1, empty ones left out; `weight` is a share of all."""
    place = np.minimum((p * bins).astype(int), bins - 1)
    found = []
    for number in np.unique(place):
        w, inside = weights[place == number], place == number
        found.append(Bin(w.sum() / weights.sum(), *(float(np.average(v[inside], weights=w)) for v in (p, y))))
    return found


def calibration_error(p: Matrix, y: Matrix, weights: Matrix) -> float:
    """ECE: the mean distance of predicted and observed over the bins (Guo et al. 2017, equation 3)."""
    return float(sum(one.weight * abs(one.predicted - one.observed) for one in reliability(p, y, weights)))


def thresholds(worth: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """The least probability from which each level, in rising order, is worth more than the one before it (the first:
    than a refusal, which is worth 0). `worth`: what a right answer shown so brings, and what a wrong one costs."""
    found, gain, cost = {}, 0.0, 0.0
    for level, (brings, costs) in worth.items():
        found[level] = (costs - cost) / ((costs - cost) + (brings - gain))
        gain, cost = brings, costs
    return found
