"""Verbatim sequences: the whole question, quoted text, what a frame such as "who said X" leaves, and windows.

Stop words are kept. 6- and 5-word windows of anything longer score 100 and 90; a quotation or saying scores
by its length and may be of any length; a sequence with one word changed still lands, below all verbatim hits. Hits
pass the title gate: an allusion shares no word with the title of its work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aborist.query.routes.route import Probe
from aborist.query.terms import Terms, phrase_stems
from aborist.shard.read import Shard
from aborist.text import match_phrase
from aborist.types import Hit, Question, Ref

__all__ = ["SHORT_SCORE", "WHOLE_SCORE", "Misquote", "Phrase"]

_LONG, _SHORT = 6, 5
LONG_SCORE, SHORT_SCORE = 100.0, 90.0
WHOLE_SCORE = 120.0  # the whole of what was asked or quoted, verbatim
MISQUOTED_SCORE = 60.0  # one word changed
_LEAST_WEIGHT = 0.25  # of the question's idf, in a window that is looked up
# Words of an ordinary question: of a longer one a changed word leaves a whole window on one side. What is quoted is
# looked for at any length, since its windows need not be among the weightiest.
_LONGEST_MISQUOTE = 2 * _SHORT
_LONGEST_QUOTATION = 24
_MOST_WORDS = 60  # of a question from which windows are cut


class Sought(NamedTuple):
    """A sequence of stems to be found, its score, how it reads, and longer ones to look for where it is found."""

    expression: str
    score: float
    reads: str
    longer: tuple[Sought, ...] = ()


@dataclass(frozen=True)
class Phrase:
    limit: int = 60
    fetched: int = 40  # rows per sequence and shard
    most_windows: int = 8  # the weightiest
    shortest_saying: int = 2  # words; a single quoted word is looked up too, as a word

    def prepare(self, question: Question, terms: Terms) -> Probe:
        sought = list(self._sought(question, terms))
        return lambda shard, number: [hit for one in sought for hit in _look(shard, number, one, self.fetched)]

    def _sought(self, question: Question, terms: Terms) -> Iterator[Sought]:
        analyzer = terms.collection.analyzer
        whole = list(terms.sequence)
        spoken = [(quote, 1) for quote in question.quotes]
        spoken += [(question.saying, self.shortest_saying)] if question.saying else []
        for text, shortest in spoken:
            stems = phrase_stems(text, analyzer)
            if len(stems) >= shortest and all(terms.frequency(stem).passages for stem in stems):
                yield Sought(_in_body(stems), WHOLE_SCORE + len(stems), text)
        if len(whole) > 2 or _is_name(whole, terms):
            yield Sought(_in_body(whole), WHOLE_SCORE + len(whole), question.text)
        if question.asks in ("who", "definition"):  # a name without an article of its own
            name = phrase_stems(question.topics[-1], analyzer)
            if len(name) < len(whole) and _is_name(name, terms):
                yield Sought(_in_body(name), WHOLE_SCORE + len(name), question.topics[-1])
        numbered = list(enumerate(whole))
        windows = _windows(question, terms, numbered)
        for place, stem in terms.joined.items():
            # The pair as one word: its place is that of the first, so that what is matched still reads as asked.
            joined = [*numbered[:place], (place, stem), *numbered[place + 2 :]]
            windows += _windows(question, terms, joined, place)
        windows.sort(key=lambda weighed: -weighed[0])
        yield from (window for _, window in windows[: self.most_windows])


def _look(shard: Shard, number: int, sought: Sought, most: int) -> Iterator[Hit]:
    rows = shard.rows(_HOLDING, {"expression": sought.expression, "most": most})
    for article, passage in rows:
        if article is None:
            raise shard.damaged(f"passage {passage} of no article")
        ref = Ref(number, article)
        yield Hit(ref, sought.score, matched=(sought.reads,), passages=(passage - article,))
    for longer in sought.longer if rows else ():
        yield from _look(shard, number, longer, most)


def _windows(
    question: Question, terms: Terms, numbered: list[tuple[int, str]], joined: int | None = None
) -> list[tuple[float, Sought]]:
    """(share of the content idf, window) of each 5-word stretch with the 6-word ones around it.

    Windows of little weight are left out: they stand everywhere, cost most and say least. With `joined` only those
    that hold the joined pair are given.
    """
    found = []
    for first in range(min(len(numbered), _MOST_WORDS) - _SHORT + 1):
        window = numbered[first : first + _SHORT]
        places = {place for place, _ in window}
        parts = [stem for _, stem in window] + [s for _, stem in window for s in terms.compounds.get(stem, ())]
        weight = terms.weight(parts)
        if len(numbered) == _SHORT or weight < _LEAST_WEIGHT or not (joined is None or joined in places):
            continue
        longer = tuple(
            _window(question, terms, numbered[start : start + _LONG], LONG_SCORE, joined)
            for start in (first - 1, first)
            if start >= 0 and start + _LONG <= len(numbered)
        )
        found.append((weight, _window(question, terms, window, SHORT_SCORE, joined)._replace(longer=longer)))
    return found


def _window(
    question: Question, terms: Terms, window: list[tuple[int, str]], score: float, joined: int | None
) -> Sought:
    last = window[-1][0] + (2 if window[-1][0] == joined else 1)
    reads = _reads(question, terms, window[0][0], last)
    return Sought(_in_body(stem for _, stem in window), score, reads)


@dataclass(frozen=True)
class Misquote:
    """What the phrase route looks for where nothing stands verbatim on any shard: one word changed or left out."""

    limit: int = 60
    fetched: int = 40

    def prepare(self, question: Question, terms: Terms) -> Probe:
        sought = list(_one_word_changed(question, terms))
        return lambda shard, number: [hit for one in sought for hit in _look(shard, number, one, self.fetched)]


def _one_word_changed(question: Question, terms: Terms) -> Iterator[Sought]:
    """Two neighbouring stretches of the asked sequence with any one word between them, or one left out."""
    analyzer = terms.collection.analyzer
    for text in (*question.quotes, question.saying, question.text):
        stems = phrase_stems(text, analyzer) if text else ()
        longest = _LONGEST_MISQUOTE if text is question.text else _LONGEST_QUOTATION
        if not _SHORT <= len(stems) <= longest:
            continue
        for gap in range(len(stems)):
            left, right = stems[:gap], stems[gap + 1 :]
            sides = [side for side in (left, right) if side]
            if max(map(len, sides)) < 2 or sum(map(len, sides)) < _SHORT - 1:
                continue
            expression = f"body : NEAR({' '.join(match_phrase(side) for side in sides)}, 1)"
            yield Sought(expression, MISQUOTED_SCORE + len(stems) / 10, text)


def _is_name(stems: Sequence[str], terms: Terms) -> bool:
    """Several words that all carry the topic: "Hanna Oster", not "capital of Romania"."""
    return len(stems) > 1 and set(stems) <= set(terms.content)


def _in_body(stems: Iterable[str]) -> str:
    return f"body : {match_phrase(stems)}"


def _reads(question: Question, terms: Terms, first: int, last: int) -> str:
    words = question.words
    return question.text[words[terms.words[first]].start : words[terms.words[last - 1]].end]


_HOLDING = (
    "SELECT (SELECT max(article.id) FROM article WHERE article.id <= found.id), id FROM"
    " (SELECT rowid AS id FROM passage WHERE passage MATCH :expression LIMIT :most) AS found"
)
