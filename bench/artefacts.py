"""The files beside a result: TREC runs and qrels, and each question's figures as JSON lines.

`<name>-<commit>/` holds `qrels.txt`, `<system>.run.gz` and `<system>.questions.jsonl.gz`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from bench import trec
from bench.record import MissingResultError
from bench.scores import Asked, Scored

__all__ = ["folder_of", "read_questions", "write"]

# 4: a ten-thousandth of a measure, and .1 us of CPU, are below anything that is told of them.
DIGITS = 4


def folder_of(result: Path) -> Path:
    """Where the artefacts of a result file lie."""
    return result.with_suffix("")


def write(folder: Path, asked: Mapping[str, Sequence[Asked]], found: Mapping[str, Sequence[Scored]]) -> None:
    """All artefacts of a run; `asked` and `found` are by system, over the same questions. Same input, same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    first = next(iter(asked.values()))
    trec.write_qrels(folder / "qrels.txt", trec.qrels(one.question for one in first))
    for system, answers in asked.items():
        listed = (d for one in answers for d in trec.run(trec.topic(one.question), one.outcome.titles))
        trec.write_run(folder / f"{system}.run.gz", listed, system)
        lines = "".join(f"{json.dumps(_compact(one), ensure_ascii=False)}\n" for one in found[system])
        (folder / f"{system}.questions.jsonl.gz").write_bytes(gzip.compress(lines.encode(errors="replace"), mtime=0))


def _compact(one: Scored) -> dict[str, Any]:
    values = asdict(one)
    values["category"] = "" if one.category == one.set else one.category
    return {k: round(v, DIGITS) if isinstance(v, float) else v for k, v in values.items() if v is not None and v != ""}


def read_questions(result: Path, system: str) -> list[Scored]:
    """What each question of a run scored, in the order they were asked.

    :raises MissingResultError: there is no such file.
    """
    path = folder_of(result) / f"{system}.questions.jsonl.gz"
    if not path.exists():
        raise MissingResultError(
            f"expected the questions of {system!r} in {folder_of(result).name}/{path.name}; found none: "
            "repeat the command that the result names"
        )
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    return [_full(json.loads(line)) for line in lines if line]


def _full(row: dict[str, Any]) -> Scored:
    values = {field.name: row.get(field.name) for field in fields(Scored)}
    return Scored(**{**values, "category": row.get("category", row["set"])})
