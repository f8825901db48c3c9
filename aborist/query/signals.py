"""What a candidate's text says of the whole question, for the gate: coverage in one place, what is missing, margins.

Each signal is a plain number, lexical or structural. bench/NOTES.md has what each of them brings; `bench.gate` fits the
weights. Change a signal's meaning and `SIGNALS_VERSION` goes up: a model fitted on other signals is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aborist.query.rank import Scored
from aborist.query.sorts import SORTS, suits
from aborist.query.terms import Terms
from aborist.sentence import sentences
from aborist.shard.read import Layout
from aborist.types import Question

__all__ = ["RIVALS", "SIGNALS", "SIGNALS_VERSION", "compared", "signals"]

SIGNALS_VERSION = 1
RIVALS = 10  # articles, best first, that a margin is taken against, however few are listed
_PASSAGES = 3  # looked into by BM25, and the one with the widest window
_MARGIN_SCALE = 10.0  # a tenth of the ceiling is a clear lead; more of it says less and less
_SHOUTED = 0.7  # of a question's words with a capital: a title or capitals throughout, so no names
_MOST_CORE = 4
_SHORTEST_ROOT, _ROOT = 4, 0.65  # letters, and share of a stem, with which a related word begins alike

# From the text alone, then from the comparison with other articles; beside them the ranker's own features.
SIGNALS = (
    "held", "akin", "sentence", "pairs", "surprise", "unknown", "names_missing", "numbers_missing", "unsuited", "core",
    "words", "length", "quoted", "unknown_names", "margin", "sentence_margin", "peers",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Place:
    """One passage: which content stems it holds (title and headings included), which its own text, its stems."""

    held: frozenset[str]
    said: frozenset[str]
    stems: tuple[str, ...]
    text: str
    bm25: float


def signals(question: Question, scored: Scored, layout: Layout, terms: Terms) -> dict[str, float]:
    """The signals of one article, without those that compare it with others.

    - held: idf share of the question in its best passage, title and headings included; akin: the same, a word also
      counted where the passage has one that begins like it; sentence: in its best sentence and the title
    - pairs: share of neighbouring words of the question that are neighbours in that passage
    - surprise: idf held over ln(passages): from 1 on, so many words meet in one passage hardly ever by chance
    - unknown: idf share of the words that stand nowhere in the index
    - names_missing, numbers_missing: ln(1 + capitalised words, numbers that are not held)
    - unsuited: the passage lacks the sort of thing asked for; core: keywords matched
    - words: ln(1 + words asked); length: ln(1 + passages of the article)
    - for the rules, not the model: quoted: the question quotes, by its marks or its frame; unknown_names: idf share of
      the capitalised words that stand nowhere in the index
    """
    content = frozenset(terms.content)
    title = content.intersection(terms.collection.analyzer.stems(scored.entry.title).split())
    places = [_place(number, bm25, title, layout, terms) for number, bm25 in _numbers(scored)]
    best = max(places, key=lambda place: (terms.weight(place.held), place.bm25), default=None)
    best = best or _Place(title, frozenset(), (), "", 0.0)
    idf = terms.passage_idf
    core, names = scored.candidate.hits.get("core"), _names(question, terms)
    return {
        "held": terms.weight(best.held),
        "akin": terms.weight(best.held.union(_akin(content - best.held, best.stems))),
        "sentence": _best_sentence(places, title, terms),
        "pairs": _pairs(terms, best.stems),
        "surprise": math.fsum(idf[stem] for stem in best.held) / math.log(2 + terms.collection.passages.count),
        "unknown": terms.weight(stem for stem in content if not terms.frequency(stem).passages),
        "names_missing": math.log1p(len(names - best.held)),
        "numbers_missing": math.log1p(sum(any(map(str.isdigit, stem)) for stem in content - best.held)),
        "unsuited": float(question.asks in SORTS and not suits(question.asks, best.text)),
        "core": min(_MOST_CORE, len(core.matched)) / _MOST_CORE if core else 0.0,
        "words": math.log1p(len(question.words)),
        "length": math.log1p(len(layout.passages)),
        "unknown_names": terms.weight(stem for stem in names if not terms.frequency(stem).passages),
        "quoted": float(bool(question.quotes or question.saying)),
    }


def compared(features: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """The articles' features, best first, with how far each is ahead of the best other one of the first RIVALS:
    margin (of the score without tiers, ln(1 + 10 x), 0 if behind) and sentence_margin; and peers, ln(1 + others that
    hold as much). One without a rival is ahead by all it has: a chance word in a small archive is no clear lead."""
    found = []
    for place, own in enumerate(features):
        others = [other for n, other in enumerate(features[:RIVALS]) if n != place]
        ahead = own["sum"] - max((other["sum"] for other in others), default=0.0)
        sentence = own["sentence"] - max((other["sentence"] for other in others), default=0.0)
        margin = math.log1p(_MARGIN_SCALE * max(0.0, ahead))
        peers = math.log1p(sum(other["held"] >= own["held"] for other in others))
        found.append({**own, "margin": margin, "sentence_margin": sentence, "peers": peers})
    return found


def _numbers(scored: Scored) -> list[tuple[int, float]]:
    """The passages that are looked into: number, and BM25 over its ceiling."""
    chosen = list(scored.passages[:_PASSAGES])
    if scored.passages:
        widest = max(scored.passages, key=lambda passage: (passage.window, passage.bm25, -passage.number))
        chosen += [widest] if widest not in chosen else []
    return [(passage.number, passage.bm25 / scored.ceiling) for passage in chosen]


def _place(number: int, bm25: float, title: frozenset[str], layout: Layout, terms: Terms) -> _Place:
    span, analyzer = layout.passages[number], terms.collection.analyzer
    text = layout.document.text[span.start : span.end]
    stems = tuple(analyzer.stems(text).split())
    heading = " ".join(layout.document.sections[span.section].heading)
    content = frozenset(terms.content)
    said = content.intersection(_parts(stems, terms))
    return _Place(said | title | content.intersection(analyzer.stems(heading).split()), said, stems, text, bm25)


def _parts(stems: Sequence[str], terms: Terms) -> set[str]:
    """The stems, and the parts of joined words (Eastasia) that were asked apart."""
    compounds = terms.compounds
    return {*stems, *(part for stem in stems if stem in compounds for part in compounds[stem])}


def _best_sentence(places: Sequence[_Place], title: frozenset[str], terms: Terms) -> float:
    """The greatest idf share that one sentence and the title hold; no sentence holds more than its passage."""
    stems, best = terms.collection.analyzer.stems, 0.0
    for place in sorted(places, key=lambda place: -terms.weight(place.held)):
        if terms.weight(place.held) <= best:
            break
        for start, end in sentences(place.text):
            best = max(best, terms.weight(title | _parts(stems(place.text[start:end]).split(), terms)))
    return best


def _akin(wanted: Iterable[str], stems: Sequence[str]) -> Iterator[str]:
    """Those of the wanted stems that begin like some stem of the passage (defens, defend)."""
    heads = {stem[:length] for stem in stems for length in range(_SHORTEST_ROOT, len(stem) + 1)}
    for stem in wanted:
        root = stem[: max(_SHORTEST_ROOT, math.ceil(_ROOT * len(stem)))]
        if root in heads and not root.isdigit():
            yield stem


def _pairs(terms: Terms, stems: Sequence[str]) -> float:
    content = frozenset(terms.content)
    asked = {pair for pair in pairwise(terms.sequence) if not content.isdisjoint(pair)}
    return len(asked.intersection(pairwise(stems))) / len(asked) if asked else 0.0


def _names(question: Question, terms: Terms) -> frozenset[str]:
    """Content stems of words with a capital that are not the first; none where most words have one, or all nouns."""
    if terms.collection.analyzer.language == "deu":
        return frozenset()
    capital = {n for n, word in enumerate(question.words) if question.text[word.start].isupper()}
    if len(capital) > _SHOUTED * len(question.words):
        return frozenset()
    stems = (stem for n, stem in zip(terms.words, terms.sequence, strict=True) if n and n in capital)
    return frozenset(terms.content).intersection(stems)
