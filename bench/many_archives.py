"""What it costs to open an index of many small archives and to ask it: time, open files, memory.

    python -m bench.many_archives FOLDER [--archives 1000]

Writes the archives with libzim's writer into FOLDER/zim and indexes them into FOLDER/shards, once; then opens the
index and asks, and prints a row a step: wall and CPU milliseconds, open file descriptors, peak RSS.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any, Final

from libzim.writer import ContentProvider, Creator, Hint, Item, StringProvider

from aborist import build
from aborist.config import open_engine
from aborist.view import progress_for

__all__ = ["fill", "main", "write"]

SEED: Final = 7
PAGES: Final = 12  # an archive
WORDS: Final = 120  # a page
COMMON: Final = tuple("the of and a in is was to for as by with on that it from at which are an be or this".split())
SHARED: Final = tuple(f"word{number}" for number in range(3000))
QUESTIONS: Final = (
    "what is subject 500 about",  # words of titles in every archive
    "own17x3",  # one archive
    "where does own17x3 stand beside word12",
    "the word5 of word77 and word2000",  # most archives
    "zorblat quux",  # none
    "what is own400x1",
)
_ROW: Final = "{:<44} {:>9} {:>9} {:>6} {:>8}"


class _Page(Item):  # type: ignore[misc]  # libzim ships no annotations that mypy finds
    def __init__(self, path: str, title: str, html: str) -> None:
        super().__init__()
        self.said = path, title, html

    def get_path(self) -> str:
        return self.said[0]

    def get_title(self) -> str:
        return self.said[1]

    def get_mimetype(self) -> str:
        return "text/html"

    def get_contentprovider(self) -> ContentProvider:
        return StringProvider(self.said[2])

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: True}


def write(file: Path, number: int) -> None:
    """One archive: pages of common words, of words that many archives share, and of one that only it has."""
    dice = random.Random(SEED * 1_000_003 + number)
    with Creator(file).config_indexing(False, "eng") as creator:
        for page in range(PAGES):
            words = [*dice.choices(COMMON, k=WORDS // 2), *dice.choices(SHARED, k=WORDS // 2), f"own{number}x{page}"]
            dice.shuffle(words)
            title = f"Subject {number} {SHARED[dice.randrange(len(SHARED))]} part {page}"
            html = f"<html><body><h1>{title}</h1><p>{' '.join(words)}.</p></body></html>"
            creator.add_item(_Page(f"p{page}", title, html))
        for key, value in {"Title": f"Archive {number}", "Language": "eng", "Name": file.stem}.items():
            creator.add_metadata(key, value)


def fill(folder: Path, archives: int) -> Path:
    """The index of so many archives in the folder, made where it is not there; returns its folder."""
    shards, zims = folder / "shards", folder / "zim"
    zims.mkdir(parents=True, exist_ok=True)
    for number in range(archives):
        if not (file := zims / f"many{number:05}.zim").exists():
            write(file, number)
    with progress_for(sys.stderr, quiet=True) as progress:
        build.index([zims], shards, progress=progress)
    return shards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--archives", type=int, default=1000)
    called = parser.parse_args()
    shards = called.folder / "shards"
    if not shards.is_dir():
        shards = fill(called.folder, called.archives)
        return print("made; run it again to measure in a process that built nothing")
    print(_ROW.format("step", "wall ms", "CPU ms", "files", "RSS MB"))
    engine = _step("open", lambda: open_engine(shards))
    for text in QUESTIONS * 2:
        answer = _step(text, lambda text=text: engine.ask(text))
        print("   ", *[f"{one.archive}/{one.title}" for one in answer.results[:1]], answer.coverage)
    return None


def _step(name: str, act: Any) -> Any:
    wall, cpu = time.perf_counter(), time.process_time()
    result = act()
    spent = (1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu))
    files = len(list(Path("/proc/self/fd").iterdir()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(_ROW.format(name[:44], *(f"{one:.1f}" for one in spent), files, f"{peak:.0f}"))
    return result


if __name__ == "__main__":
    main()
