"""What outranks every likeness: names that are the topic, and words that stand in the text as they were asked.

Added to the weighted sum of `query.rank`, so that what is inside a tier stays ordered by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from aborist.query.rank import Scored
from aborist.query.routes.phrase import WHOLE_SCORE, is_misquote, is_part
from aborist.query.routes.title import KEY
from aborist.query.routes.title_like import CONTAINING
from aborist.query.terms import Terms
from aborist.shard.read import Layout
from aborist.text import fold
from aborist.types import Hit, Kind, Question

__all__ = ["Tiers", "longest_run"]


@dataclass(frozen=True)
class Tiers:
    """How much is added for what; the weighted sum itself lies between 0 and about 5."""

    # A name in the very letters of the topic is compared before anything else, the more exact the sooner.
    named: float = 10.0
    exactness: float = 40.0  # times how much more exact than a mere key
    # An inflected or inverted name is likely, not sure (times its exactness).
    likely_name: float = 4.0
    contained: float = 0.6  # a title that contains all of the topic, times how little else it says
    # All that was asked or quoted, word for word or with one word changed, and a part of it.
    quotation: float = 5.0
    phrase: float = 3.0
    noun_phrase: float = 0.6  # a part that is no name ("largest ocean"), which may stand anywhere
    loose: float = 0.25  # of a phrase's gain when only the stems stand there; the rest by the feature `verbatim`
    # The whole with one word changed. Of a short one four words are left, which a question ("who was born in X") has
    # in common with many articles.
    misquoted: float = 0.9
    misquoted_question: float = 0.4
    shortest_misquote: int = 6
    shortest_quotation: int = 3  # words that are a quotation whatever else is asked
    single_word: float = 0.3  # likewise, for one quoted word
    rare_sequence: int = 5  # articles that may hold a window for it to count
    # A window counts as a quotation for what it holds beyond these shares of the question's idf and length; counting
    # all of it costs 1.2 points of macro hit@1 on enwiki_medium dev (2026-11-30): ordinary wording repeats.
    least_share: float = 0.6
    least_run: float = 0.65
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
            features["phrase"] = self._strength(question, phrase, layout, terms, holders)
            features["verbatim"] = _verbatim(phrase, layout)
            features["said"] = float(_is_said(question, phrase, layout, terms))
            score += self._phrase(question, phrase, features)
        if not title:
            score -= self.demoted.get(scored.entry.kind, 0.0)
        return replace(scored, score=score, features=features)

    def _name(self, exactness: float) -> float:
        if exactness < KEY - _TOPICS:
            return self.likely_name * exactness
        return self.named + self.exactness * (exactness - KEY)

    def _phrase(self, question: Question, phrase: Hit, features: Mapping[str, float]) -> float:
        whole = phrase.score >= WHOLE_SCORE or (is_misquote(phrase) and not question.framed)
        tier = self.quotation if whole else self.phrase
        if is_part(phrase) and not features["said"]:
            tier = self.noun_phrase
        return tier * features["phrase"] * (self.loose + (1 - self.loose) * features["verbatim"])

    def _strength(
        self, question: Question, phrase: Hit, layout: Layout, terms: Terms, holders: Mapping[str, int]
    ) -> float:
        """How much a phrase hit says, 0..1: 1 when all that was asked or quoted stands there, .9 with one word of it
        changed; else by what the longest run of the question in the text holds of its idf or, once it is most of it,
        of its length."""
        said = [sequence for sequence in phrase.matched if sequence in question.quotes]
        if phrase.score >= WHOLE_SCORE or is_part(phrase):
            said.append(phrase.matched[0])
        strength = max((self._quotation_strength(sequence, terms) for sequence in said), default=0.0)
        if is_misquote(phrase):
            strength = max(strength, self._misquotation_strength(question, phrase))
        rare = any(holders.get(sequence, 0) <= self.rare_sequence for sequence in phrase.matched)
        if strength >= self.misquoted or not rare:
            return strength
        run = max((longest_run(terms, text) for text in _texts(phrase, layout)), key=len, default=())
        share, length = terms.weight(run), len(run) / len(terms.sequence)
        return max(strength, _beyond(share, self.least_share), _beyond(length, self.least_run))

    def _misquotation_strength(self, question: Question, phrase: Hit) -> float:
        bare = not question.framed or not phrase.matched[0].startswith(question.text)
        long = len(phrase.matched[0].split()) - _ONE_WORD_CHANGED >= self.shortest_misquote
        return self.misquoted if long and bare else self.misquoted_question

    def _quotation_strength(self, quotation: str, terms: Terms) -> float:
        """Marks round a word or two of a longer question only point at them; a longer quotation is one."""
        stems = terms.collection.analyzer.stems(quotation).split()
        if len(stems) < self.shortest_quotation and terms.weight(stems) < self.least_share:
            return 0.0
        return 1.0 if len(stems) > 1 else self.single_word


_ONE_WORD_CHANGED = 3  # words that routes.misquote adds to what it sought
_TOPICS = 0.1  # what exactness may lose to the order of the topic's spellings


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


_OTHER_SIGNS = 0.5  # the forms are the same, but other signs stand between them ("To be, or not to be")


def _verbatim(phrase: Hit, layout: Layout) -> float:
    """1 where a passage found by the route holds the sequence in the question's own forms and signs, _OTHER_SIGNS
    with other signs between the words, else 0; what is not all of what was asked counts as it was found."""
    if phrase.score < WHOLE_SCORE and not is_part(phrase):
        return 1.0  # a window was measured by the run that stands there
    texts = list(_texts(phrase, layout))
    plain = " ".join(phrase.matched[0].casefold().split()).strip(_EDGES)
    if any(plain in " ".join(text.casefold().split()) for text in texts):
        return 1.0
    sought = f" {fold(phrase.matched[0])} "
    return _OTHER_SIGNS * any(sought in f" {fold(text)} " for text in texts)


_EDGES = "\"'“”„«»‟?!.,;: "


_LONGEST_NAME = 3


def _is_said(question: Question, phrase: Hit, layout: Layout, terms: Terms) -> bool:
    """Whether what was found was quoted, is long enough to be a quotation, or is one in the text. Names are none: other
    articles mention them too (2026-11-30, enwiki dev: two or three words right in 28 of 36 questions, and with the
    right article removed 32 others are taken for it; four and more 25 of 25, and 4)."""
    words = phrase.matched[0].split()
    if len(words) > _LONGEST_NAME or phrase.matched[0] in (*question.quotes, question.saying):
        return True
    if not set(terms.collection.analyzer.stems(phrase.matched[0]).split()) <= set(terms.content):
        return True  # "call the ferry", not "virtual museums"
    pattern = re.compile(r"\b" + r"\W+".join(re.escape(word.strip(_EDGES)) for word in words) + r"\b", re.IGNORECASE)
    found = ((match, text) for text in _texts(phrase, layout) for match in pattern.finditer(text))
    return any(text[: match.start()].endswith(_MARKS) for match, text in found)


_MARKS = tuple("\"'“„«‘‹「『")


def _texts(phrase: Hit, layout: Layout) -> Iterator[str]:
    """What the route found in an article, passage by passage, those that follow each other as one."""
    found = sorted(n for n in phrase.passages if n < len(layout.passages))
    for place, number in enumerate(found):
        if place and found[place - 1] == number - 1:
            continue
        last = number
        while last + 1 in found:
            last += 1
        yield layout.document.text[layout.passages[number].start : layout.passages[last].end]
