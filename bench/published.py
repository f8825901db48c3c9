"""Reads an index for the measures that ask about its own content: which archive, its articles' names, their texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aborist.errors import UsageError
from aborist.library import Library
from aborist.shard.manifest import Manifest
from aborist.shard.read import Shard
from bench.asking import Place

__all__ = ["Known", "Published", "open_published", "published"]


@dataclass(frozen=True, slots=True)
class Known:
    """An article: where it is, its title, its redirects' titles, and how long it is."""

    place: Place
    title: str
    aliases: tuple[str, ...]
    tokens: int
    shard: int
    id: int


@dataclass(frozen=True, slots=True)
class Published:
    """One open archive of an index."""

    manifest: Manifest
    shards: tuple[Shard, ...]

    def articles(self) -> Iterator[Known]:
        """Every article, in the order of the shards."""
        for number, shard in enumerate(self.shards):
            for entry in shard.entries("TRUE ORDER BY id", {}):
                aliases = tuple(dict.fromkeys(title for title, _, _ in shard.aliases(entry.id)))
                place = Place(self.manifest.archive, entry.path)
                yield Known(place, entry.title, aliases, entry.tokens, number, entry.id)

    def text(self, article: Known) -> str:
        """The canonical text, which `article --json` prints."""
        return self.shards[article.shard].layout(article.id).document.text

    def facts(self) -> dict[str, Any]:
        """What a result file says of the archive."""
        one = self.manifest
        return {"name": one.archive, "uuid": one.uuid, "bytes": one.zim_bytes, "articles": one.articles}


@contextmanager
def published(shards: Path, archive: str | None) -> Iterator[Published]:
    """As `open_published`, closed at the end."""
    index = open_published(shards, archive)
    try:
        yield index
    finally:
        for shard in index.shards:
            shard.close()


def open_published(shards: Path, archive: str | None) -> Published:
    """The named archive, or the only one. Raises IndexStateError or UsageError where there is no such one."""
    library = Library.open(shards, archive)
    if len(library.holdings) == 1 and not library.faults:
        return Published(*library.holdings[0])
    names = ", ".join(manifest.archive for manifest, _ in library.holdings)
    library.close()
    raise UsageError(
        expected="one sound archive in the index",
        found="; ".join(library.faults) or f"several: {names}",
        next="run `aborist verify`" if library.faults else "name one with --archive",
    )
