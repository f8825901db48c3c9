"""The published articles as a reader meets them: looked up by name or by root, whole or by passage.

Opens every archive of an index folder; what is damaged is left out and named in `faults`, the rest is served.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

from aborist.errors import AboristError, DamagedShard, NotFoundError, UsageError
from aborist.merkle import document_root
from aborist.mount import mount
from aborist.shard.manifest import Manifest
from aborist.shard.read import Entry, Shard
from aborist.text import analyzer_for, fold, match_any, match_phrase, title_key
from aborist.types import Document, Section

__all__ = ["Found", "Library", "is_sought_root", "section_at"]

T = TypeVar("T")

SHORTEST_ROOT = 8  # hex digits: what a citation carries
LONGEST_ROOT = 64
_ROOT = re.compile(rf"[0-9a-fA-F]{{{SHORTEST_ROOT},{LONGEST_ROOT}}}")
_FETCHED = 500  # titles of a shard among which the nearest are sought
_ALIKE = 0.5  # SequenceMatcher's ratio below which a title is no help
_SHOWN = 200  # characters of a sought name that an error repeats
_LISTED = 20  # roots named when a prefix is ambiguous


class Found(NamedTuple):
    """An article of one archive, with the open shard that holds it."""

    manifest: Manifest
    shard: Shard
    entry: Entry

    @property
    def archive(self) -> str:
        return self.manifest.archive

    def document(self) -> Document:
        """The stored text. Raises DamagedShard, also when the text is not the one its root stands for."""
        document = self.shard.layout(self.entry.id).document
        if (root := document_root(document)) != self.entry.root:
            raise self.shard.damaged(
                f"the text of {self.entry.title!r} has root {root.hex()[:8]}, not {self.entry.root.hex()[:8]}"
            )
        return document

    def aliases(self) -> tuple[str, ...]:
        """Titles of its redirects, each once, in the archive's order."""
        return tuple(dict.fromkeys(title for title, _, _ in self.shard.aliases(self.entry.id)))


