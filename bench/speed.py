"""Speed beside quality: `python -m bench.speed --zim ZIM --questions FILE... [--per-group N]`.

Several systems index one archive and answer the same questions in one run: what the build costs, how large the index
is, what a question costs, and how often the first article is right at that cost.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from aborist.errors import AboristError
from bench import record
from bench.arguments import positive, some_of
from bench.baselines import UnavailableError
from bench.build import Cost, bytes_in, cost_of, run_measured
from bench.fixed import DEPTH
from bench.index import CACHE, COMMAND, IndexFailedError
from bench.metrics import percentile
from bench.peers import ZIMANTIC, prepared, serving
from bench.questions import Question, QuestionFileError, load, of_groups
from bench.rawzim import NoZimError, texts
from bench.run import ask_all
from bench.scores import scored, summary
from bench.speed_build import index_path
from bench.systems import SYSTEMS, Setting, System, asking
from bench.trec import topics

__all__ = ["MEASURED", "main"]

PERCENTILES = (50, 95, 99)
WARM_UP = 20  # questions asked before any is timed, not among those that are
XAPIAN = "fulltext/xapian"  # in namespace X


class Built(NamedTuple):
    """An index: what building it cost (None: it comes with the archive), and its bytes."""

    cost: Cost | None
    bytes: int


class Place(NamedTuple):
    """Where a system builds: `scratch` is empty before, `cache` holds what is installed."""

    zim: Path
    scratch: Path
    cache: Path


def _build_aborist(place: Place) -> Built:
    shards = place.scratch / "shards"
    built = run_measured(
        [*COMMAND, "index", str(place.zim), "--shards", str(shards), "--json", "--workers", "1"], shards
    )
    return Built(built.cost, built.bytes)


def _build_baseline(name: str, place: Place) -> Built:
    command = [sys.executable, "-m", "bench.speed_build", name, str(place.zim), str(place.scratch)]
    return Built(cost_of(command), bytes_in(index_path(name, place.zim, place.scratch)))


def _build_libzim(place: Place) -> Built:
    from libzim.reader import Archive

    archive = Archive(place.zim)
    if not archive.has_fulltext_index:
        raise UnavailableError(f"no full-text index in {place.zim.name}")
    found = (archive._get_entry_by_id(number) for number in range(archive.all_entry_count))  # noqa: SLF001
    return Built(None, next(entry.get_item().size for entry in found if entry.path == XAPIAN))


def _build_zimantic(place: Place) -> Built:
    # Its virtualenv stays in the cache; its index is made anew, in the scratch folder.
    program, _, _ = prepared(ZIMANTIC, [place.zim], place.cache)
    linked = place.scratch / program.parent.parent.name
    linked.symlink_to(program.parent.parent)
    installed = prepared(ZIMANTIC, [place.zim], place.scratch)
    command = [str(installed.program), *ZIMANTIC.build]
    with (installed.home / "build.log").open("wb") as log:
        cost = cost_of(command, cwd=installed.home, env=installed.environment, stdout=log, stderr=log)
    (installed.home / "built").touch()
    return Built(cost, bytes_in(installed.home / "indexes"))


# System -> how its index is made where `bench.systems` looks for it.
MEASURED: Mapping[str, Callable[[Place], Built]] = {
    "aborist": _build_aborist,
    "tantivy": partial(_build_baseline, "tantivy"),
    "bm25s": partial(_build_baseline, "bm25s"),
    "libzim": _build_libzim,
    "fts5": partial(_build_baseline, "fts5"),
    "zimantic": _build_zimantic,
}


class Opened(NamedTuple):
    """A system that answers, and the CPU seconds it took until it could."""

    system: System
    cpu_s: float


@contextmanager
def _opened(name: str, place: Place) -> Iterator[Opened]:
    setting = Setting([place.zim], place.scratch / "shards", place.scratch)
    if name == ZIMANTIC.name:
        with serving(ZIMANTIC, setting.archives, setting.cache) as server:
            yield Opened(asking(server), server.cpu_ms() / 1000)
        return
    start = time.process_time()
    with SYSTEMS[name](setting) as system:
        yield Opened(system, time.process_time() - start)


def _measured(name: str, place: Place, questions: Sequence[Question], warm: Sequence[Question]) -> dict[str, Any]:
    """One row: build, size, start, time a question, quality. :raises UnavailableError: it cannot be measured here."""
    print(f"{name}: building and asking ...", file=sys.stderr)
    built = MEASURED[name](place)
    with _opened(name, place) as (system, start):
        for question in warm:
            system(question.text, DEPTH)
        asked = ask_all(system, questions)
    spent = [one.cpu_ms for one in asked]
    quality = summary(scored(asked))
    cost = {f"build_{key}": value for key, value in asdict(built.cost).items()} if built.cost else {}
    return {
        **cost, "index_bytes": built.bytes, "start_cpu_s": start,
        **{f"cpu_ms_p{p}": percentile(spent, p) for p in PERCENTILES},
        "macro_hit1": quality["macro"]["hit1"], "macro_hit5": quality["macro"]["hit5"],
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each system, writes one result file; 1 when a file is bad or aborist cannot be measured."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    try:
        questions, warm = _questions(options.questions, options.per_group)
        text = sum(len(text.encode()) for _, text in texts([options.zim]))
        rows = dict(_rows(options, questions, warm, text))
        corpus = record.corpus([options.zim])
    except (AboristError, QuestionFileError, IndexFailedError, NoZimError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    content = {
        "command": record.command("bench.speed", arguments), "corpus": corpus,
        "questions": [record.file_facts(path) for path in options.questions], "asked": len(questions),
        "text_bytes": text, "speed": rows,
    }  # fmt: skip
    print("\n".join(_lines(rows)))
    print(f"\nwritten: {record.write(options.name, content, options.out).name}")
    return 0


def _rows(
    options: argparse.Namespace, questions: Sequence[Question], warm: Sequence[Question], text: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(system, its row) for each that can be measured here; the others are named and left out."""
    for name in options.systems:
        with tempfile.TemporaryDirectory(prefix="aborist-speed-", dir=options.scratch) as scratch:
            try:
                row = _measured(name, Place(options.zim, Path(scratch), options.cache), questions, warm)
            except UnavailableError as error:
                print(f"{name}: {error}")
                continue
        yield name, {**row, "index_to_text": row["index_bytes"] / text}


