"""Opens published indexes for reading. What is damaged is left out and named; the rest is served.

Mounting reads every manifest and asks for the size of every shard file. Where the shards are more than may be open,
their files are opened when they are looked into, and a bounded number stay open. 2026-11-30, 1,000 archives of 12 pages
(bench/many_archives.py): 58 ms CPU (30 of them manifests), 6 files and 41 MB, against 246 ms, 1,006 files and 219 MB
with every shard open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from aborist.errors import DamagedShard, IndexStateError
from aborist.shard import manifest as manifests
from aborist.shard.known import Known, Mark
from aborist.shard.manifest import Manifest, ShardFile
from aborist.shard.read import Layout, Shard
from aborist.shard.shelf import Shelf
from aborist.text import Analyzer, analyzer_for

__all__ = ["Index", "Mounted", "mount"]


@dataclass(frozen=True, slots=True)
class Mounted:
    """One shard, with its archive's manifest, the analyzer its stems came from, and a filter over its words."""

    shard: Shard
    manifest: Manifest
    analyzer: Analyzer
    known: Known | None = None

    def may_hold(self, marks: Iterable[Mark]) -> bool:
        """Whether one of these words may stand in the shard; False is certain."""
        return self.known is None or any(map(self.known.may_hold, marks))


@dataclass(frozen=True, slots=True)
class Index:
    """All that is whole at a glance; `shards_total` counts all shards that should be there."""

    mounted: tuple[Mounted, ...]
    manifests: tuple[Manifest, ...]
    faults: tuple[str, ...]
    shards_total: int
    shelf: Shelf[Layout] = field(default_factory=Shelf)

    def close(self) -> None:
        for mounted in self.mounted:
            mounted.shard.close()


def mount(shards: Path, archive: str | None = None, shelf: Shelf[Layout] | None = None) -> Index:
    """Every archive in a folder, by name, or the one that is named. Raises IndexStateError where there is none."""
    shelf = Shelf() if shelf is None else shelf
    folders = manifests.archives_in(shards)
    if not folders:
        missing = "a file" if shards.exists() else "no such folder"
        raise IndexStateError(
            expected=f"an index in {shards}",
            found="no archive there" if shards.is_dir() else missing,
            next=f"run `aborist index ARCHIVE.zim --shards {shards}`",
        )
    if archive is not None:
        names = [folder.name for folder in folders]
        folders = [folder for folder in folders if folder.name == archive]
        if not folders:
            raise IndexStateError(
                expected=f"an archive of the index in {shards}",
                found=f"no {archive!r} (there are: {', '.join(names)})",
                next="name one of them, or leave --archive away",
            )
    mounted, opened, faults, total = [], [], [], 0
    for folder in folders:
        try:
            manifest = manifests.load(folder)
        except IndexStateError as error:
            faults.append(str(error))
            total += 1  # of an unreadable manifest nobody knows how many it named
            continue
        total += len(manifest.shards)
        analyzer = analyzer_for(manifest.language)
        if analyzer.name != manifest.analyzer:  # its stems would not meet the question's
            faults.append(_other_analyzer(manifest, analyzer))
            continue
        opened.append(manifest)
        for file in manifest.shards:
            try:
                mounted.append(Mounted(_shard(folder, file, shelf), manifest, analyzer, Known.unpack(file.known)))
            except DamagedShard as error:
                faults.append(str(error))
    if len(mounted) <= shelf.most:
        mounted = [one for one in mounted if _opens(one, faults)]
    return Index(tuple(mounted), tuple(opened), tuple(faults), total, shelf)


def _other_analyzer(manifest: Manifest, analyzer: Analyzer) -> str:
    return str(
        IndexStateError(
            expected=f"{manifest.archive} indexed with the analyzer {analyzer.name}",
            found=manifest.analyzer,
            next="run `aborist index` on its archive again",
        )
    )


def _opens(mounted: Mounted, faults: list[str]) -> bool:
    """Whether a shard opens; from here on it stays open, and answers though its archive is indexed anew."""
    try:
        mounted.shard.db  # noqa: B018  opens the file
    except DamagedShard as error:
        faults.append(str(error))
        return False
    return True


def _shard(folder: Path, file: ShardFile, shelf: Shelf[Layout]) -> Shard:
    """A cheap look before a shard is trusted; `aborist verify` compares whole files."""
    path = folder / file.name
    try:
        seen = path.stat()
        size = f"{seen.st_size} bytes"
    except OSError as error:
        seen, size = None, (error.strerror or str(error)).lower()
    if size != f"{file.bytes} bytes":
        raise DamagedShard(
            expected=f"{file.bytes} bytes in {folder.name}/{file.name}",
            found=size,
            next="run `aborist index` on its archive again",
        )
    return Shard(path, shelf, seen)
