"""The floor a build is held against: the plainest loop that could index an archive, and nothing else.

Read clusters in file order, unpack, take the body's text, pack it, one FTS5 insert. No sections, stems,
aliases, roots or passages: no real build can be cheaper, so CPU and size are given as ratios to this.
Run as `python -m bench.floor ARCHIVE.zim OUT.db`, it prints JSON; times are taken from outside.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import apsw
import zstandard

from bench.rawzim import RawZim, body_text, pages

__all__ = ["FloorReport", "build_floor", "main"]

# The fastest settings that keep positions: https://www.sqlite.org/fts5.html#the_hashsize_configuration_option
SCHEMA = """pragma journal_mode=off; pragma synchronous=off; pragma page_size=8192;
create table article(id integer primary key, title, text blob);
create virtual table words using fts5(title, body, content='', tokenize='unicode61 remove_diacritics 2');
insert into words(words, rank) values('hashsize', 67108864);
begin"""


@dataclass(frozen=True, slots=True)
class FloorReport:
    articles: int
    text_bytes: int  # UTF-8, of the body text that was indexed


def build_floor(archive: Path, database: Path) -> FloorReport:
    """Writes the floor's index to `database`, which must not exist yet."""
    connection = apsw.Connection(str(database))
    connection.execute(SCHEMA).fetchall()
    compress = zstandard.ZstdCompressor(level=1).compress
    articles = text_bytes = 0
    with RawZim(archive) as zim:
        for articles, page in enumerate(pages(zim), 1):
            text = body_text(page.content)
            packed = text.encode()
            text_bytes += len(packed)
            connection.execute("insert into article values(?, ?, ?)", (articles, page.title, compress(packed)))
            connection.execute("insert into words(rowid, title, body) values(?, ?, ?)", (articles, page.title, text))
    connection.execute("commit")
    connection.close()
    return FloorReport(articles, text_bytes)


def main(arguments: Sequence[str]) -> int:
    """Builds and prints the report as JSON; 2 when it is called with anything but two paths."""
    if len(arguments) != 2:
        print("usage: python -m bench.floor ARCHIVE.zim OUT.db", file=sys.stderr)
        return 2
    print(json.dumps(asdict(build_floor(Path(arguments[0]), Path(arguments[1])))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