def _questions(paths: Sequence[Path], per_group: int) -> tuple[list[Question], list[Question]]:
    """The questions that are timed, so many of each of the eight groups, and others to warm up with."""
    known = [one for path in paths for one in load(path) if one.answerable and one.gold]
    chosen = of_groups(known, per_group)
    if not chosen:
        raise QuestionFileError("no question of the eight groups has gold in the archive: look at --questions")
    topics(chosen)
    taken = {question.text for question in chosen}
    return chosen, [question for question in of_groups(known, 2 * per_group) if question.text not in taken][:WARM_UP]


def _lines(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    heads = ("build CPU s", "wall s", "index/text", "start s", *(f"ms p{p}" for p in PERCENTILES), "hit@1")
    keys = ("build_cpu_s", "build_wall_s", "index_to_text", "start_cpu_s", *(f"cpu_ms_p{p}" for p in PERCENTILES))
    yield f"{'':10}" + "".join(f"{head:>12}" for head in heads)
    for name, row in rows.items():
        cells = (f"{row[key]:>12.3f}" if row.get(key) is not None else f"{'-':>12}" for key in (*keys, "macro_hit1"))
        yield f"{name:10}" + "".join(cells)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    add = parser.add_argument
    add("--zim", type=Path, required=True, help="an unsplit archive")
    add("--questions", type=Path, nargs="+", required=True, help="question files with sets of the eight groups")
    add("--per-group", type=positive, default=40, metavar="N", help="questions of each group")
    add("--systems", type=some_of(MEASURED), default=list(MEASURED), help=f"some of {','.join(MEASURED)}")
    add("--name", default="speed", help="what the result file is called")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    add("--cache", type=Path, default=CACHE, help="where peers are installed")
    add("--scratch", type=Path, help="where the indexes are built (default: the system's temporary folder)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
