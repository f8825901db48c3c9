"""Scores candidates from their stored text with the collection's statistics: our own BM25, at three granularities.

Everything is divided by the question's BM25 ceiling (sum of idf x (k1 + 1), REFERENCES.md section 2), so scores are
between 0 and about 1 and comparable across questions and archives; they depend on no shard. QUALITY.md gives what
each part brought on real data; the weights below are its fixed ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aborist.query.routes.phrase import SHORT_SCORE, WHOLE_SCORE
from aborist.query.terms import Terms
from aborist.shard.read import Entry, Layout
from aborist.text import fold, surfaces
from aborist.types import Candidate, Hit, Kind, Question

__all__ = ["PassageScore", "Ranker", "Scored", "tiered"]


@dataclass(frozen=True, slots=True)
class PassageScore:
    """One passage of a candidate: its number, BM25 over stems and over exact forms, the idf share it covers."""

    number: int
    bm25: float
    exact: float
    coverage: float
    window: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its features (each about 0..1), their weighted sum, and its passages, best first."""

    candidate: Candidate
    entry: Entry
    score: float
    features: Mapping[str, float]
    passages: tuple[PassageScore, ...]


@dataclass(frozen=True)
class Ranker:
    """Weights and BM25 parameters; the defaults are QUALITY.md's (macro hit@1 .746 on enwiki_medium dev there)."""

    k1: float = 1.2
    passage_b: float = 0.75
    article_b: float = 0.3
    lead_b: float = 0.3
    soft: tuple[float, ...] = (1.0, 0.5, 0.5)
    article: float = 0.5
    lead: float = 0.3
    exact: float = 0.5
    title: float = 0.4
    window: float = 0.3
    trigrams: float = 0.3
    coverage: float = 0.3
    window_tokens: int = 50
    # Tiers above all: an exact topic, a verbatim saying. Added to the sum, so that what is inside a tier stays ordered.
    exact_title_tier: float = 4.0
    phrase_tier: float = 2.0
    misquote_tier: float = 1.0
    rare_sequence: int = 10  # articles that may hold a window for it to count
    # Pages that hold no knowledge of their own stand behind what does.
    demoted: float = 0.5

    def score(self, candidate: Candidate, entry: Entry, layout: Layout, terms: Terms) -> Scored:
        """The candidate with its features; O(length of the article)."""
        matches = _Matches(entry, layout, terms)
        passages = sorted(self._passages(matches, terms), key=lambda passage: (-passage.bm25, passage.number))
        ceiling = self._ceiling(terms.passage_idf, terms)
        found = [passage for passage in passages if passage.bm25 > 0]
        features = {
            "passages": sum(w * p.bm25 for w, p in zip(self.soft, found, strict=False)) / ceiling,
            "exact": max((passage.exact for passage in passages), default=0.0) / ceiling,
            "article": self._article(matches, terms),
            "lead": self._lead(matches, terms),
            "title": title_share(candidate),
            "window": max((passage.window for passage in passages), default=0.0),
            "trigrams": matches.trigram_share(),
            "coverage": terms.weight(matches.article),
        }
        weights = {"passages": 1.0, "exact": self.exact, "article": self.article, "lead": self.lead,
                   "title": self.title, "window": self.window, "trigrams": self.trigrams,
                   "coverage": self.coverage}  # fmt: skip
        score = sum(weights[name] * value for name, value in features.items())
        return Scored(candidate, entry, score, features, tuple(passages))

    def phrase_gain(self, phrase: Hit, terms: Terms, holders: Mapping[str, int]) -> tuple[float, float]:
        """(the feature `phrase`, what it adds to the score) of a phrase hit."""
        if phrase.score >= WHOLE_SCORE:
            return 1.0, self.phrase_tier
        rare = [sequence for sequence in phrase.matched if holders.get(sequence, 0) <= self.rare_sequence]
        if not rare:
            return 0.0, 0.0
        if phrase.score < SHORT_SCORE:
            return 0.5, self.misquote_tier
        stems = terms.collection.analyzer.stems(" ".join(rare)).split()
        return 0.9, self.phrase_tier * terms.weight(stems)

    def _passages(self, matches: _Matches, terms: Terms) -> Iterator[PassageScore]:
        mean = terms.collection.passages.mean
        for number, (counts, exact, length, positions) in enumerate(matches.passages()):
            bm25 = self._bm25(counts, terms.passage_idf, terms, length / mean, self.passage_b)
            if not counts:
                yield PassageScore(number, 0.0, 0.0, 0.0, 0.0)
                continue
            yield PassageScore(
                number,
                bm25,
                self._bm25(exact, terms.passage_idf, terms, length / mean, self.passage_b),
                terms.weight(counts),
                self._window(positions, terms),
            )

    def _article(self, matches: _Matches, terms: Terms) -> float:
        relative = matches.entry.tokens / terms.collection.articles.mean
        score = self._bm25(matches.article, terms.article_idf, terms, relative, self.article_b)
        return score / self._ceiling(terms.article_idf, terms)

    def _lead(self, matches: _Matches, terms: Terms) -> float:
        relative = matches.entry.lead_tokens / terms.collection.leads.mean
        score = self._bm25(matches.lead, terms.lead_idf, terms, relative, self.lead_b)
        return score / self._ceiling(terms.lead_idf, terms)

    def _bm25(
        self, counts: Mapping[str, int], idf: Mapping[str, float], terms: Terms, relative: float, b: float
    ) -> float:
        """Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), equation 3.15."""
        norm = self.k1 * (1 - b + b * relative)
        return sum(
            idf[stem] * counts[stem] * (self.k1 + 1) / (counts[stem] + norm) for stem in terms.content if stem in counts
        )

    def _ceiling(self, idf: Mapping[str, float], terms: Terms) -> float:
        return sum(idf[stem] for stem in terms.content) * (self.k1 + 1) or 1.0

    def _window(self, positions: Sequence[tuple[int, str]], terms: Terms) -> float:
        """The greatest idf share of content stems that stand within `window_tokens` of each other."""
        best, start, inside = 0.0, 0, Counter[str]()
        for end, (position, stem) in enumerate(positions):
            inside[stem] += 1
            while position - positions[start][0] >= self.window_tokens:
                left = positions[start][1]
                inside[left] -= 1
                start += 1
                if not inside[left]:
                    del inside[left]
            if end + 1 == len(positions) or positions[end + 1][0] - positions[start][0] >= self.window_tokens:
                best = max(best, terms.weight(inside))
        return best


