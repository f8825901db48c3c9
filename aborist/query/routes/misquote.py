"""What stands nowhere verbatim: the whole with one word changed or left out, or across the border of two passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aborist.query.routes.phrase import MISQUOTED_SCORE, SHORT, WHOLE_SCORE, Sought, look
from aborist.query.routes.route import Probe
from aborist.query.terms import Terms, phrase_stems
from aborist.shard.read import Shard
from aborist.text import match_phrase
from aborist.types import Hit, Question, Ref

__all__ = ["Across", "Misquote"]

# Words of an ordinary question: of a longer one a changed word leaves a whole window on one side. What is quoted is
# looked for at any length, since its windows need not be among the weightiest.
_LONGEST_MISQUOTE = 2 * SHORT
_LONGEST_QUOTATION = 24
_CHANGED = 2  # stems in the place of one word: re-election, C-4


def _spoken(question: Question) -> Iterator[str]:
    """What was asked for in its own words: quoted text, sayings, and the whole of what is no question."""
    yield from question.quotes
    yield from (question.saying,) if question.saying else ()
    yield from () if question.framed else (question.text,)


@dataclass(frozen=True)
class Misquote:
    """Two neighbouring stretches of the sequence with any one word between them, or one left out."""

    limit: int = 60
    fetched: int = 40  # rows per place of the changed word and shard

    def prepare(self, question: Question, terms: Terms) -> Probe:
        sought = list(_one_word_changed(question, terms))
        return lambda shard, number: [hit for one in sought for hit in look(shard, number, one, self.fetched)]


def _one_word_changed(question: Question, terms: Terms) -> Iterator[Sought]:
    for text in dict.fromkeys((*_spoken(question), question.text)):
        stems, changeable = _words(text, terms)
        longest = _LONGEST_MISQUOTE if text is question.text else _LONGEST_QUOTATION
        if not SHORT <= len(stems) <= longest:
            continue
        for gap in changeable:
            sides = [side for side in (stems[: gap.start], stems[gap.stop :]) if side]
            if not sides or max(map(len, sides)) < 2 or sum(map(len, sides)) < SHORT - 1:
                continue
            expression = f"body : NEAR({' '.join(match_phrase(side) for side in sides)}, {_CHANGED})"
            yield Sought(expression, MISQUOTED_SCORE + len(stems) / 10, f"{text} (one word changed)")


def _words(text: str, terms: Terms) -> tuple[list[str], list[range]]:
    """The stems of a text, and which of them each word has between blanks: "re-election" has two."""
    stems: list[str] = []
    changeable = []
    for word in text.split():
        found = phrase_stems(word, terms.collection.analyzer)
        changeable.append(range(len(stems), len(stems) + len(found)))
        stems += found
    return stems, [gap for gap in changeable if 0 < len(gap) <= _CHANGED]


@dataclass(frozen=True)
class Across:
    """A sequence whose beginning ends one passage and whose end begins the next.

    FTS5 can anchor a phrase at the first token of a row (`^`, https://www.sqlite.org/fts5.html#fts5_initial_token_queries);
    the end of the row before it is read from the text.
    """

    limit: int = 20
    fetched: int = 400  # rows per border and shard
    shortest: int = 3
    budget: int = 30_000  # passages with the rarest word of what begins the second one, which SQLite reads through

    def prepare(self, question: Question, terms: Terms) -> Probe:
        borders = list(self._borders(question, terms))

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            for text, left, right in borders:
                rows = shard.rows(_BEGINNING, {"expression": f"body : ^ {match_phrase(right)}", "most": self.fetched})
                for article, passage in rows:
                    if article is not None and article < passage and _ends(shard, article, passage - 1, left, terms):
                        places = (passage - 1 - article, passage - article)
                        score = WHOLE_SCORE + (len(left) + len(right)) / 10
                        yield Hit(Ref(number, article), score, matched=(text,), passages=places)

        return probe

    def _borders(self, question: Question, terms: Terms) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
        for text in _spoken(question):
            stems = phrase_stems(text, terms.collection.analyzer)
            if not self.shortest <= len(stems) <= _LONGEST_QUOTATION:
                continue
            counts = [terms.frequency(stem).passages for stem in stems]
            for border in range(1, len(stems)):
                if all(counts) and min(counts[border:]) <= self.budget:
                    yield text, stems[:border], stems[border:]


def _ends(shard: Shard, article: int, passage: int, stems: Sequence[str], terms: Terms) -> bool:
    """Whether a passage ends with these stems."""
    layout = shard.layout(article)
    if passage - article >= len(layout.passages):
        return False
    span = layout.passages[passage - article]
    analyzer = terms.collection.analyzer
    tail = layout.document.text[max(span.start, span.end - _TAIL * len(stems)) : span.end]
    return analyzer.stems(tail).split()[-len(stems) :] == list(stems)


_TAIL = 40  # characters of a word, with what stands round it
_BEGINNING = (
    "SELECT (SELECT max(article.id) FROM article WHERE article.id <= found.id), id FROM"
    " (SELECT rowid AS id FROM passage WHERE passage MATCH :expression LIMIT :most) AS found"
)
