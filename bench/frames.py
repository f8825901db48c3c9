"""In which frame questions are answered: `python -m bench.frames --seeds FOLDER... --ordinary FOLDER`.

A folder holds an archive and its questions (bench/README.md). Over the seeds that say it, how often the frame is the
one it should be; over ordinary questions, how often it is wrongly a reference. Never run it on a test split.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aborist.config import open_engine
from aborist.engine import Engine
from bench import record
from bench.groups import GROUPS, group_of
from bench.index import index_of
from bench.questions import load, sample

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
    """Prints and writes the figures."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    found: dict[str, Any] = {"command": record.command("bench.frames", arguments), "seeds": {}}
    for folder in options.seeds:
        told = _ask_seeds(_engine(folder, options), folder / "questions.jsonl")
        found["seeds"][folder.name] = {**accuracy(told), "questions": record.file_facts(folder / "questions.jsonl")}
    if options.ordinary:
        file = options.ordinary / "questions_dev.jsonl"
        told = _ask_ordinary(_engine(options.ordinary, options), file, options.per_set)
        found["ordinary"] = {**references(told), "questions": record.file_facts(file)}
    print(json.dumps(found, indent=1, ensure_ascii=False))
    print(f"written: {record.write('frames', found, options.out).name}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.frames", description=__doc__)
    add = parser.add_argument
    add("--seeds", type=Path, nargs="*", default=[], help="folders whose questions.jsonl may say their `frame`")
    add("--ordinary", type=Path, help="a folder with questions_dev.jsonl that allude to nothing")
    add("--per-set", type=int, default=PER_SET, help=f"ordinary questions a set (default {PER_SET})")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    add("--cache", type=Path, default=Path(tempfile.gettempdir()) / "aborist-bench", help="scratch folder")
    return parser


def _engine(folder: Path, options: argparse.Namespace) -> Engine:
    return open_engine(index_of(sorted(folder.glob("*.zim")), options.cache))


def _ask_seeds(engine: Engine, file: Path) -> list[Told]:
    """Each seed with the frame it asks for; where a file does not say, an answerable question is literal."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        _told(engine, row["question"], row.get("frame", "literal" if row["answerable"] else None), row["titles"])
        for row in rows
    ]


def _ask_ordinary(engine: Engine, file: Path, per_set: int) -> list[Told]:
    """Questions of the sets of the eight groups, always the same ones."""
    chosen = (question for question in sample(load(file), per_set) if group_of(question.set) in GROUPS)
    return [_told(engine, question.text, "literal", question.gold) for question in chosen]


def _told(engine: Engine, text: str, wanted: str | None, gold: Iterable[str]) -> Told:
    answer = engine.ask(text)
    right = bool(answer.results) and answer.results[0].title in set(gold)
    frame = answer.frame
    return Told(text, wanted, frame.kind, frame.rule, frame.work, right)


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
