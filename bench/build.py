"""Measures a build against the floor in one run: `python -m bench.build --zim ZIM [--repeat N]`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench import record
from bench.arguments import positive
from bench.index import COMMAND, IndexFailedError

__all__ = ["Cost", "Measured", "bytes_in", "cost_of", "main", "ratios", "run_measured"]

LAUNCHED = Path(__file__).with_name("launched.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one command cost: CPU of the process and all it waited for; memory of the largest one of them."""

    cpu_s: float
    wall_s: float
    max_rss_mb: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A finished build: its cost, the bytes on disk, and what it printed."""

    cost: Cost
    bytes: int
    report: dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints floor, aborist and their ratios, writes one result file; 1 when a build fails."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    rounds = []
    try:
        for number in range(options.repeat):
            rounds.append(_round(options))
            print(f"round {number + 1} of {options.repeat}: {rounds[-1]}", file=sys.stderr)
    except IndexFailedError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    found = {key: median(one[key] for one in rounds) for key in rounds[0]}
    print("\n".join(f"{key:32}{value:>14,.3f}" for key, value in found.items()))
    content = {
        "command": record.command("bench.build", arguments),
        "corpus": record.corpus([options.zim]),
        "median": found,
        "rounds": rounds,
    }
    path = record.write(f"build-{options.zim.stem}", content, options.out)
    print(f"\nwritten: {path.name}")
    return 0


def _round(options: argparse.Namespace) -> dict[str, float]:
    # Floor and build take turns, so that a machine that gets busier slows both.
    with tempfile.TemporaryDirectory(prefix="aborist-bench-", dir=options.scratch) as scratch:
        database, shards = Path(scratch, "floor.db"), Path(scratch, "shards")
        floor = run_measured([sys.executable, "-m", "bench.floor", str(options.zim), str(database)], database)
        build = [*COMMAND, "index", str(options.zim), "--shards", str(shards), "--json"]
        if options.workers:
            build += ["--workers", str(options.workers)]
        return ratios(floor, run_measured(build, shards))


def ratios(floor: Measured, build: Measured) -> dict[str, float]:
    """Both builds and their ratios, flat; rates per second of wall time, sizes against the floor's text."""
    articles, text_bytes = floor.report["articles"], floor.report["text_bytes"]
    found: dict[str, float] = {"articles": articles, "text_bytes": text_bytes}
    for name, one in (("floor", floor), ("aborist", build)):
        found |= {f"{name}_{key}": value for key, value in asdict(one.cost).items()}
        found |= {
            f"{name}_bytes": one.bytes,
            f"{name}_articles_per_s": articles / one.cost.wall_s,
            f"{name}_cpu_us_per_article": one.cost.cpu_s / articles * 1e6,
            f"{name}_index_to_text": one.bytes / text_bytes,
        }
    found["aborist_bytes_per_article"] = build.bytes / articles
    found["cpu_ratio"] = build.cost.cpu_s / floor.cost.cpu_s
    found["size_ratio"] = build.bytes / floor.bytes
    return found


def run_measured(arguments: Sequence[str], output: Path) -> Measured:
    """Runs a command that prints one JSON object and leaves `output` (a file or a folder) behind.

    :raises IndexFailedError: it ended with another status than 0.
    """
    with tempfile.TemporaryFile() as printed:
        cost = cost_of(arguments, stdout=printed)
        printed.seek(0)
        report = json.loads(printed.read())
    return Measured(cost, bytes_in(output), report)


def cost_of(arguments: Sequence[str], **options: Any) -> Cost:
    """Runs a command, with `subprocess.run`'s options.

    :raises IndexFailedError: it ended with another status than 0.
    """
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as told:
        launched = [sys.executable, "-I", str(LAUNCHED), told.name, *arguments]
        status = subprocess.run(launched, check=False, **options).returncode
        if status:
            named = " ".join(Path(argument).name for argument in arguments[:3])
            raise IndexFailedError(f"{named} ended with {status}")
        return Cost(**json.load(told))


def bytes_in(path: Path) -> int:
    """The bytes of a file, or of all files in a folder and below."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.build", description=__doc__)
    add = parser.add_argument
    add("--zim", type=Path, required=True, help="an unsplit archive")
    add("--repeat", type=positive, default=1, metavar="N", help="rounds; the medians are reported")
    add("--workers", type=positive, metavar="N", help="given on to aborist index")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    add("--scratch", type=Path, help="where the indexes are built (default: the system's temporary folder)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
