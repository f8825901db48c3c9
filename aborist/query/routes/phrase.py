"""Verbatim sequences: the whole question, quoted text, what a frame such as "who said X" leaves, and windows.

Stop words are kept. 6- and 5-word windows of anything longer score 100 and 90; a quotation or saying scores
by its length and may be of any length. Hits pass the title gate: an allusion shares no word with the title of its
work. What stands nowhere like that is looked for by `routes.misquote`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from aborist.query.routes.route import Probe
from aborist.query.routes.sequence import Place, Search, found, verbatim
from aborist.query.terms import Terms, phrase_stems
from aborist.shard.read import Shard
from aborist.text import fold
from aborist.types import Hit, Question, Ref

__all__ = [
    "MISQUOTED_SCORE",
    "SHORT",
    "WHOLE_SCORE",
    "Phrase",
    "Sought",
    "is_misquote",
    "is_part",
    "look",
    "passage_text",
]

_LONG, SHORT = 6, 5  # words of a window
LONG_SCORE, SHORT_SCORE = 100.0, 90.0
PART_SCORE = 105.0  # a name that is asked about, or a quotation in a longer question
MISQUOTED_SCORE = 110.0  # the whole with one word changed
WHOLE_SCORE = 120.0  # the whole of what was asked or quoted, verbatim
_EXACT = 5.0  # added where the forms are the very ones, not only their stems
_LEAST_WEIGHT = 0.25  # of the question's idf, in a window that is looked up
_MOST_WORDS = 60  # of a question from which windows are cut
# Where a sequence stands in more passages than are fetched ("that he was not a"), so many times as many are read
# until enough hold its very forms.
_COMMON, _ENOUGH = 8, 5


class Sought(NamedTuple):
    """A sequence of stems to be found, its score, how it reads, longer ones to look for where it is found, and the
    share of each shard's passages that is looked through."""

    search: Search
    score: float
    reads: str
    longer: tuple[Sought, ...] = ()
    share: float = 1.0


@dataclass(frozen=True)
class Phrase:
    limit: int = 60
    fetched: int = 40  # rows per sequence and shard
    most_windows: int = 8  # the weightiest
    most_quotes: int = 8
    shortest_saying: int = 2  # words; a single quoted word is looked up too, as a word
    # In passages scored by query.plan (1.4 us), over all shards, for what is sought one after the other; and for a
    # whole question or a quotation alone, of which as much of a shard is looked through as it pays for.
    budget: float = 2_500
    most: float = 25_000

    def prepare(self, question: Question, terms: Terms) -> Probe:
        sought = list(self._affordable(self._sought(question, terms)))
        return lambda shard, number: [hit for one in sought for hit in look(shard, number, one, self.fetched)]

    def _affordable(self, sought: Iterable[Sought]) -> Iterator[Sought]:
        """What the budget reaches. Windows beyond it are left out; what was asked or quoted as a whole is not."""
        left = self.budget
        for one in sought:
            price = one.search.price
            if price <= left:
                yield one
            elif one.score >= PART_SCORE:
                yield one._replace(share=min(1.0, self.most / price) if one.search.pattern else 1.0)
            else:
                continue
            left -= min(price, self.most)

    def _sought(self, question: Question, terms: Terms) -> Iterator[Sought]:
        analyzer = terms.collection.analyzer
        whole = list(terms.sequence)
        for quote in list(dict.fromkeys(question.quotes))[: self.most_quotes]:
            kind = WHOLE_SCORE if question.text == quote or quote in question.topics else PART_SCORE
            yield from _spoken(quote, kind, 1, terms)
        yield from _spoken(question.saying, WHOLE_SCORE, self.shortest_saying, terms)
        if len(whole) > 2 or _is_name(whole, terms):
            yield from _whole(whole, WHOLE_SCORE, question.text, terms)
        if question.asks in ("who", "definition"):  # a name without an article of its own
            name = phrase_stems(question.topics[-1], analyzer)
            if len(name) < len(whole) and _is_name(name, terms):
                yield from _whole(name, PART_SCORE, question.topics[-1], terms)
        numbered = list(enumerate(whole))
        windows = _windows(question, terms, numbered)
        for place, stem in terms.joined.items():
            # The pair as one word: its place is that of the first, so that what is matched still reads as asked.
            joined = [*numbered[:place], (place, stem), *numbered[place + 2 :]]
            windows += _windows(question, terms, joined, place)
        windows.sort(key=lambda weighed: -weighed[0])
        yield from (window for _, window in windows[: self.most_windows])


