"""index(): from archives to published shards.

For each archive: look whether it is indexed already, scan its directory, sample it for boilerplate and a compression
dictionary, fill the shards (one process each), finish them, publish. What a killed build leaves lies in a hidden
folder beside the index and is continued by the next run, part by part.
"""

from __future__ import annotations

import fcntl
import heapq
import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Protocol

import apsw
import zstandard

from aborist.errors import AboristError, ArchiveError, IndexStateError, Interrupted, StorageError
from aborist.ingest import chunk, html, zim
from aborist.ingest.record import to_record
from aborist.shard import manifest as manifests
from aborist.shard.manifest import Manifest, ShardFile
from aborist.shard.schema import SCHEMA_VERSION
from aborist.shard.write import LinkCounter, Record, ShardWriter, Stub, sync
from aborist.text import analyzer_for

__all__ = ["ArchiveReport", "Progress", "index", "remove"]

ARTICLES_PER_SHARD = 500_000
PART_ARTICLES = 2_000  # about 2 s of work: what a kill can cost
_SAMPLE_PAGES = 400
_DICTIONARY_BYTES = 64 << 10  # PERFORMANCE.md: 64-112 kB reach .415 of the text
_IDENTICAL_SHARE = 0.1  # of the articles: above it, equal short bodies point to a broken scrape
_BUILDING = ".building-"
_LOCK = ".lock"


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
class _Job:
    """All a process needs to fill one shard."""

    file: Path
    folder: Path
    shard: int
    parts: tuple[zim.Part, ...]
    language: str
    main_path: str | None
    boilerplate: frozenset[bytes]
    dictionary: bytes


@dataclass(frozen=True, slots=True)
class _Finished:
    file: ShardFile
    identical: list[tuple[str, int]]  # (text, how many articles have it)
    no_text: int


def index(
    archives: Sequence[Path],
    shards: Path,
    *,
    workers: int = 1,
    shard_count: int | None = None,
    progress: Progress,
) -> list[ArchiveReport]:
    """Build or update the index of every archive; a bad one is reported and the others are indexed.

    Raises IndexStateError when another process is building in `shards`, StorageError when the folder cannot be
    written, Interrupted on SIGINT or SIGTERM (nothing of the current archive is published; the next run resumes).
    """
    files, bad = zim.find_archives(archives)
    reports = [_failed(error) for error in bad]
    with _exclusive(shards), _interruptible() as interrupted:
        for file in files:
            begun, cpu = time.monotonic(), _cpu_seconds()
            try:
                report = _index_one(file, shards, workers, shard_count, progress, interrupted)
            except ArchiveError as error:
                report = replace(_failed(error), archive=_safe(file), file=str(file))
            except (OSError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError) as error:
                raise _storage(shards, error) from error
            seconds, used = time.monotonic() - begun, _cpu_seconds() - cpu
            reports.append(replace(report, seconds=round(seconds, 3), cpu_seconds=round(used, 3)))
    return reports


def remove(shards: Path, archive: str) -> None:
    """Take an archive out of the index, with what an interrupted build of it left. Raises IndexStateError if absent."""
    with _exclusive(shards):
        folder, building = shards / archive, shards / f"{_BUILDING}{archive}"
        names = [found.name for found in manifests.archives_in(shards)]
        if archive not in names and not (_safe(Path(archive)) == archive and building.is_dir()):
            raise IndexStateError(
                expected=f"an archive of the index in {shards}",
                found=f"no {archive!r}" + (f" (there are: {', '.join(names)})" if names else " and no other"),
                next="see `aborist status`",
            )
        with suppress(FileNotFoundError):
            (folder / manifests.FILE_NAME).unlink()  # from here on readers do not see it
        for left in (folder, building):
            shutil.rmtree(left, ignore_errors=True)


