"""Builds aborist's index through its command line, once for each state of the program.

`python -m bench.index ZIM...` prints the folder of shards.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.rawzim import NoZimError, corpus_name

__all__ = ["CACHE", "COMMAND", "IndexFailedError", "digest_of", "index_of", "main"]

PROGRAM = Path(__file__).resolve().parent.parent / "aborist"
# As a module, so that the program beside this folder is measured, and not another one that is installed.
COMMAND = (sys.executable, "-m", "aborist")
# Indexes, baselines and peers that can be made again.
CACHE = Path(tempfile.gettempdir()) / "aborist-bench"


class IndexFailedError(Exception):
    """`aborist index` did not end well; the message is what it said."""


def index_of(archives: Sequence[Path], cache: Path) -> Path:
    """The folder of shards for `archives`, built when this state of the program has not built it yet.

    :raises IndexFailedError: the build failed.
    """
    shards = cache / f"aborist-{corpus_name(archives)}-{digest_of(PROGRAM)}"
    # An unchanged archive is a no-op, so asking for the index again costs nothing and resumes a broken build.
    done = subprocess.run(
        [*COMMAND, "index", *map(str, archives), "--shards", str(shards), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise IndexFailedError(done.stderr.strip() or done.stdout.strip())
    return shards


def digest_of(program: Path) -> str:
    """12 hex digits of all files of a program, its data files too: stop words decide what is indexed.

    Data that only answers read (the gate's model) is not left out: a list of such would have to be kept true, and an
    index that is built once more costs less than one that is stale.
    """
    digest = hashlib.sha256()
    for path in sorted(program.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(program).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the folder of shards; 1 when an archive is missing or cannot be indexed."""
    parser = argparse.ArgumentParser(prog="python -m bench.index", description=__doc__)
    parser.add_argument("archives", type=Path, nargs="+", metavar="ZIM")
    parser.add_argument("--cache", type=Path, default=CACHE, help="scratch folder")
    options = parser.parse_args(arguments)
    try:
        print(index_of(options.archives, options.cache))
    except (IndexFailedError, NoZimError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
