"""Draws bench/plots/*.png from a result of bench.run: `python -m bench.plots [RESULT.json]` (default: the newest dev).

The same result gives the same bytes. Colours are those of Okabe and Ito, which colour-blind readers tell apart; every
system has a marker of its own besides (up to six that are not named here).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bench import record
from bench.artefacts import read_questions
from bench.groups import GROUPS
from bench.scores import Scored

__all__ = ["Bin", "draw", "looks", "main", "reliability", "wilson"]

DPI = 120
WIDTH_IN = 7.2
STYLE: Any = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e4e4e4",
    "axes.axisbelow": True, "legend.frameon": False,
}  # fmt: skip
# System -> colour and marker; others are black and take the markers that are left, in turn.
LOOKS = {
    "aborist": ("#0072B2", "o"), "fts5": ("#D55E00", "s"), "bm25s": ("#E69F00", "D"), "libzim": ("#009E73", "^"),
    "suggestions": ("#7F7F7F", "v"), "zimantic": ("#CC79A7", "P"), "zimi": ("#56B4E9", "X"),
}  # fmt: skip
OTHER = "#000000"
OTHER_MARKERS = "*<>phd"
BINS = 10
# Bins with fewer questions are left out: their interval spans half of the axis.
LEAST_IN_BIN = 10
BAND = 0.8  # of a group's height that its systems share
Z = 1.96  # of a 95 % interval


class Bin(NamedTuple):
    """Questions whose probability lies in one tenth: how many, their mean probability, the share that was right."""

    n: int
    said: float
    right: float


class Tradeoff(NamedTuple):
    """CPU ms at the median and the 95th percentile, and macro hit@1."""

    fast: float
    slow: float
    quality: float


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of n (Wilson 1927)."""
    centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * float(np.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)))
    return max(0.0, centre - half), min(1.0, centre + half)


