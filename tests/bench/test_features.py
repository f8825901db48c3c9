"""The gate's fit, against data whose weights are known and pairs counted by hand."""

from __future__ import annotations

import numpy as np

from bench.features import auroc, fit


def test_the_fit_finds_the_weights_that_made_the_labels() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(20_000, 2))
    y = (random.random(20_000) < 1 / (1 + np.exp(-(-0.5 + 2.0 * x[:, 0] - 1.0 * x[:, 1])))).astype(float)
    bias, weights = fit(x, y, np.ones(len(x)), penalty=0.0)
    assert np.allclose([bias, *weights], [-0.5, 2.0, -1.0], atol=0.1)


def test_an_example_of_weight_two_counts_as_two() -> None:
    x, y = np.array([[0.0], [1.0], [1.0], [0.3]]), np.array([0.0, 1.0, 1.0, 1.0])
    once = fit(np.array([[0.0], [1.0], [0.3]]), np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 1.0]))
    twice = fit(x, y, np.ones(4))
    assert np.allclose([once[0], *once[1]], [twice[0], *twice[1]])


def test_auroc_is_the_share_of_pairs_in_order() -> None:
    scores, labels = np.array([0.9, 0.4, 0.4, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])
    assert auroc(scores, labels) == (1 + 1 + 0.5 + 1) / 4