def _index_one(
    file: Path,
    shards: Path,
    workers: int,
    shard_count: int | None,
    progress: Progress,
    interrupted: Callable[[], bool],
) -> ArchiveReport:
    with zim.open_archive(file) as archive:
        name = _name(shards, archive)
        analyzer = analyzer_for(archive.language)
        wanted = _Plan(archive.uuid, archive.checksum, 0, PART_ARTICLES, analyzer.name, SCHEMA_VERSION,
                       html.EXTRACTION, chunk.CHUNKING)  # fmt: skip
        if published := _unchanged(shards / name, archive, wanted, shard_count):
            return _report(published, file, "unchanged", 0)
        progress.stage(name, "reading the directory")
        catalog = zim.scan(archive)
        count = shard_count or max(workers, -(-catalog.articles // ARTICLES_PER_SHARD))
        plan = replace(wanted, shards=max(1, min(count, catalog.clusters)))
        folder = _build_folder(shards, name, plan)
        progress.stage(name, "sampling")
        boilerplate, dictionary = _sample(archive, catalog, folder)
        jobs = [
            _Job(file, folder, n, tuple(catalog.parts(n, plan.shards, PART_ARTICLES)), archive.language,
                 archive.main_path, boilerplate, dictionary)
            for n in range(plan.shards)
        ]  # fmt: skip
        progress.start(name, catalog.articles)
        resumed, unreadable = _fill_all(jobs, workers, lambda n: progress.advance(name, n), interrupted)
        progress.stage(name, "finishing")
        stubs = _merge_spools(jobs)
        finished = _finish_all(jobs, stubs, workers, interrupted)
        progress.stage(name, "publishing")
        skipped = Counter(catalog.skipped) + Counter(unreadable)
        manifest = Manifest(
            archive=name, source=str(file.absolute()), uuid=archive.uuid, zim_bytes=archive.size,
            zim_checksum=archive.checksum, title=archive.title, language=archive.language, date=archive.date,
            flavour=archive.flavour, new_namespaces=archive.new_scheme, main_path=archive.main_path or "",
            schema=SCHEMA_VERSION, analyzer=analyzer.name, extraction=html.EXTRACTION, chunking=chunk.CHUNKING,
            articles=sum(done.file.articles for done in finished), aliases=_count_aliases(jobs),
            skipped=dict(skipped), warnings=_warnings(finished, catalog, unreadable),
            snapshot_root=_snapshot(jobs), complete=True, shards=[done.file for done in finished],
        )  # fmt: skip
        published = _publish(shards / name, folder, manifest)
    return _report(published, file, "indexed", resumed)


# -- names, state, sample ---------------------------------------------------------------------------------------------


def _safe(file: Path) -> str:
    """A file's stem as a folder name: no separators, no leading dot."""
    stem = re.sub(r"\.zim(?:[a-z]{2})?$", "", file.name)
    return re.sub(r"[^\w.+-]+", "_", stem).lstrip(".") or "archive"


def _name(shards: Path, archive: zim.Archive) -> str:
    """The archive's name in the index: its stem; on a clash with another archive the UUID's first 6 digits are added."""
    stem = _safe(archive.file)
    for name in (f"{stem}-{archive.uuid[:6]}", stem):
        if (shards / name / manifests.FILE_NAME).exists():
            with suppress(IndexStateError):
                manifest = manifests.load(shards / name)
                if manifest.uuid == archive.uuid or manifest.source == str(archive.file.absolute()):
                    return name
    taken = stem in (folder.name for folder in manifests.archives_in(shards))
    if taken:
        with suppress(IndexStateError):
            manifests.load(shards / stem)
            return f"{stem}-{archive.uuid[:6]}"
    return stem


def _unchanged(folder: Path, archive: zim.Archive, wanted: _Plan, shard_count: int | None) -> Manifest | None:
    """The published manifest, if it was made from this very file by this version and no other layout is asked for."""
    if not (folder / manifests.FILE_NAME).exists():
        return None
    try:
        found = manifests.load(folder)
    except IndexStateError:
        return None
    same = (
        found.uuid == archive.uuid
        and found.zim_checksum == archive.checksum
        and found.zim_bytes == archive.size
        and (found.analyzer, found.schema, found.extraction, found.chunking)
        == (wanted.analyzer, wanted.schema, wanted.extraction, wanted.chunking)
        and (shard_count is None or shard_count == len(found.shards))
        and all((folder / shard.name).is_file() for shard in found.shards)
        and all((folder / shard.name).stat().st_size == shard.bytes for shard in found.shards)
    )
    if same and found.source != str(archive.file.absolute()):
        found = replace(found, source=str(archive.file.absolute()))  # the file was moved: links follow it
        manifests.save(folder, found)
    return found if same else None


def _build_folder(shards: Path, name: str, plan: _Plan) -> Path:
    """The build folder with its state; what another plan left there is thrown away."""
    folder = shards / f"{_BUILDING}{name}"
    state = folder / "state.json"
    with suppress(OSError, ValueError, TypeError):
        if _Plan(**json.loads(state.read_text())) == plan:
            return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    aside = folder / "state.new"
    aside.write_text(json.dumps(asdict(plan)))
    aside.replace(state)
    return folder


def _sample(archive: zim.Archive, catalog: zim.Catalog, folder: Path) -> tuple[frozenset[bytes], bytes]:
    """Keys of blocks that stand on most pages, and a compression dictionary; kept for a resumed build."""
    kept = folder / "sample.json"
    if kept.exists():
        found = json.loads(kept.read_text())
        return frozenset(map(bytes.fromhex, found["boilerplate"])), bytes.fromhex(found["dictionary"])
    parts = list(catalog.parts(0, 1, _SAMPLE_PAGES // 8))
    chosen = parts[:: max(1, len(parts) // 8)]
    articles = (a for part in chosen for a in zim.read(archive, part) if isinstance(a, zim.Article))
    pages = [html.extract(article.content, article.mime) for article in articles]
    documents = [page.document for page in pages if not page.refresh]
    boilerplate = chunk.repeated_blocks(documents)
    texts = [document.text[:4096].encode() for document in documents if document.text]
    dictionary = b""
    # zstd refuses to train on little text; small archives do without.
    with suppress(zstandard.ZstdError):
        if sum(map(len, texts)) > 10 * _DICTIONARY_BYTES:
            dictionary = zstandard.train_dictionary(_DICTIONARY_BYTES, texts).as_bytes()
    aside = folder / "sample.new"
    aside.write_text(json.dumps({"boilerplate": [key.hex() for key in boilerplate], "dictionary": dictionary.hex()}))
    aside.replace(kept)
    return boilerplate, dictionary


# -- filling the shards ------------------------------------------------------------------------------------------------


def _fill_all(
    jobs: Sequence[_Job], workers: int, advance: Callable[[int], None], interrupted: Callable[[], bool]
) -> tuple[int, Counter[str]]:
    """Fill every shard; returns how many articles were done before, and why entries could not be read."""
    resumed, unreadable = 0, Counter[str]()
    if min(workers, len(jobs)) <= 1:
        for job in jobs:
            for number, articles, failures in _fill(job, interrupted):
                resumed += articles if number is None else 0
                unreadable += failures
                advance(articles)
        return resumed, unreadable
    context = multiprocessing.get_context("spawn")
    news = context.SimpleQueue()
    with _pool(min(workers, len(jobs)), context, news) as pool:
        for _ in _completed(pool, [pool.submit(_fill_in_process, job) for job in jobs], news, interrupted):
            while not news.empty():
                number, articles, failures = news.get()
                resumed += articles if number is None else 0
                unreadable += failures
                advance(articles)
    return resumed, unreadable


def _fill(job: _Job, interrupted: Callable[[], bool]) -> Iterator[tuple[int | None, int, Counter[str]]]:
    """Write the parts of one shard that are not done; yields (part or None for those done before, articles, failures)."""
    analyzer = analyzer_for(job.language)
    writer = ShardWriter(job.folder, job.shard, analyzer, job.dictionary)
    try:
        done = writer.done_parts()
        if done:
            (articles,) = writer.db.execute("SELECT sum(articles) FROM part").fetchone()
            yield None, articles, Counter()
        with zim.open_archive(job.file) as archive:
            for part in job.parts:
                if part.number in done:
                    continue
                failures = Counter[str]()
                records = _records(archive, part, job, failures, interrupted)
                yield part.number, writer.write_part(part.number, records), failures
    finally:
        writer.close()


def _records(
    archive: zim.Archive, part: zim.Part, job: _Job, failures: Counter[str], interrupted: Callable[[], bool]
) -> Iterator[Record | Stub]:
    analyzer = analyzer_for(job.language)
    for article in zim.read(archive, part):
        if interrupted():
            raise _interruption()
        if isinstance(article, zim.Unreadable):
            failures[f"unreadable: {article.reason}"] += 1
            continue
        yield to_record(article, analyzer, boilerplate=job.boilerplate, main_path=job.main_path)


_news: multiprocessing.queues.SimpleQueue[tuple[int | None, int, Counter[str]]] | None = None


def _start_worker(news: multiprocessing.queues.SimpleQueue[tuple[int | None, int, Counter[str]]]) -> None:
    global _news
    _news = news
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; Ctrl-C reaches the whole group
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _orphaned() -> bool:
    """Whether the parent has died: then nobody will publish, and the lock is free for another builder."""
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


def _fill_in_process(job: _Job) -> None:
    assert _news is not None
    for item in _fill(job, _orphaned):
        _news.put(item)


# -- finishing and publishing ------------------------------------------------------------------------------------------


def _merge_spools(jobs: Sequence[_Job]) -> list[Stub]:
    """Add up the links of all shards in links.db; returns the refresh stubs."""
    stubs: list[Stub] = []
    links = LinkCounter(jobs[0].folder / "links.db")
    for job in jobs:
        writer = ShardWriter(job.folder, job.shard, analyzer_for(job.language), job.dictionary)
        for counts, found in writer.spools():
            links.add(counts)
            stubs += found
        writer.close()
    links.close()
    return stubs


def _finish_all(
    jobs: Sequence[_Job], stubs: list[Stub], workers: int, interrupted: Callable[[], bool]
) -> list[_Finished]:
    if min(workers, len(jobs)) <= 1:
        return [_finish(job, stubs) for job in jobs]
    context = multiprocessing.get_context("spawn")
    news = context.SimpleQueue()
    with _pool(min(workers, len(jobs)), context, news) as pool:
        futures = [pool.submit(_finish, job, stubs) for job in jobs]
        for _ in _completed(pool, futures, news, interrupted):
            pass
        return [future.result() for future in futures]


def _finish(job: _Job, stubs: list[Stub]) -> _Finished:
    writer = ShardWriter(job.folder, job.shard, analyzer_for(job.language), job.dictionary)
    totals = writer.finish(job.folder / "links.db", stubs)
    identical, no_text = writer.suspects()
    writer.close()
    sync(writer.path)
    size, digest = writer.path.stat().st_size, manifests.file_sha256(writer.path)
    return _Finished(ShardFile(writer.path.name, digest, size, **totals._asdict()), identical, no_text)


def _publish(folder: Path, building: Path, manifest: Manifest) -> Manifest:
    """Move the finished files under names that are free, replace the manifest, then drop what it no longer names."""
    folder.mkdir(exist_ok=True)
    try:
        old = {shard.name for shard in manifests.load(folder).shards}
    except IndexStateError:
        old = set()
    mark = f".{manifest.uuid[:6]}" if old else ""
    placed = []
    for shard in manifest.shards:
        name = shard.name
        if name in old:
            name = next(
                candidate
                for n in range(len(old) + 1)
                if (candidate := f"{shard.name.removesuffix('.db')}{mark}{f'.{n}' if n else ''}.db") not in old
            )
        _place(building / shard.name, folder / name)
        placed.append(replace(shard, name=name))
    sync(folder)
    published = replace(manifest, shards=placed)
    manifests.save(folder, published)
    sync(folder.parent)
    kept = {shard.name for shard in placed} | {manifests.FILE_NAME}
    for left in folder.iterdir():
        if left.name not in kept and left.suffix == ".db":
            left.unlink()
    shutil.rmtree(building)
    return published


def _place(source: Path, target: Path) -> None:
    """A hard link where the file system has them, so that an interrupted publication can be done again; else a move."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        os.replace(source, target)


def _snapshot(jobs: Sequence[_Job]) -> str:
    opened = [apsw.Connection(str(job.folder / f"{job.shard:03}.db")) for job in jobs]
    rows = [db.execute("SELECT path, root FROM article ORDER BY path") for db in opened]
    root = manifests.snapshot_root(heapq.merge(*rows))
    for db in opened:
        db.close()
    return root


def _count_aliases(jobs: Sequence[_Job]) -> int:
    count = 0
    for job in jobs:
        db = apsw.Connection(str(job.folder / f"{job.shard:03}.db"))
        count += db.execute("SELECT count(*) FROM alias WHERE path IS NOT NULL").fetchone()[0]
        db.close()
    return count


def _warnings(finished: Sequence[_Finished], catalog: zim.Catalog, unreadable: Counter[str]) -> list[str]:
    """What a person should know of an archive that was indexed all the same."""
    articles = sum(done.file.articles for done in finished)
    found = []
    if not articles:
        found.append("no articles: the archive holds no text/html or text/plain entry to index")
    same = Counter[str]()
    for done in finished:
        same.update(dict(done.identical))
    for text, count in same.most_common(1):
        if count >= max(3, _IDENTICAL_SHARE * articles):
            found.append(f"{count} of {articles} articles have the identical text {text[:60]!r}: a broken scrape?")
    if no_text := sum(done.no_text for done in finished):
        found.append(f"{no_text} of {articles} pages have no text of their own (filled by a script?)")
    for reason in ("redirect loop", "dangling redirect"):
        if catalog.skipped.get(reason):
            found.append(f"{catalog.skipped[reason]} x {reason}, left out (for instance {catalog.examples[reason]})")
    if lost := unreadable.total():
        found.append(f"{lost} entries could not be read: is the file damaged? (`aborist verify` checks it)")
    return found


# -- processes, signals, errors ------------------------------------------------------------------------------------------


@contextmanager
def _pool(
    workers: int,
    context: multiprocessing.context.SpawnContext,
    news: multiprocessing.queues.SimpleQueue[tuple[int | None, int, Counter[str]]],
) -> Iterator[ProcessPoolExecutor]:
    """Worker processes that end with the block, at once if it is left by an exception."""
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(news,))
    try:
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown(wait=True)


def _completed(
    pool: ProcessPoolExecutor,
    futures: Sequence[Future[object]],
    news: multiprocessing.queues.SimpleQueue[tuple[int | None, int, Counter[str]]],
    interrupted: Callable[[], bool],
) -> Iterator[None]:
    """Waits for the futures; yields whenever there may be news. Raises what a worker raised."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
        if interrupted():
            raise _interruption()
        try:
            for future in done:
                future.result()
        except BrokenProcessPool as error:
            raise AboristError(
                expected="every worker process to finish",
                found="one was killed (out of memory?)",
                next="run the same command again, it resumes; use fewer --workers",
            ) from error
        yield


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Inside the block SIGINT and SIGTERM only set a flag, which the function given tells."""
    received: list[int] = []
    previous = {}
    with suppress(ValueError):  # not in the main thread: the caller's own signal handling stands
        for number in (signal.SIGINT, signal.SIGTERM):
            previous[number] = signal.signal(number, lambda n, _: received.append(n))
    try:
        yield lambda: bool(received)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _interruption() -> Interrupted:
    return Interrupted(
        expected="to finish the index",
        found="an interruption; nothing of this archive was published",
        next="run the same command again: it continues after the last finished part",
    )


@contextmanager
def _exclusive(shards: Path) -> Iterator[None]:
    """Hold the folder's lock. The kernel frees it when the holder dies, however it dies."""
    try:
        shards.mkdir(parents=True, exist_ok=True)
        lock = (shards / _LOCK).open("a+", encoding="utf-8")
    except OSError as error:
        raise _storage(shards, error) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            raise IndexStateError(
                expected=f"to be the only one that changes {shards}",
                found=f"another indexer is running: {lock.read().strip() or 'holder unknown'}",
                next="wait for it, or end it",
            ) from None
        lock.truncate(0)
        lock.write(f"pid {os.getpid()} on {socket.gethostname()} since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        lock.flush()
        yield
        lock.truncate(0)


def _storage(shards: Path, error: Exception) -> StorageError:
    """A full or read-only disk, named: SQLite's own temporary files may lie elsewhere than the index."""
    found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    temporary = os.environ.get("SQLITE_TMPDIR") or os.environ.get("TMPDIR") or "/var/tmp or /tmp"
    where = f"{shards}" if not isinstance(error, apsw.FullError) else f"{shards} or SQLite's temporary folder ({temporary})"
    return StorageError(
        expected=f"to write the index in {where}",
        found=found,
        next="make room, choose another --shards, or set SQLITE_TMPDIR; then run the same command again, it resumes",
    )


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _failed(error: ArchiveError) -> ArchiveReport:
    told = {"expected": error.expected, "found": error.found, "next": error.next}
    return ArchiveReport("", "", "failed", error=told)


def _report(manifest: Manifest, file: Path, status: str, resumed: int) -> ArchiveReport:
    return ArchiveReport(
        archive=manifest.archive, file=str(file), status=status, articles=manifest.articles,
        redirects=manifest.aliases, skipped=manifest.skipped, warnings=manifest.warnings, resumed=resumed,
        bytes=sum(shard.bytes for shard in manifest.shards), shards=len(manifest.shards),
    )  # fmt: skip
