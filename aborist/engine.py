"""ask(): from a question to an Answer, over all shards of an index.

parse -> every route prepares once and probes each shard -> fuse -> score candidates from their text -> accept ->
order evidence -> gate -> cite. What is damaged or missing is left out, and the answer says so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from aborist.errors import DamagedShard, IndexStateError
from aborist.merkle import document_root
from aborist.query import fuse, gate, tries
from aborist.query.accept import Asked, judge
from aborist.query.cite import link
from aborist.query.evidence import Picked, Picker, highlights
from aborist.query.fuse import FUSERS, Fusion
from aborist.query.question import LONGEST, parse
from aborist.query.rank import Ranker, Scored, tiered
from aborist.query.routes import ROUTES
from aborist.query.routes.route import Route
from aborist.query.terms import Collection, Level, Terms, joined_stems, word_stems
from aborist.shard import manifest as manifests
from aborist.shard.manifest import Manifest
from aborist.shard.read import Entry, Frequency, Layout, Shard
from aborist.text import Analyzer, analyzer_for, match_any
from aborist.types import (
    Answer, Coverage, Evidence, Hit, Question, Ranking, Ref, Result, Verdict,
)  # fmt: skip

__all__ = ["MODES", "Engine", "Mounted"]

T = TypeVar("T")

MODES = ("hybrid", "lexical", "dense")
_NO_VECTORS = "off: no vectors"


@dataclass(frozen=True, slots=True)
class Mounted:
    """One shard file that is open, with its archive's manifest and the analyzer its stems came from."""

    shard: Shard
    manifest: Manifest
    analyzer: Analyzer


@dataclass(frozen=True, slots=True)
class _Listed:
    """A candidate that is listed, with what is needed to show and cite it."""

    scored: Scored
    terms: Terms
    layout: Layout
    mounted: Mounted
    verdict: Verdict


