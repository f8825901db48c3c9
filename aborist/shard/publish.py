"""Publication: finished shard files become an archive's index when the manifest is replaced, at one instant.

Killed between any two steps, readers have the old index or the new one, and the next run does the rest.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from aborist.shard import manifest as manifests
from aborist.shard.manifest import Manifest

__all__ = ["STATE", "place", "publish", "sync", "tidy", "withdraw"]

STATE = "state.json"  # in the build folder: without it nothing there is continued


def publish(folder: Path, building: Path, manifest: Manifest) -> Manifest:
    """Publish in `folder` the files of `building` that the manifest names; returns it as published."""
    folder.mkdir(exist_ok=True)
    placed = place(folder, building, manifest)
    manifests.save(folder, placed)
    sync(folder.parent)
    tidy(folder, building, placed)
    return placed


def place(folder: Path, building: Path, manifest: Manifest) -> Manifest:
    """Bring the files into the folder under names that nothing there has; readers see no change.

    By hard links where the file system has them, so that it can be done again after a kill; else by moving.
    """
    taken = {file.name for file in folder.iterdir()}
    placed = []
    for shard in manifest.shards:
        name = next(name for name in _names(shard.name, manifest.uuid) if name not in taken)
        try:
            os.link(building / shard.name, folder / name)
        except OSError:
            (building / shard.name).replace(folder / name)
        placed.append(replace(shard, name=name))
    sync(folder)
    return replace(manifest, shards=placed)


def _names(name: str, uuid: str) -> Iterable[str]:
    """000.db, 000-<uuid>.db, 000-<uuid>-1.db, ...: what is replaced keeps its name until it is dropped."""
    stem = f"{name.removesuffix('.db')}-{uuid[:6]}"
    yield name
    yield f"{stem}.db"
    for number in count(1):
        yield f"{stem}-{number}.db"


def tidy(folder: Path, building: Path, published: Manifest) -> None:
    """Drop what the published manifest does not name: replaced shards, leftovers, the build folder."""
    with suppress(FileNotFoundError):
        (building / STATE).unlink()  # first: files that are published by now must not be continued
    kept = {shard.name for shard in published.shards}
    with suppress(PermissionError):  # a folder made read-only since: the index itself is well
        for left in folder.iterdir():
            if left.name not in kept and left.name != manifests.FILE_NAME and not _is_vectors(left, kept):
                left.unlink()
    shutil.rmtree(building, ignore_errors=True)


def _is_vectors(file: Path, kept: Iterable[str]) -> bool:
    """Whether a file stands beside a kept shard: `000.<encoder>.db` beside `000.db`."""
    stem, _, rest = file.name.removesuffix(".db").partition(".")
    return bool(rest) and f"{stem}.db" in kept


def withdraw(folder: Path, building: Path) -> None:
    """Take an archive out: readers that open the index from here on do not see it."""
    with suppress(FileNotFoundError):
        (folder / manifests.FILE_NAME).unlink()
    for left in (folder, building):
        if left.exists():
            shutil.rmtree(left)


def sync(path: Path) -> None:
    """Force a file or folder to the disk, so that what names it may be written next."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
