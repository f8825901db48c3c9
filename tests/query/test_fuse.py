"""Fusion: equal to plain RRF, blind to the order of the rankings, and never losing a hit or a route's first one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aborist.errors import UsageError
from aborist.query.fuse import FUSERS, Fusion
from aborist.query.routes import ROUTES
from aborist.types import Candidate, Hit, Ranking, Ref

NAMES = ("title", "title-like", "core", "body", "phrase", "dense")
refs = st.builds(Ref, st.integers(0, 1), st.integers(1, 12))
hits = st.builds(Hit, refs, st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 90.0]))


@st.composite
def rankings(draw: st.DrawFn, names: Sequence[str] = NAMES) -> list[Ranking]:
    """Any routes with any hits: repeated articles, ties, empty ones."""
    chosen = draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    return [Ranking.of(name, draw(st.lists(hits, max_size=8)), limit=draw(st.integers(0, 8))) for name in chosen]


@st.composite
def fusions(draw: st.DrawFn) -> Fusion:
    """Any configuration that is accepted."""
    weights = draw(st.fixed_dictionaries({name: st.sampled_from([0.9, 1.0, 1.02, 1.1, 1.5]) for name in NAMES}))
    k, truncate, window = (
        draw(st.integers(1, 100)),
        draw(st.integers(2, 15)),
        draw(st.integers(len(NAMES), 20)),
    )
    try:
        return Fusion(k, truncate, window, weights)
    except UsageError:
        assume(False)
        raise


def fuse(found: Sequence[Ranking], fusion: Fusion) -> tuple[Candidate, ...]:
    return FUSERS["rrf"](found, fusion)


def naive(found: Sequence[Ranking], k: int, truncate: int, weights: Mapping[str, float]) -> dict[Ref, float]:
    """RRF as in Cormack, Clarke, Büttcher 2009, with weights; written apart from the code it checks."""
    scores: dict[Ref, float] = defaultdict(float)
    for ranking in found:
        for place, hit in enumerate(ranking.hits):
            scores[hit.ref] += weights[ranking.route] / (k + place + 1) if place < truncate else 0
    return scores


@pytest.mark.parametrize("fuser", FUSERS)
@given(found=rankings(), fusion=fusions())
def test_the_first_hit_of_every_route_is_inside_the_window(fuser: str, found: list[Ranking], fusion: Fusion) -> None:
    inside = {candidate.ref for candidate in FUSERS[fuser](found, fusion)[: fusion.window]}
    assert all(ranking.hits[0].ref in inside for ranking in found if ranking.hits)


@pytest.mark.parametrize("fuser", FUSERS)
@given(found=rankings(), fusion=fusions())
def test_every_hit_becomes_one_candidate_that_keeps_what_each_route_said(
    fuser: str, found: list[Ranking], fusion: Fusion
) -> None:
    candidates = FUSERS[fuser](found, fusion)
    assert len({candidate.ref for candidate in candidates}) == len(candidates)
    said = {(candidate.ref, route, hit) for candidate in candidates for route, hit in candidate.hits.items()}
    assert said == {(hit.ref, ranking.route, hit) for ranking in found for hit in ranking.hits}


@pytest.mark.parametrize("fuser", FUSERS)
@given(found=rankings(), fusion=fusions(), data=st.data())
def test_the_order_of_the_rankings_does_not_matter(
    fuser: str, found: list[Ranking], fusion: Fusion, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(found))
    order = [candidate.ref for candidate in FUSERS[fuser](found, fusion)]
    assert [candidate.ref for candidate in FUSERS[fuser](shuffled, fusion)] == order


@given(found=rankings(), fusion=fusions())
def test_scores_are_those_of_plain_rrf(found: list[Ranking], fusion: Fusion) -> None:
    expected = naive(found, fusion.k, fusion.truncate, fusion.weights)
    for candidate in fuse(found, fusion):
        assert candidate.score == pytest.approx(expected[candidate.ref])


@given(found=rankings())
def test_the_order_is_by_score_where_no_first_hit_had_to_be_moved(found: list[Ranking]) -> None:
    candidates = fuse(found, Fusion(window=10_000))
    scores = [candidate.score for candidate in candidates]
    assert scores == sorted(scores, reverse=True)


@given(found=rankings(), fusion=fusions())
def test_hits_beyond_truncate_stand_behind_all_fused_ones(found: list[Ranking], fusion: Fusion) -> None:
    fused = {hit.ref for ranking in found for hit in ranking.hits[: fusion.truncate]}
    order = [candidate.ref in fused for candidate in fuse(found, fusion)]
    assert order == sorted(order, reverse=True)


def ranking(route: str, *articles: int) -> Ranking:
    return Ranking.of(route, [Hit(Ref(0, n), -float(place)) for place, n in enumerate(articles)], limit=100)


def test_a_first_hit_that_the_sum_leaves_outside_is_moved_in() -> None:
    # Both strong routes agree on sixty articles; the phrase route alone knows article 99.
    agreed = range(1, 61)
    found = [ranking("title", *agreed), ranking("body", *agreed), ranking("phrase", 99)]
    fusion = Fusion(k=60, truncate=60, window=10)
    order = [candidate.ref.article for candidate in fuse(found, fusion)]
    assert 99 in order[:10]
    assert 1 in order[:10]
    assert sorted(order) == sorted([*agreed, 99])


def test_nothing_found_is_no_candidate() -> None:
    assert fuse([], Fusion()) == ()
    assert fuse([ranking("body")], Fusion()) == ()


def test_the_defaults_are_accepted_and_name_every_route() -> None:
    assert set(ROUTES) <= set(Fusion().weights)


WEAK = [
    {"title": 1.5, "body": 0.1},  # a first hit of body lies below rank 20 of title
    {"title": 1.0, "body": 0.0},
    {"title": 1.0, "body": -1.0},
    {"title": 1.0, "body": (60 + 1) / (60 + 20)},  # exactly the bound
]


@pytest.mark.parametrize("weights", WEAK)
def test_weights_under_which_a_first_hit_could_never_be_seen_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(UsageError) as caught:
        Fusion(k=60, truncate=20, weights=weights)
    assert "body" in str(caught.value)
    assert "w_i / w_j > (k+1)/(k+truncate)" in caught.value.expected


def test_more_truncate_or_nearer_weights_satisfy_the_bound() -> None:
    Fusion(k=60, truncate=20, weights={"title": 1.0, "body": 0.77})
    Fusion(k=1, truncate=100, weights={"title": 1.0, "body": 0.1})


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"truncate": 0}, {"window": 1}, {"k": -60}, {"window": 0}, {"window": len(NAMES) - 1}]
)
def test_sizes_that_cannot_hold_the_invariant_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Fusion(**wrong)  # type: ignore[arg-type]


def test_a_weight_that_is_no_number_is_refused() -> None:
    with pytest.raises(UsageError):
        Fusion(weights={"title": 1.0, "body": float("nan")})


def test_a_single_hit_a_route_may_be_fused() -> None:
    # With truncate 1 every fused hit is a first hit: equal weights cannot hide any.
    fusion = Fusion(truncate=1, weights={"title": 1.0, "body": 1.0})
    fused = fuse([ranking("title", 1, 2), ranking("body", 3, 4)], fusion)
    assert [candidate.ref.article for candidate in fused] == [3, 1, 4, 2]  # equal sums: by the routes' names