@dataclass
class Engine:
    """An open index. Reading it never changes it; one engine serves one thread."""

    mounted: Sequence[Mounted]
    faults: Sequence[str] = ()  # shards and archives that could not be opened, as warnings
    shards_total: int = 0
    routes: Mapping[str, Route] = field(default_factory=lambda: dict(ROUTES))
    fusion: Fusion = field(default_factory=Fusion)
    fuser: str = "rrf"
    ranker: Ranker = field(default_factory=Ranker)
    picker: Picker = field(default_factory=Picker)
    scored: int = 40  # candidates scored from their text
    longest_question: int = LONGEST
    link: str = "zim"
    server: str = "http://localhost:8080"

    def __post_init__(self) -> None:
        self._broken: dict[int, str] = {}
        self._collections = {name: self._collection(name) for name in {m.manifest.analyzer for m in self.mounted}}

    @classmethod
    def open(cls, shards: Path, **settings: object) -> Engine:
        """Open every published archive in a folder; what is damaged is left out and named in `faults`.

        Raises IndexStateError when there is no index at all.
        """
        folders = manifests.archives_in(shards)
        if not folders:
            raise IndexStateError(
                expected=f"an index in {shards}",
                found="no archive there" if shards.is_dir() else "no such folder",
                next=f"run `aborist index ARCHIVE.zim --shards {shards}`",
            )
        mounted, faults, total = [], [], 0
        for folder in folders:
            try:
                manifest = manifests.load(folder)
            except IndexStateError as error:
                faults.append(str(error))
                total += 1
                continue
            total += len(manifest.shards)
            analyzer = analyzer_for(manifest.language)
            faults += _stale(manifest, analyzer)
            for file in manifest.shards:
                try:
                    mounted.append(Mounted(_open_shard(folder / file.name, file.bytes), manifest, analyzer))
                except DamagedShard as error:
                    faults.append(str(error))
        return cls(mounted, faults, total, **settings)  # type: ignore[arg-type]

    def close(self) -> None:
        for mounted in self.mounted:
            mounted.shard.close()

    def ask(self, text: str, k: int = 10, *, archive: str | None = None, mode: str = "hybrid") -> Answer:
        """Answer a question from at most `k` listed articles. Any text is a legal question."""
        begun = time.perf_counter()
        answer = self._answer(text, k, archive, mode)
        if not answer.answered and answer.question.words and mode != "dense":
            for attempt in tries.second_tries(answer.question, self._knows(answer.question)):
                second = self._answer(attempt.text, k, archive, mode)
                if second.answered:
                    told = f"nothing found for {answer.question.text!r}: answered {attempt.text!r} ({attempt.label})"
                    answer = replace(
                        second, question=replace(second.question, text=answer.question.text),
                        warnings=(told, *second.warnings), corrected=attempt.text,
                    )  # fmt: skip
                    break
        return replace(answer, total_ms=1000 * (time.perf_counter() - begun))

    def _answer(self, text: str, k: int, archive: str | None, mode: str) -> Answer:
        names = {m.manifest.archive for m in self.mounted}
        languages = {m.analyzer.language for m in self.mounted}
        question = parse(text, archives=names, languages=languages, longest=self.longest_question)
        warnings = [*self.faults]
        if archive is not None and archive not in names:
            warnings.append(f"no archive {archive!r} in the index (there are: {', '.join(sorted(names))})")
        wanted = archive or question.archive
        active = {n for n, m in enumerate(self.mounted) if n not in self._broken}
        chosen = {n for n in active if wanted in (None, self.mounted[n].manifest.archive)}
        if question.empty:
            return self._nothing(question, question.empty, warnings, len(chosen))
        if mode == "dense":
            return self._nothing(question, f"the dense route is {_NO_VECTORS}", warnings, len(chosen))
        terms = {name: self._terms(question, name, chosen) for name in self._collections}
        rankings = [self._rank_route(name, route, question, terms, chosen) for name, route in self.routes.items()]
        candidates = FUSERS[self.fuser](rankings, self.fusion)
        listed = self._list(question, candidates, terms, k, _holders(rankings), warnings)
        warnings += [self._broken[n] for n in sorted(self._broken)]
        answered = bool(listed) and listed[0].verdict.accepted
        return self._compose(question, answered, listed, rankings, terms, chosen, warnings)

    # -- routes ----------------------------------------------------------------------------------------------------

    def _collection(self, name: str) -> Collection:
        files = [file for m in self._manifests() if m.analyzer == name for file in m.shards]
        articles, passages = sum(f.articles for f in files), sum(f.passages for f in files)
        return Collection(
            next(m.analyzer for m in self.mounted if m.manifest.analyzer == name),
            Level(articles, sum(f.article_tokens for f in files) / max(1, articles) or 1.0),
            Level(articles, sum(f.lead_tokens for f in files) / max(1, articles) or 1.0),
            Level(passages, sum(f.passage_tokens for f in files) / max(1, passages) or 1.0),
        )

    def _manifests(self) -> list[Manifest]:
        return list({m.manifest.archive: m.manifest for m in self.mounted}.values())

    def _terms(self, question: Question, analyzer: str, chosen: set[int]) -> Terms:
        collection = self._collections[analyzer]
        stems = [stem for _, stem, _ in word_stems(question, collection.analyzer)]
        wanted = {*stems, *joined_stems(stems, collection.analyzer)}
        return Terms(question, collection, self._frequencies(wanted, analyzer))

    def _frequencies(self, stems: Iterable[str], analyzer: str) -> dict[str, Frequency]:
        """Document frequencies summed over all shards of an analyzer."""
        total: dict[str, Frequency] = {}
        wanted = sorted(stems)
        for number, mounted in enumerate(self.mounted):
            if mounted.manifest.analyzer != analyzer or number in self._broken:
                continue
            found = self._guarded(number, lambda shard: shard.frequencies(wanted)) or {}
            for stem, own in found.items():
                known = total.get(stem, Frequency(0, 0, 0))
                total[stem] = Frequency(*(a + b for a, b in zip(known, own, strict=True)))
        return total

    def _knows(self, question: Question) -> Callable[[str], int]:
        """How many articles hold a word, in any language of the index."""

        def articles(word: str) -> int:
            return sum(
                frequency.articles
                for name, collection in self._collections.items()
                for frequency in self._frequencies(collection.analyzer.stems(word).split(), name).values()
            )

        return articles

    def _rank_route(
        self, name: str, route: Route, question: Question, terms: Mapping[str, Terms], chosen: set[int]
    ) -> Ranking:
        begun = time.perf_counter()
        probes = {analyzer: route.prepare(question, own) for analyzer, own in terms.items()}
        hits: list[Hit] = []
        for number in sorted(chosen - self._broken.keys()):
            probe = probes[self.mounted[number].manifest.analyzer]
            hits += self._guarded(number, lambda shard, p=probe, n=number: list(p(shard, n))) or []
        return Ranking.of(name, hits, limit=route.limit, ms=1000 * (time.perf_counter() - begun))

    def _guarded(self, number: int, look: Callable[[Shard], T]) -> T | None:
        """Run a look into one shard; a damaged one is left out from then on, and named."""
        try:
            return look(self.mounted[number].shard)
        except DamagedShard as error:
            self._broken[number] = str(error)
            return None

    # -- ranking ---------------------------------------------------------------------------------------------------

    def _list(
        self, question: Question, candidates: Sequence[fuse.Candidate], terms: Mapping[str, Terms], k: int,
        holders: Mapping[str, int], warnings: list[str],
    ) -> list[_Listed]:  # fmt: skip
        """The best candidates by their text, judged, each article once."""
        listed = []
        content = {name: match_any((*own.content, *own.compounds)) for name, own in terms.items()}
        for candidate in candidates[: self.scored]:
            mounted = self.mounted[candidate.ref.shard]
            own = terms[mounted.manifest.analyzer]
            expression = content[mounted.manifest.analyzer]
            read = self._guarded(candidate.ref.shard, partial(_read, candidate.ref.article, expression))
            if read is None:
                continue
            entry, layout, matching = read
            scored = self.ranker.score(candidate, entry, layout, matching, own)
            listed.append(_Listed(tiered(self.ranker, question, scored, layout, own, holders), own, layout, mounted, _UNJUDGED))
        listed.sort(key=lambda one: (-one.scored.score, one.scored.candidate.ref))
        if question.quotes and any(_quoted(one) for one in listed):
            listed = [one for one in listed if _quoted(one)]
        unique = _once(listed, warnings)[: max(0, k)]
        return [replace(one, verdict=judge(Asked(question, one.terms), one.scored)) for one in unique]

    def _compose(
        self, question: Question, answered: bool, listed: list[_Listed], rankings: Sequence[Ranking],
        terms: Mapping[str, Terms], chosen: set[int], warnings: list[str],
    ) -> Answer:  # fmt: skip
        best = listed[0] if listed else None
        missing = _missing(question, best.terms if best else None, terms, best)
        confidence, sure = gate.confidence(best.scored.features, best.verdict) if best else ("weak", 0.0)
        picked = self.picker.pick(
            question, [one.scored for one in listed], [one.layout for one in listed], [one.terms for one in listed]
        )
        evidence = tuple(self._cite(n, one, listed) for n, one in enumerate(picked, 1))
        alive = len(chosen - self._broken.keys())
        coverage = Coverage(
            sections=len({(one.article, listed[one.article].layout.passages[one.passage].section) for one in picked}),
            pages=len({one.article for one in picked}),
            confidence=confidence if alive else "unknown",
            probability=sure,
            missing=missing,
            shards_answered=alive,
            shards_total=self._total(chosen),
        )
        nearest, verdict = (best.scored.entry.title, best.verdict) if best else ("", None)
        reason = "" if answered else gate.refusal(nearest, verdict, missing)
        return Answer(
            question, answered, reason, tuple(self._result(one) for one in listed), evidence, coverage,
            tuple(rankings), tuple(dict.fromkeys(warnings)), 0.0,
        )  # fmt: skip

    def _total(self, chosen: set[int]) -> int:
        return self.shards_total if len(chosen) + len(self._broken) >= len(self.mounted) else len(chosen)

    def _nothing(self, question: Question, reason: str, warnings: Sequence[str], shards: int) -> Answer:
        coverage = Coverage(0, 0, "weak" if self.mounted else "unknown", 0.0, (), shards, shards)
        return Answer(question, False, reason, (), (), coverage, (), tuple(warnings), 0.0)

    def _result(self, one: _Listed) -> Result:
        scored, manifest = one.scored, one.mounted.manifest
        entry = scored.entry
        anchor = next((hit.anchor for hit in scored.candidate.hits.values() if hit.anchor), "")
        return Result(
            scored.candidate.ref, manifest.archive, entry.path, entry.title, entry.root, entry.kind, scored.score,
            one.verdict, scored.candidate.hits, scored.features,
            link(self.link, self.server, manifest.archive, entry.path, anchor),
        )  # fmt: skip

    def _cite(self, number: int, picked: Picked, listed: Sequence[_Listed]) -> Evidence:
        one = listed[picked.article]
        entry, layout, manifest = one.scored.entry, one.layout, one.mounted.manifest
        span = layout.passages[picked.passage]
        section = layout.document.sections[span.section]
        return Evidence(
            f"E{number}", entry.root, entry.title, manifest.archive, entry.path, section.heading,
            layout.document.text[span.start : span.end], span.start, span.end,
            tuple(highlights(layout, picked.passage, one.terms)),
            link(self.link, self.server, manifest.archive, entry.path, section.anchor), picked.score,
        )  # fmt: skip


