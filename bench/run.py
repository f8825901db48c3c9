"""Asks several systems the same questions in one run: `python -m bench.run --zim ZIM --questions FILE`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from aborist.errors import AboristError
from bench import artefacts, record, table
from bench.arguments import names, positive
from bench.baselines import UnavailableError
from bench.fixed import DEPTH
from bench.index import CACHE, IndexFailedError, index_of
from bench.questions import Question, QuestionFileError, load, sample, select
from bench.rawzim import NoZimError
from bench.scores import BREAKDOWNS, Asked, Scored, route_times, scored, summary
from bench.systems import DEFAULT, SYSTEMS, Setting, System
from bench.trec import topics

__all__ = ["ask_all", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table for each system, writes one result file and its artefacts; 1 when a file or index is bad."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    try:
        questions = _questions(options)
        asked = dict(_ask(options, questions))
        found = {name: scored(answers) for name, answers in asked.items()}
    except (AboristError, QuestionFileError, IndexFailedError, NoZimError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    if not found:
        return 1
    result = _write(options, record.command("bench.run", arguments), asked, found)
    print(f"\nwritten: {_shown(result)}")
    return 0


def _write(
    options: argparse.Namespace, command: str, asked: Mapping[str, list[Asked]], found: Mapping[str, list[Scored]]
) -> Path:
    """Prints each system's table and writes the result with its artefacts; returns its path."""
    summaries = {name: {**summary(found[name]), "route_ms": route_times(asked[name])} for name in found}
    for name, figures in summaries.items():
        print("\n".join(table.lines(name, figures, options.by)))
    content = {
        "command": command,
        "corpus": record.corpus(options.zim),
        "questions": [record.file_facts(path) for path in options.questions],
        "systems": summaries,
    }
    result = record.write(options.name, content, options.out)
    artefacts.write(artefacts.folder_of(result), asked, found)
    return result


def _questions(options: argparse.Namespace) -> list[Question]:
    questions = [question for path in options.questions for question in load(path)]
    chosen = sample(select(questions, options.sets), options.limit_per_set)
    if not chosen:
        raise QuestionFileError("no question is left: look at --questions and --sets")
    topics(chosen)
    return chosen


def _ask(options: argparse.Namespace, questions: Sequence[Question]) -> Iterator[tuple[str, list[Asked]]]:
    """(system, its answers) for each that can be asked here; the others are named and left out."""
    shards = options.shards
    if shards is None and "aborist" in options.systems:
        print("indexing ...", file=sys.stderr)
        shards = index_of(options.zim, options.cache)
    setting = Setting(options.zim, shards or Path(), options.cache)
    for name in options.systems:
        try:
            with SYSTEMS[name](setting) as system:
                yield name, ask_all(system, _with_progress(name, questions))
        except UnavailableError as error:
            print(f"\n{name}: {error}")


def ask_all(system: System, questions: Iterable[Question]) -> list[Asked]:
    """Asks each question once, timed in CPU time of this process (all threads) or of the one the system says."""
    asked = []
    for question in questions:
        start = time.process_time()
        outcome = system(question.text, DEPTH)
        spent = (time.process_time() - start) * 1000 if outcome.cpu_ms is None else outcome.cpu_ms
        asked.append(Asked(question, outcome, spent))
    return asked


def _with_progress(name: str, questions: Sequence[Question]) -> Iterator[Question]:
    step = max(len(questions) // 20, 1)
    for number, question in enumerate(questions):
        if sys.stderr.isatty() and number % step == 0:
            print(f"\r{name}: {number} of {len(questions)}", end="", file=sys.stderr, flush=True)
        yield question
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


def _shown(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _systems(text: str) -> list[str]:
    unknown = set(names(text)) - set(SYSTEMS)
    if unknown:
        known = ", ".join(SYSTEMS)
        raise argparse.ArgumentTypeError(f"expected some of {known}; found {', '.join(sorted(unknown))}")
    return names(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    add = parser.add_argument
    add("--zim", type=Path, nargs="+", required=True, help="the archives the questions are about")
    add("--questions", type=Path, nargs="+", required=True, help="question files, JSON lines or plain text")
    add("--shards", type=Path, help="an index that exists; without it one is built in the cache")
    add("--systems", type=_systems, default=DEFAULT, help=f"some of {','.join(SYSTEMS)}")
    add("--name", "--split-name", default="dev", help="what the result file is called")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    add("--by", choices=tuple(BREAKDOWNS), default="group", help="rows of the printed table")
    add("--sets", type=names, default=[], help="only these sets, joined by commas; a* stands for many")
    add("--limit-per-set", type=positive, metavar="N", help="at most N questions of each set, always the same")
    add("--cache", type=Path, default=CACHE, help="scratch folder")
    return parser


if __name__ == "__main__":
    sys.exit(main())
