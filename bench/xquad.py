"""Asks the parallel questions of XQuAD in every language: `python -m bench.xquad --data DIR`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import options, record
from bench.arguments import some_of
from bench.articles import CODES
from bench.asking import Heard, Place, Target, ask_all, rank_of, times
from bench.fixed import EVIDENCE_DEPTH
from bench.index import index_of
from bench.metrics import holds_answer, mean
from bench.paragraphs import Parallel, archive, questions
from bench.significance import randomisation

__all__ = ["Scores", "differences", "main", "scores"]

MEASURES = ("hit1", "hit5", "mrr10", "answer5")
PIVOT = "en"  # what the other languages are compared with


@dataclass(frozen=True, slots=True)
class Scores:
    """One language's values, a value a question: 0 or 1, and the reciprocal rank within ten."""

    hit1: tuple[float, ...]
    hit5: tuple[float, ...]
    mrr10: tuple[float, ...]
    answer5: tuple[float, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a row for each language and its distance to English, writes one result file."""
    return options.run(_measure, _parser(), arguments)


def _measure(given: argparse.Namespace, command: str) -> int:
    zims = {language: archive(given.data, language, given.cache / "xquad") for language in given.languages}
    by_language: dict[str, Scores] = {}
    content: dict[str, Any] = {"command": command, "corpus": record.corpus(zims.values()), "rows": {}, "failures": {}}
    for language, zim in zims.items():
        asked = questions(given.data, language)
        target = Target(index_of([zim], given.cache), zim.stem, given.processes)
        heard = ask_all(target, [question.text for question in asked], f"xquad {language}")
        by_language[language] = scores(zim.stem, asked, heard)
        content["rows"][language] = _row(by_language[language], heard)
        content["failures"][language] = _failures(zim.stem, asked, heard)
    content["to_english"] = differences(by_language)
    files = [given.data / f"{kind}_{language}.jsonl" for language in zims for kind in ("articles", "questions")]
    content["questions"] = [record.file_facts(file) for file in files]
    print("\n".join(_table(content)))
    print(f"\nwritten: {record.write(given.name, content, given.out).name}")
    return 0


def scores(name: str, asked: Sequence[Parallel], heard: Sequence[Heard]) -> Scores:
    """The measures of every question, in their order; `name` is the archive's."""
    pairs = list(zip(asked, heard, strict=True))
    ranks = [rank_of(one, {Place(name, question.path)}) or 0 for question, one in pairs]
    told = [holds_answer("\n".join(one.quotes[:EVIDENCE_DEPTH]), question.answers) for question, one in pairs]
    return Scores(
        hit1=tuple(float(rank == 1) for rank in ranks),
        hit5=tuple(float(1 <= rank <= 5) for rank in ranks),
        mrr10=tuple(1 / rank if rank else 0.0 for rank in ranks),
        answer5=tuple(map(float, told)),
    )


def differences(by_language: Mapping[str, Scores]) -> dict[str, dict[str, dict[str, float]]]:
    """For each other language and measure, the distance to English in points, and the test's p."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for language in (by_language.keys() - {PIVOT}) if PIVOT in by_language else ():
        found[language] = {}
        for measure in MEASURES:
            apart = np.subtract(getattr(by_language[language], measure), getattr(by_language[PIVOT], measure))
            found[language][measure] = {"points": 100 * float(apart.mean()), "p": randomisation(apart)}
    return dict(sorted(found.items()))


def _row(found: Scores, heard: Sequence[Heard]) -> dict[str, Any]:
    return {"n": len(heard), **{name: mean(values) for name, values in asdict(found).items()}, **times(heard)}


def _failures(name: str, asked: Sequence[Parallel], heard: Sequence[Heard]) -> list[dict[str, Any]]:
    found = []
    for question, one in zip(asked, heard, strict=True):
        if (rank := rank_of(one, {Place(name, question.path)})) != 1:
            first = one.first.place.path if one.first else None
            found.append(
                {"id": question.id, "question": question.text, "path": question.path, "rank": rank, "first": first}
            )
    return found


def _table(content: Mapping[str, Any]) -> list[str]:
    lines = [f"{'':4}{'n':>7}" + "".join(f"{name:>26}" for name in MEASURES) + f"{'ms p50':>9}{'ms p95':>9}"]
    for language, row in content["rows"].items():
        apart = content["to_english"].get(language, {})
        cells = "".join(f"{row[name]:>8.4f}{_apart(apart.get(name)):>18}" for name in MEASURES)
        lines.append(f"{language:4}{row['n']:>7,}{cells}{row['cpu_ms_p50']:>9.1f}{row['cpu_ms_p95']:>9.1f}")
    return lines


def _apart(one: Mapping[str, float] | None) -> str:
    return f"{one['points']:+.2f} (p {one['p']:.4f})" if one else ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.xquad", description=__doc__)
    add = parser.add_argument
    data = os.environ.get("ABORIST_DATA")
    add("--data", type=Path, required=data is None, default=data and Path(data) / "xquad",
        help="folder of XQuAD's files (default: xquad in ABORIST_DATA)")  # fmt: skip
    add("--languages", type=some_of(CODES), default=list(CODES), help="joined by commas; default: all")
    add("--name", default="xquad", help="what the result file is called")
    options.shared_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
