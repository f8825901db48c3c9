"""verify(): whether every published archive is whole, and what to do where it is not.

Manifest, then each shard file against it, then the database's own checks, counts and the snapshot root, then
the source. `deep` reads every article as well and extracts a sample of them again from the ZIM.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import apsw

from aborist.errors import AboristError, ArchiveError, DamagedShard, IndexStateError
from aborist.ingest import html, zim
from aborist.ingest.record import to_record
from aborist.merkle import document_root
from aborist.shard import manifest as manifests
from aborist.shard.manifest import Manifest
from aborist.shard.read import Entry, Shard
from aborist.shard.write import Record
from aborist.status import source_of
from aborist.text import analyzer_for, match_phrase
from aborist.vocabulary import Vocabulary

__all__ = ["ArchiveCheck", "Fault", "Tell", "verify"]

Tell = Callable[[str, str, int, int], None]  # archive, step, how many done, of how many

REBUILD = "run `aborist index` on its archive again"
_SAMPLE = 100  # articles extracted again, evenly over the archive: seconds, whatever its size
_BATCH = 500  # articles read before progress is told
_LOOKED_UP = 8  # words of a passage
_NAMED = 5  # articles a fault names one by one


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where (a file or the manifest), and the three parts of every error."""

    where: str
    expected: str
    found: str
    next: str


@dataclass(slots=True)
class ArchiveCheck:
    """What was found in one archive; `notes` are no faults: a ZIM elsewhere, a check that did not run."""

    archive: str
    articles: int = 0
    shards: int = 0
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def expect(self, where: str, name: str, expected: object, found: object, next: str = REBUILD) -> bool:
        """Record a fault unless both are equal; whether they are."""
        if expected != found:
            self.faults.append(Fault(where, f"{name} {expected}", str(found), next))
        return expected == found

    def blame(self, where: str, error: AboristError) -> None:
        self.faults.append(Fault(where, error.expected, error.found, error.next))


def verify(shards: Path, *, deep: bool = False, tell: Tell = lambda *_: None) -> list[ArchiveCheck]:
    """Check every archive of an index; a bad one does not stop the others.

    Raises IndexStateError when there is no archive at all.
    """
    folders = manifests.archives_in(shards) + _without_manifest(shards)
    if not folders:
        raise IndexStateError(
            expected=f"an index in {shards}",
            found="no archive there" if shards.is_dir() else "no such folder",
            next=f"run `aborist index ARCHIVE.zim --shards {shards}`",
        )
    return [_check_archive(folder, deep, tell) for folder in sorted(folders)]


def _without_manifest(shards: Path) -> list[Path]:
    """Folders with shards that no manifest publishes."""
    if not shards.is_dir():
        return []
    folders = [folder for folder in shards.iterdir() if not folder.name.startswith(".")]
    return [f for f in folders if not (f / manifests.FILE_NAME).is_file() and any(f.glob("*.db"))]


def _check_archive(folder: Path, deep: bool, tell: Tell) -> ArchiveCheck:
    result = ArchiveCheck(folder.name)
    try:
        manifest = manifests.load(folder)
    except IndexStateError as error:
        result.blame(manifests.FILE_NAME, error)
        return result
    result.articles, result.shards = manifest.articles, len(manifest.shards)
    _check_versions(result, manifest)
    files = [file for n, file in enumerate(manifest.shards) if _check_file(result, folder, manifest, n, tell)]
    opened = [shard for file in files if (shard := _open(result, folder / file.name))]
    try:
        sound = [shard for shard in opened if _is_sound(result, shard, tell)]
        for shard in sound:
            _guarded(result, shard, partial(_check_counts, result, shard, manifest))
        if len(sound) == len(manifest.shards):
            _check_whole(result, manifest, sound)
        source_is_same = _check_source(result, manifest)
        if deep:
            for shard in sound:
                _guarded(result, shard, partial(_check_articles, result, shard, tell))
                _guarded(result, shard, partial(_check_findable, result, shard, manifest))
            if source_is_same:
                _check_zim(result, manifest, sound, tell)
    finally:
        for shard in opened:
            shard.close()
    return result


# -- files ---------------------------------------------------------------------------------------------------


def _check_versions(result: ArchiveCheck, manifest: Manifest) -> None:
    where = manifests.FILE_NAME
    result.expect(where, "archive", result.archive, manifest.archive, "rename the folder back, or index again")
    result.expect(where, "complete", True, manifest.complete)
    result.expect(where, "analyzer", analyzer_for(manifest.language).name, manifest.analyzer)
    counted = sum(file.articles for file in manifest.shards)
    result.expect(where, "articles of all shards together", manifest.articles, counted)
    if manifest.extraction != html.EXTRACTION:
        result.notes.append(f"extraction is {manifest.extraction}, now {html.EXTRACTION}: {REBUILD}")


