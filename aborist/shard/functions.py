"""What FTS5 is asked of a passage that it matched: how often words stand there, and whether they stand in a row.

Auxiliary functions see the positions that FTS5 has just read, so nothing else need be read for it.
https://www.sqlite.org/fts5.html#custom_auxiliary_functions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

__all__ = ["CHANGED", "register"]

_BODY = 0  # the column
_LONGEST = 0xFFFF
CHANGED = 2  # stems that may stand in the place of one word: re-election, C-4


def register(db: apsw.Connection) -> None:
    """Make `counted(passage, first)` and `in_order(passage, first, pattern, gaps)` known to a connection."""
    db.register_fts5_function("counted", _counted)
    db.register_fts5_function("in_order", _in_order)


def _counted(passage: apsw.FTS5ExtensionApi, *arguments: Any) -> bytes:
    """The passage's length (2 bytes, the lower first), then how often each phrase from the first on stands there, at
    most 255. 2026-11-30: 1.4 us a row, where bm25() takes .6 but needs every posting counted first."""
    (first,) = arguments
    length = min(passage.column_size(), _LONGEST)
    counts = [min(255, sum(map(len, passage.phrase_locations(n)))) for n in range(first, passage.phrase_count)]
    return bytes((length & 255, length >> 8, *counts))


def _in_order(passage: apsw.FTS5ExtensionApi, *arguments: Any) -> bool:
    """Whether the text holds the phrases, numbered from the first on, in the order of the pattern; with gaps (pairs of
    bytes: start and end in the pattern) whether it does with one of them left out or replaced."""
    first, pattern, gaps = arguments
    places = [frozenset(passage.phrase_column_offsets(n, _BODY)) for n in range(first, passage.phrase_count)]
    if not gaps:
        rarest = min(range(len(pattern)), key=lambda n: len(places[pattern[n]]))
        starts = (place - rarest for place in places[pattern[rarest]])
        return any(all(start + n in places[stem] for n, stem in enumerate(pattern)) for start in starts)
    heads, tails = _heads(places, pattern), _tails(places, pattern)
    return any(
        _around(heads[start], start, tails[len(pattern) - end])
        if start > 0 and end < len(pattern)
        else bool(heads[start] or tails[len(pattern) - end])
        for start, end in zip(gaps[::2], gaps[1::2], strict=True)
    )


def _heads(places: Sequence[frozenset[int]], pattern: bytes) -> list[set[int]]:
    """Where the first n of the pattern stand in a row, by n."""
    found = [set[int]()]
    for n, stem in enumerate(pattern):
        found.append({at for at in (found[n] if n else places[stem]) if at + n in places[stem]})
    return found


def _tails(places: Sequence[frozenset[int]], pattern: bytes) -> list[set[int]]:
    """Where the last n of the pattern begin to stand in a row, by n."""
    found = [set[int]()]
    for n, stem in enumerate(reversed(pattern)):
        found.append({at for at in places[stem] if not n or at + 1 in found[n]})
    return found


def _around(heads: set[int], length: int, tails: set[int]) -> bool:
    """Whether a tail follows a head (`length` tokens long) with at most a word between them."""
    return any(head + length + between in tails for head in heads for between in range(CHANGED + 1))
