"""The frame in which a question was answered, as a reference to what it quotes or literally, and each article's role.

The rules are data: `data/frames.toml` holds them in order, each with the facts that must hold and must not. Here are
the facts. Adding a rule is adding a row; adding a fact is a function and a line in FACTS.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from aborist.query.kind import kinds_of
from aborist.query.quotation import Echo, echoes, spoken
from aborist.query.rank import Scored
from aborist.query.terms import Terms, phrase_stems
from aborist.query.tiers import longest_run
from aborist.shard.read import Layout
from aborist.types import NO_FRAME, Frame, Question, Role, Verdict

__all__ = ["FACTS", "Rule", "Source", "frame_of", "role_of", "rules"]

# Measured 2026-11-30 by `python -m bench.frames`; bench/NOTES.md has the figures beside them.
_QUOTED_RUN, _QUOTED_SHARE = 3, 0.5  # words of a stretch, and their share of what was asked, that are a quotation
_ECHO_WORDS, _ECHO_HELD, _ECHO_SAID = 4, 0.7, 0.6  # likewise where other words stand between them
_VERBATIM_SHARE = 0.55  # of what was asked, word for word in the text, with marks or without
_LONG = 5  # words that hardly stand in one order by chance
_SENTENCE = 4  # words from which a title says something rather than names it ("Let them eat cake")
_BESIDE_TITLE = 2  # words


@dataclass(frozen=True)
class Source:
    """A listed article as the facts see it: what was asked, what the routes and rules said of it, and its text."""

    question: Question
    scored: Scored
    terms: Terms
    layout: Layout
    verdict: Verdict
    language: str  # of its archive

    @cached_property
    def kinds(self) -> frozenset[str]:
        return kinds_of(self.scored.entry.title, self.layout.document, self.language)

    @cached_property
    def name(self) -> Sequence[str]:
        """The stems of the title, without what stands in parentheses behind it."""
        return phrase_stems(self.scored.entry.title.partition(" (")[0], self.terms.collection.analyzer)

    @cached_property
    def echoes(self) -> Sequence[Echo]:
        """Its quotations that repeat more of the question than its own title, those written like a title left out."""
        return [
            echo
            for echo in echoes(self.question, self.scored, self.layout, self.terms)
            if not (set(echo.run) <= set(self.name) or (echo.titled and not self.question.saying))
        ]

    @cached_property
    def run(self) -> Sequence[str]:
        """The longest stretch of the question that stands word for word where the phrase route points."""
        phrase, passages = self.scored.candidate.hits.get("phrase"), self.layout.passages
        spans = [passages[number] for number in (phrase.passages if phrase else ()) if number < len(passages)]
        texts = (self.layout.document.text[span.start : span.end] for span in spans)
        return max((longest_run(self.terms, text) for text in texts), key=len, default=())

    @cached_property
    def spoken(self) -> Sequence[str]:
        return spoken(self.question, self.terms)

    @property
    def asked(self) -> Sequence[str]:
        """What may be quoted: the words that are asked about as words, else the whole question."""
        return self.spoken or self.terms.sequence


def _answered(source: Source) -> bool:
    """A rule accepted the article."""
    return source.verdict.accepted


def _by_its_title(source: Source) -> bool:
    """It was accepted because a title or redirect is the topic."""
    return source.verdict.rule == "title"


def _as_a_phrase(source: Source) -> bool:
    """It was accepted because a sequence of the question stands in it."""
    return source.verdict.rule == "phrase"


def _asked_as_a_quotation(source: Source) -> bool:
    """The question asks about words as words ("who said X", "what does X mean"), or most of it stands in marks."""
    return bool(source.spoken)


def _on_a_work(source: Source) -> bool:
    """It is on a work, or on somebody or something made up in one (data/kinds.toml)."""
    return not source.kinds.isdisjoint(("work", "fiction"))


def _on_a_saying(source: Source) -> bool:
    """It is on a saying (data/kinds.toml)."""
    return "saying" in source.kinds


def _sentence_for_title(source: Source) -> bool:
    """Its title is long enough to say something."""
    return len(source.name) >= _SENTENCE


def _named(source: Source) -> bool:
    """All words of its title were asked."""
    return set(source.name) <= set(source.terms.sequence)


def _touched(source: Source) -> bool:
    """A word of its title that carries the topic was asked."""
    return not set(source.name).isdisjoint(source.terms.content)


def _little_more(source: Source) -> bool:
    """Most of what was asked is its title."""
    return len(source.name) >= _VERBATIM_SHARE * len(source.terms.sequence)


def _function_words(source: Source) -> bool:
    """What was asked has words that names hardly have: pronouns, prepositions, auxiliaries."""
    return not all(word.telling for word in source.question.words)


def _all_of_it(source: Source) -> bool:
    """All that was asked stands in it in one stretch."""
    return len(source.run) >= len(source.asked)


def _word_for_word(source: Source) -> bool:
    """Most of what was asked stands in it in one stretch."""
    return len(source.run) >= _VERBATIM_SHARE * len(source.asked)


def _long(source: Source) -> bool:
    """That stretch is longer than chance makes it."""
    return len(source.run) >= _LONG


def _more_than_title(source: Source) -> bool:
    """That stretch has words beside its title's."""
    return len(set(source.run) - set(source.name)) >= _BESIDE_TITLE


