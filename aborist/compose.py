"""From ranked candidates to an Answer: each article once, judged, cited, with its coverage and reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from aborist.mount import Mounted
from aborist.query.accept import judge
from aborist.query.cite import link
from aborist.query.evidence import Picked, Picker, highlights
from aborist.query.frame import Source, frame_of, role_of
from aborist.query.gate import Gate, refusal, stored_gate
from aborist.query.rank import Scored
from aborist.query.signals import compared, signals
from aborist.query.sorts import SORTS, suits
from aborist.query.terms import Terms
from aborist.shard.read import Layout
from aborist.types import Answer, Coverage, Evidence, Question, Ranking, Result, Role, Verdict

__all__ = ["Composer", "Listed", "Loaded", "missing_words", "once", "quoting"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A candidate with its score and what is needed to show and cite it."""

    scored: Scored
    terms: Terms
    layout: Layout
    mounted: Mounted


@dataclass(frozen=True, slots=True)
class Listed(Loaded):
    """One that is listed, with the verdict on it."""

    verdict: Verdict


@dataclass(frozen=True)
class Composer:
    """How an answer is put together; `link` and `server` as in `query.cite.link`."""

    picker: Picker = field(default_factory=Picker)
    gate: Gate = field(default_factory=stored_gate)
    link: str = "zim"
    server: str = "http://localhost:8080"

    def judged(self, question: Question, found: Sequence[Loaded]) -> list[Listed]:
        """Each article, best first, with its signals among its features and the verdict on it."""
        own = [{**one.scored.features, **signals(question, one.scored, one.layout, one.terms)} for one in found]
        listed = []
        for one, features in zip(found, compared(own), strict=True):
            scored = replace(one.scored, features=features)
            verdict = judge(scored, self.gate, one.terms.collection.analyzer.language)
            listed.append(Listed(scored, one.terms, one.layout, one.mounted, verdict))
        return listed

    def answer(
        self, question: Question, listed: Sequence[Listed], rankings: Sequence[Ranking], missing: Sequence[str]
    ) -> Answer:
        """The answer that rests on the first listed article, if that one was accepted. Shards are not yet counted."""
        best = listed[0] if listed else None
        verdict = best.verdict if best else None
        answered = verdict is not None and verdict.accepted
        picked = self.picker.pick(
            question, [one.scored for one in listed], [one.layout for one in listed], [one.terms for one in listed]
        )
        picked = _answering_first(picked, listed)
        evidence = tuple(
            self._evidence(number, one, listed[one.article], question.asks) for number, one in enumerate(picked, 1)
        )
        sections = {(one.article, listed[one.article].layout.passages[one.passage].section) for one in picked}
        pages = {one.article for one in picked}
        nearest = best.scored.entry.title if best else ""
        sure = self.gate.level(best.verdict) if best else ("weak", 0.0)
        if best and best.verdict.rule == "title" and question.asks in SORTS:
            sure = _told(question.asks, evidence, best, sure[0]), sure[1]
        sources = [
            Source(question, one.scored, one.terms, one.layout, one.verdict, one.mounted.manifest.language)
            for one in listed
        ]
        frame = frame_of(sources[0] if sources else None)
        roles = [role_of(source, place, frame) for place, source in enumerate(sources)]
        return Answer(
            question=question,
            answered=answered,
            reason="" if answered else refusal(nearest, verdict, missing),
            results=tuple(map(self._result, listed, roles)),
            evidence=evidence,
            coverage=Coverage(len(sections), len(pages), *sure, tuple(missing), 0, 0),
            rankings=tuple(rankings),
            warnings=(),
            total_ms=0.0,
            frame=frame,
        )

    def _result(self, one: Listed, role: Role) -> Result:
        entry, archive, hits = one.scored.entry, one.mounted.manifest.archive, one.scored.candidate.hits
        anchor = next((hit.anchor for hit in hits.values() if hit.anchor), "")
        return Result(
            ref=one.scored.candidate.ref,
            archive=archive,
            path=entry.path,
            title=entry.title,
            root=entry.root,
            score=one.scored.score,
            verdict=one.verdict,
            hits=hits,
            features=one.scored.features,
            url=link(self.link, self.server, archive, entry.path, anchor),
            role=role,
        )

    def _evidence(self, number: int, picked: Picked, one: Listed, asks: str) -> Evidence:
        entry, layout, archive = one.scored.entry, one.layout, one.mounted.manifest.archive
        span = layout.passages[picked.passage]
        section = layout.document.sections[span.section]
        return Evidence(
            id=f"E{number}",
            root=entry.root,
            title=entry.title,
            archive=archive,
            path=entry.path,
            heading=section.heading,
            quote=layout.document.text[span.start : span.end],
            start=span.start,
            end=span.end,
            highlights=tuple(highlights(layout, picked.passage, one.terms, asks, entry.title)),
            url=link(self.link, self.server, archive, entry.path, section.anchor),
        )


