"""The values that travel between the steps: frozen, without behaviour that needs I/O.

Invariants held everywhere: a higher score is better; ranks count from 1; offsets are half-open
and count characters of the parent's text, so that slicing returns the child.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from types import MappingProxyType
from typing import NamedTuple

__all__ = [
    "NO_FRAME",
    "NO_VECTORS",
    "Alias",
    "Answer",
    "Article",
    "Candidate",
    "Coverage",
    "Document",
    "Evidence",
    "Frame",
    "Hit",
    "Kind",
    "Question",
    "Ranking",
    "Ref",
    "Result",
    "Role",
    "Section",
    "Span",
    "Verdict",
    "Word",
]


NO_VECTORS = "off: no vectors"  # state of the dense route


class Kind(IntEnum):
    """What sort of page an article is; stored in the shard."""

    ARTICLE = 0
    DISAMBIGUATION = 1
    MAIN_PAGE = 2
    UNREAD_FILE = 3  # a PDF or e-book: findable by its title or file name, text not read
    NO_TEXT = 4  # nothing to read (a page that only a script fills)


class Alias(NamedTuple):
    """Another name of an article: a redirect, or a stub that refreshes to one of its sections."""

    title: str
    path: str
    anchor: str = ""  # id of the section that is meant, "" for the whole article


class Article(NamedTuple):
    """One entry as it stands in the archive; `content` is the raw bytes of the entry."""

    path: str
    title: str
    mime: str
    content: bytes
    aliases: tuple[Alias, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch `[start, end)` of the canonical text under one heading path (empty for the lead)."""

    heading: tuple[str, ...]
    anchor: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """The canonical text of an article.

    Blocks (paragraph, list item, table row) are the lines of `text`; no block holds a line break.
    Sections are separated by one blank line and never empty. Headings are not part of the text.
    """

    text: str
    sections: tuple[Section, ...]


class Span(NamedTuple):
    """A passage: `[start, end)` of the canonical text, whole blocks or whole sentences of one section."""

    section: int  # index into Document.sections
    start: int
    end: int


class Ref(NamedTuple):
    """An article of the index, by shard number and row; sortable, and all that travels until the last step."""

    shard: int
    article: int


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the question: `text[start:end]`, its exact form, whether it counts for the topic, and whether it
    says something itself; function words count where there are no others."""

    start: int
    end: int
    folded: str
    content: bool
    telling: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, taken apart without looking at any index.

    `topics` are spellings of what is asked about, the likeliest first, always with the whole question among them;
    `quotes` stood in quotation marks; `saying` is what a frame such as "who said X" leaves, to be found verbatim.
    """

    asked: str  # as it came in, control characters blanked, to be echoed
    text: str  # what the words' offsets index
    words: tuple[Word, ...]
    topics: tuple[str, ...]
    quotes: tuple[str, ...]
    saying: str
    framed: bool  # a question or request by its form, not a bare phrase
    asks: str  # who | when | where | why | how many | definition | "" (query.frames.ASKS)
    archive: str | None  # the archive the question itself names
    empty: str  # why nothing can be looked for, "" when something can


@dataclass(frozen=True, slots=True)
class Hit:
    """What one route says of one article; `rank` counts from 1 within the route."""

    ref: Ref
    score: float
    rank: int = 0
    matched: tuple[str, ...] = ()
    passages: tuple[int, ...] = ()  # numbers within the article, where the route looks at passages
    anchor: str = ""  # section that an alias points to


@dataclass(frozen=True, slots=True)
class Ranking:
    """One route's hits, best first, each article once. Build it with `Ranking.of`."""

    route: str
    hits: tuple[Hit, ...]
    ms: float = 0.0
    state: str = "ok"

    @classmethod
    def of(
        cls, route: str, hits: Iterable[Hit], *, limit: int, paths: Mapping[Ref, str] = MappingProxyType({}),
        ms: float = 0.0, state: str = "ok",
    ) -> Ranking:  # fmt: skip
        """Sort by score, ties by path as far as paths are given, then by ref; keep an article's best hit (with what its
        others matched); number the ranks."""
        best: dict[Ref, Hit] = {}
        for hit in sorted(hits, key=lambda hit: (-hit.score, paths.get(hit.ref, ""), hit.ref)):
            if known := best.get(hit.ref):
                best[hit.ref] = replace(
                    known,
                    matched=tuple(dict.fromkeys(known.matched + hit.matched)),
                    passages=tuple(dict.fromkeys(known.passages + hit.passages)),
                )
            else:
                best[hit.ref] = hit
        numbered = (replace(hit, rank=rank) for rank, hit in enumerate(list(best.values())[:limit], 1))
        return cls(route, tuple(numbered), ms, state)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article that some route found, with what every route said of it."""

    ref: Ref
    score: float
    hits: Mapping[str, Hit]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule's decision on a candidate, and how likely the gate's model takes it to answer, 0..1."""

    accepted: bool
    rule: str
    why: str
    probability: float = 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """How the question was taken: `kind` reference (to `work`, the title of what is alluded to: a work, or whose
    words they are) | literal | None (no answer), and the rule that says so (query/frame.py)."""

    kind: str | None
    work: str | None
    rule: str
    why: str


NO_FRAME = Frame(None, None, "nothing found", "nothing was found")


@dataclass(frozen=True, slots=True)
class Role:
    """What an article is to the question: primary_reference_source (it holds what is alluded to) |
    literal_world_background (what the same words mean outside of it) | background_source; and the rule."""

    name: str
    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Result:
    """One listed article."""

    ref: Ref
    archive: str
    path: str
    title: str
    root: bytes
    score: float
    verdict: Verdict
    hits: Mapping[str, Hit]
    features: Mapping[str, float]
    url: str
    role: Role


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage offered as proof: `quote` is `text[start:end]` of the article whose root is given."""

    id: str
    root: bytes
    title: str
    archive: str
    path: str
    heading: tuple[str, ...]
    quote: str
    start: int
    end: int
    highlights: tuple[tuple[int, int], ...]  # in the offsets of the text, inside [start, end)
    url: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the index could answer; `confidence` is strong | partial | weak | unknown."""

    sections: int
    pages: int
    confidence: str
    probability: float
    missing: tuple[str, ...]
    shards_answered: int
    shards_total: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole outcome of a question; "no answer" is one of these too, with its reason."""

    question: Question
    answered: bool
    reason: str
    results: tuple[Result, ...]
    evidence: tuple[Evidence, ...]
    coverage: Coverage
    rankings: tuple[Ranking, ...]
    warnings: tuple[str, ...]
    total_ms: float
    frame: Frame = NO_FRAME
