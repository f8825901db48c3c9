"""Cost against size: `python -m bench.scale --zim ZIM...`; builds, memory and questions of archives of several sizes.

The exponents are slopes of least squares in log-log over the synthetic archives (`bench.synthetic`), whose text is
alike at every size; real archives are measured beside them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import record
from bench.arguments import positive
from bench.build import bytes_in, run_measured
from bench.index import COMMAND, IndexFailedError
from bench.metrics import percentile
from bench.rawzim import NoZimError, texts

__all__ = ["exponent", "exponents", "main"]

PERCENTILES = (50, 95, 99)
REAL_QUESTIONS = "questions_dev.jsonl"
# The kinds that the goal is about: what people ask, quotes and stop words among it.
ASKED = ("natural", "described", "title", "quote", "stop_quote", "stop_words")
OVER_ALL = "all asked"


class UnmeasurableError(Exception):
    """An archive that cannot be measured; the message says why, and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each archive and kind and the exponents, writes one result file; 1 when a step fails."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    if options.shards and len(options.shards) != len(options.zim):
        told = f"expected one --shards for each --zim; found {len(options.shards)} for {len(options.zim)}"
        print(f"bench: {told}", file=sys.stderr)
        return 1
    try:
        found = [_measured(zim, number, options) for number, zim in enumerate(options.zim)]
        corpus = record.corpus(options.zim)
    except (IndexFailedError, NoZimError, UnmeasurableError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    slopes = exponents(found)
    print("\n".join(_lines(found, slopes)))
    content = {
        "command": record.command("bench.scale", arguments), "corpus": corpus, "archives": found, "exponents": slopes,
    }  # fmt: skip
    print(f"\nwritten: {record.write(options.name, content, options.out).name}")
    return 0


def _measured(zim: Path, number: int, options: argparse.Namespace) -> dict[str, Any]:
    """One archive: its size, its build (None where an index was given), its questions by kind."""
    questions = _questions(zim, options.questions)
    text = sum(len(text.encode()) for _, text in texts([zim]))
    with ExitStack() as stack:
        if options.shards:
            shards, build = options.shards[number], None
        else:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="aborist-scale-", dir=options.scratch))
            shards, build = Path(scratch, "shards"), _built(zim, Path(scratch, "shards"), options.workers)
        size = bytes_in(shards)
        asked = _asked(shards, questions, options.per_kind)
    kinds = {kind: {**_costs(spent), "hit1": asked["hit1"].get(kind)} for kind, spent in asked["cpu_ms"].items()}
    kinds[OVER_ALL] = _costs([ms for kind, spent in asked["cpu_ms"].items() if kind in ASKED for ms in spent])
    if build:
        build |= {"cpu_us_per_article": build["cpu_s"] / asked["articles"] * 1e6,
                  "articles_per_s": asked["articles"] / build["wall_s"]}  # fmt: skip
    return {
        "archive": zim.stem, "synthetic": _is_synthetic(zim), "articles": asked["articles"], "text_bytes": text,
        "index_bytes": size, "index_to_text": size / text, "load": round(os.getloadavg()[0], 1), "build": build,
        "ask_max_rss_mb": asked["max_rss_mb"], "kinds": kinds, "stages": asked["stages"],
        "questions": record.file_facts(questions), "seams_missing": asked["seams_missing"],
    }  # fmt: skip


def _questions(zim: Path, given: Path | None) -> Path:
    """The questions beside the archive, else those given for archives without."""
    beside = (zim.with_suffix(".questions.jsonl"), zim.with_name(REAL_QUESTIONS))
    for path in (*beside, given):
        if path and path.exists():
            return path
    names = " or ".join(path.name for path in beside)
    raise UnmeasurableError(
        f"expected questions about {zim.name}: found no {names} beside it; name some by --questions"
    )


def _is_synthetic(zim: Path) -> bool:
    from libzim.reader import Archive

    archive = Archive(zim)
    return "Name" in archive.metadata_keys and bytes(archive.get_metadata("Name")).startswith(b"synthetic_")


def _built(zim: Path, shards: Path, workers: int) -> dict[str, Any]:
    print(f"{zim.stem}: building ...", file=sys.stderr)
    command = [*COMMAND, "index", str(zim), "--shards", str(shards), "--json", "--workers", str(workers)]
    built = run_measured(command, shards)
    return {**asdict(built.cost), "workers": workers}


def _asked(shards: Path, questions: Path, per_kind: int) -> dict[str, Any]:
    print(f"{questions.stem}: asking ...", file=sys.stderr)
    command = [sys.executable, "-m", "bench.scale_ask", "--shards", str(shards), "--questions", str(questions)]
    done = subprocess.run([*command, "--per-kind", str(per_kind)], capture_output=True, text=True, check=False)
    if done.returncode:
        told = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
        raise UnmeasurableError(f"asking ended with {told!r}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _costs(spent: Sequence[float]) -> dict[str, Any]:
    return {"n": len(spent), **{f"cpu_ms_p{p}": percentile(spent, p) for p in PERCENTILES}}


def exponents(archives: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float | None]]:
    """By kind the exponents of p50 and p95 against articles, over the synthetic archives; None of fewer than two."""
    made = [archive for archive in archives if archive["synthetic"]]
    kinds = dict.fromkeys(kind for archive in made for kind in archive["kinds"])
    return {
        kind: {
            measure: exponent(
                [(one["articles"], one["kinds"][kind][f"cpu_ms_{measure}"]) for one in made if kind in one["kinds"]]
            )
            for measure in ("p50", "p95")
        }
        for kind in kinds
    }


def exponent(points: Sequence[tuple[float, float | None]]) -> float | None:
    """The b of y = a x^b, by least squares of the logarithms; None of fewer than two sizes."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
    return float(slope)


def _lines(archives: Sequence[Mapping[str, Any]], slopes: Mapping[str, Mapping[str, float | None]]) -> Iterable[str]:
    for one in archives:
        yield f"\n{one['archive']}: {one['articles']:,} articles, index/text {one['index_to_text']:.2f}"
        if one["build"]:
            yield "  build {cpu_us_per_article:.0f} us CPU an article, {max_rss_mb:.0f} MB".format(**one["build"])
        yield f"  asking {one['ask_max_rss_mb']:.0f} MB, load {one['load']}"
        for kind, costs in one["kinds"].items():
            told = " / ".join(f"{costs[f'cpu_ms_p{p}']:.1f}" for p in PERCENTILES) if costs["n"] else "-"
            yield f"  {kind:12} n {costs['n']:4}  CPU ms p50 / p95 / p99 {told}"
    for kind, found in slopes.items():
        told = ", ".join(f"{measure} {slope:.2f}" for measure, slope in found.items() if slope is not None)
        yield f"exponent of {kind:12} {told or '-'}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    add = parser.add_argument
    add("--zim", type=Path, nargs="+", required=True, help="unsplit archives, with their questions beside them")
    add("--shards", type=Path, nargs="+", help="indexes that exist, one for each archive; none is built then")
    add("--questions", type=Path, help="for archives without questions beside them")
    add("--per-kind", type=positive, default=50, metavar="N", help="questions of each kind")
    add("--workers", type=positive, default=1, metavar="N", help="given on to aborist index")
    add("--name", default="scale", help="what the result file is called")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    add("--scratch", type=Path, help="where the indexes are built (default: the system's temporary folder)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
