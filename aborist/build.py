"""index(): from archives to published shards.

For each archive: look whether it is indexed already, scan its directory, sample some pages, fill the
shards, finish them, publish. What a killed build leaves lies in a hidden folder beside the index and is
continued by the next run, part by part.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Protocol

import apsw

from aborist.errors import AboristError, ArchiveError, IndexStateError, StorageError
from aborist.ingest import chunk, html, zim
from aborist.ingest.catalog import PART_ARTICLES
from aborist.ingest.fill import Ending, Finished, Job, News, collect, fill, finish_shard, sample
from aborist.memory import BuildMemory, for_build, limit, shortage
from aborist.processes import Crew, Interruptions, interruptible
from aborist.shard import manifest as manifests
from aborist.shard.finish import alias_count, snapshot
from aborist.shard.lock import exclusive
from aborist.shard.manifest import Manifest, ShardFile
from aborist.shard.publish import STATE, publish, tidy, withdraw
from aborist.shard.read import Shard
from aborist.shard.schema import SCHEMA_VERSION
from aborist.shard.spool import DamagedBuild
from aborist.text import analyzer_for

__all__ = ["ArchiveReport", "Progress", "index", "remove"]

ARTICLES_PER_SHARD = 500_000
_IDENTICAL_SHARE = 0.1  # of the articles: above it, equal short texts point to a broken scrape
_IDENTICAL_FEWEST = 3


class Progress(Protocol):
    """Is told how far a build is; all methods are called from the parent process."""

    def start(self, archive: str, articles: int) -> None: ...
    def stage(self, archive: str, name: str) -> None: ...
    def advance(self, archive: str, articles: int) -> None: ...


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What became of one archive; field names are those of `index --json`."""

    archive: str
    file: str
    status: str  # indexed | unchanged | failed
    articles: int = 0
    redirects: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    resumed: int = 0  # articles that an earlier, interrupted run had finished
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    bytes: int = 0
    shards: int = 0
    error: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Call:
    """What holds for all archives of one call of `index`."""

    workers: int
    shard_count: int | None
    part_articles: int
    memory: BuildMemory
    progress: Progress
    interruptions: Interruptions


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a build must agree on with the run it continues; kept as state.json in the build folder."""

    uuid: str
    checksum: str
    shards: int
    part_articles: int
    analyzer: str
    schema: int
    extraction: int
    chunking: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an archive's index goes: its name, the folder readers see, the folder it is built in."""

    name: str
    folder: Path
    building: Path

    @classmethod
    def of(cls, shards: Path, name: str) -> _Place:
        return cls(name, shards / name, shards / f"{manifests.BUILDING}{name}")


def index(  # noqa: PLR0913  each is a part of one call that a surface sets
    archives: Sequence[Path],
    shards: Path,
    *,
    workers: int = 1,
    shard_count: int | None = None,
    part_articles: int = PART_ARTICLES,
    memory: int = 0,
    progress: Progress,
) -> list[ArchiveReport]:
    """Build or update the index of every archive; a bad one is reported and the others are indexed.

    `part_articles` is what a kill can cost; an archive no larger is built in this process, not in workers.
    `memory` is what all processes together may use, in bytes; 0: what the system allows.
    Raises MemoryLimitError where that is too little, IndexStateError when another process is building in
    `shards`, StorageError when the folder cannot be written, Interrupted on SIGINT or SIGTERM (nothing of the
    current archive is published; the next run resumes).
    """
    shares = for_build(limit(memory), workers)
    files, bad = zim.find_archives(archives)
    reports = [_failed(error, "") for error in bad]
    with _telling_storage(shards), interruptible() as interruptions, exclusive(shards):
        call = _Call(workers, shard_count, part_articles, shares, progress, interruptions)
        for file in files:
            interruptions.check()
            begun, cpu = time.monotonic(), _cpu_seconds()
            try:
                report = _index_one(file, shards, call)
            except ArchiveError as error:
                report = replace(_failed(error, str(file)), archive=_safe(file))
            seconds, used = time.monotonic() - begun, _cpu_seconds() - cpu
            reports.append(replace(report, seconds=round(seconds, 3), cpu_seconds=round(used, 3)))
    return reports


