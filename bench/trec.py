"""TREC's two text formats, for any tool of the field: the run (what a system listed) and the qrels (what is right).

Their columns are separated by blanks, so titles and question ids are escaped: see `column`.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import ir_measures

from bench.questions import Question, QuestionFileError

__all__ = ["column", "qrels", "run", "topic", "topics", "write_qrels", "write_run"]

_ALWAYS = frozenset("%\0")


def column(text: str) -> str:
    """The text without blanks, reversibly: each blank, control character, % and lone surrogate is %-encoded UTF-8.

    >>> column("May the 4th")
    'May%20the%204th'
    """
    return "".join(c if _is_plain(c) else _encoded(c) for c in text)


def _is_plain(character: str) -> bool:
    return not (character.isspace() or character in _ALWAYS or "\ud800" <= character <= "\udfff")


def _encoded(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def topic(question: Question) -> str:
    """The id of a question in both files: its set and its own id, because sets count their questions alike."""
    return column(f"{question.set}:{question.id}")


def topics(questions: Sequence[Question]) -> list[str]:
    """Their ids in order. :raises QuestionFileError: two questions of one set share an id."""
    found = [topic(question) for question in questions]
    known: set[str] = set()
    for name in found:
        if name in known:
            raise QuestionFileError(f"expected every id once in a set; found {name} twice: correct the question file")
        known.add(name)
    return found


def qrels(questions: Iterable[Question]) -> Iterator[ir_measures.Qrel]:
    """Every right title of the answerable questions, relevance 1; titles in order, so that files are equal."""
    for question in questions:
        if question.answerable:
            for title in sorted(question.gold):
                yield ir_measures.Qrel(topic(question), column(title), 1)


def run(name: str, titles: Sequence[str]) -> Iterator[ir_measures.ScoredDoc]:
    """One question's list. Tools sort by score and break ties as they like, so the score is 1 / rank."""
    for rank, title in enumerate(titles, 1):
        yield ir_measures.ScoredDoc(name, column(title), 1 / rank)


def write_qrels(path: Path, judged: Iterable[ir_measures.Qrel]) -> None:
    """`topic 0 document relevance`, a line each."""
    lines = (f"{one.query_id} 0 {one.doc_id} {one.relevance}\n" for one in judged)
    path.write_text("".join(lines), encoding="utf-8")


def write_run(path: Path, listed: Iterable[ir_measures.ScoredDoc], system: str) -> None:
    """`topic Q0 document rank score system`, a line each, gzipped; the same bytes for the same run."""
    lines = (f"{d.query_id} Q0 {d.doc_id} {round(1 / d.score)} {d.score:.6f} {column(system)}\n" for d in listed)
    path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
