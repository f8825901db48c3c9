"""Scores candidates from their stored text with the collection's statistics: our own BM25, at three granularities.

Everything is divided by the question's BM25 ceiling (sum of idf x (k1 + 1), bench/NOTES.md), so each
feature is between 0 and about 1, comparable across questions and archives, and depends on no shard. bench/NOTES.md
gives what each part brought on real data, and how little the weights matter near their defaults.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from aborist.query.matches import Counts, Flags, Matches, Read
from aborist.query.terms import Terms
from aborist.shard.read import Entry
from aborist.types import Candidate

__all__ = ["PassageScore", "Ranker", "Scored"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PassageScore:
    """One passage of a candidate: its number, BM25 over stems and over exact forms, and the greatest
    idf share that stands together in it (`Ranker.window_tokens`, `Ranker.close_tokens`)."""

    number: int
    bm25: float
    exact: float
    window: float
    close: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its features (each about 0..1), their weighted sum, and its passages, best first."""

    candidate: Candidate
    entry: Entry
    score: float
    ceiling: float  # of passage BM25: what a passage with every content stem infinitely often would score
    features: Mapping[str, float]
    passages: tuple[PassageScore, ...]


@dataclass(frozen=True)
class Ranker:
    """Weights and BM25 parameters; see bench/NOTES.md for what each brings."""

    k1: float = 1.2
    passage_b: float = 0.75
    article_b: float = 0.3
    lead_b: float = 0.3
    soft: tuple[float, ...] = (1.0, 0.5, 0.5)
    article: float = 0.5
    lead: float = 0.3
    exact: float = 0.5
    title: float = 0.6
    window: float = 0.3
    trigrams: float = 0.3
    coverage: float = 0.3
    kin: float = 0.5  # of an occurrence, for a word derived as the one asked is (Terms.kin); 1 is no better: NOTES.md
    window_tokens: int = 50
    close_tokens: int = 10  # words that stand so near each other speak of one thing; for the rules of acceptance

    def scores(self, found: Sequence[Read], terms: Terms) -> list[Scored]:
        """The candidates, all of the terms' collection, with their features, in the order given."""
        if not found:
            return []
        matches = Matches.of(found, terms)
        shares = np.array([terms.weight((stem,)) for stem in terms.content])
        passages = self._passages(matches, terms, shares)
        columns = {
            "article": self._articles(found, matches, terms),
            "lead": self._leads(found, matches, terms),
            "coverage": _held((matches.article > 0) | (matches.article_kin > 0), shares),
            "trigrams": matches.trigrams / max(1, len(terms.trigrams)),
        }
        return [
            self._scored(read, passages[n], {name: float(column[n]) for name, column in columns.items()}, terms)
            for n, read in enumerate(found)
        ]

    def _scored(self, read: Read, passages: Sequence[PassageScore], own: Mapping[str, float], terms: Terms) -> Scored:
        ceiling = self._ceiling(terms.passage_idf, terms)
        best = [passage.bm25 for passage in passages[: len(self.soft)]]
        features = {
            "passages": sum(weight * bm25 for weight, bm25 in zip(self.soft, best, strict=False)) / ceiling,
            "exact": max((passage.exact for passage in passages), default=0.0) / ceiling,
            "article": own["article"],
            "lead": own["lead"],
            "title": title_share(read.candidate),
            "window": max((passage.window for passage in passages), default=0.0),
            "close": max((passage.close for passage in passages), default=0.0),
            "trigrams": own["trigrams"],
            "coverage": own["coverage"],
            # For the gate alone: the more words fit, the surer; function words alone answer nothing.
            "terms": math.log1p(len(terms.content)),
            "functional": float(terms.functional),
        }
        weights = {"passages": 1.0, "exact": self.exact, "article": self.article, "lead": self.lead,
                   "title": self.title, "window": self.window, "trigrams": self.trigrams,
                   "coverage": self.coverage}  # fmt: skip
        score = sum(weight * features[name] for name, weight in weights.items())
        features["sum"] = score  # before the tiers: what the gate takes margins of
        return Scored(read.candidate, read.entry, score, ceiling, features, tuple(passages))

    def _passages(self, matches: Matches, terms: Terms, shares: Floats) -> list[list[PassageScore]]:
        """Each candidate's passages, best first."""
        bm25 = partial(self._bm25, idf=_array(terms.passage_idf, terms), b=self.passage_b)
        relative = matches.lengths / terms.collection.passages.mean
        columns = (
            matches.numbers,
            bm25(matches.head + matches.body + self.kin * matches.kin, relative=relative),
            bm25(matches.head + matches.exact, relative=relative),
            self._windows(matches, matches.head > 0, shares, self.window_tokens),
            self._windows(matches, np.zeros_like(matches.head, np.bool_), shares, self.close_tokens),
        )
        found: list[list[PassageScore]] = [[] for _ in range(len(matches.article))]
        for owner, row in zip(matches.owners.tolist(), zip(*(c.tolist() for c in columns), strict=True), strict=True):
            found[owner].append(PassageScore(*row))
        for passages in found:
            passages.sort(key=lambda passage: (-passage.bm25, passage.number))
        return found

    def _articles(self, found: Sequence[Read], matches: Matches, terms: Terms) -> Floats:
        relative = np.array([read.entry.tokens for read in found]) / terms.collection.articles.mean
        counts = matches.article + self.kin * matches.article_kin
        idf = terms.article_idf
        return self._bm25(counts, relative, _array(idf, terms), self.article_b) / self._ceiling(idf, terms)

    def _leads(self, found: Sequence[Read], matches: Matches, terms: Terms) -> Floats:
        relative = np.array([read.entry.lead_tokens for read in found]) / terms.collection.leads.mean
        counts = matches.lead + self.kin * matches.lead_kin
        idf = terms.lead_idf
        return self._bm25(counts, relative, _array(idf, terms), self.lead_b) / self._ceiling(idf, terms)

    def _bm25(self, counts: Counts, relative: Floats, idf: Floats, b: float) -> Floats:
        """Of each row. Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), equation 3.15."""
        norm = self.k1 * (1 - b + b * relative)
        weighted: Floats = (idf * counts * (self.k1 + 1) / (counts + norm[:, None])).sum(axis=1)
        return weighted

    def _ceiling(self, idf: Mapping[str, float], terms: Terms) -> float:
        return sum(idf[stem] for stem in terms.content) * (self.k1 + 1) or 1.0

    def _windows(self, matches: Matches, head: Flags, shares: Floats, tokens: int) -> Floats:
        """Of each row, the greatest idf share of stems that stand within `tokens` of each other or in the prefix."""
        best = _held(head, shares)
        rows, seen = matches.within(tokens)
        np.maximum.at(best, rows, _held(seen | head[rows], shares))
        return best


def _array(idf: Mapping[str, float], terms: Terms) -> Floats:
    return np.array([idf[stem] for stem in terms.content])


def _held(held: Flags, shares: Floats) -> Floats:
    """The share of each row, rounded so that equal sets are equal, and all of it is 1."""
    return np.asarray(np.round((held * shares).sum(axis=1), 12))


def title_share(candidate: Candidate) -> float:
    """How much of the question a title or alias of the candidate covers, from the title routes."""
    shares = [candidate.hits[route].score for route in ("title", "title-like") if route in candidate.hits]
    return max(shares, default=0.0)