def _whole(stems: Sequence[str], score: float, reads: str, terms: Terms) -> Iterator[Sought]:
    """All of a text, if it can stand anywhere."""
    if search := verbatim(stems, terms):
        yield Sought(search, score + _longer(stems), reads)


def _spoken(text: str, score: float, shortest: int, terms: Terms) -> Iterator[Sought]:
    """What was said in its own words, if it is long enough and all of its words are known."""
    stems = phrase_stems(text, terms.collection.analyzer)
    if len(stems) >= shortest:
        yield from _whole(stems, score, text, terms)


def _longer(stems: Sequence[str]) -> float:
    """Of two of a kind the longer one says more; never so much that it becomes another kind."""
    return min(len(stems), 40) / 10


def is_part(hit: Hit) -> bool:
    """Whether the article holds, verbatim, a quotation or name that is not all of the question."""
    return PART_SCORE <= hit.score < MISQUOTED_SCORE


def is_misquote(hit: Hit) -> bool:
    """Whether the article holds the whole with one word changed, and nothing better."""
    return MISQUOTED_SCORE <= hit.score < WHOLE_SCORE


def look(shard: Shard, number: int, sought: Sought, most: int) -> Iterator[Hit]:
    """Passages of one shard that hold a sequence, up to `most`; of a whole one those in its very forms first."""
    rows = found(shard, sought.search, most, sought.share)
    if sought.score >= WHOLE_SCORE and len(rows) == most:
        rows = found(shard, sought.search, _COMMON * most, sought.share)
        exact = list(islice((row for row in rows if _stands(shard, row, sought.reads)), _ENOUGH))
        yield from (_hit(number, row, sought, _EXACT) for row in exact)
    yield from (_hit(number, row, sought, 0.0) for row in rows[:most])
    for longer in sought.longer if rows else ():
        yield from look(shard, number, longer, most)


def passage_text(shard: Shard, place: Place) -> str:
    """What a passage says; "" where the article's layout has no such passage."""
    layout = shard.layout(place.article)
    if place.passage - place.article >= len(layout.passages):
        return ""
    span = layout.passages[place.passage - place.article]
    return layout.document.text[span.start : span.end]


def _hit(number: int, place: Place, sought: Sought, more: float) -> Hit:
    passages = (place.passage - place.article,)
    return Hit(Ref(number, place.article), sought.score + more, matched=(sought.reads,), passages=passages)


def _stands(shard: Shard, place: Place, reads: str) -> bool:
    """Whether the passage holds the sequence in its very forms ("he is", not "he was")."""
    return f" {fold(reads)} " in f" {fold(passage_text(shard, place))} "


def _windows(
    question: Question, terms: Terms, numbered: list[tuple[int, str]], joined: int | None = None
) -> list[tuple[float, Sought]]:
    """(share of the content idf, window) of each 5-word stretch with the 6-word ones around it.

    Windows of little weight are left out: they stand everywhere, cost most and say least. With `joined` only those
    that hold the joined pair are given.
    """
    cut = []
    for first in range(min(len(numbered), _MOST_WORDS) - SHORT + 1):
        window = numbered[first : first + SHORT]
        places = {place for place, _ in window}
        parts = [stem for _, stem in window] + [s for _, stem in window for s in terms.compounds.get(stem, ())]
        weight = terms.weight(parts)
        if len(numbered) == SHORT or weight < _LEAST_WEIGHT or not (joined is None or joined in places):
            continue
        longer = (
            _window(question, terms, numbered[start : start + _LONG], LONG_SCORE, joined)
            for start in (first - 1, first)
            if start >= 0 and start + _LONG <= len(numbered)
        )
        if short := _window(question, terms, window, SHORT_SCORE, joined):
            cut.append((weight, short._replace(longer=tuple(filter(None, longer)))))
    return cut


def _window(
    question: Question, terms: Terms, window: list[tuple[int, str]], score: float, joined: int | None
) -> Sought | None:
    last = window[-1][0] + (2 if window[-1][0] == joined else 1)
    reads = _reads(question, terms, window[0][0], last)
    search = verbatim([stem for _, stem in window], terms)
    return Sought(search, score, reads) if search else None


def _is_name(stems: Sequence[str], terms: Terms) -> bool:
    """Several words that all carry the topic: "Hanna Oster", not "capital of Romania"."""
    return len(stems) > 1 and set(stems) <= set(terms.content)


def _reads(question: Question, terms: Terms, first: int, last: int) -> str:
    words = question.words
    return question.text[words[terms.words[first]].start : words[terms.words[last - 1]].end]
