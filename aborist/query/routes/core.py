"""Articles of which the question's terms are core keywords: a small, statically pruned impact index.

An extra source of candidates; as the only first tier it loses deep facts (bench/NOTES.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aborist.query.routes.route import Probe
from aborist.query.terms import Terms
from aborist.shard.core import unpack
from aborist.shard.read import Shard
from aborist.types import Hit, Question, Ref

__all__ = ["Core"]


def _postings(shard: Shard, blob: bytes) -> Iterable[tuple[int, int]]:
    try:
        return zip(*unpack(blob), strict=True)
    except ValueError as error:
        raise shard.damaged(f"core keywords that are {error}") from error


@dataclass(frozen=True)
class Core:
    limit: int = 60
    rarest: int = 8  # terms looked up

    def prepare(self, question: Question, terms: Terms) -> Probe:
        wanted = terms.known[: self.rarest]

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            scores: dict[int, int] = {}
            matched: dict[int, list[str]] = {}
            for term in wanted:
                for (blob,) in shard.rows("SELECT postings FROM core WHERE term = :term", {"term": term}):
                    for article, impact in _postings(shard, blob):
                        scores[article] = scores.get(article, 0) + impact
                        matched.setdefault(article, []).append(term)
            best = sorted(scores, key=lambda article: (-scores[article], article))[: self.limit]
            for article in best:
                yield Hit(Ref(number, article), scores[article] / 255, matched=tuple(matched[article]))

        return probe
