"""Reads question files into `Question` values.

JSON lines: `question`, and what there is of `id, titles, gold_in_archive, answers, answerable, stale, set`
and `category`. Plain text: `# category` lines, blank lines, and questions, each optionally followed by a tab
and its gold titles joined by `|`. A category that starts with "no answer" holds
questions that the archive does not answer.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.groups import GROUPS, group_of

__all__ = ["NO_ANSWER", "Question", "QuestionFileError", "load", "of_groups", "sample", "select"]

NO_ANSWER = "no answer"


class QuestionFileError(ValueError):
    """A line that is neither format; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Question:
    """`gold`: titles in the archive of which any is right; `answers`: strings of which any is right.

    `answerable` None: nobody has said; the question is asked and timed, but neither hits nor refusals count.
    `frame`: "reference" or "literal", as it should be read; None where the file does not say.
    """

    id: str
    text: str
    gold: frozenset[str]
    answers: tuple[str, ...]
    answerable: bool | None
    set: str
    category: str
    frame: str | None = None


def load(path: Path) -> list[Question]:
    """The questions of a file in its order, without stale ones. :raises QuestionFileError: a broken line.

    An id that comes again in its set (QALD counts a question's translations as one) is numbered: 117, 117-2, 117-3.
    """
    text = path.read_text(encoding="utf-8")
    first = next((line for line in text.split("\n") if line.strip()), "")
    return list(_numbered(_json_lines(path, text) if first.startswith("{") else _plain_lines(path, text)))


def _numbered(questions: Iterable[Question]) -> Iterable[Question]:
    seen: Counter[tuple[str, str]] = Counter()
    for question in questions:
        seen[question.set, question.id] += 1
        times = seen[question.set, question.id]
        yield question if times == 1 else replace(question, id=f"{question.id}-{times}")


def _json_lines(path: Path, text: str) -> Iterable[Question]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            question = _from_row(row, path, number)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            expected = "expected a JSON object with `question`"
            raise QuestionFileError(f"{path.name}, line {number}: {expected}, found {line[:80]!r}") from error
        if not row.get("stale"):
            yield question


def _from_row(row: dict[str, Any], path: Path, number: int) -> Question:
    gold = frozenset(row["gold_in_archive"] if "gold_in_archive" in row else row.get("titles", ()))
    name = str(row.get("set") or _set_name(path))
    return Question(
        id=str(row.get("id") or f"{path.stem}:{number}"),
        text=str(row["question"]),
        gold=gold,
        answers=tuple(row.get("answers") or ()),
        answerable=row["answerable"] if row.get("answerable") is not None else (True if gold else None),
        set=name,
        category=str(row.get("category") or name),
        frame=row.get("frame"),
    )


def _plain_lines(path: Path, text: str) -> Iterable[Question]:
    category = path.stem
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#"):
            category = line.lstrip("#").strip()
        elif line.strip():
            question, _, titles = line.partition("\t")
            gold = frozenset(title.strip() for title in titles.split("|") if title.strip())
            refused = not gold and category.startswith(NO_ANSWER)
            answerable = False if refused else (True if gold else None)
            yield Question(f"{path.stem}:{number}", question.strip(), gold, (), answerable, path.stem, category)


def _set_name(path: Path) -> str:
    # A folder that holds `questions.jsonl` names the set better than the file does.
    return path.parent.name if path.stem == "questions" and path.parent.name else path.stem


def select(questions: Iterable[Question], sets: Sequence[str]) -> list[Question]:
    """Those whose set is named, or starts with a name that ends in `*`; all when no set is named."""

    def wanted(name: str) -> bool:
        return any(name.startswith(s[:-1]) if s.endswith("*") else name == s for s in sets)

    return [question for question in questions if not sets or wanted(question.set)]


def sample(questions: Iterable[Question], per_set: int | None) -> list[Question]:
    """At most `per_set` of each set: always the same ones, spread over the file, in the order of the file."""
    questions = list(questions)
    if per_set is None:
        return questions
    by_set: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_set[question.set].append(question)
    # By hash: neighbours in a file often share an article, so the first N would be N questions on few pages.
    kept = {id(q) for group in by_set.values() for q in sorted(group, key=_digest)[:per_set]}
    return [question for question in questions if id(question) in kept]


def of_groups(questions: Iterable[Question], per_group: int) -> list[Question]:
    """At most `per_group` of each of the eight groups, as `sample` picks them; the group is their set, the old one in
    their id."""
    named = [replace(one, set=group_of(one.set), id=f"{one.set}:{one.id}") for one in questions]
    return sample([one for one in named if one.set in GROUPS], per_group)


def _digest(question: Question) -> bytes:
    return hashlib.sha256(f"{question.id}\t{question.text}".encode(errors="replace")).digest()
