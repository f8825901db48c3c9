"""Chooses and orders the passages that are offered as proof, and marks the sentences that answer."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from aborist.query.rank import PassageScore, Scored
from aborist.query.terms import Terms
from aborist.sentence import sentences
from aborist.shard.read import Layout
from aborist.types import Question

__all__ = ["SORTS", "Picked", "Picker", "highlights", "suits"]


@dataclass(frozen=True, slots=True)
class Picked:
    """A passage chosen as evidence: which listed article (index), which passage, and its score."""

    article: int
    passage: int
    score: float


@dataclass(frozen=True)
class Picker:
    """Weights of the mixed score: a passage is worth what it says and what its article is worth.

    bench/NOTES.md: five passages over all articles by a mixed score hold the answer string for .64 of squad's
    questions, the best passage of the top article alone for .49.
    """

    most: int = 10
    per_article: int = 3
    article: float = 0.5
    exact: float = 0.5
    window: float = 0.6
    first_article: float = 0.35
    phrase: float = 2.0
    anchored: float = 2.0
    suits: float = 0.35  # a passage that holds the sort of thing that is asked for
    listing: float = 0.3  # taken off a passage of links and names, by the share of its lines that are no sentences
    lead: float = 0.4  # the first passage, when a definition is asked or the title is the topic

    def pick(
        self, question: Question, listed: Sequence[Scored], layouts: Sequence[Layout], terms: Sequence[Terms]
    ) -> list[Picked]:
        """Up to `most` passages over all listed articles, best first, the first article's best among them."""
        pool = [
            Picked(n, passage.number, self._score(question, n, scored, passage, layout, own))
            for n, (scored, layout, own) in enumerate(zip(listed, layouts, terms, strict=True))
            for passage in scored.passages
            if layout.document.text
        ]
        pool.sort(key=lambda picked: (-picked.score, picked.article, picked.passage))
        taken: dict[int, int] = {}
        chosen = []
        for picked in pool:
            if taken.get(picked.article, 0) < self.per_article:
                taken[picked.article] = taken.get(picked.article, 0) + 1
                chosen.append(picked)
        chosen = chosen[: self.most]
        first = next((picked for picked in pool if picked.article == 0), None)
        if first and first not in chosen:
            chosen = [*chosen[: self.most - 1], first]
        return chosen

    def _score(
        self,
        question: Question,
        place: int,
        scored: Scored,
        passage: PassageScore,
        layout: Layout,
        terms: Terms,
    ) -> float:
        score = (passage.bm25 + self.exact * passage.exact) / scored.ceiling + self.window * passage.window
        score += self.article * min(scored.score, 6.0) / math.sqrt(1 + place)
        score += self.first_article if place == 0 else 0.0
        hits = scored.candidate.hits
        if "phrase" in hits and scored.features.get("phrase") and passage.number in hits["phrase"].passages:
            score += self.phrase
        anchor = next((hit.anchor for hit in hits.values() if hit.anchor), "")
        section = layout.document.sections[layout.passages[passage.number].section]
        if anchor and section.anchor == anchor:
            score += self.anchored
        text = layout.document.text[slice(*layout.passages[passage.number][1:])]
        score -= self.listing * _listing(text)
        if suits(question.asks, text):
            score += self.suits
        if passage.number == 0 and (question.asks in ("definition", "") or "title" in hits):
            score += self.lead
        return score


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
        r"\b(?:because|due to|caus\w+|therefore|so that|reasons?|since|result\w*|in order to"
        r"|потому|поэтому|из-за|так как|поскольку|благодаря|причин\w+)\b",
        re.IGNORECASE,
    ),
}
SORTS = frozenset(_SUITS)
_NEARLY_AS_MUCH = 0.6  # of what the best sentence says, for a second one to be marked


def suits(asks: str, text: str) -> bool:
    """Whether a text holds the sort of thing that is asked for (a date, a name, a number, a place, a reason)."""
    return asks in _SUITS and _SUITS[asks].search(text) is not None


def _listing(text: str) -> float:
    """The share of a passage's lines that are neither sentences nor "Label: value" rows."""
    lines = text.split("\n")
    return sum(not _TELLS.search(line) for line in lines) / len(lines)


_TELLS = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*$|^.{2,60}?: \S")


def highlights(layout: Layout, passage: int, terms: Terms, asks: str = "", most: int = 2) -> list[tuple[int, int]]:
    """The sentences of a passage that say most of the question and hold the sort of thing it asks for, in text order,
    as offsets of the article's text. The first sentence where none says anything (a definition's lead).
    """
    start, end = layout.passages[passage].start, layout.passages[passage].end
    text = layout.document.text[start:end]
    spans = sentences(text)
    if not spans:
        return []
    worth = [_worth(text[first:last], terms, asks) for first, last in spans]
    ranked = sorted(range(len(spans)), key=lambda number: (-worth[number], number))
    best = [n for n in ranked[:most] if worth[n] > 0 and worth[n] >= _NEARLY_AS_MUCH * worth[ranked[0]]] or [0]
    return [(start + spans[n][0], start + spans[n][1]) for n in sorted(best)]


def _worth(sentence: str, terms: Terms, asks: str) -> float:
    """The share of the question a sentence says, and more if it holds the sort of thing that is asked for."""
    share = terms.weight(terms.collection.analyzer.stems(sentence).split())
    return share + _SUITING * suits(asks, sentence) if share else 0.0


_SUITING = 0.25
