"""What each route is worth: `python -m bench.ablation --shards DIR --questions FILE [--per-group N]`.

Asks the same questions with all routes, without each, and with each alone; and of all routes' own hits says how often
a right article is among them (recall), among those of no other route (unique), and among any (union).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aborist.config import open_engine
from aborist.engine import Engine
from aborist.errors import AboristError
from bench import record
from bench.arguments import positive
from bench.compare import Side, compare, corrected
from bench.fixed import DEPTH
from bench.groups import macro
from bench.metrics import mean
from bench.questions import Question, QuestionFileError, load, of_groups, sample
from bench.scores import MEASURES, Asked, Row, Scored, breakdown, macro_row, scored
from bench.systems import Outcome
from bench.trec import topics

__all__ = ["Found", "Variant", "main", "routes_of", "variants"]

ALL = "all routes"
TESTED = ("difference", "low", "high", "wins", "losses", "p_holm")  # of a Comparison with all routes
UNGROUPED = "all"  # the one part of questions that are of none of the eight groups


@dataclass(frozen=True, slots=True)
class Variant:
    """An engine with some of the routes."""

    label: str
    routes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Which routes hold a right article among all their hits, and which as their first; of one question."""

    group: str
    holders: frozenset[str]
    firsts: frozenset[str]


def variants(routes: Sequence[str]) -> list[Variant]:
    """All routes, then each left out, then each alone."""
    without = [Variant(f"without {name}", tuple(r for r in routes if r != name)) for name in routes]
    return [Variant(ALL, tuple(routes)), *without, *(Variant(f"only {name}", (name,)) for name in routes)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints both tables, writes ablation-<name>-<commit>.json; 1 when an index or question file is bad."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    try:
        questions = _questions(options.questions, options.per_group)
        with closing(open_engine(options.shards)) as engine:
            tables = _measure(engine, questions)
    except (AboristError, QuestionFileError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    content = {
        "command": record.command("bench.ablation", arguments),
        "questions": [record.file_facts(path) for path in options.questions],
        "asked": len(questions),
        **tables,
    }
    for rows in tables.values():
        print("\n".join(_lines(rows)), end="\n\n")
    print(f"written: {record.write(f'ablation-{options.name}', content, options.out).name}")
    return 0


def _measure(engine: Engine, questions: Sequence[Question]) -> dict[str, list[dict[str, Any]]]:
    """Both tables: the variants of the engine, and the routes' own hits."""
    found = [_routes_found(engine, question) for question in questions]
    asked = {}
    for variant in variants(list(engine.routes)):
        asked[variant.label] = _ask(engine, variant, questions)
        print(f"asked {len(questions)} questions: {variant.label}", file=sys.stderr)
    return {"variants": _variant_rows(asked), "routes": routes_of(found, list(engine.routes))}


def _questions(paths: Iterable[Path], per_group: int) -> list[Question]:
    """Questions with gold, so many of each of the eight groups; where none is of these, so many of each set, as one."""
    found = [question for path in paths for question in load(path) if question.answerable and question.gold]
    known = [replace(q, id=f"{q.set}:{q.id}") for q in found]
    chosen = of_groups(found, per_group) or [replace(q, set=UNGROUPED) for q in sample(known, per_group)]
    if not chosen:
        raise QuestionFileError("no question has gold in the archive: look at --questions")
    topics(chosen)  # refuses what `scored` would refuse after all variants were asked
    return chosen


def _routes_found(engine: Engine, question: Question) -> Found:
    answer = engine.ask(question.text, DEPTH)

    def is_right(shard: int, article: int) -> bool:
        return engine.mounted[shard].shard.entry(article).title in question.gold

    right = {r.route: [hit.rank for hit in r.hits if is_right(*hit.ref)] for r in answer.rankings}
    holders = frozenset(route for route, ranks in right.items() if ranks)
    return Found(question.set, holders, frozenset(route for route, ranks in right.items() if 1 in ranks))


def _ask(engine: Engine, variant: Variant, questions: Sequence[Question]) -> list[Scored]:
    """The engine's index and settings, with the routes of the variant alone."""
    chosen = replace(engine, routes={name: engine.routes[name] for name in variant.routes})
    outcomes = (chosen.ask(question.text, DEPTH) for question in questions)
    titles = (tuple(dict.fromkeys(result.title for result in answer.results)) for answer in outcomes)
    return scored([Asked(q, Outcome(listed), 0.0) for q, listed in zip(questions, titles, strict=True)])


def _variant_rows(asked: Mapping[str, Sequence[Scored]]) -> list[dict[str, Any]]:
    """Macro figures of each variant, how far its hit@1 is from all routes', and the p-value, Holm over the table."""
    every = Side(ALL, asked[ALL])
    others = [Side(label, found) for label, found in asked.items() if label != ALL]
    # The last row is the macro over the groups, or the only one there is.
    compared = {row.a: row for row in corrected([compare(side, every, ["hit1"], "group")[-1] for side in others])}
    rows = []
    for label, found in asked.items():
        groups = breakdown(found, "group")
        told = compared.get(label)
        tested = {key: getattr(told, key) for key in TESTED} if told else dict.fromkeys(TESTED)
        rows.append(
            {"variant": label, **_figures(groups), **tested, **{f"hit1 {g}": r.hit1 for g, r in groups.items()}}
        )
    return rows


def _figures(groups: Mapping[str, Row]) -> dict[str, float | None]:
    if UNGROUPED in groups:
        return {measure: getattr(groups[UNGROUPED], measure) for measure in MEASURES}
    return macro_row(groups)


def routes_of(found: Sequence[Found], routes: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each route and the union; shares are macro means over the groups asked.

    `recall`: a right article is among the route's hits; `first`: it is the route's first hit; `unique`: no other
    route has one among its hits.
    """
    rows = [_route_row(found, route) for route in routes]
    union = {
        "recall": _macro(found, lambda one: bool(one.holders)),
        "first": _macro(found, lambda one: bool(one.firsts)),
    }
    return [*rows, {"route": "union", **union, "unique": None, "unique_hits": None}]


def _route_row(found: Sequence[Found], route: str) -> dict[str, Any]:
    return {
        "route": route,
        "recall": _macro(found, lambda one: route in one.holders),
        "first": _macro(found, lambda one: route in one.firsts),
        "unique": _macro(found, lambda one: one.holders == {route}),
        "unique_hits": sum(one.holders == {route} for one in found),
    }


def _macro(found: Sequence[Found], holds: Callable[[Found], bool]) -> float | None:
    groups = dict.fromkeys(one.group for one in found)
    shares = {group: mean(holds(one) for one in found if one.group == group) or 0.0 for group in groups}
    return shares.get(UNGROUPED, macro(shares))


def _lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = list(rows[-1]) if "unique" in rows[-1] else ["variant", "hit1", "hit5", "mrr10", "difference", "p_holm"]
    return ["".join(f"{name:>20}" for name in names)] + [
        "".join(f"{_shown(row.get(name)):>20}" for name in names) for row in rows
    ]


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.ablation", description=__doc__)
    add = parser.add_argument
    add("--shards", type=Path, required=True, help="an index of the questions' archive")
    add("--questions", type=Path, nargs="+", required=True, help="question files with gold")
    add("--per-group", type=positive, default=40, metavar="N", help="questions of each group (default 40)")
    add("--name", default="dev", help="the result is called ablation-NAME")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