def _read(article: int, expression: str, shard: Shard) -> tuple[Entry, Layout, list[int]]:
    """All that is needed of an article to score it: row, text, and the passages that hold a term.

    The text must have its root: nothing may be quoted from a shard whose rows were torn or mixed up.
    """
    entry = shard.entry(article)
    layout = shard.layout(article)
    if document_root(layout.document) != entry.root:
        raise shard.damaged(f"a text of {entry.title!r} that lacks its document root")
    return entry, layout, shard.matching(entry, expression)


_UNJUDGED = Verdict(False, "", "not judged")


def _holders(rankings: Sequence[Ranking]) -> Counter[str]:
    """In how many of the articles found each sequence of the phrase route stands."""
    return Counter(
        sequence
        for ranking in rankings if ranking.route == "phrase"
        for hit in ranking.hits for sequence in hit.matched
    )  # fmt: skip


def _open_shard(path: Path, size: int) -> Shard:
    """A cheap look before a shard is trusted; `aborist verify` compares whole files."""
    shard = Shard(path)
    if path.stat().st_size != size:
        found = f"{path.stat().st_size} bytes"
        shard.close()
        raise DamagedShard(
            expected=f"{size} bytes in {path.parent.name}/{path.name}", found=found,
            next="run `aborist index` on its archive again",
        )  # fmt: skip
    return shard


