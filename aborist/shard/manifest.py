"""The manifest of an archive's index: what it was made from, how, and the files it consists of.

Replacing `manifest.json` is the act that publishes: before it a reader sees the old files, after it the
new ones.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from aborist.errors import IndexStateError
from aborist.shard.schema import SCHEMA_VERSION

__all__ = [
    "BUILDING",
    "FILE_NAME",
    "LOCK",
    "Manifest",
    "ShardFile",
    "archives_in",
    "file_sha256",
    "load",
    "save",
    "snapshot_root",
]

FILE_NAME = "manifest.json"
BUILDING = ".building-"  # before the archive's name: the folder of a build that is not published
LOCK = ".lock"  # held and signed by whoever changes the index


@dataclass(frozen=True, slots=True)
class ShardFile:
    name: str
    sha256: str
    bytes: int
    articles: int
    passages: int
    article_tokens: int
    lead_tokens: int
    passage_tokens: int
    known: str = ""  # which words it may hold (shard/known.py); "" where they are too many, or nobody noted them


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything a reader must know before it opens a shard; field names are the JSON's names."""

    archive: str  # the name under which the archive is addressed
    source: str  # the ZIM's path when it was indexed, to tell later whether it changed
    uuid: str
    zim_bytes: int
    zim_checksum: str  # MD5 from the ZIM's tail
    title: str
    language: str
    date: str
    flavour: str
    new_namespaces: bool
    main_path: str
    schema: int
    analyzer: str
    extraction: int
    chunking: int
    articles: int
    aliases: int
    skipped: dict[str, int]
    warnings: list[str]
    snapshot_root: str
    complete: bool
    shards: list[ShardFile] = field(default_factory=list)


def save(folder: Path, manifest: Manifest) -> None:
    """Publish: write aside, sync, rename over the old manifest, sync the folder."""
    path = folder / FILE_NAME
    aside = folder / f".{FILE_NAME}.new"
    with aside.open("w", encoding="utf-8") as file:
        json.dump(asdict(manifest), file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def load(folder: Path) -> Manifest:
    """The manifest of one archive's folder.

    Raises IndexStateError when it is absent, unreadable, damaged or of another schema.
    """
    path = folder / FILE_NAME
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        schema = raw["schema"]
    except FileNotFoundError:
        raise _broken(path, "no such file") from None
    except OSError as error:
        raise _broken(path, error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _broken(path, f"a damaged file ({error})") from error
    if schema != SCHEMA_VERSION:
        raise IndexStateError(
            expected=f"index schema {SCHEMA_VERSION} in {folder.name}",
            found=f"schema {schema}",
            next=f"run `aborist index` on the archive again, or `aborist remove {folder.name}`",
        )
    try:
        manifest = Manifest(**raw | {"shards": [ShardFile(**shard) for shard in raw["shards"]]})
    except (TypeError, KeyError) as error:
        raise _broken(path, f"other fields ({error})") from error
    if wrong := [*_mistyped(manifest), *(name for shard in manifest.shards for name in _mistyped(shard))]:
        raise _broken(path, f"a damaged file (unusable {', '.join(dict.fromkeys(wrong))})")
    return manifest


def _mistyped(record: Manifest | ShardFile) -> list[str]:
    """Fields that hold another type than declared, and a shard's name that leads out of the folder."""
    kinds = {
        "str": str,
        "int": int,
        "bool": bool,
        "dict[str, int]": dict,
        "list[str]": list,
        "list[ShardFile]": list,
    }
    wrong = [one.name for one in fields(record) if type(getattr(record, one.name)) is not kinds[str(one.type)]]
    if isinstance(record, ShardFile) and not wrong and Path(record.name).name != record.name:
        wrong.append("name")
    return wrong


def _broken(path: Path, found: str) -> IndexStateError:
    return IndexStateError(
        expected=f"a manifest at {path}", found=found, next="run `aborist index` on its archive again"
    )


def archives_in(shards: Path) -> list[Path]:
    """The folders of published indexes, by name; those of builds under way start with a dot: left out."""
    if not shards.is_dir():
        return []
    return sorted(
        folder for folder in shards.iterdir() if not folder.name.startswith(".") and (folder / FILE_NAME).is_file()
    )


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def snapshot_root(roots: Iterable[tuple[str, bytes]]) -> str:
    """One hash over all (path, document root), in path order: two builds of one archive agree on it."""
    digest = hashlib.sha256(b"aborist snapshot 1\0")
    for path, root in roots:
        digest.update(len(path.encode()).to_bytes(4, "big") + path.encode() + root)
    return digest.hexdigest()
