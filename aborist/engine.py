"""ask(): from a question to an Answer, over all shards of an index.

parse -> every route prepares once and probes each shard -> fuse -> score candidates from their text -> judge ->
compose. What is damaged or missing is left out, and the answer says so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from aborist.compose import Composer, Loaded, missing_words, once, quoting
from aborist.errors import DamagedShard
from aborist.merkle import document_root
from aborist.mount import Index, Mounted, mount
from aborist.query import tries
from aborist.query.fuse import FUSERS, Fusion
from aborist.query.matches import Read
from aborist.query.question import LONGEST, parse
from aborist.query.rank import Ranker
from aborist.query.routes import FALLBACKS, ROUTES
from aborist.query.routes.route import Route
from aborist.query.signals import RIVALS
from aborist.query.terms import Collection, Level, Terms, joined_stems, substitute_stems, word_stems
from aborist.query.tiers import Tiers
from aborist.shard.known import mark
from aborist.shard.manifest import Manifest
from aborist.shard.read import Entry, Frequency, Layout, Shard
from aborist.text import match_any, title_key
from aborist.types import NO_VECTORS, Answer, Candidate, Coverage, Hit, Question, Ranking, Ref

__all__ = ["Engine"]

T = TypeVar("T")

_STALE_LOOKED_AT = 32  # archives whose ZIM is looked at for every answer; of more, those that are listed in it
_SUMS_KEPT = 50_000  # stems whose document frequencies are kept: about 10 MB


@dataclass
class Engine:
    """An open index and the steps that answer from it. Reading never changes it; one engine serves one thread."""

    index: Index = field(repr=False)
    routes: Mapping[str, Route] = field(default_factory=lambda: dict(ROUTES))
    fusion: Fusion = field(default_factory=Fusion)
    fuser: str = "rrf"
    ranker: Ranker = field(default_factory=Ranker)
    tiers: Tiers = field(default_factory=Tiers)
    composer: Composer = field(default_factory=Composer)
    longest_question: int = LONGEST
    retries: bool = True  # off: only the question as it was typed

    def __post_init__(self) -> None:
        self._broken: dict[int, str] = {}
        self._staleness: dict[str, str] = {}
        names = {mounted.manifest.analyzer for mounted in self.mounted}
        self._collections = {name: self._collection(name) for name in sorted(names)}
        self._summed: dict[str, dict[str, Frequency | None]] = {name: {} for name in self._collections}

    @classmethod
    def open(cls, shards: Path, **parts: Any) -> Engine:
        """Over every published archive in a folder; `parts` are this class's fields. Raises IndexStateError."""
        return cls(mount(shards), **parts)

    @property
    def mounted(self) -> Sequence[Mounted]:
        return self.index.mounted

    def close(self) -> None:
        self.index.close()

    def ask(self, text: str, k: int = 10, *, archive: str | None = None, mode: str = "hybrid") -> Answer:
        """Answer a question from at most `k` listed articles. Any text is a legal question.

        One that finds no answer is asked again as another keyboard layout or without typos; the answer says so.
        """
        begun = time.perf_counter()
        answer = self._answer(text, k, archive, mode)
        if self.retries and not answer.answered and mode != "dense":
            held = any(result.features["exact"] > 0 for result in answer.results)
            for attempt in tries.second_tries(answer.question, self, held=held):
                second = self._answer(attempt.text, k, archive, mode)
                if second.answered and self._rests_on_change(answer.question, second):
                    told = f"no answer to {answer.question.asked!r}: answered {attempt.text!r} ({attempt.label})"
                    asked = replace(second.question, asked=answer.question.asked)
                    doubtful = {"strong": "partial"}.get(second.coverage.confidence, second.coverage.confidence)
                    answer = replace(
                        second,
                        question=asked,
                        warnings=(told, *second.warnings),
                        coverage=replace(second.coverage, confidence=doubtful),
                    )
                    break
        return replace(answer, total_ms=1000 * (time.perf_counter() - begun))

    def _answer(self, text: str, k: int, archive: str | None, mode: str) -> Answer:
        names = {manifest.archive for manifest in self.index.manifests}
        languages = {mounted.analyzer.language for mounted in self.mounted}
        question = parse(text, archives=names, languages=languages, longest=self.longest_question)
        wanted = archive or question.archive
        chosen = self._chosen(wanted)
        unknown = (
            []
            if archive is None or archive in names
            else [f"no archive {archive!r} in the index (there are: {', '.join(sorted(names))})"]
        )
        if (question.empty and not question.topics) or mode == "dense":
            reason = question.empty or f"the dense route is {NO_VECTORS}"
            return self._counted(_nothing(question, reason), wanted, unknown)
        if unknown:
            return self._counted(_nothing(question, unknown[0]), wanted, unknown)
        terms = {name: self._terms(question, name) for name in self._collections}
        chosen = self._telling(question, terms, chosen)
        rankings = [self._rank(name, question, terms, chosen) for name in self.routes]
        candidates = FUSERS[self.fuser](rankings, self.fusion)
        found: Sequence[Loaded] = self._score(question, candidates, terms, _holders(rankings))
        found = quoting(found) if question.quotes else found
        single, shared = once(found, max(0, k))
        # Margins are taken against a fixed number of articles: the verdict must not depend on how many are listed.
        listed = self.composer.judged(question, once(found, max(k, RIVALS))[0])[: len(single)]
        missing = missing_words(question, [listed[0].terms] if listed else terms.values())
        answer = self.composer.answer(question, listed, rankings, missing)
        if question.empty and not answer.answered:
            answer = replace(answer, reason=question.empty)
        return self._counted(answer, wanted, shared)

    def _rests_on_change(self, asked: Question, second: Answer) -> bool:
        """Whether the answer to another spelling holds a word that was changed: 2026-11-30, seeds_ru, the steps of a
        tower, respelled as degrees, were answered by its article, which has neither."""
        best = second.results[0]
        analyzer = self.mounted[best.ref.shard].analyzer
        changed = set(analyzer.stems(second.question.text).split()).difference(analyzer.stems(asked.text).split())
        quotes = (item.quote for item in second.evidence if item.root == best.root)
        told = analyzer.stems(" ".join((best.title, *quotes))).split()
        return best.verdict.rule in ("title", "phrase") or not changed.isdisjoint(told)

    # -- shards ----------------------------------------------------------------------------------------------------

    def _chosen(self, archive: str | None) -> list[int]:
        """Numbers of the shards that are asked: all that are whole, or those of one archive."""
        return [
            number
            for number, mounted in enumerate(self.mounted)
            if number not in self._broken and archive in (None, mounted.manifest.archive)
        ]

    def _due(self, archive: str | None) -> int:
        """How many shards should have answered: all there are, or those of one archive."""
        if archive is None:
            return self.index.shards_total
        return sum(len(manifest.shards) for manifest in self.index.manifests if manifest.archive == archive)

    def _counted(self, answer: Answer, archive: str | None, warnings: Sequence[str]) -> Answer:
        """The answer with how many shards it rests on, and what is wrong with the others."""
        alive = len(self._chosen(archive))
        coverage = replace(
            answer.coverage,
            shards_answered=alive,
            shards_total=self._due(archive),
            confidence=answer.coverage.confidence if alive else "unknown",
        )
        told = (*self.index.faults, *self._stale(answer), *warnings, *self._broken.values())
        return replace(answer, coverage=coverage, warnings=tuple(dict.fromkeys(told)))

    def _telling(self, question: Question, terms: Mapping[str, Terms], chosen: list[int]) -> list[int]:
        """Those of the shards that may hold a word of the question's content, or a title that is its topic.

        All of them where all can be open at once: then a look costs little, and damage shows at the first question.
        """
        if len(self.mounted) <= self.index.shelf.most:
            return chosen
        keys = [mark(title_key(topic)) for topic in question.topics]
        marks = {name: [*map(mark, own.known), *map(mark, own.content), *keys] for name, own in terms.items()}
        shards = ((number, self.mounted[number]) for number in chosen)
        return [number for number, mounted in shards if mounted.may_hold(marks[mounted.manifest.analyzer])]

    def _stale(self, answer: Answer) -> list[str]:
        """What is told of archives whose ZIM was replaced: those of an answer; of few archives, all of them."""
        named = {result.archive for result in answer.results}
        few = len(self.index.manifests) <= _STALE_LOOKED_AT
        for manifest in self.index.manifests:
            if manifest.archive not in self._staleness and (few or manifest.archive in named):
                self._staleness[manifest.archive] = _stale(manifest)
        return [told for archive, told in self._staleness.items() if told and (few or archive in named)]

    def _guarded(self, number: int, look: Callable[[Shard], T]) -> T | None:
        """Run a look into one shard; a damaged one is left out from then on, and named."""
        if number in self._broken:
            return None
        try:
            return look(self.mounted[number].shard)
        except DamagedShard as error:
            self._broken[number] = str(error)
            self._summed = {name: {} for name in self._collections}  # they hold some of its counts
            return None

    # -- statistics ------------------------------------------------------------------------------------------------

    def _collection(self, analyzer: str) -> Collection:
        """The lengths and counts of all shards of one analyzer, also of those that cannot be opened."""
        files = [file for m in self.index.manifests if m.analyzer == analyzer for file in m.shards]
        articles, passages = sum(f.articles for f in files), sum(f.passages for f in files)
        return Collection(
            next(mounted.analyzer for mounted in self.mounted if mounted.manifest.analyzer == analyzer),
            Level(articles, sum(f.article_tokens for f in files) / max(1, articles) or 1.0),
            Level(articles, sum(f.lead_tokens for f in files) / max(1, articles) or 1.0),
            Level(passages, sum(f.passage_tokens for f in files) / max(1, passages) or 1.0),
        )

    def _terms(self, question: Question, analyzer: str) -> Terms:
        collection = self._collections[analyzer]
        stems = [stem for _, stem, _ in word_stems(question, collection.analyzer)]
        wanted = {*stems, *joined_stems(stems, collection.analyzer)}
        known = self._frequencies(wanted, analyzer)
        absent = self._frequencies(substitute_stems(stems, known, collection.analyzer), analyzer)
        return Terms(question, collection, {**absent, **known})

    def _frequencies(self, stems: Iterable[str], analyzer: str) -> dict[str, Frequency]:
        """Document frequencies summed over all shards of an analyzer, asked or not: a score means one thing.

        Kept: the words that questions have in common stand in every shard, and would open each of them each time.
        """
        wanted, kept = set(stems), self._summed[analyzer]
        new = self._sum([stem for stem in sorted(wanted) if stem not in kept], analyzer)
        found = {stem: total for stem in wanted if (total := new.get(stem) or kept.get(stem))}
        if len(kept) < _SUMS_KEPT:
            kept.update(dict.fromkeys(wanted.difference(kept)), **new)
        return found

    def _sum(self, stems: Sequence[str], analyzer: str) -> dict[str, Frequency]:
        """As `_frequencies`, from the shards that may hold one of the stems."""
        total: dict[str, Frequency] = {}
        marks = {stem: (mark(stem),) for stem in stems}
        for number, mounted in enumerate(self.mounted):
            if mounted.manifest.analyzer != analyzer or number in self._broken:
                continue
            held = [stem for stem, sought in marks.items() if mounted.may_hold(sought)]
            if not held:
                continue
            for stem, own in (self._guarded(number, partial(_frequencies, held)) or {}).items():
                known = total.get(stem, Frequency(0, 0, 0))
                total[stem] = Frequency(*(a + b for a, b in zip(known, own, strict=True)))
        return total

    def articles(self, word: str) -> int:
        """How many articles hold a word in any of its forms, in any language of the index."""
        return sum(
            frequency.articles
            for name, collection in self._collections.items()
            for frequency in self._frequencies(collection.analyzer.stems(word).split(), name).values()
        )

    def titled(self, keys: Iterable[str]) -> list[str]:
        """Titles and redirects with one of these keys, those of the most linked articles first."""
        wanted = frozenset(keys)
        found: list[tuple[int, str]] = []
        marks = [mark(key) for key in wanted]
        for number in self._chosen(None):
            if not self.mounted[number].may_hold(marks):
                continue
            found += self._guarded(number, lambda shard: shard.titled(wanted)) or []
        return [title for _, title in sorted(found, key=lambda one: (-one[0], one[1]))]

    # -- finding and ranking ---------------------------------------------------------------------------------------

    def _rank(self, name: str, question: Question, terms: Mapping[str, Terms], chosen: Sequence[int]) -> Ranking:
        """One route's ranking over the chosen shards, with its fallbacks' where it found nothing good enough."""
        begun = time.perf_counter()
        route = self.routes[name]
        hits = self._probe(route, question, terms, chosen)
        for fallback in FALLBACKS.get(name, ()):
            if max((hit.score for hit in hits), default=0.0) < fallback.below:
                hits += self._probe(fallback.route, question, terms, chosen)
        paths = self._paths(_tied(hits, route.limit))
        return Ranking.of(name, hits, limit=route.limit, paths=paths, ms=1000 * (time.perf_counter() - begun))

    def _paths(self, refs: Iterable[Ref]) -> dict[Ref, str]:
        """The paths of articles: an order that does not depend on the number of shards."""
        by_shard: dict[int, list[int]] = {}
        for ref in refs:
            by_shard.setdefault(ref.shard, []).append(ref.article)
        return {
            Ref(number, article): path
            for number, articles in by_shard.items()
            for article, path in self._guarded(number, partial(_paths_of, articles)) or ()
        }

    def _probe(self, route: Route, question: Question, terms: Mapping[str, Terms], chosen: Sequence[int]) -> list[Hit]:
        probes = {analyzer: route.prepare(question, own) for analyzer, own in terms.items()}
        hits: list[Hit] = []
        for number in chosen:
            look = partial(_probed, probes[self.mounted[number].manifest.analyzer], number)
            hits += self._guarded(number, look) or []
        return hits

    def _score(
        self,
        question: Question,
        candidates: Sequence[Candidate],
        terms: Mapping[str, Terms],
        holders: Mapping[str, int],
    ) -> list[Loaded]:
        """The first candidates scored from their text, best first."""
        read: dict[str, list[Read]] = {name: [] for name in terms}
        expressions = {name: match_any(own.telling) for name, own in terms.items()}
        for candidate in candidates[: self.fusion.window]:
            name = self.mounted[candidate.ref.shard].manifest.analyzer
            look = partial(_read, candidate.ref.article, expressions[name])
            if (looked := self._guarded(candidate.ref.shard, look)) is not None:
                read[name].append(Read(candidate, *looked))
        found = []
        for name, own in terms.items():
            for one, scored in zip(read[name], self.ranker.scores(read[name], own), strict=True):
                tiered = self.tiers.tiered(question, scored, one.layout, own, holders)
                found.append(Loaded(tiered, own, one.layout, self.mounted[one.candidate.ref.shard]))
        # Ties by name, not by shard: the order must not depend on how many shards there are.
        found.sort(key=lambda one: (-one.scored.score, one.mounted.manifest.archive, one.scored.entry.path))
        return found