def _asks_for_a_fact(source: Source) -> bool:
    """An interrogative asks for a person, a time, a place, a number, a reason or a definition, not for a saying."""
    return bool(source.question.asks) and not source.question.saying


def _in_marks(source: Source) -> bool:
    """A quotation in it repeats what was asked, in one stretch or nearly."""
    return any(
        (len(echo.run) >= _QUOTED_RUN and echo.share >= _QUOTED_SHARE)
        or (echo.words >= _ECHO_WORDS and echo.held >= _ECHO_HELD and echo.said >= _ECHO_SAID)
        for echo in source.echoes
    )


def _long_in_marks(source: Source) -> bool:
    """A quotation in it repeats most of what was asked, in one stretch that is longer than chance makes it."""
    return any(len(echo.run) >= _LONG and echo.share >= _QUOTED_SHARE for echo in source.echoes)


def _word_in_marks(source: Source) -> bool:
    """A quotation in it is what was asked, be it a single word."""
    return any(echo.whole for echo in source.echoes)


FACTS: Mapping[str, Callable[[Source], bool]] = {
    "answered": _answered,
    "by its title": _by_its_title,
    "accepted as a phrase": _as_a_phrase,
    "asked as a quotation": _asked_as_a_quotation,
    "on a work": _on_a_work,
    "on a saying": _on_a_saying,
    "a sentence for a title": _sentence_for_title,
    "names it": _named,
    "shares a word with the title": _touched,
    "asks for little more": _little_more,
    "has function words": _function_words,
    "word for word": _word_for_word,
    "all of it word for word": _all_of_it,
    "long": _long,
    "says more than the title": _more_than_title,
    "asks for a fact": _asks_for_a_fact,
    "in quotation marks": _in_marks,
    "long in quotation marks": _long_in_marks,
    "word in quotation marks": _word_in_marks,
}
# What a role depends on besides: the frame, and the place in the list.
_REFERENCE, _FIRST = "reference", "first"


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of `data/frames.toml`: decides `outcome` where all facts of `all` and none of `none` hold."""

    name: str
    all: tuple[str, ...]
    none: tuple[str, ...]
    outcome: str
    why: str

    def holds(self, fact: Callable[[str], bool]) -> bool:
        return all(map(fact, self.all)) and not any(map(fact, self.none))


@cache
def rules(table: str) -> tuple[Rule, ...]:
    """The rows of `frame` or `role`, in the order in which they are tried; the last holds of everything."""
    rows = tomllib.loads(files("aborist").joinpath("data/frames.toml").read_text(encoding="utf-8"))[table]
    outcome = "kind" if table == "frame" else "role"
    return tuple(
        Rule(row["name"], tuple(row.get("all", ())), tuple(row.get("none", ())), row[outcome], row["why"])
        for row in rows
    )


def frame_of(first: Source | None) -> Frame:
    """The frame that the first listed article puts the question in; that of no answer where there is none."""
    if first is None:
        return NO_FRAME
    rule = _deciding(rules("frame"), first, ())
    kind = None if rule.outcome == "none" else rule.outcome
    return Frame(kind, first.scored.entry.title if kind == "reference" else None, rule.name, rule.why)


def role_of(source: Source, place: int, frame: Frame) -> Role:
    """What the listed article in this place (0 is the first) is to the question in this frame."""
    given = ([_REFERENCE] if frame.kind == "reference" else []) + ([_FIRST] if place == 0 else [])
    rule = _deciding(rules("role"), source, given)
    return Role(rule.outcome, rule.name, rule.why)


def _deciding(table: Iterable[Rule], source: Source, given: Sequence[str]) -> Rule:
    def fact(name: str) -> bool:
        return name in given if name in (_REFERENCE, _FIRST) else FACTS[name](source)

    return next(rule for rule in table if rule.holds(fact))
