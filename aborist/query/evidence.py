"""Chooses and orders the passages that are offered as proof, and marks the sentences that answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aborist.query.rank import PassageScore, Scored
from aborist.query.sorts import suits
from aborist.query.terms import Terms
from aborist.sentence import sentences
from aborist.shard.read import Layout
from aborist.text import fold
from aborist.types import Question

__all__ = ["Picked", "Picker", "highlights", "news"]


@dataclass(frozen=True)
class Picker:
    """Weights of the mixed score: a passage is worth what it says and what its article is worth.

    Fitted 2026-11-30 by listwise logistic regression on 630 dev questions of squad, triviaqa and wikiqa whose answer
    string is known, rounded; then 500 a set: the answer stands in the first passage for .65 of squad's questions and
    .48 of triviaqa's (by weights set by hand .59 and .48), in the first five for .82 and .64 (.79 and .62).
    """

    most: int = 10
    per_article: int = 4
    pool: int = 30  # passages that are read sentence by sentence
    window: float = 4.5
    close: float = 2.4
    exact: float = 2.5
    article: float = 0.65
    highest: float = 6.0  # of an article's score: beyond it its name was asked, which says nothing of its passages
    first_article: float = 1.0
    full: float = 2.0  # a whole paragraph, against a stub of a few words
    full_tokens: int = 100
    lead: float = 2.0  # the first passage, when a definition or a person is asked; more for a named topic
    listing: float = 0.5  # taken off a passage of links and names, by the share of its lines that are no sentences
    phrase: float = 8.0
    anchored: float = 8.0
    # Of the sentence that says most of the question:
    sentence: float = 2.9
    news: float = 1.0  # names or numbers in it that the question lacks, when one is asked for
    suits: float = 0.5  # a passage that holds the sort of thing that is asked for

    def pick(
        self, question: Question, listed: Sequence[Scored], layouts: Sequence[Layout], terms: Sequence[Terms]
    ) -> list[Picked]:
        """Up to `most` passages over all listed articles, best first, the first article's best among them."""
        found = [
            Picked(n, passage.number, self._fits(question, n, scored, passage, layout))
            for n, (scored, layout) in enumerate(zip(listed, layouts, strict=True))
            for passage in scored.passages
            if layout.document.text
        ]
        own = self._spread((picked for picked in found if picked.article == 0), self.per_article)
        others = self._spread((picked for picked in found if picked.article), self.pool - len(own))
        pool = [
            picked._replace(score=picked.score + self._says(question, _text(layouts, picked), terms[picked.article]))
            for picked in (*own, *others)
        ]
        chosen = self._spread(pool, self.most)
        first = min((picked for picked in pool if picked.article == 0), key=_order, default=None)
        if first and first not in chosen:
            chosen = [*chosen[: self.most - 1], first]
        return chosen

    def _spread(self, found: Iterable[Picked], most: int) -> list[Picked]:
        """The best, no more than `per_article` of one article."""
        taken: Counter[int] = Counter()
        chosen: list[Picked] = []
        for picked in sorted(found, key=_order):
            if taken[picked.article] < self.per_article and len(chosen) < most:
                taken[picked.article] += 1
                chosen.append(picked)
        return chosen

    def _fits(self, question: Question, place: int, scored: Scored, passage: PassageScore, layout: Layout) -> float:
        """What is known of a passage from the ranking."""
        tokens = layout.lengths[passage.number]
        score = self.window * passage.window + self.close * passage.close + self.exact * passage.exact / scored.ceiling
        score += self.article * min(scored.score, self.highest) + self.first_article * (place == 0)
        score += self.full * min(1.0, tokens / self.full_tokens)
        hits = scored.candidate.hits
        if "phrase" in hits and scored.features.get("phrase") and passage.number in hits["phrase"].passages:
            score += self.phrase
        anchor = next((hit.anchor for hit in hits.values() if hit.anchor), "")
        section = layout.document.sections[layout.passages[passage.number].section]
        if anchor and section.anchor == anchor:
            score += self.anchored
        if passage.number == 0:
            score += self.lead * ((question.asks in _LEADING) + ("title" in hits and question.asks not in _TOLD_LATER))
        return score

    def _says(self, question: Question, text: str, terms: Terms) -> float:
        """What its sentences say, and whether they hold what is asked for."""
        spoken = [(share(text[first:last], terms), text[first:last]) for first, last in sentences(text)]
        best, sentence = max(spoken, key=lambda said: said[0], default=(0.0, ""))
        score = self.sentence * best - self.listing * _listing(text)
        if suits(question.asks, text):
            score += self.suits
        return score + self.news * news(question, sentence) * (best > 0)


