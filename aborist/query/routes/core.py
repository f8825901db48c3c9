"""Articles by BM25 over all they say: from impacts of the question's common terms, from the postings of its rare ones.

A second source of candidates beside passages: an article may say in many places what no one place holds together. As
the only first tier it loses deep facts (bench/NOTES.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aborist.query.routes.route import Probe
from aborist.query.terms import Terms
from aborist.shard.core import K1, Ordinals, impacts
from aborist.shard.read import Shard
from aborist.types import Hit, Question, Ref

__all__ = ["Core"]


@dataclass(frozen=True)
class Core:
    limit: int = 60
    rarest: int = 8  # terms looked up
    budget: int = 20_000  # postings of terms that are no keywords, .2 us each, over all shards

    def prepare(self, question: Question, terms: Terms) -> Probe:
        wanted = {stem: terms.article_idf_of(stem) for stem in terms.known[: self.rarest]}
        ceiling = sum(wanted.values()) or 1.0
        affordable = set(self._affordable(terms))

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            scores = np.zeros(len(shard.articles))
            found: dict[str, Ordinals] = {}
            for stem, idf in wanted.items():
                if (postings := _postings(shard, stem, known=stem in affordable)) is not None:
                    found[stem], strengths = postings
                    scores[found[stem]] += idf / ceiling * strengths
            for place in _best(scores, self.limit):
                matched = tuple(stem for stem, places in found.items() if _holds(places, place))
                yield Hit(Ref(number, int(shard.articles[place])), float(scores[place]), matched=matched)

        return probe

    def _affordable(self, terms: Terms) -> Iterator[str]:
        left = self.budget
        for stem in terms.known[: self.rarest]:
            left -= terms.frequency(stem).passages
            if left < 0:
                break
            yield stem


def _postings(shard: Shard, stem: str, *, known: bool) -> tuple[Ordinals, npt.NDArray[np.float64]] | None:
    """Articles and saturated frequencies; of a rare term its passages are counted instead of its places."""
    if (postings := shard.keyword(stem)) is not None:
        return postings[0], impacts(postings[1])
    if not known:
        return None
    places, passages = shard.holders(stem)
    return places, passages / (passages + K1)


_TIED = 8  # times as many as are wanted


def _best(scores: npt.NDArray[np.float64], most: int) -> list[int]:
    """The places of the highest scores above 0, highest first, with those beside the last: who is left out for a tie is
    decided where the shards meet."""
    found = np.flatnonzero(scores)
    if len(found) > most:
        least = np.partition(scores[found], -most)[-most]
        found = found[scores[found] >= least]
    return [int(place) for place in found[np.lexsort((found, -scores[found]))][: _TIED * most]]


def _holds(places: Ordinals, place: int) -> bool:
    at = int(np.searchsorted(places, place))
    return at < len(places) and int(places[at]) == place
