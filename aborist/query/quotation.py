"""What an article puts in quotation marks, and how much of a question that echoes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aborist.query.rank import Scored
from aborist.query.terms import Terms, phrase_stems
from aborist.query.tiers import longest_run
from aborist.shard.read import Layout
from aborist.text import function_words, surfaces
from aborist.types import Question

__all__ = ["Echo", "echoes", "spoken"]

# A pair of marks and what they hold: bounded, so that marks which never close cost no more than their number. Single
# marks are apostrophes too often to tell.
_LONGEST = 600  # characters
_PAIRS = (('"', '"'), ("“", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("»", "«"))
_QUOTED = re.compile("|".join(f"{first}([^{first}{last}]{{1,{_LONGEST}}}){last}" for first, last in _PAIRS))
_PASSAGES = 24  # of an article, in which quotations are looked for: the best, and those a route points at
_MARKED_SHARE = 0.5  # of a question, in quotation marks, that makes a quotation of it
_NAME = 2  # words from which capitals throughout make a quotation a title


@dataclass(frozen=True, slots=True)
class Echo:
    """A quotation of the article held against what was asked.

    `run`: words of the longest stretch of the question in it; `share`: that of all words asked; `held`: the share of
    the quotation's own words that were asked; `said`: the share of the question's idf in it; `whole`: it is what was
    asked, no more and no less; `titled`: it is written like a title ("Man of La Mancha").
    """

    text: str
    run: tuple[str, ...]
    words: int
    share: float
    held: float
    said: float
    whole: bool
    titled: bool


def spoken(question: Question, terms: Terms) -> Sequence[str]:
    """The stems that are asked about as words: what a frame such as "who said X" leaves, or what stands in quotation
    marks if that is most of the question. Empty where it asks about things."""
    stems = phrase_stems(question.saying or " ".join(question.quotes), terms.collection.analyzer)
    return stems if question.saying or len(stems) >= _MARKED_SHARE * len(terms.sequence) else ()


def echoes(question: Question, scored: Scored, layout: Layout, terms: Terms) -> list[Echo]:
    """The article's quotations, in the passages where the question's words stand."""
    asked = spoken(question, terms) or terms.sequence
    if not asked:
        return []  # a sign alone, without a word
    return [
        _echo(text, stems, asked, terms)
        for block in _blocks(scored, layout)
        for text in _quotations(block)
        if (stems := phrase_stems(text, terms.collection.analyzer))
    ]


def _echo(text: str, stems: Sequence[str], asked: Sequence[str], terms: Terms) -> Echo:
    run = longest_run(terms, text)
    known = frozenset(asked)
    return Echo(
        text=text,
        run=run,
        words=len(stems),
        share=min(1.0, len(run) / len(asked)),
        held=sum(stem in known for stem in stems) / len(stems),
        said=terms.weight(stems),
        whole=list(stems) == list(asked),
        titled=_titled(text, terms.collection.analyzer.language),
    )


def _titled(text: str, language: str) -> bool:
    """Whether every word that is no function word has a capital, as titles in English do."""
    telling = [word for word in surfaces(text) if word.casefold() not in function_words(language)]
    return len(telling) >= _NAME and all(word[0].isupper() or word[0].isdigit() for word in telling)


def _quotations(block: str) -> Iterator[str]:
    for match in _QUOTED.finditer(block):
        yield next(filter(None, match.groups()))


def _blocks(scored: Scored, layout: Layout) -> Iterable[str]:
    """The whole blocks in which those passages lie, so that no pair of marks is torn; each once."""
    text = layout.document.text
    phrase = scored.candidate.hits.get("phrase")
    numbers = [*(phrase.passages if phrase else ()), *(passage.number for passage in scored.passages)]
    spans = [layout.passages[number] for number in numbers[:_PASSAGES] if number < len(layout.passages)]
    bounds = {
        (text.rfind("\n", 0, span.start) + 1, end if (end := text.find("\n", span.end)) >= 0 else len(text))
        for span in spans
    }
    return [text[start:end] for start, end in sorted(bounds)]
