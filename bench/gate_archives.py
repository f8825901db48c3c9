"""XQuAD as archives, each paragraph an article or each title one: whole, or without what answers some questions."""

from __future__ import annotations

import html
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from libzim.writer import Creator, Hint, Item, StringProvider

from bench.record import ROOT

__all__ = ["LANGUAGES", "TITLE_FOLDS", "Asked", "Page", "index_of", "indexed", "joined", "pages", "questions"]

LANGUAGES = {"en": "eng", "ru": "rus", "de": "deu", "es": "spa"}
TITLE_FOLDS = 8  # so many archives lack every eighth title each


class Page(NamedTuple):
    """One article; `title` and `paragraph` number where it stands in the file. Paragraphs are lines of `text`."""

    title: int
    paragraph: int
    name: str
    text: str
    path: str


class Asked(NamedTuple):
    text: str
    title: int
    paragraph: int


def pages(folder: Path, language: str) -> list[Page]:
    """All paragraphs of a language, titled "Title N"."""
    return [
        Page(number, place, f"{article['title']} {place}", text, f"{number}_{place}")
        for number, article in enumerate(_lines(folder / f"articles_{language}.jsonl"))
        for place, text in enumerate(article["paragraphs"])
    ]


def joined(paragraphs: Iterable[Page]) -> list[Page]:
    """The paragraphs of each title as one article under its own name."""
    found = []
    for number, group in groupby(paragraphs, key=lambda page: page.title):
        parts = list(group)
        name = parts[0].name.rpartition(" ")[0]
        found.append(Page(number, 0, name, "\n".join(page.text for page in parts), str(number)))
    return found


def questions(folder: Path, language: str) -> list[Asked]:
    """All questions of a language, in the order of the file."""
    titles = [article["title"] for article in _lines(folder / f"articles_{language}.jsonl")]
    rows = _lines(folder / f"questions_{language}.jsonl")
    return [Asked(row["question"], titles.index(row["titles"][0]), row["paragraph"]) for row in rows]


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class _Entry(Item):  # type: ignore[misc]  # libzim ships no annotations that mypy finds
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page

    def get_path(self) -> str:
        return self.page.path

    def get_title(self) -> str:
        return self.page.name

    def get_mimetype(self) -> str:
        return "text/html"

    def get_contentprovider(self) -> StringProvider:
        paragraphs = "".join(f"<p>{html.escape(text)}</p>" for text in self.page.text.split("\n"))
        return StringProvider(f"<html><body>{paragraphs}</body></html>")

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: True}


def index_of(chosen: list[Page], language: str, folder: Path) -> Path:
    """Writes the pages as an archive into an empty folder and indexes it; returns the folder of shards."""
    folder.mkdir(parents=True)
    with Creator(str(folder / "xquad.zim")).config_indexing(False, LANGUAGES[language]) as creator:
        creator.set_mainpath(chosen[0].path)
        for page in chosen:
            creator.add_item(_Entry(page))
        creator.add_metadata("Language", LANGUAGES[language])
    return indexed(folder / "xquad.zim", folder / "shards")


def indexed(archive: Path, shards: Path) -> Path:
    """Indexes an archive by this checkout's own program; returns the folder of shards."""
    command = [sys.executable, "-m", "aborist", "index", str(archive), "--shards", str(shards)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return shards