class Picked(NamedTuple):
    """A passage chosen as evidence: which listed article (index), which passage, and its score."""

    article: int
    passage: int
    score: float


def _order(picked: Picked) -> tuple[float, int, int]:
    return -picked.score, picked.article, picked.passage


def _text(layouts: Sequence[Layout], picked: Picked) -> str:
    layout = layouts[picked.article]
    return layout.document.text[slice(*layout.passages[picked.passage][1:])]


_LEADING = frozenset(("definition", "who", ""))
_TOLD_LATER = frozenset(("when", "where", "how many", "why"))  # of a named topic, seldom by its definition
# What is new in a sentence when this is asked: capitalised words for a person, numbers for a date or an amount.
_NEWS = {
    "who": re.compile(r"\b\w[\w'’-]+"),
    "when": re.compile(r"\d[\d,.]*"),
    "how many": re.compile(r"\d[\d,.]*"),
}
_ENOUGH_NEWS = 4


def news(question: Question, sentence: str) -> float:
    """How much of the sort that is asked for a sentence holds beyond what the question says itself, 0..1."""
    if question.asks not in _NEWS:
        return 0.0
    known = set(fold(question.text).split())
    told = (found for found in _NEWS[question.asks].findall(sentence) if found[0].isupper() or found[0].isdigit())
    new = {fold(found) for found in told} - known
    return min(len(new), _ENOUGH_NEWS) / _ENOUGH_NEWS


_NEARLY_AS_MUCH = 0.6  # of what the best sentence says, for a second one to be marked


def _listing(text: str) -> float:
    """The share of a passage's lines that are neither sentences nor "Label: value" rows."""
    lines = text.split("\n")
    return sum(not _TELLS.search(line) for line in lines) / len(lines)


_TELLS = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*$|^.{2,60}?: \S")


def highlights(
    layout: Layout, passage: int, terms: Terms, asks: str = "", title: str = "", most: int = 2
) -> list[tuple[int, int]]:
    """The sentences of a passage that say most of the question and hold the sort of thing it asks for, in text order,
    as offsets of the article's text. The first sentence where none says anything (a definition's lead).

    What the title says is understood: in the article on a tower, "It is 330 m high" tells how high the tower is.
    """
    start, end = layout.passages[passage].start, layout.passages[passage].end
    text = layout.document.text[start:end]
    spans = sentences(text)
    if not spans:
        return []
    said = [frozenset(terms.collection.analyzer.stems(text[first:last]).split()) for first, last in spans]
    named = frozenset(terms.collection.analyzer.stems(title).split())
    beyond = [stems - named for stems in said]
    told = beyond if any(map(terms.weight, beyond)) else said
    suited = [_SUITING * suits(asks, text[first:last]) for first, last in spans]
    worth = [tells + more if (tells := terms.weight(stems)) else 0.0 for stems, more in zip(told, suited, strict=True)]
    ranked = sorted(range(len(spans)), key=lambda number: (-worth[number], number))
    best = [n for n in ranked[:most] if worth[n] > 0 and worth[n] >= _NEARLY_AS_MUCH * worth[ranked[0]]] or [0]
    return [(start + spans[n][0], start + spans[n][1]) for n in sorted(best)]


def share(sentence: str, terms: Terms) -> float:
    """The share of the question's idf that a sentence says."""
    return terms.weight(terms.collection.analyzer.stems(sentence).split())


_SUITING = 0.25
