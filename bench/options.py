"""What the measures of an index's own content take on the command line, and how they fail: one line, status 1."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from aborist.errors import AboristError
from bench import record
from bench.arguments import positive
from bench.asking import Target
from bench.index import CACHE, IndexFailedError, index_of
from bench.questions import QuestionFileError

__all__ = ["index_options", "place_options", "run", "shared_options", "target_of"]

PROCESSES = 2  # the machines that measure have two cores


def shared_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--processes", type=positive, default=PROCESSES, metavar="N", help="that ask at the same time")
    place_options(parser)


def place_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    parser.add_argument("--cache", type=Path, default=CACHE, help="scratch folder")


def index_options(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--shards", type=Path, help="an index that exists")
    source.add_argument("--zim", type=Path, help="an archive; its index is built in the cache")
    parser.add_argument("--archive", help="its name, where the index holds several")
    parser.add_argument("--name", help="what the result file is called")
    shared_options(parser)


def target_of(options: argparse.Namespace) -> Target:
    """:raises IndexFailedError: the archive could not be indexed."""
    shards = options.shards or index_of([options.zim], options.cache)
    return Target(shards, options.archive, options.processes)


def run(measure: Callable[[argparse.Namespace, str], int], parser: argparse.ArgumentParser,
        arguments: Sequence[str] | None) -> int:  # fmt: skip
    """Parses, measures, and turns what can go wrong with data into one line on stderr and status 1."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = parser.parse_args(arguments)
    try:
        return measure(options, record.command(parser.prog.removeprefix("python -m "), arguments))
    except (AboristError, IndexFailedError, QuestionFileError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
