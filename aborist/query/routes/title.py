"""Exact titles and redirects of the topic, the spoken form first.

An exact title comes before any ranking. A name is looked up by its key (folded, without blanks and
punctuation) and by its bag of stems, which finds inverted names and inflected forms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from aborist.query.routes.route import Probe
from aborist.query.terms import Terms
from aborist.shard.read import Shard
from aborist.text import fold, title_bag, title_key
from aborist.types import Hit, Question, Ref

__all__ = ["BAG", "Title"]

# How exactly a name matches, as a score. Only the order matters, and that KEY and above may rank by itself.
SAME, CASE, FOLDED, KEY, BAG = 1.0, 0.95, 0.9, 0.85, 0.7
_LATER_TOPIC = 0.01  # taken off for each spelling of the topic that is less likely


class _Name(NamedTuple):
    topic: str
    order: int
    key: str
    bag: str


@dataclass(frozen=True)
class Title:
    limit: int = 30

    def prepare(self, question: Question, terms: Terms) -> Probe:
        analyzer = terms.collection.analyzer
        names = [
            _Name(topic, order, title_key(topic), title_bag(analyzer.stems(topic)))
            for order, topic in enumerate(question.topics)
        ]

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            for name in names:
                for article, title, anchor, key in shard.rows(_BY_NAME, {"key": name.key, "bag": name.bag}):
                    if key != name.key and (not name.bag or _signs(key) != _signs(name.key)):
                        continue
                    score = _exactness(name, title, key) - _LATER_TOPIC * name.order
                    yield Hit(Ref(number, article), score, matched=(title,), anchor=anchor or "")

        return probe


# Each half is bounded before they meet: an article may have 100,000 redirects of one name.
_BY_NAME = (
    "SELECT * FROM (SELECT article, title, anchor, key FROM alias WHERE key = :key LIMIT 200)"
    " UNION SELECT * FROM (SELECT article, title, anchor, key FROM alias WHERE bag = :bag AND :bag <> '' LIMIT 200)"
)


def _signs(key: str) -> set[str]:
    """The signs that tell titles apart (C#, C++), which no stem carries."""
    return {letter for letter in key if not letter.isalnum()}


def _exactness(name: _Name, title: str, key: str) -> float:
    if title == name.topic:
        return SAME
    if title.casefold() == name.topic.casefold():
        return CASE
    if key == name.key:
        return FOLDED if fold(title) == fold(name.topic) else KEY
    return BAG
