"""Opens published indexes for reading. What is damaged is left out and named; the rest is served."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aborist.errors import DamagedShard, IndexStateError
from aborist.shard import manifest as manifests
from aborist.shard.manifest import Manifest, ShardFile
from aborist.shard.read import Shard
from aborist.text import Analyzer, analyzer_for

__all__ = ["Index", "Mounted", "mount"]


@dataclass(frozen=True, slots=True)
class Mounted:
    """One shard file that is open, with its archive's manifest and the analyzer its stems came from."""

    shard: Shard
    manifest: Manifest
    analyzer: Analyzer


@dataclass(frozen=True, slots=True)
class Index:
    """All that could be opened; `shards_total` counts the shards that should be there, the readable and the others."""

    mounted: tuple[Mounted, ...]
    manifests: tuple[Manifest, ...]
    faults: tuple[str, ...]
    shards_total: int

    def close(self) -> None:
        for mounted in self.mounted:
            mounted.shard.close()


def mount(shards: Path, archive: str | None = None) -> Index:
    """Every archive in a folder, by name, or the one that is named. Raises IndexStateError where there is none."""
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
                mounted.append(Mounted(_open(folder, file), manifest, analyzer))
            except DamagedShard as error:
                faults.append(str(error))
    return Index(tuple(mounted), tuple(opened), tuple(faults), total)


def _other_analyzer(manifest: Manifest, analyzer: Analyzer) -> str:
    return str(
        IndexStateError(
            expected=f"{manifest.archive} indexed with the analyzer {analyzer.name}",
            found=manifest.analyzer,
            next="run `aborist index` on its archive again",
        )
    )


def _open(folder: Path, file: ShardFile) -> Shard:
    """A cheap look before a shard is trusted; `aborist verify` compares whole files."""
    path = folder / file.name
    shard = Shard(path)
    if (size := path.stat().st_size) != file.bytes:
        shard.close()
        raise DamagedShard(
            expected=f"{file.bytes} bytes in {folder.name}/{file.name}",
            found=f"{size} bytes",
            next="run `aborist index` on its archive again",
        )
    return shard