def _frequencies(stems: Sequence[str], shard: Shard) -> dict[str, Frequency]:
    return shard.frequencies(stems)


def _probed(probe: Callable[[Shard, int], Iterable[Hit]], number: int, shard: Shard) -> list[Hit]:
    return list(probe(shard, number))


def _paths_of(articles: Sequence[int], shard: Shard) -> list[tuple[int, str]]:
    return shard.paths(articles)


def _tied(hits: Sequence[Hit], limit: int) -> list[Ref]:
    """The articles among the first `limit` and those beside the last of them whose best score another one has too."""
    best: dict[Ref, float] = {}
    for hit in hits:
        best[hit.ref] = max(hit.score, best.get(hit.ref, hit.score))
    shared = Counter(best.values())
    least = sorted(best.values(), reverse=True)[min(limit, len(best)) - 1] if best else 0.0
    return [ref for ref, score in best.items() if shared[score] > 1 and score >= least]


def _read(article: int, expression: str, shard: Shard) -> tuple[Entry, Layout, list[int]]:
    """All that is needed of an article to score it: row, text, and the passages that hold a term.

    The text must have its root: nothing may be quoted from a shard whose rows were torn or mixed up.
    """
    entry = shard.entry(article)
    layout = shard.layout(article)
    if document_root(layout.document) != entry.root:
        raise shard.damaged(f"a text of {entry.title!r} that lacks its document root")
    if entry.passages != max(1, len(layout.passages)):
        raise shard.damaged(f"{entry.passages} passages of {entry.title!r} where its text has {len(layout.passages)}")
    return entry, layout, shard.matching(entry, expression)


def _holders(rankings: Sequence[Ranking]) -> Counter[str]:
    """In how many of the articles found each sequence of the phrase route stands."""
    hits = (hit for ranking in rankings if ranking.route == "phrase" for hit in ranking.hits)
    return Counter(sequence for hit in hits for sequence in hit.matched)


def _nothing(question: Question, reason: str) -> Answer:
    coverage = Coverage(0, 0, "weak", 0.0, (), 0, 0)
    return Answer(question, False, reason, (), (), coverage, (), (), 0.0)


def _stale(manifest: Manifest) -> str:
    """Whether the ZIM was replaced since it was indexed: its identifier is at bytes 8 to 24 of the file.

    A missing file says nothing: the archive may live elsewhere by now, and the index answers without it.
    """
    source = Path(manifest.source)
    try:
        with source.open("rb") as file:
            uuid = file.read(24)[8:]
    except OSError:
        return ""
    if uuid.hex() == manifest.uuid:
        return ""
    return f"{manifest.archive}: the index is stale: {source.name} was replaced; run `aborist index` on it again"
