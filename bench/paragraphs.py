"""XQuAD as archives: the paragraphs of one language as articles of a real ZIM, and the questions about them.

Artetxe, Ruder, Yogatama, ACL 2020: the same 240 paragraphs and 1,190 questions, translated by professionals.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libzim.writer import ContentProvider, Creator, Hint, Item, StringProvider

__all__ = ["CODES", "Asked", "archive", "questions"]

CODES: Mapping[str, str] = {"en": "eng", "ru": "rus", "de": "deu", "es": "spa"}  # XQuAD's code: the archive's


@dataclass(frozen=True, slots=True)
class Asked:
    """A question; `path` is that of the one paragraph it was written about."""

    id: str
    text: str
    path: str
    answers: tuple[str, ...]


class _Article(Item):  # type: ignore[misc]  # libzim ships no annotations that mypy finds
    def __init__(self, path: str, text: str) -> None:
        super().__init__()
        self.path, self.text = path, text

    def get_path(self) -> str:
        return self.path

    def get_title(self) -> str:
        return self.path

    def get_mimetype(self) -> str:
        return "text/html"

    def get_contentprovider(self) -> ContentProvider:
        return StringProvider(f"<html><body><p>{html.escape(self.text)}</p></body></html>")

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: True}


def archive(source: Path, language: str, folder: Path) -> Path:
    """Writes `xquad_<language>.zim` and returns its path; one that is there already is taken as it is.

    Titles are p-0-0, p-0-1, ...: the data has only the English titles, which would help English alone.
    """
    file = folder / f"xquad_{language}.zim"
    if file.exists():
        return file
    folder.mkdir(parents=True, exist_ok=True)
    building = file.with_suffix(".building")
    building.unlink(missing_ok=True)
    with Creator(building).config_indexing(False, CODES[language]) as creator:
        for number, article in enumerate(_rows(source / f"articles_{language}.jsonl")):
            for place, text in enumerate(article["paragraphs"]):
                creator.add_item(_Article(_path(number, place), text))
        metadata = {"Title": f"XQuAD {language}", "Language": CODES[language], "Name": file.stem}
        for key, value in metadata.items():
            creator.add_metadata(key, value)
    building.rename(file)
    return file


def questions(source: Path, language: str) -> list[Asked]:
    """The questions of a language; the n-th of each language is the same one."""
    numbers = {row["title"]: number for number, row in enumerate(_rows(source / f"articles_{language}.jsonl"))}
    return [
        Asked(row["id"], row["question"], _path(numbers[row["titles"][0]], row["paragraph"]), tuple(row["answers"]))
        for row in _rows(source / f"questions_{language}.jsonl")
    ]


def _path(article: int, paragraph: int) -> str:
    return f"p-{article}-{paragraph}"


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip())
