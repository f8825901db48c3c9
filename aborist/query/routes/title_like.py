"""Titles inside the question and titles that contain the topic.

A title or redirect that is a stretch of the question scores the share of the question's idf it covers (bench/NOTES.md:
best by idf beats longest, and a stretch of half the idf is right 73 to 100 % of the time); one stray word therefore
scores little. A title that contains all of the topic's words scores by how much else it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aborist.query.routes.route import Probe
from aborist.query.terms import Terms
from aborist.shard.read import Shard
from aborist.text import match_phrase, title_bag, title_key
from aborist.types import Hit, Question, Ref

__all__ = ["CONTAINING", "TitleLike"]

CONTAINING = 0.5  # least score of a title that contains all of the topic's words

_LONGEST_SPAN = 10  # words of a title looked up inside a question
_MOST_WORDS = 40  # of a question: beyond them spans would cost more than they find
_LONGEST_RUN = 8  # characters of a title looked up inside a run of Han or kana
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
# What is asked about facts, not about a thing: "why is the sky blue" does not ask for Blue Sky Mine.
_OF_FACTS = ("why", "when", "how many")
_FETCHED = 200  # titles that contain the topic, per shard
_MOST_NAMES = 4_000  # names by key, and by bag, that are looked at in a shard
_MOST_RUN = 200  # characters of a run without blanks in which titles are looked for


@dataclass(frozen=True)
class TitleLike:
    limit: int = 60

    def prepare(self, question: Question, terms: Terms) -> Probe:
        by_key: dict[str, float] = {}
        by_bag: dict[str, float] = {}
        for (key, bag), share in _spans(question, terms):
            by_key[key] = max(share, by_key.get(key, 0.0))
            if bag:
                by_bag[bag] = max(share, by_bag.get(bag, 0.0))
        names: dict[str, object] = {"keys": json.dumps(list(by_key)), "bags": json.dumps(list(by_bag))}
        topic = terms.content
        containing = " AND ".join(match_phrase((stem,)) for stem in topic[:_LONGEST_SPAN])
        whole = set(topic)
        if question.asks in _OF_FACTS:
            containing = ""

        def probe(shard: Shard, number: int) -> Iterable[Hit]:
            for article, title, anchor, key, bag in shard.rows(_BY_SPAN, names):
                share = max(by_key.get(key, 0.0), by_bag.get(bag, 0.0))
                yield Hit(Ref(number, article), share, matched=(title,), anchor=anchor or "")
            if containing:
                for article, title, anchor, bag in shard.rows(_CONTAINING, {"topic": containing, "most": _FETCHED}):
                    said = len(whole) / max(len(whole), len(bag.split()))
                    # One word is part of many titles, and of most it is not the subject.
                    score = CONTAINING + (1 - CONTAINING) * said if len(whole) > 1 else CONTAINING * said
                    yield Hit(Ref(number, article), score, matched=(title,), anchor=anchor or "")

        return probe


_BY_SPAN = (
    "SELECT * FROM (SELECT article, title, anchor, key, bag FROM alias"
    f" WHERE key IN (SELECT value FROM json_each(:keys)) LIMIT {_MOST_NAMES})"
    " UNION SELECT * FROM (SELECT article, title, anchor, key, bag FROM alias"
    f" WHERE bag IN (SELECT value FROM json_each(:bags)) LIMIT {_MOST_NAMES})"
)
_CONTAINING = (
    "SELECT article, title, anchor, bag FROM alias WHERE id IN"
    " (SELECT rowid FROM title_word WHERE title_word MATCH :topic LIMIT :most)"
)


def _spans(question: Question, terms: Terms) -> Iterator[tuple[tuple[str, str], float]]:
    """((key, bag), share of the content idf) of each stretch of words that holds a content word."""
    words = question.words[:_MOST_WORDS]
    stems: dict[int, list[str]] = {}
    for word, stem in zip(terms.words, terms.sequence, strict=True):
        stems.setdefault(word, []).append(stem)
    for first in range(len(words)):
        for last in range(first + 1, min(first + _LONGEST_SPAN, len(words)) + 1):
            chosen = [stem for n in range(first, last) for stem in stems.get(n, ())]
            share = terms.weight(chosen)
            if share > 0:
                text = question.text[words[first].start : words[last - 1].end]
                yield (title_key(text), title_bag(" ".join(chosen))), share
        if _UNSPACED.search(run := question.text[words[first].start : words[first].end]):
            yield from _run_spans(run, terms)


def _run_spans(run: str, terms: Terms) -> Iterator[tuple[tuple[str, str], float]]:
    """The same inside a run without blanks, where any stretch of characters may be a title."""
    analyzer = terms.collection.analyzer
    run = run[:_MOST_RUN]
    for first in range(len(run)):
        for last in range(first + 2, min(first + _LONGEST_RUN, len(run)) + 1):
            if share := terms.weight(analyzer.stems(run[first:last]).split()):
                yield (title_key(run[first:last]), ""), share
