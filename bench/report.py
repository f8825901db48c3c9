"""Writes bench/RESULTS.md from the result files: `python -m bench.report`. No figure in it is typed by hand."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import cost_sections, gate_section, sections
from bench.record import FLOORS, PLOTS, RESULTS

__all__ = ["main", "page", "report"]

TARGET = RESULTS.parent / "RESULTS.md"
HEADER = """# Results

Made by `python -m bench.report` from the files in `results/`, the newest of each name.
How things are measured: [README.md](README.md).
"""
# The order of the page, by how a result's name starts; what is none of these comes last.
ORDER = (
    "dev", "test", "compare", "speed", "scale", "ablation", "titles", "quotes", "frames", "gate", "xquad", "seeds",
    "sweep", "build", "stages",
)  # fmt: skip
# What a section is called where its result's name does not say it.
TITLES = {"speed": "Speed beside quality", "scale": "Cost against size"}
PLOT_TITLES = {
    "quality.png": "Right article first, by set, against the baselines",
    "latency.png": "Quality against CPU time",
    "scale.png": "Cost against size",
    "calibration.png": "Calibration of the probability",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the page; 1 when there are no result files."""
    parser = argparse.ArgumentParser(prog="python -m bench.report", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    parser.add_argument("--out", type=Path, default=TARGET, help="the page")
    options = parser.parse_args(arguments)
    text = page(options.results)
    if not text:
        print("bench: no result files; run `make bench` first", file=sys.stderr)
        return 1
    options.out.write_text(text, encoding="utf-8")
    print(f"written: {options.out.name}")
    return 0


def page(results: Path = RESULTS, floors: Path = FLOORS, plots: Path = PLOTS) -> str:
    """The page of what lies in these places; "" without result files."""
    newest: dict[str, dict[str, Any]] = {}
    for path in sorted(results.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        if result["date"] > newest.get(result["name"], {"date": ""})["date"]:
            newest[result["name"]] = result
    if not newest:
        return ""
    known = json.loads(floors.read_text(encoding="utf-8")) if floors.exists() else {}
    drawn = [name for name in PLOT_TITLES if (plots / name).exists()]
    return report(list(newest.values()), known, drawn)


def report(
    results: Sequence[Mapping[str, Any]], floors: Mapping[str, Mapping[str, float]], plots: Sequence[str] = ()
) -> str:
    """The page of these results, the floors and the plots that there are."""
    lines = [HEADER, *(f"![{PLOT_TITLES[name]}](plots/{name})\n" for name in plots)]
    for result in sorted(results, key=_place):
        lines += [f"\n## {TITLES.get(result['name'], result['name'])}\n", *_origin(result), *_body(result)]
    if floors:
        lines += ["\n## Floors\n", "What `make bench-check` holds aborist to; `--ratchet` only raises them.\n"]
        lines += sections.table([{"set": name, **figures} for name, figures in floors.items()])
    return "\n".join(lines) + "\n"


def _place(result: Mapping[str, Any]) -> tuple[int, str]:
    name = str(result["name"])
    known = (place for place, start in enumerate(ORDER) if name.startswith(start))
    return next(known, len(ORDER)), name


def _origin(result: Mapping[str, Any]) -> Iterator[str]:
    machine = result["machine"]
    dirty = ", with uncommitted changes" if result["uncommitted_changes"] else ""
    yield f"`{result['command']}`, {result['date'][:10]}, commit `{result['commit']}`{dirty}; {machine['processor']},"
    yield f"{machine['cores']} cores, load {machine['load']}, Python {machine['python']}, SQLite {machine['sqlite']}.\n"


# What a result holds decides how it is shown; one that holds none of these is shown as tables of all it has.
BODIES: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "systems": lambda result: sections.quality(result["systems"]),
    "comparisons": lambda result: sections.comparisons(result["comparisons"]),
    "models": gate_section.gate,
    "speed": cost_sections.speed,
    "archives": cost_sections.scale,
    "stages": cost_sections.stages,
}


def _body(result: Mapping[str, Any]) -> Iterator[str]:
    return next((body for key, body in BODIES.items() if key in result), sections.anything)(result)


if __name__ == "__main__":
    sys.exit(main())