def _check_file(result: ArchiveCheck, folder: Path, manifest: Manifest, number: int, tell: Tell) -> bool:
    """Whether a shard file is there; one of another size or content is a fault, but still looked into."""
    file = manifest.shards[number]
    tell(result.archive, f"{file.name}: comparing", number, len(manifest.shards))
    path = folder / file.name
    try:
        size, digest = path.stat().st_size, manifests.file_sha256(path)
    except OSError as error:
        result.expect(file.name, "the file", "to be there", (error.strerror or str(error)).lower())
        return False
    twin = next((other.name for other in manifest.shards if other.sha256 == digest and other.name != file.name), None)
    advice = f"it is {twin}: give both their names back" if twin else REBUILD
    if result.expect(file.name, "bytes", file.bytes, size, advice) or twin:
        result.expect(file.name, "sha256", file.sha256, digest, advice)
    return True


def _open(result: ArchiveCheck, path: Path) -> Shard | None:
    shard = Shard(path)
    try:
        shard.db  # noqa: B018  opens the file
    except DamagedShard as error:
        result.blame(path.name, error)
        return None
    return shard


def _guarded(result: ArchiveCheck, shard: Shard, look: Callable[[], None]) -> None:
    """Look into a shard; damage that is met ends the look and is a fault."""
    try:
        look()
    except DamagedShard as error:
        result.blame(shard.path.name, error)
    except apsw.Error as error:
        result.blame(shard.path.name, shard.damaged(str(error)))


def _is_sound(result: ArchiveCheck, shard: Shard, tell: Tell) -> bool:
    """The database's own check; it covers the full-text tables, by FTS5's xIntegrity, and writes nothing.

    https://www.sqlite.org/pragma.html#pragma_integrity_check
    https://www.sqlite.org/vtab.html#xintegrity (since 3.44)
    """
    tell(result.archive, f"{shard.path.name}: integrity check", 0, 0)
    before = len(result.faults)

    def look() -> None:
        for (line,) in shard.rows("PRAGMA integrity_check(5)"):
            if line != "ok":
                result.blame(shard.path.name, shard.damaged(" ".join(line.split())))

    _guarded(result, shard, look)
    return len(result.faults) == before


# -- contents ------------------------------------------------------------------------------------------------


def _check_counts(result: ArchiveCheck, shard: Shard, manifest: Manifest) -> None:
    file = next(file for file in manifest.shards if file.name == shard.path.name)
    (counted,) = shard.rows(
        "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(tokens), 0),"
        " coalesce(sum(lead_tokens), 0), (SELECT coalesce(sum(passage_tokens), 0) FROM part),"
        " (SELECT count(*) FROM passage_docsize) FROM article"
    )
    named = (
        file.articles,
        file.passages,
        file.article_tokens,
        file.lead_tokens,
        file.passage_tokens,
        file.passages,
    )
    for name, expected, found in zip(_COUNTED, named, counted, strict=True):
        result.expect(file.name, name, expected, found)
    known = shard.known() if file.known else None
    if file.known and (known is None or known.pack() != file.known):
        result.expect(file.name, "the filter over its words in the manifest", "that of its words", "another")


_COUNTED = (
    "articles",
    "passages",
    "article tokens",
    "lead tokens",
    "passage tokens",
    "rows of the passage index",
)


def _check_whole(result: ArchiveCheck, manifest: Manifest, shards: Sequence[Shard]) -> None:
    """What only all shards together tell: redirects and the snapshot root."""
    where = manifests.FILE_NAME
    try:
        aliases = sum(s.rows("SELECT count(*) FROM alias WHERE path IS NOT NULL")[0][0] for s in shards)
        result.expect(where, "redirects", manifest.aliases, aliases)
        rows = [shard.db.execute("SELECT path, root FROM article ORDER BY path") for shard in shards]
        root = manifests.snapshot_root(heapq.merge(*rows))
        result.expect(where, "snapshot root", manifest.snapshot_root, root)
    except (DamagedShard, apsw.Error) as error:
        result.faults.append(Fault(where, "articles that can be listed", str(error), REBUILD))


def _check_articles(result: ArchiveCheck, shard: Shard, tell: Tell) -> None:
    """Every article: its root is that of its text, its passages lie inside its sections, a row each."""
    articles = shard.rows("SELECT count(*) FROM article")[0][0]
    bad: list[str] = []
    following = 1
    for number, entry in enumerate(_entries(shard)):
        if number % _BATCH == 0:
            tell(result.archive, f"{shard.path.name}: recomputing roots", number, articles)
        if entry.id != following:
            bad.append(f"{entry.path}: its passages start at row {entry.id}, not {following}")
        elif fault := _article_fault(entry, shard):
            bad.append(f"{entry.path}: {fault}")
        following = entry.id + entry.passages
    _name_some(result, shard.path.name, f"{articles} articles whose text has their root", bad)


def _entries(shard: Shard) -> Iterator[Entry]:
    """All articles in order of their ids, some at a time."""
    after = 0
    while batch := shard.entries(f"id > :after ORDER BY id LIMIT {_BATCH}", {"after": after}):
        yield from batch
        after = batch[-1].id