def title_share(candidate: Candidate) -> float:
    """How much of the question a title or alias of the candidate covers, from the title routes."""
    shares = [candidate.hits[route].score for route in ("title", "title-like") if route in candidate.hits]
    return max(shares, default=0.0)


class _Matches:
    """Where the question's stems stand in one article."""

    def __init__(self, entry: Entry, layout: Layout, terms: Terms) -> None:
        self.entry = entry
        self._layout = layout
        self._terms = terms
        self._content = frozenset(terms.content)
        self._asked = frozenset(terms.sequence)
        sequence = terms.sequence
        self._trigrams = {sequence[n : n + 3] for n in range(len(sequence) - 2)}
        self._seen: set[tuple[str, ...]] = set()
        analyzer = terms.collection.analyzer
        title = analyzer.stems(entry.title).split()
        self._heads = [
            title + analyzer.stems(" ".join(section.heading)).split() for section in layout.document.sections
        ]
        self.article = Counter(stem for stem in title if stem in self._content)
        self.lead = Counter(self.article)
        self._per_passage = list(self._look())

    def passages(self) -> list[tuple[Counter[str], Counter[str], int, list[tuple[int, str]]]]:
        """Per passage: tf of content stems (prefix included), tf of exact forms, length in tokens, positions."""
        return self._per_passage

    def trigram_share(self) -> float:
        return len(self._seen) / len(self._trigrams) if self._trigrams else 0.0

    def _look(self) -> Iterator[tuple[Counter[str], Counter[str], int, list[tuple[int, str]]]]:
        analyzer, exact_forms = self._terms.collection.analyzer, self._terms.exact
        lead_left = 100
        text = self._layout.document.text
        for span in self._layout.passages:
            found = surfaces(text[span.start : span.end])
            stems = [analyzer[surface] for surface in found]
            if any(" " in stem for stem in stems):
                pairs = [
                    (stem, exact)
                    for surface in found
                    for stem, exact in zip(analyzer[surface].split(), fold(surface).split(), strict=True)
                ]
                stems, found = [stem for stem, _ in pairs], [exact for _, exact in pairs]
            hits = [n for n, stem in enumerate(stems) if stem in self._asked]
            positions = [(n, stems[n]) for n in hits if stems[n] in self._content]
            counts = Counter(stem for _, stem in positions)
            exact = Counter(stem for n, stem in positions if fold(found[n]) in exact_forms[stem])
            self._note_trigrams(stems, hits)
            self.article.update(counts)
            if lead_left > 0:
                self.lead.update(stem for n, stem in positions if n < lead_left)
                lead_left -= len(stems)
            head = [stem for stem in self._heads[span.section] if stem in self._content]
            counts.update(head)
            exact.update(head)
            yield counts, exact, len(stems) + len(self._heads[span.section]), positions

    def _note_trigrams(self, stems: list[str], hits: list[int]) -> None:
        for n in hits:
            trigram = tuple(stems[n : n + 3])
            if trigram in self._trigrams:
                self._seen.add(trigram)


def tiered(
    ranker: Ranker, question: Question, scored: Scored, layout: Layout, terms: Terms, holders: Mapping[str, int]
) -> Scored:
    """The candidate with its tier added: exact titles, then verbatim sequences, above what is only alike.

    `holders` says how many articles hold each sequence that the phrase route found: one that stands everywhere
    ("at the end of the day") says nothing. Adds the features `phrase` (1 all that was asked or quoted, 0.9 a window
    of it, 0.5 with one word changed) and `verbatim` (the very forms, not only the stems).
    """
    features = dict(scored.features)
    score = scored.score
    hits = scored.candidate.hits
    title = hits["title"].score if "title" in hits else 0.0
    score += ranker.exact_title_tier * title
    if phrase := hits.get("phrase"):
        features["phrase"], gain = ranker.phrase_gain(phrase, terms, holders)
        features["verbatim"] = float(_stands_verbatim(phrase, layout))
        score += gain * (1 + 0.25 * features["verbatim"])
    if scored.entry.kind in _WITHOUT_KNOWLEDGE and not title:
        score -= ranker.demoted
    return replace(scored, score=score, features=features)


_WITHOUT_KNOWLEDGE = (Kind.DISAMBIGUATION, Kind.MAIN_PAGE, Kind.NO_TEXT)


def _stands_verbatim(phrase: Hit, layout: Layout) -> bool:
    """Whether a passage found by the route holds the sequence in the question's own forms."""
    sought = f" {fold(phrase.matched[0])} "
    spans = [layout.passages[n] for n in phrase.passages if n < len(layout.passages)]
    return any(sought in f" {fold(layout.document.text[span.start : span.end])} " for span in spans)
