"""What outranks every likeness: names that are the topic, and words that stand in the text as they were asked.

Added to the weighted sum of `query.rank`, so that what is inside a tier stays ordered by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from aborist.query.rank import Scored
from aborist.query.routes.phrase import WHOLE_SCORE, is_misquote, is_part
from aborist.query.routes.title import KEY
from aborist.query.routes.title_like import CONTAINING
from aborist.query.sorts import suits
from aborist.query.terms import Terms
from aborist.shard.read import Layout
from aborist.text import fold
from aborist.types import Hit, Kind, Question

__all__ = ["Tiers", "longest_run"]


@dataclass(frozen=True)
class Tiers:
    """How much is added for what; the weighted sum itself lies between 0 and about 5."""

    # A name in the very letters of the topic is compared before anything else, the more exact the sooner. 2026-11-30,
    # 3,986 names of a 100-article Wikipedia, bare and as "what is X": 7,970 of 7,972 first; 7,933 at 4 times exactness.
    named: float = 10.0
    exactness: float = 40.0  # times how much more exact than a mere key
    # An inflected or inverted name is likely, not sure (times its exactness).
    likely_name: float = 4.0
    contained: float = 0.6  # a title that contains all of the topic, times how little else it says
    # All that was asked or quoted, word for word or with one word changed, and a part of it. 2026-11-30, spans of
    # enwiki_medium with one word changed: in the first five for .9475 at misquoted .7 and one tier of 3, .9886 so.
    quotation: float = 5.0
    phrase: float = 3.0
    noun_phrase: float = 0.6  # a part that is no name ("largest ocean"), which may stand anywhere
    loose: float = 0.25  # of a phrase's gain when only the stems stand there; the rest by the feature `verbatim`
    # The whole with one word changed. Of a short one four words are left, which a question ("who was born in X") has
    # in common with many articles.
    misquoted: float = 0.9
    misquoted_short: float = 0.6
    shortest_misquote: int = 6
    shortest_quotation: int = 3  # words that are a quotation whatever else is asked
    single_word: float = 0.3  # likewise, for one quoted word
    rare_sequence: int = 5  # articles that may hold a window for it to count
    # A window counts as a quotation for what it holds beyond these shares of the question's idf and length; counting
    # all of it costs 1.2 points of macro hit@1 on enwiki_medium dev (2026-11-30): ordinary wording repeats.
    least_share: float = 0.6
    least_run: float = 0.65
    # A reason close to what is asked why, times the idf share that stands together there (bench/NOTES.md).
    reason: float = 0.8
    # Pages that hold no knowledge of their own stand behind what does, unless they are named.
    demoted: Mapping[Kind, float] = field(
        default_factory=lambda: {Kind.DISAMBIGUATION: 0.8, Kind.MAIN_PAGE: 0.3, Kind.NO_TEXT: 0.8}
    )

    def tiered(
        self, question: Question, scored: Scored, layout: Layout, terms: Terms, holders: Mapping[str, int]
    ) -> Scored:
        """The candidate with its tier added.

        `holders` says how many articles hold each sequence that the phrase route found: one that stands everywhere
        ("at the end of the day") says nothing. Adds the features `phrase` (see `_strength`), `verbatim` (the very
        forms, not only the stems) and `said` (words of their own, not a noun phrase that may stand anywhere).
        """
        features = dict(scored.features)
        hits = scored.candidate.hits
        title = hits["title"].score if "title" in hits else 0.0
        if scored.entry.kind is Kind.DISAMBIGUATION and question.saying:
            title = 0.0  # "what does X mean" wants the X that is meant, not the list of them
        score = scored.score + self._name(title)
        if "title" not in hits and features["title"] > CONTAINING:
            score += self.contained * (features["title"] - CONTAINING)
        if phrase := hits.get("phrase"):
            found = _Found(question, phrase, layout, terms)
            features["phrase"] = self._strength(found, holders)
            features["verbatim"] = found.verbatim
            features["said"] = float(found.said)
            score += self._phrase(found, features)
        if question.asks == "why":
            score += self.reason * _reasoned(scored, layout)
        if not title:
            score -= self.demoted.get(scored.entry.kind, 0.0)
        return replace(scored, score=score, features=features)

    def _name(self, exactness: float) -> float:
        if exactness < KEY - _TOPICS:
            return self.likely_name * exactness
        return self.named + self.exactness * (exactness - KEY)

    def _phrase(self, found: _Found, features: Mapping[str, float]) -> float:
        misquoted = is_misquote(found.phrase) and not found.question.framed
        tier = self.quotation if misquoted or found.phrase.score >= WHOLE_SCORE else self.phrase
        if is_part(found.phrase) and not (found.said or found.named):
            tier = self.noun_phrase
        return tier * features["phrase"] * (self.loose + (1 - self.loose) * features["verbatim"])

    def _strength(self, found: _Found, holders: Mapping[str, int]) -> float:
        """How much a phrase hit says, 0..1: 1 when all that was asked or quoted stands there, .9 with one word of it
        changed; else by what the longest run of the question in the text holds of its idf or, once it is most of it,
        of its length."""
        strength = max((self._quotation_strength(text, found.terms) for text in found.whole), default=0.0)
        if is_misquote(found.phrase):
            strength = max(strength, self._misquotation_strength(found))
        rare = any(holders.get(sequence, 0) <= self.rare_sequence for sequence in found.phrase.matched)
        if strength >= self.misquoted or not rare:
            return strength
        run = max((longest_run(found.terms, text) for text in found.texts), key=len, default=())
        share, length = found.terms.weight(run), len(run) / len(found.terms.sequence)
        return max(strength, _beyond(share, self.least_share), _beyond(length, self.least_run))

    def _misquotation_strength(self, found: _Found) -> float:
        return self.misquoted if len(found.stems) >= self.shortest_misquote else self.misquoted_short

    def _quotation_strength(self, quotation: str, terms: Terms) -> float:
        """Marks round a word or two of a longer question only point at them; a longer quotation is one."""
        stems = terms.collection.analyzer.stems(quotation).split()
        if len(stems) < self.shortest_quotation and terms.weight(stems) < self.least_share:
            return 0.0
        return 1.0 if len(stems) > 1 else self.single_word


@dataclass(frozen=True)
class _Found:
    """A phrase hit, and the text it was found in."""

    question: Question
    phrase: Hit
    layout: Layout
    terms: Terms

    @property
    def reads(self) -> str:
        return self.phrase.matched[0]

    @cached_property
    def stems(self) -> list[str]:
        """The stems of what was found; a run of Han has many."""
        return self.terms.collection.analyzer.stems(self.reads).split()

    @cached_property
    def whole(self) -> list[str]:
        """What of all that was asked or quoted stands there as it was said."""
        verbatim = self.phrase.score >= WHOLE_SCORE or is_part(self.phrase)
        return [self.reads] * verbatim + [text for text in self.phrase.matched[1:] if text in self.question.quotes]

    @cached_property
    def texts(self) -> list[str]:
        """Where it was found, passage by passage, those that follow each other as one."""
        passages = self.layout.passages
        found = sorted(n for n in self.phrase.passages if n < len(passages))
        firsts = [n for n in found if n - 1 not in found]
        lasts = [n for n in found if n + 1 not in found]
        text = self.layout.document.text
        return [text[passages[first].start : passages[last].end] for first, last in zip(firsts, lasts, strict=True)]

    @cached_property
    def verbatim(self) -> float:
        """1 where the sequence stands in the question's own forms and signs, _OTHER_SIGNS with other signs between the
        words, else 0; what is not all of what was asked counts as it was found."""
        if self.phrase.score < WHOLE_SCORE and not is_part(self.phrase):
            return 1.0  # a window was measured by the run that stands there
        plain = " ".join(self.reads.casefold().split()).strip(_EDGES)
        if any(plain in " ".join(text.casefold().split()) for text in self.texts):
            return 1.0
        sought = f" {fold(self.reads)} "
        return _OTHER_SIGNS * any(sought in f" {fold(text)} " for text in self.texts)

    @cached_property
    def said(self) -> bool:
        """Whether it was quoted, is long enough to be a quotation, or is one in the text. Names are none: other
        articles mention them too (2026-11-30, enwiki dev: two or three words right in 28 of 36 questions, and with the
        right article removed 32 others are taken for it; four and more 25 of 25, and 4)."""
        if len(self.stems) > _LONGEST_NAME or self.reads in (*self.question.quotes, self.question.saying):
            return True
        if not set(self.stems) <= set(self.terms.content):
            return True  # "call the ferry", not "virtual museums"
        return any(before.endswith(_MARKS) for before, _ in self.places)

    @cached_property
    def named(self) -> bool:
        """Whether it stands there as a name, with capitals."""
        return any(all(word[:1].isupper() for word in written.split()) for _, written in self.places)

    @cached_property
    def places(self) -> list[tuple[str, str]]:
        """What stands before it, and how it is written, at each of its places."""
        words = (re.escape(word.strip(_EDGES)) for word in self.reads.split())
        pattern = re.compile(r"\b" + r"\W+".join(words) + r"\b", re.IGNORECASE)
        found = ((text, match) for text in self.texts for match in pattern.finditer(text))
        return [(text[max(0, match.start() - 1) : match.start()], match[0]) for text, match in found]


_OTHER_SIGNS = 0.5  # the forms are the same, but other signs stand between them ("To be, or not to be")
_EDGES = "\"'“”„«»‟?!.,;: "
_LONGEST_NAME = 3  # stems
_MARKS = tuple("\"'“„«‘‹「『")
_TOPICS = 0.1  # what exactness may lose to the order of the topic's spellings


_TOGETHER = 0.5  # idf share that stands together in a passage whose reason may be that of what is asked


def _reasoned(scored: Scored, layout: Layout) -> float:
    """The greatest idf share of the question that stands together in a passage which states a reason."""
    text, passages = layout.document.text, layout.passages
    near = (passage for passage in scored.passages if passage.close >= _TOGETHER)
    told = (p.close for p in near if suits("why", text[passages[p.number].start : passages[p.number].end]))
    return max(told, default=0.0)


def _beyond(share: float, least: float) -> float:
    """A share's excess over a least one, so that almost all stays well below 1, which means all of the question."""
    return max(0.0, 0.85 * (share - least) / (1 - least))


def longest_run(terms: Terms, text: str) -> tuple[str, ...]:
    """The longest stretch of the question's stems that stands in a text word for word (a compound for its parts)."""
    asked = terms.sequence
    stems = [
        part for stem in terms.collection.analyzer.stems(text).split() for part in terms.compounds.get(stem, (stem,))
    ]
    best, end = 0, 0
    before = [0] * (len(asked) + 1)
    for stem in stems:
        lengths = [0] * (len(asked) + 1)
        for place, wanted in enumerate(asked, 1):
            if stem == wanted:
                lengths[place] = before[place - 1] + 1
                if lengths[place] > best:
                    best, end = lengths[place], place
        before = lengths
    return asked[end - best : end]
