"""Draws bench/plots/scale.png from a result of bench.scale: `python -m bench.scale_plot [RESULT.json]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from bench import record
from bench.plots import DPI, STYLE, WIDTH_IN
from bench.scale import OVER_ALL

__all__ = ["NAME", "draw", "main"]

NAME = "scale.png"
# Okabe and Ito's colours, which colour-blind readers tell apart; a marker of its own for every kind besides.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#8C564B")
MARKERS = "os^DvPXh"
GOALS_MS = {"p50": 50, "p95": 150}  # at a million articles

Points = Sequence[tuple[float, float]]


def draw(result: Path, folder: Path) -> Path:
    """Writes the plot. :raises MissingResultError: it is no result of bench.scale."""
    content = json.loads(result.read_text(encoding="utf-8"))
    if "archives" not in content:
        raise record.MissingResultError(f"expected a result of bench.scale; found no archives in {result.name}")
    with mpl.rc_context(STYLE):
        figure = _figure(content)
        folder.mkdir(parents=True, exist_ok=True)
        # Without the version of matplotlib, which would change the bytes and no pixel.
        figure.savefig(folder / NAME, dpi=DPI, metadata={"Software": None})
    return folder / NAME


def _figure(content: Mapping[str, Any]) -> Figure:
    archives = sorted(content["archives"], key=lambda one: one["articles"])
    figure = Figure(figsize=(WIDTH_IN, 7.0), layout="constrained")
    (build, memory), (median, slow) = figure.subplots(2, 2, sharex=True)
    built = [one for one in archives if one["build"]]
    _series(build, "building", built, lambda one: one["build"]["cpu_us_per_article"])
    _series(memory, "building", built, lambda one: one["build"]["max_rss_mb"])
    _series(memory, "asking", archives, lambda one: one["ask_max_rss_mb"], style=1)
    build.set(xscale="log", ylim=(0, 1.1 * max((one["build"]["cpu_us_per_article"] for one in built), default=1)))
    if not built:
        build.text(0.5, 0.5, "indexes that existed were asked", transform=build.transAxes, ha="center", fontsize=9)
    build.set_title("Building: CPU us an article", fontsize=9)
    memory.set_title("Memory of the largest process, MB", fontsize=9)
    _log_log(memory)
    memory.legend()
    # Real archives have sets that no synthetic one has: they are in the table.
    made = [one for one in archives if one["synthetic"]] or archives
    kinds = list(dict.fromkeys(kind for one in made for kind in one["kinds"] if kind != OVER_ALL))
    for axes, measure in ((median, "p50"), (slow, "p95")):
        _questions(axes, archives, kinds, measure)
    for axes in (median, slow):
        axes.set_xlabel("articles")
    handles, labels = median.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    told = f"{content['name']}, commit {content['commit']}; lines: synthetic archives, hollow: real ones"
    figure.suptitle(told, x=0.02, ha="left", fontsize=10)
    return figure


def _series(axes: Axes, label: str, archives: Sequence[Mapping[str, Any]], value: Any, *, style: int = 0) -> None:
    """A line through the synthetic archives, and the real ones as hollow markers."""
    colour, marker = COLOURS[style % len(COLOURS)], MARKERS[style % len(MARKERS)]
    points = [(one["synthetic"], one["articles"], value(one)) for one in archives]
    made = [point for synthetic, *point in points if synthetic]
    real = [point for synthetic, *point in points if not synthetic]
    if made:
        axes.plot(*zip(*made, strict=True), color=colour, marker=marker, linewidth=1.2, markersize=5, label=label)
    if real:
        axes.plot(*zip(*real, strict=True), color=colour, marker=marker, linewidth=0, markersize=6, fillstyle="none")


def _questions(axes: Axes, archives: Sequence[Mapping[str, Any]], kinds: Sequence[str], measure: str) -> None:
    key = f"cpu_ms_{measure}"
    for kind, style in zip(kinds, cycle(range(len(COLOURS)))):
        held = [one for one in archives if one["kinds"].get(kind, {}).get(key)]
        _series(axes, kind, held, lambda one, kind=kind: one["kinds"][kind][key], style=style)
    axes.axhline(GOALS_MS[measure], color="#999999", linewidth=1, linestyle="--")
    axes.set_title(f"Asking: CPU ms, {measure} (dashed: goal at 1M)", fontsize=9)
    _log_log(axes)


def _log_log(axes: Axes) -> None:
    axes.set(xscale="log", yscale="log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the plot; 1 when there is no result."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale_plot", description=__doc__)
    parser.add_argument("result", type=Path, nargs="?", help="a result of bench.scale (default: the newest)")
    parser.add_argument("--out", type=Path, default=record.PLOTS, help="folder of the plot")
    options = parser.parse_args(arguments)
    try:
        path = draw(options.result or record.newest("scale"), options.out)
    except (OSError, json.JSONDecodeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(f"written: {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
