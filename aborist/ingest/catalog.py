"""Which entries of an archive are indexed, in the order of their clusters, and what is left out and why.

Contract: `catalog` sorts every entry, with redirects resolved once, and keeps no object for an entry: 16 M entries fit.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from aborist.errors import ArchiveError
from aborist.ingest.directory import DELETED, REDIRECT, UNREADABLE, Directory, numbers

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PART_ARTICLES", "UNREAD_TYPES", "Catalog", "Part", "catalog", "essence"]

HTML, TEXT, UNREAD, OTHER = range(4)
UNREAD_TYPES = ("application/pdf", "application/epub+zip")
USES = {"text/html": HTML, "text/plain": TEXT} | dict.fromkeys(UNREAD_TYPES, UNREAD)
TEXT_SUFFIXES = frozenset({"txt", "text", "md", "rst"})
# Folders in which scrapers keep what pages need rather than what people read.
ASSET_FOLDERS = ("-/", "_assets_/", "_mw_/", "_res_/", "_zim_static/")
FRONT_LISTING = "listing/titleOrdered/v1"  # in namespace X: numbers of the front articles, 4 bytes each
LOOP, NOWHERE = 0xFFFFFFFF, 0xFFFFFFFE  # ends of redirects that lead to no entry
PART_ARTICLES = 2000  # some seconds of work: little is lost when a build is interrupted
_NO_MIME = {UNREADABLE: "damaged entry", DELETED: "deleted entry", DELETED + 1: "deleted entry"}
FILE_SUFFIX = re.compile(r"\.([A-Za-z]\w{0,4})$")


@dataclass(frozen=True, slots=True)
class Part:
    """A run of one shard's articles: what a worker needs to read them, apart from the archive itself."""

    shard: int
    number: int  # from 0 within the shard
    clusters: tuple[int, int]  # first and last
    entries: array[int]  # numbers of the articles' directory entries, in the order of (cluster, blob)
    aliases: array[int]  # numbers of the entries that are their aliases, grouped by article
    alias_counts: array[int]  # how many of those belong to each article


@dataclass(frozen=True, slots=True)
class Catalog:
    """What an archive holds to index, in the order of (cluster, blob), and what was left out.

    `skipped` counts entries by reason (a MIME type, "redirect loop", ...); `examples` has one path for each.
    PDFs and e-books stand in both: listed as articles without content, and counted as "(text not read)".
    """

    clusters: int  # of the archive, with and without articles
    skipped: Counter[str]
    examples: dict[str, str]
    entries: array[int]  # of the articles; entries that share one blob are one, the further ones its aliases
    runs: array[int]  # per cluster that holds articles: its number, and its first place in `entries`
    alias_entries: array[int]  # grouped by article
    alias_starts: array[int]  # first place in `alias_entries` per article, and the end

    @property
    def articles(self) -> int:
        return len(self.entries)

    @property
    def aliases(self) -> int:
        return len(self.alias_entries)

    def parts(self, shard: int, shard_count: int, part_articles: int = PART_ARTICLES) -> list[Part]:
        """The parts of one shard, in order: every `shard_count`-th of the clusters that hold articles.

        A part ends with the cluster that brings it to `part_articles`. Same arguments, same parts.
        """
        starts = [*self.runs[1::2], self.articles]
        parts: list[Part] = []
        runs: list[tuple[int, int, int]] = []  # cluster, first and past-the-last place in `entries`
        size = 0
        for run in range(shard, len(starts) - 1, shard_count):
            runs.append((self.runs[2 * run], starts[run], starts[run + 1]))
            size += starts[run + 1] - starts[run]
            if size >= part_articles:
                parts.append(self._part(shard, len(parts), runs))
                runs, size = [], 0
        return [*parts, self._part(shard, len(parts), runs)] if runs else parts

    def _part(self, shard: int, number: int, runs: list[tuple[int, int, int]]) -> Part:
        entries, aliases, counts = numbers(), numbers(), numbers()
        for _, start, stop in runs:
            entries += self.entries[start:stop]
            bounds = self.alias_starts[start : stop + 1]
            aliases += self.alias_entries[bounds[0] : bounds[-1]]
            counts.extend(end - begin for begin, end in pairwise(bounds))
        return Part(shard, number, (runs[0][0], runs[-1][0]), entries, aliases, counts)


