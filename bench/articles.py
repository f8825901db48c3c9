"""XQuAD's files, and archives written of their texts by libzim: what `paragraphs` and `gate_archives` share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from libzim.writer import ContentProvider, Creator, Hint, Item, StringProvider

__all__ = ["CODES", "Article", "rows", "write"]

CODES: Mapping[str, str] = {"en": "eng", "ru": "rus", "de": "deu", "es": "spa"}  # XQuAD's code: the archive's


class Article(NamedTuple):
    """One article to write; `body` is HTML."""

    path: str
    title: str
    body: str


class _Item(Item):  # type: ignore[misc]  # libzim ships no annotations that mypy finds
    def __init__(self, article: Article) -> None:
        super().__init__()
        self.article = article

    def get_path(self) -> str:
        return self.article.path

    def get_title(self) -> str:
        return self.article.title

    def get_mimetype(self) -> str:
        return "text/html"

    def get_contentprovider(self) -> ContentProvider:
        return StringProvider(f"<html><body>{self.article.body}</body></html>")

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: True}


def write(file: Path, articles: Iterable[Article], metadata: Mapping[str, str], main: str = "") -> None:
    """Writes an archive that is not there yet; `metadata` names its Language, `main` is the path of its main page."""
    with Creator(file).config_indexing(False, metadata["Language"]) as creator:
        if main:
            creator.set_mainpath(main)
        for article in articles:
            creator.add_item(_Item(article))
        for key, value in metadata.items():
            creator.add_metadata(key, value)


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """The JSON lines of a file."""
    return (json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip())
