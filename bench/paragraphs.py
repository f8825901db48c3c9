"""XQuAD as archives: the paragraphs of one language as articles of a real ZIM, and the questions about them.

Artetxe, Ruder, Yogatama, ACL 2020: the same 240 paragraphs and 1,190 questions, translated by professionals.
"""

from __future__ import annotations

import hashlib
import html
from dataclasses import dataclass
from pathlib import Path

from bench.articles import CODES, Article, rows, write

__all__ = ["Parallel", "archive", "questions"]


@dataclass(frozen=True, slots=True)
class Parallel:
    """A question that every language has; `path` is that of the one paragraph it was written about."""

    id: str
    text: str
    path: str
    answers: tuple[str, ...]


def archive(source: Path, language: str, folder: Path) -> Path:
    """Writes `xquad_<language>-<digest>.zim` and returns its path; one that is there already is taken as it is.

    The digest is of the articles' file, so that other data make another archive. Titles are p-0-0, p-0-1, ...: the
    data has only the English titles, which would help English alone.
    """
    articles = source / f"articles_{language}.jsonl"
    digest = hashlib.sha256(articles.read_bytes()).hexdigest()[:8]
    file = folder / f"xquad_{language}-{digest}.zim"
    if file.exists():
        return file
    folder.mkdir(parents=True, exist_ok=True)
    building = file.with_suffix(".building")
    building.unlink(missing_ok=True)
    found = (
        Article(_path(number, place), _path(number, place), f"<p>{html.escape(text)}</p>")
        for number, article in enumerate(rows(articles))
        for place, text in enumerate(article["paragraphs"])
    )
    write(building, found, {"Title": f"XQuAD {language}", "Language": CODES[language], "Name": file.stem})
    building.rename(file)
    return file


def questions(source: Path, language: str) -> list[Parallel]:
    """The questions of a language; the n-th of each language is the same one."""
    numbers = {row["title"]: number for number, row in enumerate(rows(source / f"articles_{language}.jsonl"))}
    return [
        Parallel(row["id"], row["question"], _path(numbers[row["titles"][0]], row["paragraph"]), tuple(row["answers"]))
        for row in rows(source / f"questions_{language}.jsonl")
    ]


def _path(article: int, paragraph: int) -> str:
    return f"p-{article}-{paragraph}"
