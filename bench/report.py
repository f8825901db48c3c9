"""Writes bench/RESULTS.md from the result files: `python -m bench.report`. No figure in it is typed by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.groups import GROUPS
from bench.record import RESULTS

__all__ = ["main", "report"]

TARGET = RESULTS.parent / "RESULTS.md"
HEADER = """# Results

Made by `python -m bench.report` from the files in `results/`, the newest of each name.
How things are measured: [README.md](README.md).
"""
MEASURES = (("hit1", "hit@1"), ("hit5", "hit@5"), ("mrr10", "MRR@10"), ("ndcg10", "nDCG@10"), ("answer5", "answer@5"),
            ("gate_precision", "refuse P"), ("gate_recall", "refuse R"), ("cpu_ms_p50", "ms p50"),
            ("cpu_ms_p95", "ms p95"))  # fmt: skip


def main() -> int:
    """Writes the page; 1 when there are no result files."""
    newest: dict[str, dict[str, Any]] = {}
    for path in RESULTS.glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        if result["date"] > newest.get(result["name"], {"date": ""})["date"]:
            newest[result["name"]] = result
    if not newest:
        print("bench: no result files; run `make bench` first", file=sys.stderr)
        return 1
    TARGET.write_text(report(list(newest.values())), encoding="utf-8")
    print(f"written: {TARGET.relative_to(RESULTS.parent.parent)}")
    return 0


def report(results: Sequence[Mapping[str, Any]]) -> str:
    """The page of these results, in the order of their names."""
    lines = [HEADER]
    for result in sorted(results, key=lambda one: str(one["name"])):
        lines += [f"\n## {result['name']}\n", *_origin(result)]
        if "systems" in result:
            lines += _quality(result["systems"])
        else:
            lines += _build(result)
    return "\n".join(lines) + "\n"


def _origin(result: Mapping[str, Any]) -> Iterator[str]:
    machine = result["machine"]
    dirty = ", with uncommitted changes" if result["uncommitted_changes"] else ""
    yield f"`{result['command']}`, {result['date'][:10]}, commit `{result['commit']}`{dirty}; {machine['processor']},"
    yield f"{machine['cores']} cores, load {machine['load']}, Python {machine['python']}, SQLite {machine['sqlite']}.\n"


def _quality(systems: Mapping[str, Any]) -> Iterator[str]:
    """A table a breakdown: the groups where there are several, else the categories."""
    first = next(iter(systems.values()))
    grouped = len(first["by_group"]) > 1
    breakdown = "by_group" if grouped else "by_category"
    shown = [(key, name) for key, name in MEASURES if any(_has(s, breakdown, key) for s in systems.values())]
    yield f"| {'group' if grouped else 'category'} | n | system | {' | '.join(name for _, name in shown)} |"
    yield f"|{'-|' * (3 + len(shown))}"
    order = [name for name in GROUPS if name in first[breakdown]] if grouped else []
    for part in [*order, *(name for name in first[breakdown] if name not in order)]:
        for name, system in systems.items():
            row = system[breakdown][part]
            yield f"| {part} | {row['n']} | {name} | {' | '.join(_shown(row.get(key)) for key, _ in shown)} |"
    for name, system in systems.items():
        cells = " | ".join(_shown(system["all"][key]) for key, _ in shown)
        yield f"| **all** | {system['all']['n']} | {name} | {cells} |"
        if system["macro"]["hit1"] is not None:
            cells = " | ".join(_shown(system["macro"].get(key)) for key, _ in shown)
            yield f"| **macro of the eight groups** | | {name} | {cells} |"
    for name, system in systems.items():
        if system["route_ms"]:
            told = ", ".join(f"{route} {ms['p50']:.1f} / {ms['p95']:.1f}" for route, ms in system["route_ms"].items())
            yield f"\nRoutes of {name}, ms p50 / p95: {told}."


def _has(system: Mapping[str, Any], breakdown: str, key: str) -> bool:
    return any(row.get(key) is not None for row in system[breakdown].values())


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if value >= 2 else f"{value:.3f}"


def _build(result: Mapping[str, Any]) -> Iterator[str]:
    yield "```"
    skipped = {"name", "commit", "uncommitted_changes", "date", "machine", "command", "corpus"}
    yield json.dumps({key: value for key, value in result.items() if key not in skipped}, indent=1)
    yield "```"


if __name__ == "__main__":
    sys.exit(main())