def _stale(manifest: Manifest, analyzer: Analyzer) -> list[str]:
    """Whether the index still fits the ZIM it was made from, and this version of aborist."""
    found = []
    if analyzer.name != manifest.analyzer:
        found.append(f"{manifest.archive}: the index was made with another analyzer; run `aborist index` again")
    source = Path(manifest.source)
    try:
        with source.open("rb") as file:
            uuid = file.read(24)[8:24].hex()
        if uuid != manifest.uuid.replace("-", ""):
            found.append(f"{manifest.archive}: the index is stale: {source.name} was replaced; run `aborist index` again")
    except OSError:
        pass  # the archive may live elsewhere by now: the index answers without it
    return found


def _quoted(one: _Listed) -> bool:
    """Whether the article holds what stood in quotation marks, in its text or as its name."""
    return one.scored.features.get("phrase", 0.0) == 1.0 or "title" in one.scored.candidate.hits


def _once(listed: Sequence[_Listed], warnings: list[str]) -> list[_Listed]:
    """The same path and language in two archives once, from the fuller or newer one."""
    kept: dict[tuple[str, str], _Listed] = {}
    order: list[tuple[str, str]] = []
    for one in listed:
        key = (one.mounted.manifest.language, one.scored.entry.path)
        if known := kept.get(key):
            if known.mounted.manifest.archive != one.mounted.manifest.archive:
                fuller = max((known, one), key=lambda o: (o.scored.entry.tokens, o.mounted.manifest.date))
                kept[key] = replace(fuller, scored=replace(fuller.scored, score=known.scored.score))
                warnings.append(
                    f"{one.scored.entry.title!r} stands in {known.mounted.manifest.archive} and"
                    f" {one.mounted.manifest.archive}: shown once, from {fuller.mounted.manifest.archive}"
                )
            continue
        kept[key] = one
        order.append(key)
    return [kept[key] for key in order]


def _missing(
    question: Question, own: Terms | None, terms: Mapping[str, Terms], best: _Listed | None
) -> tuple[str, ...]:
    """The question's content words that stand nowhere in the best article, or nowhere at all."""
    found = []
    for number, word in enumerate(question.words):
        if not word.content:
            continue
        shown = question.text[word.start : word.end]
        if own is None:
            known = any(
                t.frequency(stem).passages for t in terms.values() for w, stem in zip(t.words, t.sequence, strict=True)
                if w == number
            )  # fmt: skip
        else:
            known = all(
                own.frequency(stem).passages
                for w, stem in zip(own.words, own.sequence, strict=True) if w == number
            )  # fmt: skip
        if not known:
            found.append(shown)
    return tuple(dict.fromkeys(found))