@dataclass
class Library:
    """Open archives in order of their names. One library serves one thread."""

    holdings: Sequence[tuple[Manifest, tuple[Shard, ...]]]
    faults: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, shards: Path, archive: str | None = None) -> Self:
        """The archives in a folder, or the one that is named. Raises IndexStateError where there is none."""
        index = mount(shards, archive)
        of: dict[str, list[Shard]] = {manifest.archive: [] for manifest in index.manifests}
        for mounted in index.mounted:
            of[mounted.manifest.archive].append(mounted.shard)
        holdings = [(manifest, tuple(of[manifest.archive])) for manifest in index.manifests]
        return cls(holdings, list(index.faults))

    def close(self) -> None:
        for _, shards in self.holdings:
            for shard in shards:
                shard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def find(self, name: str) -> list[Found]:
        """Articles under a name, the nearest way of naming first: path, title, alias, folded title.

        In an archive only the nearest way that finds anything counts; archives keep their order among equals.
        Several in one archive: the one that more articles link to comes first.
        """
        if not _is_text(name):
            return []
        names: dict[str, object] = {"name": name, "key": title_key(name)}
        ranked = []
        for number, (manifest, shards) in enumerate(self.holdings):
            for nearness, where in enumerate(_NAMED):
                if found := list(self._entries(manifest, shards, where, names)):
                    found.sort(key=lambda one: (-one.entry.links, one.entry.path))
                    ranked += [((nearness, number), one) for one in found]
                    break
        return [one for _, one in sorted(ranked, key=lambda pair: pair[0])]

    def article(self, name: str) -> list[Found]:
        """As `find`, but raises NotFoundError, which names the nearest titles."""
        if found := self.find(name):
            return found
        near = self.nearest(name)
        raise NotFoundError(
            expected=f"an article {name[:_SHOWN]!r}",
            found="none by that path, title or alias" + self._doubt(),
            next=f"nearest titles: {'; '.join(near)}" if near else 'try `aborist query "..."`',
        )

    def nearest(self, name: str, limit: int = 5) -> list[str]:
        """Titles that start with the name, contain it or its words, else those spelled much like it."""
        if not _is_text(name) or not (folded := fold(name[:_FETCHED])):
            return []
        likeness = SequenceMatcher(b=folded, autojunk=False)

        def ratio(title: str) -> float:
            likeness.set_seq1(fold(title[:_FETCHED]))
            return likeness.ratio()

        for condition, least in ((_HOLDING, 0.0), (_WORDED, 0.0), (_SPELLED, _ALIKE)):
            titles = dict.fromkeys(self._titles(condition, name, folded))
            rated = sorted(
                ((ratio(title), title) for title in titles),
                key=lambda pair: (not fold(pair[1]).startswith(folded), -pair[0], pair[1]),
            )
            if near := [title for rate, title in rated if rate >= least]:
                return near[:limit]
        return []

    def by_root(self, root: str) -> list[Found]:
        """Articles whose root starts with these hex digits, in the order of archives and paths.

        Raises UsageError unless it is 8 to 64 hex digits.
        """
        if not is_sought_root(root):
            raise UsageError(
                expected=f"a root: {SHORTEST_ROOT} to {LONGEST_ROOT} hex digits",
                found=repr(root[:_SHOWN]),
                next="copy the root from a citation",
            )
        wanted = root.lower()
        start: dict[str, object] = {"start": bytes.fromhex(wanted[:SHORTEST_ROOT])}
        found = (one for held in self.holdings for one in self._entries(*held, _BY_ROOT, start))
        exact = (one for one in found if one.entry.root.hex().startswith(wanted))
        return sorted(exact, key=lambda one: (one.archive, one.entry.path))

    def cited(self, root: str) -> list[Found]:
        """The articles with one root, given in full or by its first digits: they share one text.

        Raises UsageError for what is no root, NotFoundError for an unknown one, AboristError when the digits
        fit several roots.
        """
        found = self.by_root(root)
        if not found:
            raise NotFoundError(
                expected=f"an article with root {root}", found="none in this index" + self._doubt(),
                next="index the archive the citation names, or an edition of the same date",
            )  # fmt: skip
        roots = dict.fromkeys(one.entry.root for one in found)
        if len(roots) > 1:
            listed = [f"{one.entry.root.hex()} ({one.entry.title}, {one.archive})" for one in found[:_LISTED]]
            raise AboristError(
                expected=f"one article with a root that starts with {root}",
                found=f"{len(roots)}: {'; '.join(listed)}",
                next="give more digits of the root",
            )
        return found

    def _titles(self, select: str, name: str, folded: str) -> Iterator[str]:
        grams = sorted({folded[n : n + 3] for n in range(len(folded) - 2)})
        for manifest, shards in self.holdings:
            stems = analyzer_for(manifest.language).stems(name).split()
            offered = {
                "holding": "*" + _GLOB_SIGNS.sub(r"[\g<0>]", folded) + "*" if grams else "",
                "words": " AND ".join(match_phrase((stem,)) for stem in stems),
                "grams": match_any(grams),
            }
            bound: dict[str, object] = {key: value for key, value in offered.items() if f":{key}" in select}
            if not all(bound.values()):
                continue
            for shard in shards:
                for (title,) in self._unless_damaged(partial(shard.rows, select, bound)):
                    yield title

    def _entries(
        self, manifest: Manifest, shards: Iterable[Shard], where: str, bound: dict[str, object]
    ) -> Iterator[Found]:
        for shard in shards:
            for entry in self._unless_damaged(partial(shard.entries, where, bound)):
                yield Found(manifest, shard, entry)

    def _unless_damaged(self, look: Callable[[], list[T]]) -> list[T]:
        """What a look finds; a damaged shard finds nothing and is named in `faults`."""
        try:
            return look()
        except DamagedShard as error:
            if str(error) not in self.faults:
                self.faults.append(str(error))
            return []

    def _doubt(self) -> str:
        return f", but not all could be read: {'; '.join(self.faults)}" if self.faults else ""


# Ways of naming an article, the nearest first; `key` narrows titles down by an index.
_BY_ALIAS = "id IN (SELECT article FROM alias WHERE {})".format
_NAMED = (
    "path = :name",
    _BY_ALIAS("key = :key AND title = :name AND path IS NULL"),
    _BY_ALIAS("path = :name OR (key = :key AND title = :name)"),
    _BY_ALIAS("key = :key AND path IS NULL"),
    _BY_ALIAS("key = :key"),
)
_BY_ROOT = "substr(root, 1, 4) = :start"

_HOLDING = (
    "SELECT title FROM alias WHERE id IN (SELECT rowid FROM title_gram WHERE folded GLOB :holding)"
    f" ORDER BY length(title) LIMIT {_FETCHED}"
)
_WORDED = (
    f"SELECT title FROM alias WHERE id IN (SELECT rowid FROM title_word WHERE title_word MATCH :words LIMIT {_FETCHED})"
)
_SPELLED = (
    f"SELECT title FROM alias WHERE id IN (SELECT rowid FROM title_gram WHERE title_gram MATCH :grams LIMIT {_FETCHED})"
)
_GLOB_SIGNS = re.compile(r"[*?\[]")


def is_sought_root(text: str) -> bool:
    """Whether a text can name a root: 8 to 64 hex digits."""
    return _ROOT.fullmatch(text) is not None


def section_at(document: Document, offset: int) -> Section | None:
    """The section that holds the character at an offset; None between sections and outside."""
    return next((section for section in document.sections if section.start <= offset < section.end), None)


def _is_text(name: str) -> bool:
    """Whether a name can stand in an index at all: UTF-8 carries no lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name)
