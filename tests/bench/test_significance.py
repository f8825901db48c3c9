"""The tests of differences against scipy, and Holm against the closed testing that it shortens."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bench.significance import holm, interval, randomisation, weighted

SMALL = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=8)


def scipys(differences: list[float]) -> float:
    """scipy's exact paired permutation test of the mean."""
    found = stats.permutation_test(
        (np.array(differences), np.zeros(len(differences))),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    return float(found.pvalue)


@given(SMALL)
def test_few_differences_are_tested_exactly_as_scipy_does(differences: list[float]) -> None:
    assert randomisation(np.array(differences)) == pytest.approx(scipys(differences))


def test_many_differences_come_close_to_the_exact_value() -> None:
    # 30 wins, 14 losses, 100 ties: with equal sizes the randomisation test is the sign test.
    differences = np.array([1.0] * 30 + [-1.0] * 14 + [0.0] * 100)
    exact = stats.binomtest(30, 44).pvalue
    assert randomisation(differences) == pytest.approx(exact, abs=0.003)


def test_drawn_p_values_are_never_zero_and_always_the_same() -> None:
    differences = np.ones(200)
    assert randomisation(differences) == 1 / 100_001
    assert randomisation(differences) == randomisation(differences)


def test_no_difference_is_no_evidence() -> None:
    assert randomisation(np.zeros(50)) == 1.0


def test_a_large_group_weighs_no_more_than_a_small_one() -> None:
    groups = {"small": np.array([1.0, 0.0]), "large": np.array([-1.0] * 10 + [0.0] * 90)}
    assert weighted(groups).sum() == pytest.approx((0.5 - 0.1) / 2)
    assert weighted({"one": np.array([1.0, 0.0, 0.0, 0.0])}).sum() == 0.25


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closed_bonferroni_test(p_values: list[float]) -> None:
    numbers = range(len(p_values))
    subsets = [s for size in numbers for s in combinations(numbers, size + 1)]
    closed = [max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in subsets if number in s) for number in numbers]
    assert holm(p_values) == pytest.approx(closed)


def test_the_interval_agrees_with_scipys_bootstrap() -> None:
    values = np.random.default_rng(7).choice([-1.0, 0.0, 1.0], size=300, p=[0.1, 0.6, 0.3])
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert interval({"one": values}) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_the_macro_interval_is_as_wide_as_the_groups_variances_say() -> None:
    random = np.random.default_rng(3)
    groups = {name: random.normal(size=n) for name, n in (("a", 400), ("b", 100))}
    error = np.sqrt(sum(values.var() / len(values) for values in groups.values())) / 2
    low, high = interval(groups)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.05)
