"""The gate's part of the report, as lines of Markdown: what its levels ask for, and how its models did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.sections import shown, table

__all__ = ["gate"]


def gate(result: Mapping[str, Any]) -> Iterator[str]:
    """A table of the levels, then for each model its families' AUROC and calibration, and what stood at each level."""
    yield "From which probability a level stands, and what an answer at it is worth:\n"
    yield from table(
        [
            {"level": level, "from": least, "right": result["worth"][level][0], "wrong": -result["worth"][level][1]}
            for level, least in result["thresholds"].items()
        ]
    )
    told = ", ".join(f"{rule} {shown(share)}" for rule, share in result["rules"].items())
    yield f"\nHow often the first article is right that a rule accepts: {told}."
    for model, families in result["models"].items():
        yield f"\n### {result['name']}: {model}\n"
        yield "ECE, and AUROC of first hits that are right / of all questions with an answer, against each kind:\n"
        yield from table([_family(name, found) for name, found in families.items()])
        yield "\n<details><summary>Share at each level (of it right)</summary>\n"
        for name, found in families.items():
            yield f"\n{name}:\n"
            yield from table([_at_levels(part, levels) for part, levels in found["levels"].items()])
        yield "\n</details>"


def _family(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    pairs = {kind: " / ".join(map(shown, values.values())) for kind, values in found["auroc"].items()}
    return {"family": name, "ECE": found["ece"], **pairs}


def _at_levels(part: str, levels: Mapping[str, Mapping[str, float | None]]) -> dict[str, Any]:
    cells = {level: f"{shown(at['share'])} ({shown(at['right'])})" for level, at in levels.items()}
    return {"questions": part, **cells}
