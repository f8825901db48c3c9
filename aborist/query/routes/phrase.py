"""Verbatim sequences: the whole question, quoted text, what a frame such as "who said X" leaves, and windows.

Stop words are kept. 6- and 5-word windows of anything longer score 100 and 90 (seed 2); a quotation or saying scores
by its length and may be of any length; a sequence with one word changed still lands, below all verbatim hits. Hits pass the title gate: an allusion shares no word with the title of its work.
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

__all__ = ["SHORT_SCORE", "WHOLE_SCORE", "Phrase"]

_LONG, _SHORT = 6, 5
LONG_SCORE, SHORT_SCORE = 100.0, 90.0
WHOLE_SCORE = 120.0  # the whole of what was asked or quoted, verbatim
MISQUOTED_SCORE = 60.0  # one word changed
_LONGEST_MISQUOTE = 2 * _SHORT  # words: of anything longer a changed word leaves a whole window on one side
_MOST_WORDS = 60  # of a question from which windows are cut


class Sought(NamedTuple):
    """A sequence of stems to be found, its score, and how it reads."""

    expression: str
    score: float
    reads: str


@dataclass(frozen=True)
class Phrase:
    limit: int = 60
    fetched: int = 40  # rows per sequence and shard
    shortest_saying: int = 2  # words; a single quoted word is looked up too, as a word

    def prepare(self, question: Question, terms: Terms) -> Probe:
        sought = list(self._sought(question, terms))
        misquoted = list(_one_word_changed(question, terms))

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            found = False
            for sequence in sought:
                for hit in self._look(shard, number, sequence):
                    found = True
                    yield hit
            if not found:
                for sequence in misquoted:
                    yield from self._look(shard, number, sequence)

        return probe

    def _look(self, shard: Shard, number: int, sequence: Sought) -> Iterator[Hit]:
        rows = shard.rows(_HOLDING, {"expression": sequence.expression, "most": self.fetched})
        for article, passage in rows:
            yield Hit(
                Ref(number, article), sequence.score, matched=(sequence.reads,), passages=(passage - article,)
            )

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
        yield from self._windows(question, terms, numbered)
        for place, stem in terms.joined.items():
            # The pair as one word: its place is that of the first, so that what is matched still reads as asked.
            yield from self._windows(question, terms, [*numbered[:place], (place, stem), *numbered[place + 2 :]], place)

    def _windows(
        self, question: Question, terms: Terms, numbered: list[tuple[int, str]], joined: int | None = None
    ) -> Iterator[Sought]:
        """6- and 5-word stretches that hold a content word (and the joined pair, if one is given)."""
        content = frozenset(terms.content) | ({terms.joined[joined]} if joined is not None else frozenset())
        for length, score in ((_LONG, LONG_SCORE), (_SHORT, SHORT_SCORE)):
            for first in range(min(len(numbered), _MOST_WORDS) - length + 1):
                window = numbered[first : first + length]
                places = [place for place, _ in window]
                if joined is not None and joined not in places:
                    continue
                # A window of function words stands everywhere: it costs most and says least.
                if len(numbered) > length and not content.isdisjoint(stem for _, stem in window):
                    last = places[-1] + (2 if places[-1] == joined else 1)
                    yield Sought(_in_body(stem for _, stem in window), score, _reads(question, terms, places[0], last))


def _one_word_changed(question: Question, terms: Terms) -> Iterator[Sought]:
    """Two neighbouring stretches of the asked sequence with any one word between them, or one left out."""
    analyzer = terms.collection.analyzer
    for text in (*question.quotes, question.saying, question.text):
        stems = phrase_stems(text, analyzer) if text else ()
        if not _SHORT <= len(stems) <= _LONGEST_MISQUOTE:
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
