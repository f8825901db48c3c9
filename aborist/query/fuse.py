"""Weighted reciprocal rank fusion (RRF): joins the routes' rankings to one list of candidates.

score(d) = sum over routes of w_r / (k + rank_r(d)) over the first `truncate` hits of each route; hits beyond are
appended behind, never lost. Cormack, Clarke, Büttcher, SIGIR 2009. Fusion gathers; what stands on top is decided by
normalised scores (query.rank): Bruch et al., TOIS 2023, and bench/NOTES.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aborist.errors import UsageError
from aborist.types import Candidate, Hit, Ranking, Ref

__all__ = ["FUSERS", "Fusion", "weighted_rrf"]


@dataclass(frozen=True)
class Fusion:
    """The settings of a fusion, checked when they are made.

    The invariant: the first hit of every enabled route is among the first `window` candidates, whatever the other
    routes say. With window >= number of routes that holds when no document of rank > 1 in one route alone outscores
    a route's first hit: w_i / (k + 1) > w_j / (k + truncate) for all routes i, j (w_i / w_j > (k+1) / (k+truncate));
    and documents that several routes found are bounded by the reserve: each route's first hit has a kept place.
    """

    k: int = 60
    truncate: int = 20
    # Candidates that are scored from their text. 2026-11-30, enwiki_medium dev, 480 questions: 40 / 30 / 20 give the
    # same macro hit@1 (.785) at 56 / 48 / 43 ms of CPU.
    window: int = 25
    weights: Mapping[str, float] = field(
        default_factory=lambda: {
            "title": 1.5, "title-like": 1.2, "core": 1.2, "body": 1.5, "phrase": 1.5, "dense": 1.5,
        }
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.k < 1 or self.truncate < 1 or self.window < len(self.weights):
            raise UsageError(
                expected=f"fusion k and truncate of at least 1 and a window of at least {len(self.weights)}",
                found=f"k {self.k}, truncate {self.truncate}, window {self.window}",
                next="correct the Fusion",
            )
        least = (self.k + 1) / (self.k + self.truncate)
        strong, high = max(self.weights.items(), key=lambda item: item[1])
        for weak, low in self.weights.items():
            seen = low > 0 and (low / high > least or low == high)
            if not seen:
                raise UsageError(
                    expected=f"fusion weights with w_i / w_j > (k+1)/(k+truncate) = {least:.3f} for all routes",
                    found=f"{weak} {low} / {strong} {high}: a first hit of {weak} could never be seen",
                    next=f"raise the weight of {weak}, or truncate",
                )


def weighted_rrf(rankings: Sequence[Ranking], fusion: Fusion) -> tuple[Candidate, ...]:
    """Candidates, best first: fused ones, then the hits outside the truncated lists by their best rank.

    The first hits of all routes are moved inside `fusion.window` where the sum alone would leave one out.
    """
    shares: dict[Ref, list[float]] = {}
    hits: dict[Ref, dict[str, Hit]] = {}
    for ranking in rankings:
        weight = fusion.weights[ranking.route]
        for hit in ranking.hits:
            hits.setdefault(hit.ref, {})[ranking.route] = hit
            share = weight / (fusion.k + hit.rank) if hit.rank <= fusion.truncate else 0.0
            shares.setdefault(hit.ref, []).append(share)
    # The same to the last bit in whatever order the rankings come, for sums are compared.
    scores = {ref: math.fsum(own) for ref, own in shares.items()}
    best_rank = {ref: min(hit.rank for hit in found.values()) for ref, found in hits.items()}
    # Equal sums: no two articles have the same ranks in the same routes, whatever shards they lie in.
    routes = sorted(ranking.route for ranking in rankings)
    ranks = {ref: [found[name].rank if name in found else _UNRANKED for name in routes] for ref, found in hits.items()}
    order = sorted(scores, key=lambda ref: (-scores[ref], best_rank[ref], ranks[ref]))
    firsts = {ranking.hits[0].ref for ranking in rankings if ranking.hits}
    return tuple(Candidate(ref, scores[ref], hits[ref]) for ref in _keep(order, firsts, fusion.window))


_UNRANKED = 1 << 30


def _keep(order: list[Ref], firsts: set[Ref], window: int) -> list[Ref]:
    outside = [ref for ref in order[window:] if ref in firsts]
    if not outside:
        return order
    inside = order[:window]
    movable = [ref for ref in inside if ref not in firsts][-len(outside) :]
    moved = set(movable) | set(outside)
    return [ref for ref in inside if ref not in moved] + outside + [
        ref for ref in order if ref in set(movable) or (ref not in moved and ref not in set(inside))
    ]  # fmt: skip


FUSERS: Mapping[str, Callable[[Sequence[Ranking], Fusion], tuple[Candidate, ...]]] = {"rrf": weighted_rrf}
