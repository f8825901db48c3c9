"""Whether a text holds the sort of thing that a question asks for: a date, a number, a name, a place, a reason."""

from __future__ import annotations

import re

__all__ = ["SORTS", "suits"]

_MONTHS = (
    r"January|February|March|April|May|June|July|August|September|October|November|December"
    r"|январ|феврал|март|апрел|ма[йя]|июн|июл|август|сентябр|октябр|ноябр|декабр"
)
# What a passage must hold to answer a question of a sort (frames.ASKS).
_SUITS = {
    "when": re.compile(rf"\b(?:1\d{{3}}|20\d\d|\d{{1,4}} (?:BC|AD|BCE|CE))\b|\d.{{0,3}}(?:{_MONTHS})"),
    "how many": re.compile(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million)\b"),
    "who": re.compile(r"[a-zа-я,] (?:[A-ZА-ЯЁ][\w.-]+ ){1,3}"),
    "where": re.compile(r"\b(?:in|at|near|on|from|в|на|у|около) (?:the )?[A-ZА-ЯЁ]"),
    "why": re.compile(
        r"\b(?:because|due to|caus\w+|explain\w*|why|therefore|so that|reasons?|since|result\w*|in order to"
        r"|потому|поэтому|из-за|так как|поскольку|благодаря|причин\w+|объясня\w+)\b",
        re.IGNORECASE,
    ),
}
SORTS = frozenset(_SUITS)


def suits(asks: str, text: str) -> bool:
    """Whether a text holds the sort of thing that is asked for (a date, a name, a number, a place, a reason)."""
    return asks in _SUITS and _SUITS[asks].search(text) is not None
