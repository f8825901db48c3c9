"""Builds one baseline's index in a process of its own: what `bench.speed` starts, to take its cost from outside."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.baselines import build_fts5
from bench.rawzim import corpus_name
from bench.sparse import build_bm25s
from bench.tantivy_index import build_tantivy

__all__ = ["BUILDS", "index_path", "main"]

# System -> its build and the name, after which comes the corpus, that its class looks for.
BUILDS: Mapping[str, tuple[Callable[[Sequence[Path], Path], None], str]] = {
    "tantivy": (build_tantivy, "tantivy-{}"),
    "bm25s": (build_bm25s, "bm25s-{}"),
    "fts5": (build_fts5, "fts5-{}.db"),
}


def index_path(name: str, zim: Path, folder: Path) -> Path:
    """Where the system's index of an archive lies in a folder."""
    return folder / BUILDS[name][1].format(corpus_name([zim]))


def main(arguments: Sequence[str]) -> int:
    """Builds; 2 when it is called with anything but a system, an archive and a folder."""
    if len(arguments) != 3 or arguments[0] not in BUILDS:
        print(f"usage: python -m bench.speed_build {'|'.join(BUILDS)} ARCHIVE.zim FOLDER", file=sys.stderr)
        return 2
    name, zim, folder = arguments[0], Path(arguments[1]), Path(arguments[2])
    BUILDS[name][0]([zim], index_path(name, zim, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