def remove(shards: Path, archive: str) -> None:
    """Take an archive out of the index, with what an interrupted build of it left.

    Raises IndexStateError if it is not there or another process is building, StorageError when the folder
    cannot be written.
    """
    with _telling_storage(shards), exclusive(shards):
        names = [found.name for found in manifests.archives_in(shards)]
        place = _Place.of(shards, archive)
        if archive not in names and not (_safe(Path(archive)) == archive and place.building.is_dir()):
            raise IndexStateError(
                expected=f"an archive of the index in {shards}",
                found=f"no {archive!r}" + (f" (there are: {', '.join(names)})" if names else " and no other"),
                next="see `aborist status`",
            )
        withdraw(place.folder, place.building)


_DAMAGED = (DamagedBuild, apsw.CorruptError, apsw.NotADBError)


def _index_one(file: Path, shards: Path, call: _Call) -> ArchiveReport:
    with zim.open_archive(file) as archive:
        place = _Place.of(shards, _name(shards, archive))
        if published := _unchanged(place, archive, call.shard_count):
            return _report(published, file, "unchanged")
        call.progress.stage(place.name, "reading the directory")
        catalog = zim.scan(archive)
        plan = _plan(archive, catalog, place, call)
        # More shards may be asked for than the archive has clusters.
        if call.shard_count and (published := _unchanged(place, archive, plan.shards)):
            return _report(published, file, "unchanged")
        try:
            return _build(archive, catalog, plan, place, call)
        except _DAMAGED:
            # A power cut can leave what SQLite cannot roll back: begin again, once.
            shutil.rmtree(place.building)
        try:
            return _build(archive, catalog, plan, place, call)
        except _DAMAGED as error:
            raise StorageError(
                expected=f"to read back what was just written in {place.building}",
                found=str(error),
                next="check the disk, or choose another --shards",
            ) from error


def _build(archive: zim.Archive, catalog: zim.Catalog, plan: _Plan, place: _Place, call: _Call) -> ArchiveReport:
    """Sample, fill, finish and publish one archive that is open."""
    progress = call.progress
    _prepare(place, plan)
    progress.stage(place.name, "sampling")
    sampled = sample(archive, catalog, place.building, call.memory)
    jobs = [
        Job(archive.file, place.building, number,
            tuple(catalog.parts(number, plan.shards, plan.part_articles)),
            archive.language, archive.main_path, sampled, call.memory)
        for number in range(plan.shards)
    ]  # fmt: skip
    resumed = 0

    def tell(news: News) -> None:
        nonlocal resumed
        resumed += news.articles if news.resumed else 0
        progress.advance(place.name, news.articles)

    progress.start(place.name, catalog.articles)
    # A small archive is done before a process has started.
    with Crew(min(call.workers, len(jobs)) if catalog.articles > plan.part_articles else 0) as crew:
        crew.run(fill, jobs, tell)
        progress.stage(place.name, "finishing")
        stubs, left_out = collect(jobs)
        finished = crew.run(finish_shard, [Ending(job, stubs) for job in jobs])
    if lost := len(stubs) - sum(done.adopted for done in finished):
        left_out["refresh to a non-article"] += lost
    progress.stage(place.name, "publishing")
    manifest = _manifest(archive, catalog, plan, place, finished, left_out)
    with call.interruptions.held():
        published = publish(place.folder, place.building, manifest)
    return _report(published, archive.file, "indexed", resumed)


# -- names and plans -----------------------------------------------------------------------------------------


def _safe(file: Path) -> str:
    """A file's stem as a folder name: no separators, no leading dot."""
    stem = re.sub(r"\.zim(?:[a-z]{2})?$", "", file.name, flags=re.IGNORECASE)
    return re.sub(r"[^\w.+-]+", "_", stem).lstrip(".")[:_LONGEST_NAME] or "archive"