@dataclass(slots=True)
class _Survey:
    """The directory while it is sorted into what is indexed and the rest."""

    directory: Directory
    hop: array[int]  # per entry: itself, or for a redirect where it points, later where it ends
    open: bytearray  # per entry: 1 for a redirect whose end is not known yet
    ids: array[int] = field(default_factory=numbers)  # of HTML, text and files, ascending; so the next three
    clusters: array[int] = field(default_factory=numbers)
    blobs: array[int] = field(default_factory=numbers)
    uses: bytearray = field(default_factory=bytearray)
    redirects: array[int] = field(default_factory=numbers)  # of the content namespace
    internal: list[int] = field(default_factory=list)  # namespace X
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def skip(self, reason: str, entry: int, count: int = 1) -> None:
        self.skipped[reason] += count
        if reason not in self.examples:
            try:
                self.examples[reason] = self.directory.path(self.directory.name(entry))
            except ArchiveError:
                self.examples[reason] = f"entry {entry}"


def catalog(directory: Directory, content: Callable[[int], bytes]) -> Catalog:
    """What the directory lists; `content` gives the bytes of an entry (asked for the list of front articles).

    2026-11-30: 1.0 us CPU an entry (enwiki_130k), 27 bytes an entry at the peak (4 M synthetic entries).

    :raises ArchiveError: when the directory cannot be read; what `content` raises counts as "no list"
    """
    survey = _survey(directory)
    _follow(survey)
    return _order(survey, _choose(survey, _fronts(survey, content)))


def _survey(directory: Directory) -> _Survey:
    count, clusters = directory.header.entries, directory.header.clusters
    survey = _Survey(directory, array("I", range(count)), bytearray(count))
    pages = ord("C" if directory.new_scheme else "A")
    files = b"C" if directory.new_scheme else b"AI"  # old archives keep e-books among the images
    reported = b"C" if directory.new_scheme else b"AIJ-"  # not metadata and indexes: nobody misses them
    uses = [USES.get(essence(mime), OTHER) for mime in directory.mimes]
    others: dict[int, list[int]] = {}  # per type: how many, and the first
    for entry, (mime, space, target, blob) in enumerate(directory.records()):
        if mime == REDIRECT:
            survey.hop[entry], survey.open[entry] = min(target, NOWHERE), 1
            if space == pages:
                survey.redirects.append(entry)
            continue
        use = uses[mime] if mime < len(uses) else OTHER
        kind = UNREADABLE if use != OTHER and target >= clusters else mime
        if kind >= UNREADABLE:
            survey.hop[entry] = NOWHERE
        elif use != OTHER and (space == pages or (use == UNREAD and space in files)):
            survey.ids.append(entry)
            survey.clusters.append(target)
            survey.blobs.append(blob)
            survey.uses.append(use)
            continue
        if space in reported or kind == UNREADABLE:
            others.setdefault(kind, [0, entry])[0] += 1
        elif space == ord("X"):
            survey.internal.append(entry)
    for mime, (found, first) in others.items():
        known = essence(directory.mimes[mime]) if mime < len(directory.mimes) else "unknown type"
        survey.skip(_NO_MIME.get(mime, known), first, found)
    return survey


def essence(mime: str) -> str:
    """The MIME type without its parameters ("text/html;raw=true")."""
    return mime.partition(";")[0].strip().lower()


def _follow(survey: _Survey) -> None:
    """Make `hop` the end of every redirect: an entry, LOOP or NOWHERE. Each redirect is walked once."""
    hop, state, walking = survey.hop, survey.open, 2
    for start in survey.redirects:
        trail, at = [], start
        while at < len(hop) and state[at] == 1:
            state[at] = walking
            trail.append(at)
            at = hop[at]
        if at < len(hop):
            at = LOOP if state[at] == walking else hop[at]
        elif at != LOOP:
            at = NOWHERE
        for entry in trail:
            hop[entry], state[entry] = at, 0


