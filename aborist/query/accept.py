"""Gates a candidate must pass to count as an answer. The first rule that decides, decides; the default is to reject.

Each rule looks at what the routes and the text said, never at one similarity alone: a cosine measures topic, not
whether the question is answered. Phrase hits pass without the title: an allusion shares no word with its work's title.
bench/NOTES.md has the figures.
Adding one: a function and a line in RULES.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from aborist.query.gate import Gate
from aborist.query.rank import Scored
from aborist.query.routes.phrase import is_misquote
from aborist.query.routes.title import BAG
from aborist.types import Verdict

__all__ = ["RULES", "Case", "Rule", "judge", "passes"]


@dataclass(frozen=True, slots=True)
class Case:
    """What the rules look at: a candidate, the gate's probability that it answers, and the least that is enough."""

    scored: Scored
    probability: float
    enough: float


Rule = Callable[[Case], Verdict | None]

# The feature `phrase` of query.tiers. 2026-11-30, seeds_en and samples: at .3 all allusions are taken for quotations,
# and no unanswerable question is.
_PHRASE_STRENGTH = 0.3
# Of Tiers.misquoted: what a question has in common with a text but for one word ("who was born in X") is no quotation.
# 2026-11-30: of 1,000 dev questions 19 were answered by phrase with a wrong article when all were taken, 8 so. And the
# text must hold this share of what is asked about: "may the fork be with you" is from nowhere.
_MISQUOTED, _MISQUOTE_WINDOW = 0.6, 0.6
_FUNCTIONAL_QUOTE = 3  # words of a quotation that has none but function words ("to be or not to be", not "what")
# bench/NOTES.md: a title that makes up half of the question's idf is right 73 to 100 % of the time.
_LIKE_SHARE = 0.5
_CORE_TERMS = 2
_ALL, _TWO_TERMS = 0.999, math.log1p(2)
# Where most of the question stands in one place and much of its wording, this part of the gate's least probability is
# enough. Without any least, what it alone lets in is right in 24 % (2026-11-30, the mixture of bench.gate).
_NEAR_WINDOW, _NEAR_TRIGRAMS, _NEAR_ENOUGH = 0.75, 0.25, 0.6
# A title that makes up less than this share of the question answers it only if a passage adds something beyond it.
# 2026-11-30, titles of XQuAD without the paragraph asked for: of 34 that the gate alone lets in 3 are right.
_TITLE_ALONE = 0.65
_BEYOND_TITLE = 0.05
# Nothing answers a question of which a name that stands nowhere in the index makes up this share. 2026-11-30, XQuAD in
# English and Russian: of 77 first hits that the gate alone lets in there 16 are right, .7 % of all that are.
_UNKNOWN_NAME = 0.4


def exact_title(case: Case) -> Verdict | None:
    """A title or redirect is the topic."""
    scored = case.scored
    hit = scored.candidate.hits.get("title")
    if hit is None or hit.score < BAG - 0.1:
        return None
    name = hit.matched[0]
    how = "its title" if name == scored.entry.title else "a redirect to it"
    return Verdict(True, "title", f"{name!r} is the topic and {how}")


def verbatim(case: Case) -> Verdict | None:
    """A rare sequence of the question stands in the text word for word."""
    scored = case.scored
    hit = scored.candidate.hits.get("phrase")
    strength = scored.features.get("phrase", 0.0)
    if hit is None or strength < _PHRASE_STRENGTH:
        return None
    window = scored.features["window"]
    if not scored.features["said"] or (is_misquote(hit) and (strength < _MISQUOTED or window < _MISQUOTE_WINDOW)):
        return None
    if scored.features["functional"] and hit.matched[0].count(" ") < _FUNCTIONAL_QUOTE - 1:
        return None
    changed = ", one word changed" if is_misquote(hit) else ""
    return Verdict(True, "phrase", f"the text holds {hit.matched[0]!r}{changed}")


def near_verbatim(case: Case) -> Verdict | None:
    """One place holds most of the question and much of its wording, and it is not unlikely."""
    features = case.scored.features
    if not is_near(features) or case.probability < _near_enough(features, case.enough):
        return None
    window, trigrams = features["window"], features["trigrams"]
    return Verdict(True, "body", f"one place of it covers {window:.0%} of the question, {trigrams:.0%} of its wording")


def together(case: Case) -> Verdict | None:
    """All content words stand within a few words of each other. 2026-11-30: what it alone lets in is right in 42 %."""
    features = case.scored.features
    few = features["terms"] < _TWO_TERMS or features["functional"]
    if features["close"] < _ALL or few:
        return None
    return Verdict(True, "body", "all words of the question stand together in it")


def likely(case: Case) -> Verdict | None:
    """The text answers the question likely enough, all features taken together, and not by its title alone."""
    features = case.scored.features
    if case.probability < case.enough or obstacle(features):
        return None
    title, core = features["title"], case.scored.candidate.hits.get("core")
    how = f"one place of it covers {features['window']:.0%} of the question; {case.probability:.0%} likely"
    if title >= _LIKE_SHARE:
        return Verdict(True, "title-like", f"its title covers {title:.0%} of the question; {how}")
    if core and len(core.matched) >= _CORE_TERMS:
        return Verdict(True, "core", f"core keywords {', '.join(core.matched)}; {how}")
    return Verdict(True, "body", how)


def is_near(features: Mapping[str, float]) -> bool:
    """Most of the question and much of its wording stand in one place."""
    near = features["window"] >= _NEAR_WINDOW and features["trigrams"] >= _NEAR_TRIGRAMS
    return near and not features["functional"]


def obstacle(features: Mapping[str, float]) -> str:
    """Why an article is no answer however likely, "" if nothing stands in its way: only function words were asked; a
    name that is asked about stands nowhere; or only the title fits, and an article on the topic need not hold the
    fact that is asked."""
    title, held = features["title"], max(features["window"], features["akin"])
    if features["functional"]:
        return "nothing but function words is asked"
    if features["unknown_names"] >= _UNKNOWN_NAME:
        return "a name that is asked about stands in no article"
    if 0 < title < _TITLE_ALONE and held - title < _BEYOND_TITLE:
        return "only its title fits, no passage adds what else is asked"
    return ""


def passes(features: Mapping[str, float], probability: float, enough: float) -> bool:
    """Whether an article that no other rule accepts is one for its probability."""
    if probability >= enough and not obstacle(features):
        return True
    return is_near(features) and probability >= _near_enough(features, enough)


def _near_enough(features: Mapping[str, float], enough: float) -> float:
    """The least probability for what is near: none where the words of a saying that is asked for all stand there."""
    return 0.0 if features["quoted"] and features["window"] >= _ALL else _NEAR_ENOUGH * enough


RULES: Sequence[Rule] = (exact_title, verbatim, near_verbatim, together, likely)


def judge(scored: Scored, gate: Gate, language: str) -> Verdict:
    """The first rule's decision on an article in this language; a rejection says how far it is from being one."""
    case = Case(scored, gate.probability(scored.features, language), gate.answered)
    for rule in RULES:
        if verdict := rule(case):
            return replace(verdict, probability=case.probability)
    unlikely = f"too unlikely: {case.probability:.0%}, from {case.enough:.0%} it would be"
    why = unlikely if case.probability < case.enough else obstacle(scored.features)
    return Verdict(False, "", why, case.probability)
