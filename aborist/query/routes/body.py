"""Passages by BM25, gathered with FTS5 and pruned by document frequency.

FTS5 scores every matching row (QUALITY and PERFORMANCE: an OR over stop words takes seconds), so only the rarest
terms are OR-ed, as far as their postings stay within a budget; the others still count when candidates are ranked.
Ranking is not decided here: an article's score is p1 + .5 p2 + .5 p3 over the passages found, which only gathers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aborist.query.routes.route import Probe
from aborist.query.terms import Terms
from aborist.shard.read import Shard
from aborist.text import match_any, match_phrase
from aborist.types import Hit, Question, Ref

__all__ = ["Body"]

_SOFT = (1.0, 0.5, 0.5)  # bench/NOTES.md: p1 + .5 p2 + .5 p3 beats max (+3.5 points) and mean_top_3 (+7)


@dataclass(frozen=True)
class Body:
    limit: int = 100
    passages: int = 250  # fetched per shard
    budget: int = 30_000  # postings scored over all shards, about .9 us each (bench/NOTES.md)
    fewest: int = 2  # terms kept whatever they cost, as a conjunction beyond the budget

    def prepare(self, question: Question, terms: Terms) -> Probe:
        expression = self._plan(terms)

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            if not expression:
                return
            found: dict[int, list[tuple[float, int]]] = {}
            rows = shard.rows(_BEST, {"expression": expression, "most": self.passages})
            for article, passage, score in rows:
                if article is None:
                    raise shard.damaged(f"passage {passage} of no article")
                found.setdefault(article, []).append((score, passage - article))
            for article, scored in found.items():
                soft = sum(weight * score for weight, (score, _) in zip(_SOFT, scored, strict=False))
                yield Hit(Ref(number, article), soft, passages=tuple(n for _, n in scored[:3]))

        return probe

    def _plan(self, terms: Terms) -> str:
        """An OR of the rarest terms within the budget; terms that are all too common are AND-ed instead."""
        chosen: list[str] = []
        spent = 0
        for stem in terms.known:
            spent += terms.frequency(stem).passages
            if chosen and spent > self.budget:
                break
            chosen.append(stem)
        if spent > self.budget and len(chosen) == 1 and len(terms.known) > 1:
            return " AND ".join(match_phrase((stem,)) for stem in terms.known[: self.fewest + 1])
        return match_any(chosen)


# A plain sub-select on bm25() costs two thirds of ORDER BY rank (bench/NOTES.md). FTS5's scores are negative.
_BEST = (
    "SELECT (SELECT max(article.id) FROM article WHERE article.id <= found.id), id, -b FROM"
    " (SELECT id, b FROM (SELECT rowid AS id, bm25(passage) AS b FROM passage WHERE passage MATCH :expression)"
    " ORDER BY b, id LIMIT :most) AS found"
)
