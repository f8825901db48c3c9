"""Which passages are worth scoring: the most telling sets of the question's terms, as far as a budget reaches.

An OR scores every passage that holds any term, which grows with the collection. A passage that answers holds several of
the terms, so sets of one, two or three of them are taken, the rarest first: how many passages hold a set is estimated
from document frequencies. It is weak AND (Broder et al., CIKM 2003) by terms chosen beforehand instead of skipping.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from aborist.text import match_phrase

__all__ = ["Plan", "conjunctions"]


@dataclass(frozen=True)
class Plan:
    """What may be spent, in passages scored over all shards."""

    budget: float = 4_000
    terms: int = 6  # the rarest ones, of which sets are made
    largest: int = 3  # terms in a set
    # How much oftener than by chance two of a question's terms stand in one passage.
    attraction: float = 3.0
    walked: float = 0.1  # of a scored passage's cost, for a posting of a set's rarest term that is passed over
    # Where no set is within the budget, the most telling one is taken, up to this: one statement of about 30 ms.
    most: float = 40_000

    def sets(self, frequencies: Sequence[tuple[str, int]], passages: int) -> list[tuple[str, ...]]:
        """Sets of terms, given with the passages they stand in, rarest first. A passage is sought that holds all of any
        set; no set holds another."""
        terms = frequencies[: self.terms]
        every = [chosen for size in range(1, self.largest + 1) for chosen in combinations(terms, size)]
        priced = sorted(((self._price(chosen, passages), chosen) for chosen in every), key=lambda pair: pair[0])
        taken: list[frozenset[str]] = []
        left = max(self.budget, min(self.most, priced[0][0])) if priced else 0.0
        for price, chosen in priced:
            if price > left:
                break
            left -= price
            taken.append(frozenset(stem for stem, _ in chosen))
        order = [stem for stem, _ in terms]
        return [tuple(sorted(one, key=order.index)) for one in taken if not any(other < one for other in taken)]

    def _price(self, chosen: Sequence[tuple[str, int]], passages: int) -> float:
        """What scoring the passages that hold all of these terms costs."""
        rarest, *others = (n for _, n in chosen)
        together = rarest * prod(min(1.0, self.attraction * n / passages) for n in others)
        return together + (self.walked * rarest if others else 0.0)


def conjunctions(sets: Iterable[Sequence[str]]) -> str:
    """The FTS5 expression for passages that hold all terms of any set."""
    return " OR ".join(f"({' AND '.join(match_phrase((stem,)) for stem in one)})" for one in sets)