_LONGEST_NAME = 80  # characters: file systems allow 255 bytes, and the name is shown in every result


def _name(shards: Path, archive: zim.Archive) -> str:
    """The archive's name in the index: its stem; on a clash `-` and 6 digits of the UUID more.

    An archive that was moved keeps its name, and so does one that replaced another in its place.
    """
    stem = _safe(archive.file)
    holders = {}
    for folder in manifests.archives_in(shards):
        if folder.name == stem or re.fullmatch(re.escape(stem) + "-[0-9a-f]{6}", folder.name):
            with suppress(IndexStateError):
                holders[folder.name] = manifests.load(folder)
    for name, manifest in holders.items():
        if manifest.uuid == archive.uuid:
            return name
    for name, manifest in holders.items():
        if manifest.source == str(archive.file.absolute()):
            return name
    return f"{stem}-{archive.uuid[:6]}" if stem in holders else stem


def _plan(archive: zim.Archive, catalog: zim.Catalog, place: _Place, call: _Call) -> _Plan:
    """How the archive is built. Where no shard count is asked for, an interrupted build's is kept."""
    count = call.shard_count or max(call.workers, -(-catalog.articles // ARTICLES_PER_SHARD))
    plan = _Plan(
        uuid=archive.uuid, checksum=archive.checksum, shards=max(1, min(count, len(catalog.runs) // 2)),
        part_articles=call.part_articles, analyzer=analyzer_for(archive.language).name, schema=SCHEMA_VERSION,
        extraction=html.EXTRACTION, chunking=chunk.CHUNKING,
    )  # fmt: skip
    begun = _begun(place)
    if begun and not call.shard_count and replace(begun, shards=plan.shards) == plan:
        return begun
    return plan


def _begun(place: _Place) -> _Plan | None:
    """The plan of the build that was interrupted, if there is one."""
    try:
        return _Plan(**json.loads((place.building / STATE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _prepare(place: _Place, plan: _Plan) -> None:
    """Make the build folder; what another plan left there is thrown away."""
    if _begun(place) == plan:
        return
    if place.building.exists():
        shutil.rmtree(place.building)
    place.building.mkdir(parents=True)
    aside = place.building / f"{STATE}.new"
    aside.write_text(json.dumps(asdict(plan)), encoding="utf-8")
    aside.replace(place.building / STATE)


def _unchanged(place: _Place, archive: zim.Archive, shard_count: int | None) -> Manifest | None:
    """The published manifest, if made from this very archive by this version in as many shards as asked for.

    What a kill during its publication left is dropped; the new place of a moved archive is recorded.
    """
    try:
        found = manifests.load(place.folder)
        sizes = [(place.folder / shard.name).stat().st_size for shard in found.shards]
    except (IndexStateError, OSError):
        return None
    then = (found.uuid, found.zim_checksum, found.zim_bytes, found.analyzer, found.extraction, found.chunking)
    analyzer = analyzer_for(archive.language).name
    now = (archive.uuid, archive.checksum, archive.size, analyzer, html.EXTRACTION, chunk.CHUNKING)
    if then != now or sizes != [shard.bytes for shard in found.shards]:
        return None
    if shard_count not in {None, len(found.shards)}:
        return None
    tidy(place.folder, place.building, found)
    if found.source != str(archive.file.absolute()):
        found = replace(found, source=str(archive.file.absolute()))
        manifests.save(place.folder, found)
    return found


# -- what is told --------------------------------------------------------------------------------------------


def _manifest(
    archive: zim.Archive,
    catalog: zim.Catalog,
    plan: _Plan,
    place: _Place,
    finished: Sequence[Finished],
    left_out: Counter[str],
) -> Manifest:
    files = [place.building / done.file.name for done in finished]
    return Manifest(
        archive=place.name, source=str(archive.file.absolute()), uuid=archive.uuid, zim_bytes=archive.size,
        zim_checksum=archive.checksum, title=archive.title, language=archive.language, date=archive.date,
        flavour=archive.flavour, new_namespaces=archive.new_scheme, main_path=archive.main_path or "",
        schema=plan.schema, analyzer=plan.analyzer, extraction=plan.extraction, chunking=plan.chunking,
        articles=sum(done.file.articles for done in finished), aliases=sum(map(alias_count, files)),
        skipped=dict(catalog.skipped + left_out), warnings=list(_warnings(finished, catalog, left_out)),
        snapshot_root=snapshot(files), complete=True, shards=[_noted(done.file, place.building) for done in finished],
    )  # fmt: skip


def _noted(file: ShardFile, folder: Path) -> ShardFile:
    """With the filter over the shard's words, where they are few."""
    with closing(Shard(folder / file.name)) as shard:
        known = shard.known()
    return replace(file, known=known.pack() if known else "")


def _warnings(finished: Sequence[Finished], catalog: zim.Catalog, left_out: Counter[str]) -> Iterator[str]:
    """What a person should know of an archive that was indexed all the same."""
    articles = sum(done.file.articles for done in finished)
    if not articles:
        yield "no articles: the archive holds no text/html or text/plain entry to index"
    yield from _identical(finished, articles)
    if no_text := sum(done.no_text for done in finished):
        yield f"{no_text} of {articles} pages have no text of their own (filled by a script?)"
    for reason in ("redirect loop", "dangling redirect"):
        if many := catalog.skipped.get(reason):
            yield f"{many} x {reason}, left out (for instance {catalog.examples[reason]})"
    for reason, count in left_out.items():
        if reason.startswith(("refresh", "page of more")):
            yield f"{count} x {reason}, left out"
    if lost := sum(count for reason, count in left_out.items() if reason.startswith("unreadable")):
        yield f"{lost} entries could not be read: is the file damaged? (`aborist verify` checks it)"


def _identical(finished: Sequence[Finished], articles: int) -> Iterator[str]:
    same = Counter[str]()
    for done in finished:
        same.update(dict(done.identical))
    for text, count in same.most_common(1):
        if count >= max(_IDENTICAL_FEWEST, _IDENTICAL_SHARE * articles):
            yield f"{count} of {articles} articles have the identical text {text[:60]!r}: a broken scrape?"


def _report(manifest: Manifest, file: Path, status: str, resumed: int = 0) -> ArchiveReport:
    return ArchiveReport(
        archive=manifest.archive, file=str(file), status=status, articles=manifest.articles,
        redirects=manifest.aliases, skipped=manifest.skipped, warnings=manifest.warnings, resumed=resumed,
        bytes=sum(shard.bytes for shard in manifest.shards), shards=len(manifest.shards),
    )  # fmt: skip


def _failed(error: AboristError, file: str) -> ArchiveReport:
    told = {"expected": error.expected, "found": error.found, "next": error.next}
    return ArchiveReport("", file, "failed", error=told)


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def _telling_storage(shards: Path) -> Iterator[None]:
    """A full or read-only disk, named: SQLite's own temporary files may lie elsewhere than the index."""
    try:
        yield
    except (MemoryError, apsw.NoMemError) as error:
        raise shortage("set --workers 1 and a smaller --memory; the same command then resumes") from error
    except (
        OSError,
        apsw.FullError,
        apsw.IOError,
        apsw.ReadOnlyError,
        apsw.CantOpenError,
        apsw.BusyError,
    ) as error:
        found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        temporary = os.environ.get("SQLITE_TMPDIR") or os.environ.get("TMPDIR") or "the system's place"
        own = isinstance(error, OSError)
        raise StorageError(
            expected=f"to write the index in {shards}" + ("" if own else f" and temporary files in {temporary}"),
            found=found,
            next="make room, name another folder with --shards, or another for temporary files with"
            " SQLITE_TMPDIR; then run the same command again, it resumes",
        ) from error
