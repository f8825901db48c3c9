"""Gates a candidate must pass to count as an answer. The first rule that decides, decides; the default is to reject.

Each rule looks at what the routes and the text said, never at one similarity alone: a cosine measures topic, not
whether the question is answered. Phrase hits pass without the title: an allusion shares no word with its work's title.
bench/NOTES.md has the figures.
Adding one: a function and a line in RULES.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from aborist.query.gate import ACCEPTED, probability
from aborist.query.rank import Scored
from aborist.query.routes.phrase import is_misquote
from aborist.query.routes.title import BAG
from aborist.types import Verdict

__all__ = ["RULES", "Rule", "judge"]


Rule = Callable[[Scored], Verdict | None]

# The feature `phrase` of query.tiers. 2026-11-30, seeds_en and samples: at .3 all allusions are taken for quotations,
# and no unanswerable question is.
_PHRASE_STRENGTH = 0.3
# Of Tiers.misquoted: what a short question has in common with a text but for one word ("who was born in X") is no
# quotation. 2026-11-30: of 1,000 dev questions 19 were answered by phrase with a wrong article when all were taken.
_LONG_MISQUOTE = 0.9
# bench/NOTES.md: a title that makes up half of the question's idf is right 73 to 100 % of the time.
_LIKE_SHARE = 0.5
_CORE_TERMS = 2
_FUNCTIONAL_QUOTE = 3  # words of a quotation that has none but function words ("to be or not to be", not "what")
_ALL, _TWO_TERMS = 0.999, math.log1p(2)
_NEAR_WINDOW, _NEAR_TRIGRAMS = 0.75, 0.25
# A title that makes up less than this share of the question answers it only if the text adds something beyond it.
# 2026-11-30: of 28 unanswerable seed questions 25 are refused with it, 19 without; 3 answerable ones more are refused.
_TITLE_ALONE = 0.65
_BEYOND_TITLE = 0.05


def exact_title(scored: Scored) -> Verdict | None:
    """A title or redirect is the topic."""
    hit = scored.candidate.hits.get("title")
    if hit is None or hit.score < BAG - 0.1:
        return None
    name = hit.matched[0]
    how = "its title" if name == scored.entry.title else "a redirect to it"
    return Verdict(True, "title", f"{name!r} is the topic and {how}")


def verbatim(scored: Scored) -> Verdict | None:
    """A rare sequence of the question stands in the text word for word."""
    hit = scored.candidate.hits.get("phrase")
    strength = scored.features.get("phrase", 0.0)
    if hit is None or strength < _PHRASE_STRENGTH:
        return None
    if not scored.features["said"] or (is_misquote(hit) and strength < _LONG_MISQUOTE):
        return None
    if scored.features["functional"] and hit.matched[0].count(" ") < _FUNCTIONAL_QUOTE - 1:
        return None
    return Verdict(True, "phrase", f"the text holds {hit.matched[0]!r}")


def title_like(scored: Scored) -> Verdict | None:
    """A title makes up half of the question, and the whole is likely enough."""
    share = scored.features["title"]
    if share < _LIKE_SHARE or not _likely(scored):
        return None
    return Verdict(True, "title-like", f"its title covers {share:.0%} of the question")


def core_keywords(scored: Scored) -> Verdict | None:
    """The question's rare terms are what the article is about, and the whole is likely enough."""
    hit = scored.candidate.hits.get("core")
    if hit is None or len(hit.matched) < _CORE_TERMS or not _likely(scored):
        return None
    return Verdict(True, "core", f"core keywords {', '.join(hit.matched)}")


def near_verbatim(scored: Scored) -> Verdict | None:
    """One place holds most of the question and much of its wording."""
    window, trigrams = scored.features["window"], scored.features["trigrams"]
    if window < _NEAR_WINDOW or trigrams < _NEAR_TRIGRAMS or scored.features["functional"]:
        return None
    return Verdict(True, "body", f"one place of it covers {window:.0%} of the question, {trigrams:.0%} of its wording")


def together(scored: Scored) -> Verdict | None:
    """All content words stand within a few words of each other."""
    few = scored.features["terms"] < _TWO_TERMS or scored.features["functional"]
    if scored.features["close"] < _ALL or few:
        return None
    return Verdict(True, "body", "all words of the question stand together in it")


def covered(scored: Scored) -> Verdict | None:
    """The text covers the question well enough, taken together."""
    if not _likely(scored):
        return None
    return Verdict(True, "body", f"one place of it covers {scored.features['window']:.0%} of the question")


def _likely(scored: Scored) -> bool:
    """Likely enough, and not by its title alone: an article on the topic need not hold the fact that is asked."""
    title, window = scored.features["title"], scored.features["window"]
    title_alone = 0 < title < _TITLE_ALONE and window - title < _BEYOND_TITLE
    return probability(scored.features) >= ACCEPTED and not title_alone and not scored.features["functional"]


RULES: Sequence[Rule] = (exact_title, verbatim, title_like, core_keywords, near_verbatim, together, covered)


def judge(scored: Scored) -> Verdict:
    """The first rule's decision; a rejection says how far it is from being one."""
    for rule in RULES:
        if verdict := rule(scored):
            return verdict
    return Verdict(False, "", f"too unlikely: {probability(scored.features):.0%}, from {ACCEPTED:.0%} it would be")
