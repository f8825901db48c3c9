"""What an index folder holds, whether its sources changed, and what is being built there. Reads only."""

from __future__ import annotations

import fcntl
import json
from dataclasses import dataclass
from pathlib import Path

from aborist.errors import ArchiveError, IndexStateError
from aborist.ingest import zim
from aborist.shard import manifest as manifests
from aborist.shard.manifest import Manifest
from aborist.shard.publish import STATE

__all__ = ["Building", "Holding", "Source", "Status", "source_of", "status"]


@dataclass(frozen=True, slots=True)
class Source:
    """The ZIM an index was made from, as it is now: `state` is same | changed | missing | unreadable."""

    file: str
    state: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Holding:
    """One published archive; field names are those of `status --json`."""

    archive: str
    title: str
    language: str
    date: str
    articles: int
    redirects: int
    shards: int
    bytes: int
    complete: bool
    source: Source
    vectors: list[str]
    warnings: list[str]
    faults: list[str]


@dataclass(frozen=True, slots=True)
class Building:
    """A build that is under way, or was interrupted and will be continued by the next `index`."""

    archive: str
    state: str  # under way | interrupted
    shards: int
    parts_done: int


@dataclass(frozen=True, slots=True)
class Status:
    """`lock` says who is changing the index now, "" for nobody."""

    shards: str
    archives: list[Holding]
    building: list[Building]
    lock: str


def status(shards: Path) -> Status:
    """The state of an index folder; one that does not exist is empty. Raises IndexStateError for a file."""
    if shards.exists() and not shards.is_dir():
        raise IndexStateError(expected=f"an index folder at {shards}", found="a file", next="name its folder")
    lock = _lock_holder(shards)
    folders = sorted(shards.glob(f"{manifests.BUILDING}*")) if shards.is_dir() else []
    return Status(
        shards=str(shards),
        archives=[_holding(folder) for folder in manifests.archives_in(shards)],
        building=[_building(folder, lock) for folder in folders if folder.is_dir()],
        lock=lock,
    )


def source_of(manifest: Manifest) -> Source:
    """Whether the ZIM is still the one that was indexed, by its identifier, size and checksum."""
    try:
        with zim.open_archive(manifest.source) as archive:
            now = {"uuid": archive.uuid, "bytes": archive.size, "checksum": archive.checksum}
    except ArchiveError as error:
        missing = not Path(manifest.source).exists()
        return Source(manifest.source, "missing" if missing else "unreadable", error.found)
    then = {"uuid": manifest.uuid, "bytes": manifest.zim_bytes, "checksum": manifest.zim_checksum}
    for name, value in then.items():
        if now[name] != value:
            return Source(manifest.source, "changed", f"{name} {now[name]}, not {value} as when it was indexed")
    return Source(manifest.source, "same")


def _holding(folder: Path) -> Holding:
    try:
        manifest = manifests.load(folder)
    except IndexStateError as error:
        nowhere = Source("", "missing", "the manifest names it")
        return Holding(folder.name, "", "", "", 0, 0, 0, 0, False, nowhere, [], [], [str(error)])
    faults = [
        f"shard {shard.name}: expected {shard.bytes:,} bytes; found {found}"
        for shard in manifest.shards
        if (found := _size(folder / shard.name)) != f"{shard.bytes:,}"
    ]
    return Holding(
        archive=folder.name, title=manifest.title, language=manifest.language, date=manifest.date,
        articles=manifest.articles, redirects=manifest.aliases, shards=len(manifest.shards),
        bytes=sum(shard.bytes for shard in manifest.shards), complete=manifest.complete and not faults,
        source=source_of(manifest), vectors=[], warnings=manifest.warnings, faults=faults,
    )  # fmt: skip


def _size(file: Path) -> str:
    try:
        return f"{file.stat().st_size:,}"
    except OSError as error:
        return (error.strerror or str(error)).lower()


def _building(folder: Path, lock: str) -> Building:
    try:
        shards = int(json.loads((folder / STATE).read_text(encoding="utf-8"))["shards"])
    except (OSError, ValueError, KeyError, TypeError):
        shards = 0  # the build was killed before it had a plan
    # A part's spool is written just before it is committed; the database itself is locked while it is filled.
    parts = sum(1 for _ in folder.glob("*.spool"))
    return Building(folder.name.removeprefix(manifests.BUILDING), "under way" if lock else "interrupted", shards, parts)


def _lock_holder(shards: Path) -> str:
    """Who holds the folder's lock, in the holder's own words; what a killed holder left does not count."""
    try:
        with (shards / manifests.LOCK).open(encoding="utf-8", errors="replace") as lock:
            if not (holder := lock.read().strip()):
                return ""
            try:
                # Taken for an instant, and only where a holder left its name.
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return holder
    except OSError:
        pass
    return ""
