"""What a route is: the expensive half once a question, the cheap half once a shard (tantivy's Weight and Scorer)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from aborist.query.terms import Terms
from aborist.shard.read import Shard
from aborist.types import Hit, Question

__all__ = ["Probe", "Route"]

# Looks into one shard; the number is the shard's, for the hits' refs.
Probe = Callable[[Shard, int], Iterable[Hit]]


class Route(Protocol):
    """`limit` is how many articles the route lists in all; a probe may return any number."""

    @property
    def limit(self) -> int: ...

    def prepare(self, question: Question, terms: Terms) -> Probe: ...