def _article_fault(entry: Entry, shard: Shard) -> str:
    try:
        layout = shard.layout(entry.id)
    except DamagedShard as error:
        return error.found
    document = layout.document
    if (root := document_root(document)) != entry.root:
        return f"root {root.hex()[:8]} instead of {entry.root.hex()[:8]}"
    if entry.passages != max(1, len(layout.passages)):
        return f"{len(layout.passages)} passages instead of {entry.passages}"
    for span in layout.passages:
        section = document.sections[span.section] if 0 <= span.section < len(document.sections) else None
        if section is None or not section.start <= span.start < span.end <= section.end:
            return f"passage {span.start}-{span.end} outside its section"
    return ""


def _check_findable(result: ArchiveCheck, shard: Shard, manifest: Manifest) -> None:
    """A sample of titles and passages, looked up in the full-text tables by their own words.

    FTS5's integrity check compares no contentless table with its content, nor, read-only, any other.
    """
    analyzer = analyzer_for(manifest.language)
    if analyzer.name != manifest.analyzer:
        return  # a fault already, and other stems
    bad: list[str] = []
    for entry in _sample([shard]):
        layout = shard.layout(entry.id)
        for row, span in enumerate(layout.passages, entry.id):
            stems = analyzer.stems(layout.document.text[span.start : span.end]).split()[:_LOOKED_UP]
            if stems and not shard.rows(_PASSAGE_FOUND, {"row": row, "words": match_phrase(stems)}):
                bad.append(f"{entry.path}: passage {span.start}-{span.end}")
        for row, folded in shard.rows(_NAMES, {"id": entry.id}):
            gram = match_phrase((folded[:3],))
            if len(folded) > 2 and not shard.rows(_NAME_FOUND, {"row": row, "gram": gram}):
                bad.append(f"{entry.path}: name {folded!r}")
    _name_some(result, shard.path.name, "passages and names that their own words find", bad)


_PASSAGE_FOUND = "SELECT 1 FROM passage WHERE passage MATCH 'body : ' || :words AND rowid = :row"
_NAMES = "SELECT id, folded FROM alias WHERE article = :id"
_NAME_FOUND = "SELECT 1 FROM title_gram WHERE title_gram MATCH :gram AND rowid = :row"


def _name_some(result: ArchiveCheck, where: str, expected: str, bad: Sequence[str], next: str = REBUILD) -> None:
    if bad:
        more = f"; and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
        result.faults.append(Fault(where, expected, "; ".join(bad[:_NAMED]) + more, next))


# -- the source ----------------------------------------------------------------------------------------------


def _check_source(result: ArchiveCheck, manifest: Manifest) -> bool:
    """Whether the ZIM is the one that was indexed. An absent one is a note, another one a fault."""
    source = source_of(manifest)
    if source.state == "missing":
        result.notes.append(f"its ZIM is not at {source.file}: not compared")
    elif source.state != "same":
        expected = "the ZIM that was indexed"
        result.faults.append(Fault(source.file, expected, f"{source.state}: {source.why}", f"{REBUILD}, or restore it"))
    return source.state == "same"


def _check_zim(result: ArchiveCheck, manifest: Manifest, shards: Sequence[Shard], tell: Tell) -> None:
    """The ZIM against its own checksum, and a sample of articles extracted from it again."""
    tell(result.archive, f"{Path(manifest.source).name}: comparing with its checksum", 0, 0)
    try:
        with zim.open_archive(manifest.source) as archive:
            good, why = archive.verify()
            if not good:
                result.faults.append(
                    Fault(manifest.source, "a ZIM that agrees with its checksum", why, "download it again")
                )
            if manifest.extraction == html.EXTRACTION:
                bad = list(_differing(archive, _sample(shards), lambda n, of: tell(
                    result.archive, "extracting a sample again", n, of)))  # fmt: skip
                _name_some(result, manifest.source, "the same text from the ZIM as in the index", bad)
            else:
                result.notes.append("no article was extracted again: the index was made by another version")
    except (ArchiveError, DamagedShard) as error:
        result.blame(manifest.source, error)


def _sample(shards: Sequence[Shard]) -> list[Entry]:
    """Articles evenly over all shards, about `_SAMPLE`; always the same ones."""
    articles = sum(shard.rows("SELECT count(*) FROM article")[0][0] for shard in shards)
    step = {"step": max(1, articles // _SAMPLE)}
    return [shard.entry(article) for shard in shards for (article,) in shard.rows(_EVERY, dict(step))]


_EVERY = "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM article) WHERE (n - 1) % :step = 0"


def _differing(archive: zim.Archive, entries: Sequence[Entry], tell: Callable[[int, int], None]) -> Iterator[str]:
    vocabulary = Vocabulary(analyzer_for(archive.language))
    for number, entry in enumerate(entries):
        tell(number, len(entries))
        try:
            article = zim.read_one(archive, entry.path)
        except ArchiveError as error:
            yield f"{entry.path}: {error.found}"
            continue
        record = to_record(article, vocabulary) if article else None
        if not isinstance(record, Record):
            yield f"{entry.path}: no article there"
        elif record.root != entry.root:
            yield f"{entry.path}: root {record.root.hex()[:8]} instead of {entry.root.hex()[:8]}"
