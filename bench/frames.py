"""In which frame questions are answered: `python -m bench.frames --seeds FOLDER... --ordinary FOLDER`.

A folder holds an archive and its questions (bench/README.md). Over the seeds that say it, how often the frame is the
one it should be; over ordinary questions, how often it is wrongly a reference. Never run it on a test split.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from aborist.config import open_engine
from aborist.engine import Engine
from bench import options, record
from bench.arguments import positive
from bench.groups import GROUPS, group_of
from bench.index import index_of
from bench.questions import Question, load, sample

__all__ = ["Told", "accuracy", "main", "references"]

KINDS = ("reference", "literal", None)
PER_SET = 50


@dataclass(frozen=True, slots=True)
class Told:
    """A question's frame: the one it should have (None where it has no answer), the one it was given, by which rule,
    and whether the first article is a right one."""

    question: str
    wanted: str | None
    kind: str | None
    rule: str
    work: str | None
    right: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints and writes the figures; 1 when a folder lacks its archive or its questions."""
    return options.run(_measure, _parser(), arguments)


def _measure(given: argparse.Namespace, command: str) -> int:
    found: dict[str, Any] = {"command": command, "seeds": {}}
    for folder in given.seeds:
        file = folder / "questions.jsonl"
        told = _ask(folder, given.cache, _seeds(file))
        found["seeds"][folder.name] = {**accuracy(told), "questions": record.file_facts(file)}
    if given.ordinary:
        file = given.ordinary / "questions_dev.jsonl"
        told = _ask(given.ordinary, given.cache, _ordinary(file, given.per_set))
        found["ordinary"] = {**references(told), "questions": record.file_facts(file)}
    print(json.dumps(found, indent=1, ensure_ascii=False))
    print(f"written: {record.write('frames', found, given.out).name}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.frames", description=__doc__)
    add = parser.add_argument
    add("--seeds", type=Path, nargs="*", default=[], help="folders whose questions.jsonl may say their `frame`")
    add("--ordinary", type=Path, help="a folder with questions_dev.jsonl that allude to nothing")
    add("--per-set", type=positive, default=PER_SET, help=f"ordinary questions a set (default {PER_SET})")
    options.place_options(parser)
    return parser


def _seeds(file: Path) -> list[Question]:
    """Each seed with the frame it asks for; where a file does not say, an answerable question is literal."""
    return [replace(one, frame=one.frame or ("literal" if one.answerable else None)) for one in load(file)]


def _ordinary(file: Path, per_set: int) -> list[Question]:
    """Questions of the sets of the eight groups, always the same ones, all of them literal."""
    chosen = (question for question in sample(load(file), per_set) if group_of(question.set) in GROUPS)
    return [replace(question, frame="literal") for question in chosen]


def _ask(folder: Path, cache: Path, questions: Sequence[Question]) -> list[Told]:
    """What the folder's archives answer. :raises FileNotFoundError: there is none."""
    archives = sorted(folder.glob("*.zim"))
    if not archives:
        raise FileNotFoundError(f"expected an archive in {folder}; found no *.zim: name a folder that holds one")
    with closing(open_engine(index_of(archives, cache))) as engine:
        return [_told(engine, question) for question in questions]


def _told(engine: Engine, question: Question) -> Told:
    answer = engine.ask(question.text)
    right = bool(answer.results) and answer.results[0].title in question.gold
    frame = answer.frame
    return Told(question.text, question.frame, frame.kind, frame.rule, frame.work, right)


def accuracy(told: Sequence[Told]) -> dict[str, Any]:
    """The share of frames that are as wanted: of all, of each kind that is wanted, and of those whose first article is
    right and accepted, where nothing but the frame can be wrong; with the wrong ones."""
    known = [one for one in told if one.right and one.kind is not None]
    return {
        "n": len(told),
        "right": _share(told),
        "by_kind": {str(kind): _share([one for one in told if one.wanted == kind]) for kind in KINDS},
        "of_right_answers": _share(known),
        "rules": _rules(told),
        "wrong": [asdict(one) for one in told if one.kind != one.wanted],
    }


def references(told: Sequence[Told]) -> dict[str, Any]:
    """How many questions that allude to nothing are taken as a reference, with them."""
    taken = [one for one in told if one.kind == "reference"]
    return {
        "n": len(told),
        "reference": len(taken) / len(told) if told else None,
        "rules": _rules(told),
        "wrong": [asdict(one) for one in taken],
    }


def _share(told: Sequence[Told]) -> float | None:
    return sum(one.kind == one.wanted for one in told) / len(told) if told else None


def _rules(told: Sequence[Told]) -> Mapping[str, int]:
    return dict(Counter(one.rule for one in told).most_common())


if __name__ == "__main__":
    sys.exit(main())
