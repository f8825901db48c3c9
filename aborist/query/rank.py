"""Scores candidates from their stored text with the collection's statistics: our own BM25, at three granularities.

Everything is divided by the question's BM25 ceiling (sum of idf x (k1 + 1), bench/NOTES.md), so each
feature is between 0 and about 1, comparable across questions and archives, and depends on no shard. bench/NOTES.md
gives what each part brought on real data, and how little the weights matter near their defaults.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aborist.query.terms import Terms
from aborist.shard.read import Entry, Layout
from aborist.text import LEAD_TOKENS, fold, surfaces
from aborist.types import Candidate

__all__ = ["PassageScore", "Ranker", "Scored"]

_LEAD_CHARACTERS = 2_000  # in which the lead is looked for; longer words than twenty letters are no prose


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


_NO_KIN: Counter[str] = Counter()  # never filled


class _Match(NamedTuple):
    """A passage with the question's content stems in it: tf by stem (prefix included), how often their kin stand there,
    tf by exact form, its length in tokens, where in the text stems and kin stand, and the stems in the prefix."""

    number: int
    counts: Counter[str]
    kin: Counter[str]
    exact: Counter[str]
    length: int
    positions: list[tuple[int, str]]
    head: list[str]


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

    def score(
        self, candidate: Candidate, entry: Entry, layout: Layout, matching: Collection[int], terms: Terms
    ) -> Scored:
        """The candidate with its features. `matching` are the numbers of the passages whose text holds a content
        stem; only these are read."""
        matches = _Matches(entry, layout, matching, terms)
        passages = [self._passage(found, terms) for found in (*matches.read, *matches.unread)]
        passages.sort(key=lambda passage: (-passage.bm25, passage.number))
        ceiling = self._ceiling(terms.passage_idf, terms)
        best = [passage.bm25 for passage in passages[: len(self.soft)]]
        features = {
            "passages": sum(weight * bm25 for weight, bm25 in zip(self.soft, best, strict=False)) / ceiling,
            "exact": max((passage.exact for passage in passages), default=0.0) / ceiling,
            "article": self._article(matches, terms),
            "lead": self._lead(matches, terms),
            "title": title_share(candidate),
            "window": max((passage.window for passage in passages), default=0.0),
            "close": max((passage.close for passage in passages), default=0.0),
            "trigrams": matches.trigram_share(),
            "coverage": terms.weight((*matches.article, *matches.article_kin)),
            # For the gate alone: the more words fit, the surer; function words alone answer nothing.
            "terms": math.log1p(len(terms.content)),
            "functional": float(terms.functional),
        }
        weights = {"passages": 1.0, "exact": self.exact, "article": self.article, "lead": self.lead,
                   "title": self.title, "window": self.window, "trigrams": self.trigrams,
                   "coverage": self.coverage}  # fmt: skip
        score = sum(weight * features[name] for name, weight in weights.items())
        features["sum"] = score  # before the tiers: what the gate takes margins of
        return Scored(candidate, entry, score, ceiling, features, tuple(passages))

    def _passage(self, found: _Match, terms: Terms) -> PassageScore:
        relative = found.length / terms.collection.passages.mean
        return PassageScore(
            found.number,
            self._bm25(self._tf(found.counts, found.kin), terms.passage_idf, terms, relative, self.passage_b),
            self._bm25(found.exact, terms.passage_idf, terms, relative, self.passage_b),
            self._window(found.positions, found.head, terms, self.window_tokens),
            self._window(found.positions, (), terms, self.close_tokens) if found.positions else 0.0,
        )

    def _article(self, matches: _Matches, terms: Terms) -> float:
        relative = matches.entry.tokens / terms.collection.articles.mean
        counts = self._tf(matches.article, matches.article_kin)
        score = self._bm25(counts, terms.article_idf, terms, relative, self.article_b)
        return score / self._ceiling(terms.article_idf, terms)

    def _lead(self, matches: _Matches, terms: Terms) -> float:
        relative = matches.entry.lead_tokens / terms.collection.leads.mean
        counts = self._tf(matches.lead, matches.lead_kin)
        score = self._bm25(counts, terms.lead_idf, terms, relative, self.lead_b)
        return score / self._ceiling(terms.lead_idf, terms)

    def _tf(self, counts: Counter[str], kin: Counter[str]) -> Mapping[str, float]:
        """Term frequencies with those of the kin in their weight."""
        if not kin:
            return counts
        return {stem: counts[stem] + self.kin * kin[stem] for stem in counts | kin}

    def _bm25(
        self, counts: Mapping[str, float], idf: Mapping[str, float], terms: Terms, relative: float, b: float
    ) -> float:
        """Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), equation 3.15."""
        norm = self.k1 * (1 - b + b * relative)
        return sum(
            idf[stem] * counts[stem] * (self.k1 + 1) / (counts[stem] + norm) for stem in terms.content if stem in counts
        )

    def _ceiling(self, idf: Mapping[str, float], terms: Terms) -> float:
        return sum(idf[stem] for stem in terms.content) * (self.k1 + 1) or 1.0

    def _window(self, positions: Sequence[tuple[int, str]], head: Collection[str], terms: Terms, tokens: int) -> float:
        """The greatest idf share of content stems that stand within `tokens` of each other or in the prefix."""
        best, start, inside = terms.weight(head), 0, Counter(head)
        for end, (position, stem) in enumerate(positions):
            inside[stem] += 1
            while position - positions[start][0] >= tokens:
                left = positions[start][1]
                inside[left] -= 1
                start += 1
                if not inside[left]:
                    del inside[left]
            if end + 1 == len(positions) or positions[end + 1][0] - positions[start][0] >= tokens:
                best = max(best, terms.weight(inside))
        return best


def title_share(candidate: Candidate) -> float:
    """How much of the question a title or alias of the candidate covers, from the title routes."""
    shares = [candidate.hits[route].score for route in ("title", "title-like") if route in candidate.hits]
    return max(shares, default=0.0)


class _Matches:
    """Where the question's stems stand in one article. Only passages that hold one in their text are read."""

    def __init__(self, entry: Entry, layout: Layout, matching: Collection[int], terms: Terms) -> None:
        self.entry = entry
        self._layout = layout
        self._terms = terms
        self._content = frozenset(terms.content)
        self._asked = frozenset(terms.sequence)
        sequence = terms.sequence
        self._trigrams = {sequence[n : n + 3] for n in range(len(sequence) - 2)}
        self._seen: set[tuple[str, ...]] = set()
        self._heads = _Heads(entry.title, layout, terms)
        self.article = Counter(self._heads.title)
        self.lead = Counter(self._heads.title)
        self.article_kin: Counter[str] = Counter()
        self.lead_kin: Counter[str] = Counter()
        self.read = [self._look(number) for number in sorted(matching)]
        self.unread = self._shortest_unread(set(matching))

    def trigram_share(self) -> float:
        return len(self._seen) / len(self._trigrams) if self._trigrams else 0.0

    def _shortest_unread(self, matching: set[int]) -> list[_Match]:
        """Of the passages that match in their prefix alone, the first and each section's shortest. The others of a
        section score below it, so the best passage is exact; the second and third may be passed over."""
        lengths = self._layout.lengths
        shortest: dict[int, int] = {}
        for number, span in enumerate(self._layout.passages):
            if number in matching:
                continue
            best = shortest.setdefault(span.section, number)
            if lengths[number] < lengths[best]:
                shortest[span.section] = number
        chosen = set(shortest.values()) | ({0} - matching if lengths else set())
        found = []
        for number in sorted(chosen):
            head, length = self._heads.of(self._layout.passages[number].section)
            counts = Counter(head)
            found.append(_Match(number, counts, _NO_KIN, counts, lengths[number] + length, [], head))
        return found

    def _look(self, number: int) -> _Match:
        span = self._layout.passages[number]
        stems, exact = self._words(self._layout.document.text[span.start : span.end])
        hits = [n for n, stem in enumerate(stems) if stem in self._asked]
        positions = [(n, stems[n]) for n in hits if stems[n] in self._content]
        if self._terms.compounds:
            positions = sorted(positions + self._parts(stems))
        counts = Counter([stem for _, stem in positions])
        forms = self._terms.exact
        exactly = Counter([stem for n, stem in positions if fold(exact[n]) in forms[stem]])
        self._note_trigrams(stems, hits)
        self.article.update(counts)
        before = sum(self._layout.lengths[:number]) if span.start < _LEAD_CHARACTERS else LEAD_TOKENS
        if before < LEAD_TOKENS:
            self.lead.update([stem for n, stem in positions if before + n < LEAD_TOKENS])
        kin = _NO_KIN
        if akin := self._akin(stems):
            kin = self._note_kin(akin, LEAD_TOKENS - before)
            positions = sorted(positions + akin)
        head, length = self._heads.of(span.section)
        counts.update(head)
        exactly.update(head)
        return _Match(number, counts, kin, exactly, len(stems) + length, positions, head)

    def _note_kin(self, akin: list[tuple[int, str]], lead: int) -> Counter[str]:
        kin = Counter([stem for _, stem in akin])
        self.article_kin.update(kin)
        self.lead_kin.update([stem for n, stem in akin if n < lead])
        return kin

    def _akin(self, stems: list[str]) -> list[tuple[int, str]]:
        """Where a word stands that is derived as one that was asked is, and the stem of that."""
        kin = self._terms.kin
        return [(n, kin[stem]) for n, stem in enumerate(stems) if stem in kin] if kin else []

    def _parts(self, stems: list[str]) -> list[tuple[int, str]]:
        """Where a joined word (Eastasia) stands for the two that were asked (east asia)."""
        compounds = self._terms.compounds
        return [
            (n, part)
            for n, stem in enumerate(stems) if stem in compounds
            for part in compounds[stem] if part in self._content
        ]  # fmt: skip

    def _words(self, text: str) -> tuple[list[str], list[str]]:
        """The stems of a text and, in step with them, what their exact forms are folded from."""
        found = surfaces(text)
        stems = list(map(self._terms.collection.analyzer.__getitem__, found))
        if len(" ".join(stems).split()) == len(stems):
            return stems, found
        flat = [stem for group in stems for stem in group.split()]
        return flat, [form for surface in found for form in fold(surface).split()]

    def _note_trigrams(self, stems: list[str], hits: list[int]) -> None:
        for n in hits:
            trigram = tuple(stems[n : n + 3])
            if trigram in self._trigrams:
                self._seen.add(trigram)


class _Heads:
    """The content stems in each section's prefix "Title - Section", and the prefix's length in tokens."""

    def __init__(self, title: str, layout: Layout, terms: Terms) -> None:
        self._layout = layout
        self._analyzer = terms.collection.analyzer
        self._content = frozenset(terms.content)
        words = self._analyzer.stems(title).split()
        self.title = [stem for stem in words if stem in self._content]
        self._title_length = len(words)
        self._known: dict[int, tuple[list[str], int]] = {}

    def of(self, section: int) -> tuple[list[str], int]:
        if section not in self._known:
            words = self._analyzer.stems(" ".join(self._layout.document.sections[section].heading)).split()
            found = self.title + [stem for stem in words if stem in self._content]
            self._known[section] = found, self._title_length + len(words)
        return self._known[section]
