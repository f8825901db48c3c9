"""Finds the passages whose text holds a sequence of stems, by its rarest ones, within a price.

FTS5 finds a phrase by walking the postings of all its words, the commonest too, and a phrase that stands nowhere costs
all of them. 2026-11-30, 585,183 passages: "who was the first female to go to space" 6.5 ms; the passages in which its
three rarest words stand near each other .26 ms, after which the positions of the others in those few are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

from aborist.query.terms import Terms
from aborist.shard.functions import CHANGED
from aborist.shard.read import Shard
from aborist.text import match_any, match_phrase

__all__ = ["LONGEST", "Place", "Search", "found", "misquoted", "verbatim"]

LONGEST = 160  # stems: beyond it a sequence is longer than nearly all passages
_ANCHORS = 3
# In passages scored by query.plan (1.4 us): a posting that is walked past, one of a phrase, a passage compared.
_WALKED, _PHRASE, _COMPARED = 0.1, 0.2, 4.0
# A phrase that stands nowhere is walked to its end, whatever bound is set on rows: .1 to .2 s of CPU. What is dearer is
# compared passage by passage, which can be broken off.
_DEAREST_PHRASE = 300_000
_ATTRACTION = 3.0  # as Plan.attraction
_NEAR = 0.3  # of the passages that hold some words, those in which they stand near each other


class Place(NamedTuple):
    """A passage, by its row and that of its article."""

    article: int
    passage: int


class Search(NamedTuple):
    """An FTS5 expression; phrases from `first` on are those of `pattern`, a byte each, in the order of the sequence.

    Without a pattern the expression says all. `gaps` are pairs of bytes: where one word may be another."""

    expression: str
    price: float
    first: int = 0
    pattern: bytes = b""
    gaps: bytes = b""


def verbatim(stems: Sequence[str], terms: Terms) -> Search | None:
    """For passages whose text, not prefix, holds these stems in a row; None where some of them stands nowhere."""
    counts = _counts(stems, terms)
    if not stems or len(stems) > LONGEST or not all(counts.values()):
        return None
    anchors = sorted(counts, key=lambda stem: (counts[stem], stem))[:_ANCHORS]
    phrase = Search(f"body : {match_phrase(stems)}", _PHRASE * counts[anchors[0]])
    if len(anchors) == 1:
        return phrase
    price = _WALKED * counts[anchors[0]] + _COMPARED * _NEAR * _together([counts[a] for a in anchors], terms)
    if phrase.price <= min(price, _DEAREST_PHRASE):
        return phrase
    return _compared([_near(anchors, len(stems))], stems, price)


def misquoted(stems: Sequence[str], changeable: Iterable[range], terms: Terms, budget: float) -> Search | None:
    """For passages that hold these stems in a row with one of the changeable words left out, or up to CHANGED stems in
    its place; None where too little would be left of any, or nothing can be sought within the budget."""
    gaps = [gap for gap in changeable if _leaves_enough(gap, len(stems))]
    counts = {stem: count for stem, count in _counts(stems, terms).items() if count}
    anchors = sorted(counts, key=lambda stem: (counts[stem], stem))[:_ANCHORS]
    if not gaps or len(stems) > LONGEST:
        return None
    # One changed word leaves two of the three; which of them a pair leaves out says how dear it is.
    near, price = [], 0.0
    for pair in combinations(anchors, 2):
        rows = _COMPARED * _NEAR * _together([counts[stem] for stem in pair], terms)
        if price + rows <= budget:
            price += rows + _WALKED * counts[pair[0]]
            near.append(_near(pair, len(stems) + CHANGED))
    if not near:
        return None
    return _compared(near, stems, price)._replace(gaps=bytes(edge for gap in gaps for edge in (gap.start, gap.stop)))


def found(shard: Shard, search: Search, most: int, share: float = 1.0) -> list[Place]:
    """Up to `most` places, in the order of the rows, in the first share of the shard's passages."""
    bound: dict[str, object] = {"expression": search.expression, "most": most}
    statement = _HOLDING
    if search.pattern:
        statement = _COMPARED_ROWS
        bound |= {"first": search.first, "pattern": search.pattern, "gaps": search.gaps}
    bound["last"] = int(share * shard.articles[-1]) if share < 1 and len(shard.articles) else _ALL
    return [Place(*row) for row in shard.placed(statement, bound)]


_ALL = 1 << 62
_HOLDING = "SELECT rowid FROM passage WHERE passage MATCH :expression AND rowid <= :last LIMIT :most"
_COMPARED_ROWS = (
    "SELECT rowid FROM passage WHERE passage MATCH :expression AND rowid <= :last"
    " AND in_order(passage, :first, :pattern, :gaps) LIMIT :most"
)


def _counts(stems: Sequence[str], terms: Terms) -> dict[str, int]:
    return {stem: terms.frequency(stem).passages for stem in dict.fromkeys(stems)}


def _together(counts: Sequence[int], terms: Terms) -> float:
    """In about how many passages terms stand together, the rarest first."""
    rarest, *others = counts
    return rarest * prod(min(1.0, _ATTRACTION * count / terms.collection.passages.count) for count in others)


def _near(stems: Iterable[str], tokens: int) -> str:
    return f"NEAR({' '.join(match_phrase((stem,)) for stem in stems)}, {tokens})"


def _compared(near: Sequence[str], stems: Sequence[str], price: float) -> Search:
    distinct = list(dict.fromkeys(stems))
    chosen = sum(expression.count('" "') + 1 for expression in near)
    pattern = bytes(map(distinct.index, stems))
    return Search(f"body : (({' OR '.join(near)}) AND ({match_any(distinct)}))", price, chosen, pattern)


_FEWEST_LEFT, _LONGEST_LEFT = 4, 2  # stems on both sides of a changed word, and on the longer one


def _leaves_enough(gap: range, length: int) -> bool:
    left, right = gap.start, length - gap.stop
    return max(left, right) >= _LONGEST_LEFT and left + right >= _FEWEST_LEFT
