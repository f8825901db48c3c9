"""Plans of passages: sets within the budget, and found by FTS5 what they say."""

from __future__ import annotations

from itertools import combinations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.query.plan import Plan, conjunctions

PASSAGES = 100_000
COUNTS = st.lists(st.integers(1, PASSAGES), max_size=9).map(sorted)


def frequencies(counts: list[int]) -> list[tuple[str, int]]:
    return [(f"t{number}", count) for number, count in enumerate(counts)]


@given(COUNTS, st.sampled_from([10.0, 400.0, 4_000.0]))
def test_no_set_holds_another_and_single_terms_stay_within_the_budget(counts: list[int], budget: float) -> None:
    plan = Plan(budget=budget)
    sets = plan.sets(frequencies(counts), PASSAGES)
    for one, other in combinations(map(set, sets), 2):
        assert not one <= other
        assert not other <= one
    singles = [dict(frequencies(counts))[one[0]] for one in sets if len(one) == 1]
    assert sum(singles) <= max(budget, plan.most)
    assert all(1 <= len(one) <= plan.largest for one in sets)


@given(COUNTS)
def test_all_terms_are_taken_alone_where_that_is_affordable(counts: list[int]) -> None:
    known = frequencies(counts)[: Plan().terms]
    sets = Plan(budget=1e9).sets(frequencies(counts), PASSAGES)
    assert set(sets) == {(stem,) for stem, _ in known}


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param([50, 90_000], [("t0",)], id="a rare one alone: with others it is held already"),
        pytest.param([3_000, 3_500], [("t0",), ("t0", "t1")], id="what the budget leaves over"),
        pytest.param([90_000, 95_000], [], id="nothing but words that stand everywhere"),
        pytest.param([], [], id="no terms"),
    ],
)
def test_sets_by_hand(counts: list[int], expected: list[tuple[str, ...]]) -> None:
    found = Plan(budget=4_000, most=40_000).sets(frequencies(counts), PASSAGES)
    assert found == [one for one in expected if not any(set(other) < set(one) for other in expected)]


def test_the_expression_finds_rows_that_hold_all_of_a_set() -> None:
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
    rows = ["a b", "a c", "b c", "c", "a b c", 'and "or']
    db.executemany("INSERT INTO t VALUES(?)", [(row,) for row in rows])
    found = db.execute("SELECT body FROM t WHERE t MATCH ?", (conjunctions([("a", "b"), ("c", "a"), ('"or',)]),))
    assert {row for (row,) in found} == {"a b", "a c", "a b c", 'and "or'}
