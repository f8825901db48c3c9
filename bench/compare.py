"""Is the difference real? Two systems of one run, or one system in two: `python -m bench.compare [A.json [B.json]]`.

With one result (default: the newest dev): the first of `--systems` (default aborist) against each of the others.
With two: `--systems` (default aborist) in A against the same in B. The questions must be the same.
Writes compare-<name>-<commit>.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench import record, table
from bench.arguments import names, some_of
from bench.artefacts import read_questions
from bench.groups import GROUPS
from bench.scores import BREAKDOWNS, MEASURES, Scored
from bench.significance import Vector, holm, interval, randomisation, weighted

__all__ = ["Comparison", "UnequalQuestionsError", "compare", "main"]

MACRO = "macro"
MOST_RESULTS = 2

Pairs = list[tuple[Scored, Scored]]


class UnequalQuestionsError(ValueError):
    """Two lists of questions that are not the same; the message names what only one has."""


class NothingToCompareError(ValueError):
    """No question of the results has gold; the message says what to do."""


class Side(NamedTuple):
    label: str
    questions: Sequence[Scored]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row: `difference` is `a` - `b` of a measure's means over `n` questions, with its 95 % bootstrap interval.

    `p` is the randomisation test's, `p_holm` the same corrected over all rows of the table. Wins are questions on
    which A scores higher.
    """

    a: str
    b: str
    part: str
    measure: str
    n: int
    a_mean: float
    b_mean: float
    difference: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    p: float
    p_holm: float


def compare(a: Side, b: Side, measures: Sequence[str], by: str) -> list[Comparison]:
    """A row for each part (the eight groups first, then the macro over them) and measure; not yet corrected.

    :raises UnequalQuestionsError: the questions differ, or other ones have gold.
    """
    parts: dict[str, Pairs] = defaultdict(list)
    groups: dict[str, Pairs] = defaultdict(list)
    for pair in _paired(a, b):
        parts[BREAKDOWNS[by](pair[0])].append(pair)
        if pair[0].group in GROUPS:
            groups[pair[0].group].append(pair)
    order = [name for name in GROUPS if name in parts] + [name for name in parts if name not in GROUPS]
    rows = []
    for measure in measures:
        rows += [_row((a.label, b.label, part, measure), {part: parts[part]}) for part in order]
        if len(groups) > 1:
            rows.append(_row((a.label, b.label, MACRO, measure), groups))
    return rows


def _paired(a: Side, b: Side) -> Pairs:
    """The questions with gold, of both, in A's order."""
    known = {one.topic: one for one in b.questions}
    strangers = sorted(known.keys() ^ {one.topic for one in a.questions})
    pairs = [(one, known[one.topic]) for one in a.questions if one.topic in known]
    strangers += [one.topic for one, other in pairs if (one.hit1 is None) != (other.hit1 is None)]
    if strangers:
        raise UnequalQuestionsError(
            f"expected the same questions in {a.label} and {b.label}; found {len(strangers)} that differ "
            f"({strangers[0]} is the first): repeat both runs with the same --questions, --sets and --limit-per-set"
        )
    return [pair for pair in pairs if pair[0].hit1 is not None]


def _row(names: tuple[str, str, str, str], parts: Mapping[str, Pairs]) -> Comparison:
    left = {part: _values(names[3], [one for one, _ in pairs]) for part, pairs in parts.items()}
    right = {part: _values(names[3], [other for _, other in pairs]) for part, pairs in parts.items()}
    differences = {part: left[part] - right[part] for part in parts}
    every = np.concatenate(list(differences.values()))
    low, high = interval(differences)
    p = randomisation(weighted(differences))
    return Comparison(
        *names,
        n=len(every),
        a_mean=float(weighted(left).sum()),
        b_mean=float(weighted(right).sum()),
        difference=float(weighted(differences).sum()),
        low=low,
        high=high,
        wins=int((every > 0).sum()),
        ties=int((every == 0).sum()),
        losses=int((every < 0).sum()),
        p=p,
        p_holm=p,
    )


def _values(measure: str, questions: Sequence[Scored]) -> Vector:
    return np.array([getattr(one, measure) for one in questions], dtype=np.float64)


def corrected(rows: Sequence[Comparison]) -> list[Comparison]:
    """The rows with Holm's correction over all of them."""
    return [replace(row, p_holm=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table, writes one result file; 1 when questions are missing or differ."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser()
    options = parser.parse_args(arguments)
    if len(options.results) > MOST_RESULTS:
        parser.error(f"expected at most {MOST_RESULTS} results; found {len(options.results)}: compare two at a time")
    try:
        options.results = options.results or [record.newest("dev")]
        rows = _rows(options)
    except (UnequalQuestionsError, NothingToCompareError, OSError, json.JSONDecodeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print("\n".join(table.comparison_lines([asdict(row) for row in rows])))
    name = options.name or _facts(options.results[0])["name"]
    content = {
        "command": record.command("bench.compare", arguments),
        "compared": [_facts(path) for path in options.results],
        "by": options.by,
        "comparisons": [asdict(row) for row in rows],
    }
    print(f"\nwritten: {record.write(f'compare-{name}', content, options.out).name}")
    return 0


def _rows(options: argparse.Namespace) -> list[Comparison]:
    """The whole table, corrected. :raises NothingToCompareError: it has no row."""
    rows = [row for a, b in _sides(options) for row in compare(a, b, options.measures, options.by)]
    if not rows:
        told = ", ".join(path.name for path in options.results)
        raise NothingToCompareError(f"expected questions with gold in {told}; found none: name a run over such ones")
    return corrected(rows)


def _sides(options: argparse.Namespace) -> list[tuple[Side, Side]]:
    first, *others = options.results
    if others:
        systems = options.systems or ["aborist"]
        return [(_side(first, s, labelled=True), _side(others[0], s, labelled=True)) for s in systems]
    known = json.loads(first.read_text(encoding="utf-8")).get("systems", {})
    chosen = options.systems or ["aborist", *(s for s in known if s != "aborist")]
    if len(chosen) < 2:
        raise UnequalQuestionsError(f"expected two systems to compare; found {', '.join(chosen)} in {first.name}")
    return [(_side(first, chosen[0]), _side(first, other)) for other in chosen[1:]]


def _side(result: Path, system: str, *, labelled: bool = False) -> Side:
    label = f"{system} {result.stem}" if labelled else system
    return Side(label, read_questions(result, system))


def _facts(result: Path) -> dict[str, Any]:
    content = json.loads(result.read_text(encoding="utf-8"))
    return {key: content.get(key) for key in ("name", "commit", "uncommitted_changes", "date")}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    add = parser.add_argument
    add("results", type=Path, nargs="*", metavar="RESULT", help="one or two results of bench.run (default: newest dev)")
    add("--systems", type=names, default=[], help="systems, joined by commas")
    add("--measures", type=some_of(MEASURES), default=["hit1", "hit5"], help=f"some of {','.join(MEASURES)}")
    add("--by", choices=tuple(BREAKDOWNS), default="group", help="parts that get a row")
    add("--name", help="the result is called compare-NAME (default: the name of the first result)")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
