"""What stands nowhere verbatim: the whole with one word changed or left out, or across the border of two passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from aborist.query.routes.phrase import (
    MISQUOTED_SCORE,
    SHORT,
    WHOLE_SCORE,
    Sought,
    look,
    passage_text,
)
from aborist.query.routes.route import Probe
from aborist.query.routes.sequence import Place, Search, found, misquoted
from aborist.query.terms import Terms, phrase_stems
from aborist.shard.functions import CHANGED
from aborist.shard.read import Shard
from aborist.text import Analyzer, match_phrase
from aborist.types import Hit, Question, Ref

__all__ = ["Across", "Misquote"]

# Words of an ordinary question: of a longer one a changed word leaves a whole window on one side. What is quoted is
# looked for up to a greater length, since its windows need not be among the weightiest.
_LONGEST_MISQUOTE = 2 * SHORT
_LONGEST_QUOTATION = 24


def _spoken(question: Question) -> Iterator[str]:
    """What was asked for in its own words: quoted text and sayings."""
    yield from question.quotes
    if question.saying:
        yield question.saying


@dataclass(frozen=True)
class Misquote:
    """Two neighbouring stretches of the sequence with any one word between them, or one left out."""

    limit: int = 60
    fetched: int = 120  # rows per sequence and shard
    # As Phrase.budget. With 5,000 .76 of 34 planted misquotes of stop words are found on enwiki_medium, with this .88,
    # without any bound .97 at twice the CPU (2026-11-30).
    budget: float = 20_000

    def prepare(self, question: Question, terms: Terms) -> Probe:
        sought = list(_one_word_changed(question, terms, self.budget))
        return lambda shard, number: [hit for one in sought for hit in look(shard, number, one, self.fetched)]


def _one_word_changed(question: Question, terms: Terms, budget: float) -> Iterator[Sought]:
    # A question in a frame ("who was born in X") has its wording in common with many articles: it is no misquote.
    whole = {} if question.framed else {question.text: _LONGEST_MISQUOTE}
    sought = whole | dict.fromkeys(_spoken(question), _LONGEST_QUOTATION)
    for text, longest in sought.items():
        stems, changeable = _words(text, terms)
        if not SHORT <= len(stems) <= longest:
            continue
        if search := misquoted(stems, changeable, terms, budget):
            budget -= search.price
            yield Sought(search, MISQUOTED_SCORE + len(stems) / 10, text)


def _words(text: str, terms: Terms) -> tuple[list[str], list[range]]:
    """The stems of a text, and which of them each word has between blanks: "re-election" has two."""
    stems: list[str] = []
    changeable = []
    for word in text.split():
        found = phrase_stems(word, terms.collection.analyzer)
        changeable.append(range(len(stems), len(stems) + len(found)))
        stems += found
    return stems, [gap for gap in changeable if 0 < len(gap) <= CHANGED]


@dataclass(frozen=True)
class Across:
    """A sequence whose beginning ends one passage and whose end begins the next.

    FTS5 can anchor a phrase at the first token of a row (`^`, https://www.sqlite.org/fts5.html#fts5_initial_token_queries);
    the end of the row before it is read from the text.
    """

    limit: int = 20
    fetched: int = 400  # rows whose text is read, per shard
    shortest: int = 3
    budget: int = 60_000  # postings that SQLite reads through for all borders of a question, over all shards

    def prepare(self, question: Question, terms: Terms) -> Probe:
        borders = list(self._borders(question, terms))

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            left = self.fetched
            for border in borders:
                places = found(shard, border.search, left)
                left -= len(places)
                for article, passage in places:
                    if article < passage and border.ends(shard, Place(article, passage - 1)):
                        both = (passage - 1 - article, passage - article)
                        yield Hit(Ref(number, article), border.score, matched=(border.reads,), passages=both)

        return probe

    def _borders(self, question: Question, terms: Terms) -> Iterator[_Border]:
        """Where each sequence may be parted, those with the longest second part first: it stands in the fewest rows."""
        analyzer, spent = terms.collection.analyzer, 0
        for text in (*_spoken(question), *(() if question.framed else (question.text,))):
            stems = phrase_stems(text, analyzer)
            counts = [terms.frequency(stem).passages for stem in stems]
            if not self.shortest <= len(stems) <= _LONGEST_QUOTATION or not all(counts):
                continue
            for place in range(1, len(stems)):
                spent += min(counts[place:])
                if spent > self.budget:
                    return
                yield _Border(text, tuple(stems[:place]), tuple(stems[place:]), analyzer)


class _Border(NamedTuple):
    """A sequence in two parts, and how it reads."""

    reads: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    analyzer: Analyzer

    @property
    def search(self) -> Search:
        return Search(f"body : ^ {match_phrase(self.right)}", 0.0)

    @property
    def score(self) -> float:
        return WHOLE_SCORE + (len(self.left) + len(self.right)) / 10

    def ends(self, shard: Shard, place: Place) -> bool:
        """Whether a passage ends with the left part."""
        tail = passage_text(shard, place)[-_TAIL * len(self.left) :]
        return tuple(self.analyzer.stems(tail).split()[-len(self.left) :]) == self.left


_TAIL = 40  # characters of a word, with what stands round it
