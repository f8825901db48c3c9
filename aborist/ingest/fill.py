"""What a build does to one archive: sample it, fill a shard, finish a shard. Runs in any process."""

from __future__ import annotations

import gc
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import zstandard

from aborist.ingest import chunk, html, zim
from aborist.ingest.record import to_record
from aborist.memory import MB, BuildMemory
from aborist.shard import core, finish, layout, manifest, spool
from aborist.shard.core import Common
from aborist.shard.finish import suspects
from aborist.shard.manifest import ShardFile
from aborist.shard.publish import sync
from aborist.shard.spool import LinkCounter, Stub
from aborist.shard.write import Learnt, Record, ShardWriter
from aborist.text import analyzer_for, keep_words
from aborist.types import Article
from aborist.vocabulary import Vocabulary

__all__ = ["Finished", "Job", "News", "Sample", "collect", "fill", "finish_shard", "sample"]

_COLLECTED_AFTER = 100_000  # objects more than were freed; the interpreter's own threshold is 700
LINKS = "links.db"  # in the build folder
_SAMPLED_PLACES = 16  # spread over the archive
_SAMPLED_PAGES = 1_600  # in all; 2026-11-30, enwiki_medium: 400 pages are too few for zstd to train on
# 2026-11-30, 1,700 samples of enwiki_medium, zstd level 3: share of the text with its layout .480 without a
# dictionary, .403 / .398 / .404 with 64 / 112 / 180 kB.
_DICTIONARY_BYTES = 112 << 10
_SAMPLED_HTML = 128 << 20  # bytes in all; 2026-11-30, enwiki_medium: 1,600 pages are 7 MB
_SAMPLED_BYTES = 8192  # of a page, for the dictionary


class Sample(NamedTuple):
    """What is learnt from some pages before all are read."""

    boilerplate: frozenset[bytes]  # keys of blocks that stand on most pages
    learnt: Learnt


@dataclass(frozen=True, slots=True)
class Job:
    """All a process needs to fill and finish one shard."""

    file: Path
    folder: Path
    shard: int
    parts: tuple[zim.Part, ...]
    language: str
    main_path: str | None
    sample: Sample
    memory: BuildMemory = field(default_factory=BuildMemory)


class News(NamedTuple):
    """Articles that are in a shard: of a part just written, or of all that an earlier run had written."""

    articles: int
    resumed: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """A shard ready to be published, and what is odd in it."""

    file: ShardFile
    identical: list[tuple[str, int]]  # (short text, how many articles have it)
    no_text: int
    adopted: int  # refresh stubs that became names of articles


