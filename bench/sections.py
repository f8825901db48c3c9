"""Parts of the report, as lines of Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.groups import GROUPS
from bench.table import COLUMNS, p_value

__all__ = ["anything", "comparisons", "quality", "table"]

# Told once, above the tables.
FACTS = {"name", "commit", "uncommitted_changes", "date", "machine", "command", "corpus", "questions"}
# Longer lists (of failures, say) are cut; the result file holds all of it.
LONGEST_TABLE = 20


def quality(systems: Mapping[str, Any]) -> Iterator[str]:
    """hit@1 and hit@5 of every system side by side, then all measures, a table a breakdown: groups or categories."""
    first = next(iter(systems.values()))
    by = "by_group" if len(first["by_group"]) > 1 else "by_category"
    order = [name for name in GROUPS if name in first[by]] if by == "by_group" else []
    parts = [*order, *(name for name in first[by] if name not in order)]
    yield from _side_by_side(systems, by, parts)
    yield "\n<details><summary>All measures</summary>\n"
    yield from _all_measures(systems, by, parts)
    yield "\n</details>"
    for name, system in systems.items():
        if system["route_ms"]:
            told = ", ".join(f"{route} {ms['p50']:.1f} / {ms['p95']:.1f}" for route, ms in system["route_ms"].items())
            yield f"\nRoutes of {name}, ms p50 / p95: {told}."


def _side_by_side(systems: Mapping[str, Any], by: str, parts: Sequence[str]) -> Iterator[str]:
    first = next(iter(systems.values()))
    yield "hit@1 / hit@5:\n"
    yield f"| {by.removeprefix('by_')} | questions | {' | '.join(systems)} |"
    yield f"|{'-|' * (2 + len(systems))}"
    for part in parts:
        if first[by][part]["scored"]:
            cells = " | ".join(_pair(system[by][part]) for system in systems.values())
            yield f"| {part} | {first[by][part]['scored']} | {cells} |"
    if first["macro"]["hit1"] is not None:
        yield f"| **macro of the eight groups** | | {' | '.join(_pair(s['macro']) for s in systems.values())} |"
    else:
        yield f"| **all** | {first['all']['scored']} | {' | '.join(_pair(s['all']) for s in systems.values())} |"


def _pair(row: Mapping[str, Any]) -> str:
    return f"{shown(row['hit1'])} / {shown(row['hit5'])}"


def _all_measures(systems: Mapping[str, Any], by: str, parts: Sequence[str]) -> Iterator[str]:
    keys = [key for key in COLUMNS if key != "n" and any(_has(system, by, key) for system in systems.values())]
    rows: list[dict[str, Any]] = []
    for part in parts:
        rows += [_measures(part, name, system[by][part], keys) for name, system in systems.items()]
    for name, system in systems.items():
        rows.append(_measures("**all**", name, system["all"], keys))
        if system["macro"]["hit1"] is not None:
            rows.append(_measures("**macro of the eight groups**", name, system["macro"], keys))
    yield from _table(rows)


def _measures(part: str, system: str, row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {"part": part, "n": row.get("n"), "system": system, **{COLUMNS[key]: row.get(key) for key in keys}}


def _has(system: Mapping[str, Any], by: str, key: str) -> bool:
    return any(row.get(key) is not None for row in system[by].values())


def comparisons(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A table a measure: a row for each part, a column for each pair of systems."""
    yield "Difference of the means with its 95 % bootstrap interval; wins / ties / losses; p of the paired"
    yield "randomisation test after Holm's correction over all rows."
    for measure in dict.fromkeys(row["measure"] for row in rows):
        yield f"\n{COLUMNS.get(measure, measure)}:\n"
        found: dict[str, dict[str, Any]] = {}
        for row in (row for row in rows if row["measure"] == measure):
            cell = f"{row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]; "
            cell += f"{row['wins']} / {row['ties']} / {row['losses']}; {_p(row['p_holm'])}"
            part = found.setdefault(row["part"], {"part": row["part"], "n": row["n"]})
            part[f"{row['a']} - {row['b']}"] = cell
        yield from _table(list(found.values()))


def _p(p: float) -> str:
    return f"p {p_value(p)}" if p < 0.0001 else f"p = {p_value(p)}"


def anything(result: Mapping[str, Any]) -> Iterator[str]:
    """Every value of a result: plain ones as a table of two columns, lists and mappings of rows as tables."""
    values = {key: value for key, value in result.items() if key not in FACTS}
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping | list)}
    if plain:
        yield from table([{"": key, "value": value} for key, value in plain.items()])
    for key, value in values.items():
        if key not in plain and value:
            yield f"\n{key}:\n"
            yield from _nested(value)


def _nested(value: Mapping[str, Any] | list[Any]) -> Iterator[str]:
    if isinstance(value, Mapping):
        if all(isinstance(row, Mapping) for row in value.values()):
            return table([{"": name, **row} for name, row in value.items()])
        return table([{"": name, "value": one} for name, one in value.items()])
    return table([row if isinstance(row, Mapping) else {"": row} for row in value])


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A table with a column for every key, in the order of the first row that has it; at most `LONGEST_TABLE` rows."""
    yield from _table(rows[:LONGEST_TABLE])
    if len(rows) > LONGEST_TABLE:
        yield f"\nand {len(rows) - LONGEST_TABLE} more in the result file."


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    yield f"| {' | '.join(columns)} |"
    yield f"|{'-|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(shown(row.get(column)) for column in columns)} |"


def shown(value: object) -> str:
    """A cell: shares with three digits, larger numbers with one, whole ones with commas, the rest as text.

    A list of rows is their number, a question file its name, any other mapping its keys and cells.
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 2 else f"{value:.3f}"
    return _text(value).replace("|", "\\|").replace("\n", " ")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return str(value["name"]) if "sha256" in value else "; ".join(f"{k} {shown(v)}" for k, v in value.items())
    if isinstance(value, list) and all(isinstance(row, Mapping) for row in value):
        return f"{len(value):,}"
    return json.dumps(value, ensure_ascii=False)
