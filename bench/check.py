"""Holds aborist to what it has reached: `python -m bench.check [--ratchet]`, which is `make bench-check`.

Measures small question sets and compares them with the committed floors.json. A figure below its floor fails.
`--ratchet` raises floors to what was reached and adds new ones; it lowers none. A floor that has to go down, for a
trade that is worth it, is changed by hand, and the commit says why.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from bench.index import CACHE, IndexFailedError, index_of
from bench.questions import QuestionFileError, load
from bench.record import FLOORS, ROOT
from bench.run import ask_all
from bench.scores import row, scored
from bench.systems import SYSTEMS, Setting

__all__ = ["CheckedSet", "below", "main", "ratcheted"]

MEASURES = ("hit1", "hit5", "mrr10", "ndcg10", "gate_precision", "gate_recall")
# Floors are written in ten-thousandths, cut and not rounded, so that what was reached always passes.
SCALE = 10_000

Figures = Mapping[str, Mapping[str, float]]


class CheckedSet(NamedTuple):
    """Archives, and questions about them."""

    name: str
    archives: tuple[Path, ...]
    questions: Path


class Missed(NamedTuple):
    set: str
    measure: str
    floor: float
    found: float | None


def sets(data: Path | None) -> list[CheckedSet]:
    """The bundled ones, and seeds_en where the data folder is there: its questions may not be bundled."""
    samples = ROOT / "samples"
    russian = samples / "seeds_ru.zim"
    found = [
        CheckedSet("sweep", (samples / "sample_en.zim", russian), ROOT / "bench" / "qa_questions.txt"),
        CheckedSet("seeds_ru", (russian,), ROOT / "bench" / "seeds_ru_questions.jsonl"),
    ]
    if data is not None:
        folder = data / "seeds_en"
        found.append(CheckedSet("seeds_en", (folder / "seeds_en.zim",), folder / "questions.jsonl"))
    return found


def below(floors: Figures, found: Figures) -> list[Missed]:
    """The floors of the measured sets that were not reached; a set that was not measured is no miss."""
    missed = []
    for name, figures in found.items():
        for measure, floor in floors.get(name, {}).items():
            value = figures.get(measure)
            if value is None or value < floor:
                missed.append(Missed(name, measure, floor, value))
    return missed


def ratcheted(floors: Figures, found: Figures) -> dict[str, dict[str, float]]:
    """The floors raised to what was found, never lowered; floors of what was not measured stay."""
    raised = {name: dict(figures) for name, figures in floors.items()}
    for name, figures in found.items():
        known = raised.setdefault(name, {})
        for measure, value in figures.items():
            known[measure] = max(known.get(measure, 0.0), _cut(value))
    return raised


def _cut(value: float) -> float:
    return math.floor(value * SCALE) / SCALE


def measured(checked: CheckedSet, cache: Path) -> dict[str, float]:
    """aborist's figures over all questions of a set."""
    setting = Setting(checked.archives, index_of(checked.archives, cache), cache)
    with SYSTEMS["aborist"](setting) as system:
        figures = asdict(row(scored(ask_all(system, load(checked.questions)))))
    return {measure: figures[measure] for measure in MEASURES if figures[measure] is not None}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what was measured beside its floors; 1 when one was not reached or a file is bad."""
    data = os.environ.get("ABORIST_DATA")
    known = sets(Path(data) if data else None)
    options = _parser([one.name for one in known]).parse_args(arguments)
    try:
        floors = _floors(options.floors, new=options.ratchet)
        chosen = [one for one in known if not options.sets or one.name in options.sets]
        found = {one.name: measured(one, options.cache) for one in chosen}
    except (IndexFailedError, QuestionFileError, OSError, json.JSONDecodeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print("\n".join(_lines(floors, found)))
    if options.ratchet:
        text = json.dumps(ratcheted(floors, found), indent=1, sort_keys=True)
        options.floors.write_text(f"{text}\n", encoding="utf-8")
    missed = below(floors, found)
    for one in missed:
        print(
            f"bench: expected {one.measure} of {one.set} to be at least {one.floor}; found {one.found}: "
            "find what made it worse, or lower the floor by hand and say why",
            file=sys.stderr,
        )
    return int(bool(missed))


def _floors(file: Path, *, new: bool) -> Figures:
    """The floors of a file; none where it is to be made new. :raises FileNotFoundError: it is not, and is missing."""
    if new and not file.exists():
        return {}
    if not file.exists():
        raise FileNotFoundError(f"expected floors in {file}; found no such file: look at --floors, or add --ratchet")
    floors: Figures = json.loads(file.read_text(encoding="utf-8"))
    return floors


def _lines(floors: Figures, found: Figures) -> Iterator[str]:
    yield f"{'set':12}{'measure':16}{'floor':>8}{'found':>8}"
    for name, figures in found.items():
        for measure, value in figures.items():
            floor = floors.get(name, {}).get(measure)
            yield f"{name:12}{measure:16}{'-' if floor is None else f'{floor:.4f}':>8}{value:>8.4f}"


def _parser(known: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.check", description=__doc__)
    add = parser.add_argument
    add("--ratchet", action="store_true", help="raise the floors to what was reached")
    add("--sets", nargs="+", choices=known, help="only these sets; seeds_en needs ABORIST_DATA")
    add("--floors", type=Path, default=FLOORS, help="the file of floors")
    add("--cache", type=Path, default=CACHE, help="scratch folder")
    return parser


if __name__ == "__main__":
    sys.exit(main())