def sample(archive: zim.Archive, catalog: zim.Catalog, folder: Path, memory: BuildMemory | None = None) -> Sample:
    """Look at pages from all over the archive; what was found is kept for a resumed build."""
    kept = folder / "sample.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(kept.read_text(encoding="utf-8"))
        learnt = Learnt(bytes.fromhex(found["dictionary"]), Common(found["idf"], float(found["mean"])))
        return Sample(frozenset(map(bytes.fromhex, found["boilerplate"])), learnt)
    share = _SAMPLED_PAGES // _SAMPLED_PLACES
    parts = catalog.parts(0, 1, share)
    chosen = parts[:: max(1, len(parts) // _SAMPLED_PLACES)]
    articles = (a for part in chosen for a in islice(zim.read(archive, part), share) if isinstance(a, Article))
    bounded = _bounded(articles, (memory or BuildMemory()).page)
    pages = ((html.extract(article.content, article.mime, article.title), article.title) for article in bounded)
    texts = [(page.document, title) for page, title in pages if not page.refresh]
    documents = [document for document, _ in texts]
    boilerplate = chunk.repeated_blocks(documents)
    packed = [
        layout.pack(document, spans := chunk.passages(document, boilerplate), [0] * len(spans))[:_SAMPLED_BYTES]
        for document in documents
    ]
    words = (f"{title} {document.text}" for document, title in texts)
    result = Sample(boilerplate, Learnt(_dictionary(packed), _common(words, archive.language)))
    aside = folder / "sample.new"
    told = {
        "boilerplate": sorted(key.hex() for key in result.boilerplate),
        "dictionary": result.learnt.dictionary.hex(),
        "idf": result.learnt.common.idf,
        "mean": result.learnt.common.mean,
    }
    aside.write_text(json.dumps(told), encoding="utf-8")
    aside.replace(kept)
    return result


def _common(texts: Iterable[str], language: str) -> Common:
    """The terms of which core keywords are made, and the mean length of an article."""
    vocabulary = Vocabulary(analyzer_for(language))
    pages = words = 0
    holding = Counter[int]()
    for text in texts:
        numbers = vocabulary.numbers(text)
        holding.update(number for number in set(numbers) if number >= vocabulary.common)
        pages, words = pages + 1, words + len(numbers)
    common = {vocabulary.stems[number]: n for number, n in holding.items() if n >= core.COMMON * pages}
    # As in query.terms.idf: ln(1 + (N - n + .5) / (n + .5)).
    return Common(
        {stem: math.log1p((pages - n + 0.5) / (n + 0.5)) for stem, n in sorted(common.items())},
        words / pages if words else 1.0,
    )


def _bounded(articles: Iterable[Article], largest: int) -> Iterator[Article]:
    """The articles up to a number of bytes in all: their texts are held at once."""
    left = _SAMPLED_HTML
    for article in articles:
        size = len(article.content)
        if size <= min(left, largest):
            left -= size
            yield article


def _dictionary(samples: list[bytes]) -> bytes:
    """A zstd dictionary of at most a tenth of the samples' size; b"" where they are too few."""
    size = min(_DICTIONARY_BYTES, sum(map(len, samples)) // 10)
    if size < _DICTIONARY_BYTES // 4:
        return b""
    try:
        # zstd tries several k where none is given: 2026-11-30, .17 s instead of .04 for the same ratio.
        return zstandard.train_dictionary(size, list(samples), k=256, d=8).as_bytes()
    except zstandard.ZstdError:  # it refuses samples that are too much alike
        return b""


def fill(job: Job, tell: Callable[[News], None]) -> None:
    """Write the parts of one shard that are not done yet; tells of each, and first of those done before."""
    vocabulary = Vocabulary(analyzer_for(job.language))
    with _seldom_collected(), closing(_writer(job, vocabulary)) as writer, zim.open_archive(job.file) as archive:
        done = writer.done_parts()
        if done:
            tell(News(sum(done.values()), resumed=True))
        for part in job.parts:
            if part.number not in done:
                unreadable = Counter[str]()
                vocabulary.trim(job.memory.words)
                records = _records(archive, part, job, vocabulary, unreadable)
                tell(News(writer.write_part(part.number, records, unreadable), resumed=False))


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Looks for cycles seldom: the whole vocabulary is walked each time. 2026-11-30: memory stays the same, 259 MB."""
    usual = gc.get_threshold()
    gc.set_threshold(_COLLECTED_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _records(
    archive: zim.Archive, part: zim.Part, job: Job, vocabulary: Vocabulary, unreadable: Counter[str]
) -> Iterator[Record | Stub]:
    for article in zim.read(archive, part):
        if isinstance(article, Article) and len(article.content) > job.memory.page:
            unreadable[f"page of more than {job.memory.page // MB} MB (--memory)"] += 1
        elif isinstance(article, Article):
            yield to_record(article, vocabulary, boilerplate=job.sample.boilerplate, main_path=job.main_path)
        else:
            unreadable[f"unreadable: {article.reason}"] += 1


def collect(jobs: Sequence[Job]) -> tuple[list[Stub], Counter[str]]:
    """Add up the links of all shards; returns the resolved stubs, and what was left out, by reason."""
    stubs: list[Stub] = []
    left_out = Counter[str]()
    with closing(LinkCounter(jobs[0].folder / LINKS, jobs[0].memory)) as links:
        for job in jobs:
            with closing(_writer(job)) as writer:
                for number in writer.done_parts():
                    notes = spool.load_notes(writer.spool_path(number))
                    links.add(notes.links)
                    stubs += notes.stubs
                    left_out += notes.unreadable
    found = spool.resolved(stubs)
    if lost := len(stubs) - len(found):
        left_out["refresh loop"] += lost
    return found, left_out


class Ending(NamedTuple):
    """What finishing one shard takes: its job, and the stubs of all shards."""

    job: Job
    stubs: list[Stub]


def finish_shard(ending: Ending, tell: Callable[[News], None]) -> Finished:
    """Finish a shard whose parts are all written, and force it to the disk."""
    job = ending.job
    with closing(_writer(job)) as writer:
        totals, adopted = finish.finish(writer, analyzer_for(job.language), job.folder / LINKS, ending.stubs)
        identical, no_text = suspects(writer.db)
    sync(writer.path)
    size, digest = writer.path.stat().st_size, manifest.file_sha256(writer.path)
    return Finished(ShardFile(writer.path.name, digest, size, **totals._asdict()), identical, no_text, adopted)


def _writer(job: Job, vocabulary: Vocabulary | None = None) -> ShardWriter:
    keep_words(job.memory.words)
    if vocabulary is None:  # an empty one is a dict that is false
        vocabulary = Vocabulary(analyzer_for(job.language))
    return ShardWriter(job.folder, job.shard, vocabulary, job.sample.learnt, job.memory)
