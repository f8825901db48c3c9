"""XQuAD as archives, each paragraph an article or each title one: whole, or without what answers some questions."""

from __future__ import annotations

import html
import subprocess
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from bench.articles import CODES, Article, rows, write
from bench.record import ROOT

__all__ = ["TITLE_FOLDS", "AskedParagraph", "Page", "index_of", "indexed", "joined", "pages", "questions"]

TITLE_FOLDS = 8  # so many archives lack every eighth title each


class Page(NamedTuple):
    """One article; `title` and `paragraph` number where it stands in the file. Paragraphs are lines of `text`."""

    title: int
    paragraph: int
    name: str
    text: str
    path: str


class AskedParagraph(NamedTuple):
    text: str
    title: int
    paragraph: int


def pages(folder: Path, language: str) -> list[Page]:
    """All paragraphs of a language, titled "Title N"."""
    return [
        Page(number, place, f"{article['title']} {place}", text, f"{number}_{place}")
        for number, article in enumerate(rows(folder / f"articles_{language}.jsonl"))
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


def questions(folder: Path, language: str) -> list[AskedParagraph]:
    """All questions of a language, in the order of the file."""
    titles = [article["title"] for article in rows(folder / f"articles_{language}.jsonl")]
    found = rows(folder / f"questions_{language}.jsonl")
    return [AskedParagraph(row["question"], titles.index(row["titles"][0]), row["paragraph"]) for row in found]


def index_of(chosen: list[Page], language: str, folder: Path) -> Path:
    """Writes the pages as an archive into an empty folder and indexes it; returns the folder of shards."""
    folder.mkdir(parents=True)
    articles = (Article(page.path, page.name, _body(page.text)) for page in chosen)
    write(folder / "xquad.zim", articles, {"Language": CODES[language]}, chosen[0].path)
    return indexed(folder / "xquad.zim", folder / "shards")


def _body(text: str) -> str:
    return "".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n"))


def indexed(archive: Path, shards: Path) -> Path:
    """Indexes an archive by this checkout's own program; returns the folder of shards."""
    command = [sys.executable, "-m", "aborist", "index", str(archive), "--shards", str(shards)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return shards
