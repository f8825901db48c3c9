"""Figures as lines of text: one system's, and comparisons of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["COLUMNS", "comparison_lines", "lines", "p_value", "share_table"]

# Measure -> its heading, in the order of every table.
COLUMNS = {
    "n": "n",
    "hit1": "hit@1",
    "hit5": "hit@5",
    "mrr10": "MRR@10",
    "ndcg10": "nDCG@10",
    "answer5": "answer@5",
    "section5": "section@5",
    "gate_precision": "refuse P",
    "gate_recall": "refuse R",
    "cpu_ms_p50": "ms p50",
    "cpu_ms_p95": "ms p95",
}
NAME_WIDTH = 32
CELL_WIDTH = 9


def lines(system: str, summary: Mapping[str, Any], by: str) -> list[str]:
    """A heading, a row for each value of `by`, all questions, the macro, and the routes' times."""
    found = ["", _cells(system, COLUMNS)]
    found += [_cells(name, _formatted(row)) for name, row in summary[f"by_{by}"].items()]
    found.append(_cells("all", _formatted(summary["all"])))
    if summary["macro"]["hit1"] is not None:
        found.append(_cells("macro over groups", _formatted(summary["macro"])))
    for route, ms in summary["route_ms"].items():
        found.append(f"  route {route:12} ms p50 {ms['p50']:.2f}, p95 {ms['p95']:.2f}")
    return found


def _cells(name: str, values: Mapping[str, str]) -> str:
    shown = name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - 1]}…"
    return f"{shown:{NAME_WIDTH}}" + "".join(f"{values.get(key, ''):>{CELL_WIDTH + 1}}" for key in COLUMNS)


def _formatted(row: Mapping[str, Any]) -> dict[str, str]:
    return {key: _number(key, row[key]) for key in COLUMNS if key in row}


def _number(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key == "n":
        return str(value)
    return f"{value:.1f}" if key.startswith("cpu") else f"{value:.3f}"


def comparison_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A heading and a line for each comparison of two systems."""
    width = max(len(_pair(row)) for row in rows) + 1
    head = f"{'a - b':{width}}{'part':>20}{'measure':>9}{'n':>6}{'a':>7}{'b':>7}{'diff':>8}  {'95 %':16}{'+/=/-':>14}"
    found = [f"{head}{'p':>8}{'Holm':>8}"]
    for row in rows:
        means = f"{row['a_mean']:>7.3f}{row['b_mean']:>7.3f}{row['difference']:>+8.3f}"
        bounds, counts = f"[{row['low']:+.3f}, {row['high']:+.3f}]", f"{row['wins']}/{row['ties']}/{row['losses']}"
        found.append(
            f"{_pair(row):{width}}{row['part']:>20}{row['measure']:>9}{row['n']:>6}{means}  {bounds:16}{counts:>14}"
            f"{p_value(row['p']):>8}{p_value(row['p_holm']):>8}"
        )
    return found


def share_table(rows: Mapping[str, Mapping[str, Any]], shares: Mapping[str, str]) -> list[str]:
    """A heading and a line for each row: n, the shares (key -> heading), CPU ms."""
    heading = f"{'':34}{'n':>8}" + "".join(f"{shown:>9}" for shown in shares.values()) + f"{'ms p50':>9}{'ms p95':>9}"
    found = [heading]
    for part, row in rows.items():
        cells = "".join(f"{row[key]:>9.4f}" for key in shares)
        found.append(f"{part:34}{row['n']:>8,}{cells}{row['cpu_ms_p50']:>9.1f}{row['cpu_ms_p95']:>9.1f}")
    return found


def p_value(p: float) -> str:
    return "<.0001" if p < 0.0001 else f"{p:.4f}".lstrip("0")


def _pair(row: Mapping[str, Any]) -> str:
    return f"{row['a']} - {row['b']}"