def _fronts(survey: _Survey, content: Callable[[int], bytes]) -> bytearray | None:
    """For every entry 1 if it is a front article; None where the archive does not say."""
    name = survey.directory.name
    try:
        listing = next((entry for entry in survey.internal if name(entry).path == FRONT_LISTING), None)
        data = content(listing) if listing is not None else b""
    except ArchiveError:
        survey.skip("list of front articles (unreadable)", survey.internal[-1])
        return None
    fronts = bytearray(len(survey.hop))
    for (entry,) in struct.iter_unpack("<I", data[: len(data) // 4 * 4]):
        # A redirect may be listed without the page it stands for.
        if entry < len(fronts) and (end := survey.hop[entry]) < len(fronts):
            fronts[end] = 1
    # Some writers leave the listing empty although there are pages.
    pages = (entry for entry, use in zip(survey.ids, survey.uses, strict=True) if use == HTML)
    return fronts if any(fronts[entry] for entry in pages) else None


def _choose(survey: _Survey, fronts: bytearray | None) -> array[int]:
    """Places in the survey's arrays of what is indexed; the rest is counted as skipped."""
    chosen, directory = numbers(), survey.directory
    for place, (entry, use) in enumerate(zip(survey.ids, survey.uses, strict=True)):
        listed = fronts is not None and fronts[entry] == 1
        if use == HTML and fronts is not None and not listed:
            survey.skip("not a front article", entry)
        elif use == TEXT and not listed and _is_asset(directory, entry):
            survey.skip("text/plain (not a page)", entry)
        else:
            chosen.append(place)
            if use == UNREAD:
                survey.skip(f"{essence(directory.mimes[directory.name(entry).mime])} (text not read)", entry)
    return chosen


def _is_asset(directory: Directory, entry: int) -> bool:
    """Whether plain text serves the pages (a script, robots.txt) and is not there to be read itself."""
    try:
        name = directory.name(entry)
    except ArchiveError:
        return False  # found and told when it is read
    if name.path.startswith(ASSET_FOLDERS) or name.path.rpartition("/")[2] == "robots.txt":
        return True
    suffix = FILE_SUFFIX.search(name.path)
    return not name.title and suffix is not None and suffix[1].lower() not in TEXT_SUFFIXES


def _order(survey: _Survey, chosen: array[int]) -> Catalog:
    """The catalog: articles by (cluster, blob), and to each the entries that lead to it."""
    entries, runs, aliases = numbers(), numbers(), numbers()
    owner = array("I", [NOWHERE]) * len(survey.hop)  # per entry: the place of its article
    clusters = survey.directory.header.clusters
    starts, grouped = _grouped(chosen, array("I", (survey.clusters[place] for place in chosen)), clusters)
    for cluster, (start, stop) in enumerate(pairwise(starts)):
        if start < stop:
            runs.extend((cluster, len(entries)))
        last_blob = None
        for place in sorted(grouped[start:stop], key=survey.blobs.__getitem__):
            entry, blob = survey.ids[place], survey.blobs[place]
            (aliases if blob == last_blob else entries).append(entry)
            owner[entry] = len(entries) - 1
            last_blob = blob
    for entry in survey.redirects:
        end = survey.hop[entry]
        if end < len(owner) and owner[end] != NOWHERE:
            owner[entry] = owner[end]
            aliases.append(entry)
        else:
            missing = "redirect loop" if end == LOOP else "dangling redirect"
            survey.skip("redirect to a non-article" if end < len(owner) else missing, entry)
    alias_starts, aliases = _grouped(aliases, array("I", (owner[entry] for entry in aliases)), len(entries))
    return Catalog(clusters, survey.skipped, survey.examples, entries, runs, aliases, alias_starts)


def _grouped(values: array[int], groups: array[int], count: int) -> tuple[array[int], array[int]]:
    """Where each of `count` groups starts (and the last one ends), and the values by group, else in order.

    A counting sort: sorted() would make an object of every number, 600 MB for 7 M articles.
    """
    sizes = array("I", bytes(4 * (count + 1)))
    for group in groups:
        sizes[group + 1] += 1
    starts = array("I", accumulate(sizes))
    cursor, ordered = starts[:], array("I", bytes(4 * len(values)))
    for value, group in zip(values, groups, strict=True):
        ordered[cursor[group]] = value
        cursor[group] += 1
    return starts, ordered