def reliability(judged: Iterable[tuple[float, bool]]) -> list[Bin]:
    """(probability, right) in ten bins of equal width, empty ones left out."""
    binned: dict[int, list[tuple[float, bool]]] = {}
    for said, right in judged:
        binned.setdefault(min(int(said * BINS), BINS - 1), []).append((said, right))
    return [
        Bin(len(b), float(np.mean([said for said, _ in b])), float(np.mean([right for _, right in b])))
        for _, b in sorted(binned.items())
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Expected calibration error: the bins' |said - right|, weighted by their questions (Naeini et al. 2015)."""
    return sum(b.n * abs(b.said - b.right) for b in bins) / sum(b.n for b in bins)


def draw(result: Path, folder: Path) -> list[Path]:
    """Writes every plot that the result has figures for.

    :raises MissingResultError: its questions are missing, or it is no result of bench.run.
    """
    content = json.loads(result.read_text(encoding="utf-8"))
    if "systems" not in content:
        raise record.MissingResultError(f"expected a result of bench.run; found no systems in {result.name}")
    systems: Mapping[str, Any] = content["systems"]
    told = f"{content['name']}, commit {content['commit']}"
    figures = {}
    with mpl.rc_context(STYLE):
        if _groups(systems):
            figures = {"quality.png": _quality(systems, told), "latency.png": _latency(systems, told)}
        if "aborist" in systems:
            figures["calibration.png"] = _calibration(read_questions(result, "aborist"), told)
        folder.mkdir(parents=True, exist_ok=True)
        return [_save(figure, folder / name) for name, figure in figures.items()]


def _save(figure: Figure, path: Path) -> Path:
    # Without the version of matplotlib, which would change the bytes and no pixel.
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    return path


def looks(systems: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Colour and marker of each system."""
    left = cycle(OTHER_MARKERS)
    return {system: LOOKS.get(system) or (OTHER, next(left)) for system in systems}


def _groups(systems: Mapping[str, Any]) -> list[str]:
    """The groups that were asked and have gold; the systems of a result were asked the same."""
    found = next(iter(systems.values()))["by_group"]
    return [group for group in GROUPS if group in found and found[group]["scored"]]


def _quality(systems: Mapping[str, Any], told: str) -> Figure:
    """A band for each group, the macro on top; in it each system's hit@1 on a line of its own, so that none hides."""
    groups = _groups(systems)
    step = BAND / len(systems)
    figure = Figure(figsize=(WIDTH_IN, (len(groups) + 1) * (0.2 + 0.07 * len(systems)) + 1.3), layout="constrained")
    axes = figure.subplots()
    look = looks(systems)
    for number, (system, found) in enumerate(systems.items()):
        colour, marker = look[system]
        values = [found["macro"]["hit1"], *(found["by_group"][group]["hit1"] for group in groups)]
        places = np.arange(len(values)) + (number - (len(systems) - 1) / 2) * step
        axes.scatter(values, places, color=colour, marker=marker, s=26, label=system, zorder=3)
        for group, place in zip(groups, places[1:], strict=True):
            low, high = wilson(found["by_group"][group]["hit1"], found["by_group"][group]["scored"])
            axes.plot([low, high], [place, place], color=colour, linewidth=1, zorder=2)
    counts = [next(iter(systems.values()))["by_group"][group]["scored"] for group in groups]
    names = ["macro", *(f"{group} ({n})" for group, n in zip(groups, counts, strict=True))]
    _bands(axes, names)
    axes.set_xlim(-0.02, 1.0)
    axes.set_xlabel("hit@1: share of questions whose first article is right (lines: 95 % intervals)")
    axes.set_title(f"Right article first, by question set ({told})", loc="left", fontsize=10)
    figure.legend(loc="outside lower center", ncols=len(systems), columnspacing=1.2, handletextpad=0.2)
    return figure


def _bands(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    for place in range(0, len(names), 2):
        axes.axhspan(place - 0.5, place + 0.5, color="#f5f5f5", zorder=0)


def _latency(systems: Mapping[str, Any], told: str) -> Figure:
    """Each system at its median CPU time (log scale, line to the 95th percentile) and macro hit@1."""
    figure = Figure(figsize=(WIDTH_IN, 3.8), layout="constrained")
    axes = figure.subplots()
    costs, look = {system: _tradeoff(found) for system, found in systems.items()}, looks(systems)
    for system, (fast, slow, quality) in costs.items():
        colour, marker = look[system]
        axes.plot([fast, slow], [quality, quality], color=colour, linewidth=1.2, zorder=2)
        axes.scatter([fast], [quality], color=colour, marker=marker, s=48, zorder=3)
        below = any(quality < o.quality < quality + 0.1 and o.fast < 2 * fast < 4 * o.slow for o in costs.values())
        axes.annotate(
            system, (fast, quality), xytext=(0, -7 if below else 7), textcoords="offset points",
            ha="center", va="top" if below else "bottom",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.margins(x=0.1)
    axes.set_ylim(-0.03, 1.0)
    axes.set_xlabel("CPU ms a question: median (marker) to 95th percentile (line), log scale")
    axes.set_ylabel("macro hit@1")
    axes.set_title(f"Quality against cost ({told})", loc="left", fontsize=10)
    return figure


def _tradeoff(found: Mapping[str, Any]) -> Tradeoff:
    return Tradeoff(found["all"]["cpu_ms_p50"], found["all"]["cpu_ms_p95"], found["macro"]["hit1"])


def _calibration(questions: Sequence[Scored], told: str) -> Figure:
    """Reliability of the probability, over questions with gold and over all that were judged; below, how many."""
    gold = [(one.probability, bool(one.hit1)) for one in questions if one.hit1 is not None]
    every = gold + [(one.probability, False) for one in questions if one.answerable is False]
    figure = Figure(figsize=(WIDTH_IN, 5.2), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    upper.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle="--")
    lines = [Line2D([], [], color="#999999", linestyle="--", label="perfectly calibrated")]
    told_of = (("questions with a right article", gold, "#0072B2", "o"),
               ("these and questions without an answer", every, "#D55E00", "s"))  # fmt: skip
    for number, (label, pairs, colour, marker) in enumerate(told_of):
        bins = reliability((said, right) for said, right in pairs if said is not None)
        if not bins:
            continue
        _bins(upper, bins, colour, marker)
        text = f"{label}: n = {sum(b.n for b in bins)}, ECE {calibration_error(bins):.3f}"
        lines.append(Line2D([], [], color=colour, marker=marker, label=text))
        places = [(int(min(b.said, 0.999) * BINS) + 0.3 + 0.4 * number) / BINS for b in bins]
        lower.bar(places, [b.n for b in bins], width=0.036, color=colour)
    upper.set(xlim=(0, 1), ylim=(0, 1), ylabel="share whose first article is right")
    upper.legend(handles=lines, loc="lower right")
    upper.set_title(f"Calibration of aborist's probability ({told})", loc="left", fontsize=10)
    lower.set(xlabel="probability that the first article answers, as told", ylabel="questions")
    return figure


def _bins(axes: Axes, bins: Sequence[Bin], colour: str, marker: str) -> None:
    shown = [b for b in bins if b.n >= LEAST_IN_BIN]
    axes.plot([b.said for b in shown], [b.right for b in shown], color=colour, marker=marker, linewidth=1.4)
    for b in shown:
        axes.plot([b.said, b.said], wilson(b.right, b.n), color=colour, linewidth=1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the plots; 1 when there is no result, or its questions' figures are missing."""
    parser = argparse.ArgumentParser(prog="python -m bench.plots", description=__doc__)
    parser.add_argument("result", type=Path, nargs="?", help="a result of bench.run (default: the newest dev)")
    parser.add_argument("--out", type=Path, default=record.PLOTS, help="folder of the plots")
    options = parser.parse_args(arguments)
    try:
        written = draw(options.result or record.newest("dev"), options.out)
    except (OSError, json.JSONDecodeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(f"written: {', '.join(path.name for path in written)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