def _answering_first(picked: Sequence[Picked], listed: Sequence[Listed]) -> list[Picked]:
    """The passages with that before all others which the answer quotes: of the article that is named, or else of one
    that was accepted. The others keep their order."""
    named = bool(listed) and listed[0].verdict.rule == "title"
    may = [one.article == 0 if named else listed[one.article].verdict.accepted for one in picked]
    first = may.index(True) if any(may) else 0
    return [*picked[first : first + 1], *picked[:first], *picked[first + 1 :]]


def _told(asks: str, evidence: Sequence[Evidence], named: Listed, level: str) -> str:
    """How sure an answer may sound that rests on the article that was named: whether that holds what is asked of it is
    another matter. Weak where none of its passages has the sort of thing asked for, no more than partial where the
    sentences quoted have not."""
    own = [item.quote for item in evidence if item.root == named.scored.entry.root]
    if not any(suits(asks, quote) for quote in own):
        return "weak"
    first = evidence[0]
    quoted = (first.quote[start - first.start : end - first.start] for start, end in first.highlights)
    return level if any(suits(asks, sentence) for sentence in quoted) else min(level, "partial", key=_LEVELS.index)


_LEVELS = ("weak", "partial", "strong")


def quoting(found: Sequence[Loaded]) -> Sequence[Loaded]:
    """Those that hold what stood in quotation marks, in their text or as their name; all, if none does."""
    return [
        one for one in found if one.scored.features.get("phrase", 0.0) == 1.0 or "title" in one.scored.candidate.hits
    ] or found


def once(found: Sequence[Loaded], most: int) -> tuple[list[Loaded], list[str]]:
    """The first `most`, the same path and language in several archives once, from the fuller or newer one; and a
    warning if that befell one of them."""
    kept: dict[tuple[str, str], Loaded] = {}
    archives: dict[tuple[str, str], set[str]] = {}
    for one in found:
        key = (one.mounted.manifest.language, _plain_path(one))
        known = kept.setdefault(key, one)
        archives.setdefault(key, set()).add(one.mounted.manifest.archive)
        if one.mounted.manifest.archive != known.mounted.manifest.archive:
            fuller = max((known, one), key=lambda o: (o.scored.entry.tokens, o.mounted.manifest.date))
            kept[key] = replace(fuller, scored=replace(fuller.scored, score=known.scored.score))
    shared = [archives[key] for key in list(kept)[:most] if len(archives[key]) > 1]
    if not shared:
        return list(kept.values())[:most], []
    names = ", ".join(sorted(set().union(*shared)))
    told = f"{len(shared)} article(s) stand in several archives ({names}): each shown once, the fuller one"
    return list(kept.values())[:most], [told]


def _plain_path(one: Loaded) -> str:
    """The path as both namespace schemes and all writers agree on it: A/Ray_Charles.html is Ray_Charles."""
    path = one.scored.entry.path
    return (path if one.mounted.manifest.new_namespaces else path.removeprefix("A/")).removesuffix(".html")


def missing_words(question: Question, terms: Collection[Terms]) -> list[str]:
    """The question's content words that stand nowhere in the collections these terms come from."""
    known = {
        number
        for own in terms
        for number, stem in zip(own.words, own.sequence, strict=True)
        if own.frequency(stem).passages
    }
    absent = (
        question.text[word.start : word.end]
        for number, word in enumerate(question.words)
        if word.content and number not in known
    )
    return list(dict.fromkeys(absent))
