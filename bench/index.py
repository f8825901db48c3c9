"""Builds aborist's index through its command line, once for each state of the program.

`python -m bench.index ZIM...` prints the folder of shards.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.rawzim import corpus_uuid

__all__ = ["CACHE", "COMMAND", "IndexFailedError", "index_of"]

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
    corpora = "-".join(corpus_uuid(archive)[:8] for archive in archives)
    shards = cache / f"aborist-{corpora}-{_program_digest()}"
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


def _program_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(PROGRAM.rglob("*.py")):
        digest.update(path.relative_to(PROGRAM).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


if __name__ == "__main__":
    print(index_of([Path(argument) for argument in sys.argv[1:]], CACHE))
