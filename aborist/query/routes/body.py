"""Passages by BM25 over those that hold enough of the question (`query.plan`).

FTS5 finds the passages and says how often each term stands in them; its own bm25() knows the statistics of one shard
only, and counts every posting of every term to get them. An article scores p1 + .5 p2 + .5 p3 over its passages, which
only gathers: ranking is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from aborist.query.plan import Plan, conjunctions
from aborist.query.routes.route import Probe
from aborist.query.terms import Terms
from aborist.shard.read import Counted, Shard
from aborist.text import match_any
from aborist.types import Hit, Question, Ref

__all__ = ["Body"]

_SOFT = (1.0, 0.5, 0.5)  # bench/NOTES.md: p1 + .5 p2 + .5 p3 beats max (+3.5 points) and mean_top_3 (+7)


@dataclass(frozen=True)
class Body:
    limit: int = 100
    plan: Plan = field(default_factory=Plan)
    counted: int = 12  # rarest terms that a passage is scored by
    k1: float = 1.2
    b: float = 0.75

    def prepare(self, question: Question, terms: Terms) -> Probe:
        known = [(stem, terms.frequency(stem).passages) for stem in terms.known]
        sets = self.plan.sets(known, terms.collection.passages.count)
        scored = [stem for stem, _ in known[: self.counted]]
        expression = f"({conjunctions(sets)}) AND ({match_any(scored)})"
        sought = sum(map(len, sets))  # phrases of the expression that only choose
        idf = np.array([terms.passage_idf_of(stem) for stem in scored])

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            if not sets:
                return ()
            counted = shard.counted(expression, sought)
            if not len(counted.passages):
                return ()
            return self._hits(counted, self._bm25(counted, idf, terms.collection.passages.mean), number)

        return probe

    def _bm25(self, counted: Counted, idf: npt.NDArray[np.float64], mean: float) -> npt.NDArray[np.float64]:
        norm = self.k1 * (1 - self.b + self.b * counted.lengths / mean)
        scores: npt.NDArray[np.float64] = (idf * counted.counts * (self.k1 + 1) / (counted.counts + norm[:, None])).sum(
            axis=1
        )
        return scores

    def _hits(self, counted: Counted, scores: npt.NDArray[np.float64], number: int) -> Iterator[Hit]:
        """The best articles with their best passages."""
        order = np.lexsort((counted.passages, -scores, counted.articles))
        articles, scores = counted.articles[order], scores[order]
        first = np.flatnonzero(np.diff(articles, prepend=-1))
        place = np.arange(len(articles)) - np.repeat(first, np.diff(np.append(first, len(articles))))
        weights = np.array((*_SOFT, 0.0))[np.minimum(place, len(_SOFT))]
        soft = np.add.reduceat(weights * scores, first)
        for n in np.lexsort((articles[first], -soft))[: self.limit].tolist():
            own = order[first[n] : first[n] + len(_SOFT)]
            own = own[counted.articles[own] == articles[first[n]]]
            article = int(articles[first[n]])
            passages = tuple((counted.passages[own] - article).tolist())
            yield Hit(Ref(number, article), float(soft[n]), passages=passages)
