"""The tables of a shard, and how its file is opened to build and to read.

A published shard is one SQLite file without side files, opened `immutable`: it may lie on read-only media.
Row identifiers carry the structure: an article's id is the rowid of its first passage, its passages are
`id .. id + passages - 1`, so a passage's article is the greatest id not above it and needs no column.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from aborist.errors import DamagedShard
from aborist.memory import BuildMemory

__all__ = ["INDEXES", "SCHEMA_VERSION", "open_build", "open_readonly", "run", "select"]

SCHEMA_VERSION = 3

_TABLES = """
CREATE TABLE fact(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE part(number INTEGER PRIMARY KEY, articles INTEGER NOT NULL, passage_tokens INTEGER NOT NULL);
CREATE TABLE article(
    id INTEGER PRIMARY KEY,      -- rowid of its first row in passage
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    kind INTEGER NOT NULL,       -- types.Kind
    root BLOB NOT NULL,          -- 32 bytes
    passages INTEGER NOT NULL,   -- at least 1: an article without text has one empty passage
    tokens INTEGER NOT NULL,     -- title and text
    lead_tokens INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,  -- byte in the stream that the rows of text are
    stored_bytes INTEGER NOT NULL,
    links INTEGER NOT NULL DEFAULT 0  -- in-links from the same archive, redirects included
);
CREATE TABLE text(id INTEGER PRIMARY KEY, piece BLOB NOT NULL);  -- see shard/stream.py
CREATE TABLE alias(
    id INTEGER PRIMARY KEY,
    article INTEGER NOT NULL,
    title TEXT NOT NULL,         -- as the archive spells it
    path TEXT,                   -- of the redirect; NULL for the article's own title
    anchor TEXT,                 -- id of the section that is meant
    key TEXT NOT NULL,           -- text.title_key
    bag TEXT NOT NULL,           -- sorted distinct stems: finds "Torvalds, Linus" and inflected forms
    folded TEXT NOT NULL         -- exact forms, for substring look-ups
);
-- The body comes first: FTS5 marks every posting that is not in the first column with two more bytes.
CREATE VIRTUAL TABLE passage USING fts5(body, head, content='', tokenize='ascii');
CREATE VIRTUAL TABLE title_gram USING fts5(
    folded, content='alias', content_rowid='id', detail='none', columnsize=0,
    tokenize='trigram case_sensitive 1');
CREATE VIRTUAL TABLE title_word USING fts5(stems, content='', detail='none', columnsize=0, tokenize='ascii');
CREATE TABLE core(term TEXT PRIMARY KEY, postings BLOB NOT NULL) WITHOUT ROWID;  -- see shard/core.py
CREATE TABLE term(
    term TEXT PRIMARY KEY, articles INTEGER NOT NULL, leads INTEGER NOT NULL, passages INTEGER NOT NULL
) WITHOUT ROWID;
"""
# Made last, when their rows are complete: one sorted pass instead of random inserts.
INDEXES = """
CREATE INDEX alias_key ON alias(key);
CREATE INDEX alias_bag ON alias(bag);
CREATE INDEX alias_article ON alias(article);
CREATE INDEX alias_path ON alias(path) WHERE path IS NOT NULL;
CREATE INDEX article_path ON article(path);
CREATE INDEX article_root ON article(substr(root, 1, 4));
"""

# FTS5 collects this many bytes before it writes a segment; merging is left to one `optimize` at the end.
# https://www.sqlite.org/fts5.html#the_automerge_configuration_option
# bench/NOTES.md: hashsize 64M, automerge 0 and a final optimize cost what the defaults cost, for one segment.
_PAGE_BYTES = 8192
_ORPHAN_MILLISECONDS = 10_000  # a worker whose parent was killed lets go within about a second


def open_build(path: Path, memory: BuildMemory | None = None) -> apsw.Connection:
    """A shard file to be filled.

    One that an interrupted build left is continued: SQLite rolls back what was not committed. One cut
    down before its tables were committed is begun again.
    """
    db = apsw.Connection(str(path))
    db.set_busy_timeout(_ORPHAN_MILLISECONDS)
    run(db, f"PRAGMA page_size={_PAGE_BYTES}")
    memory = memory or BuildMemory()
    _tune(db, memory)
    with db:
        if db.pragma("user_version") != SCHEMA_VERSION:
            run(db, _TABLES)
            run(db, f"PRAGMA user_version={SCHEMA_VERSION}")
        run(db, f"INSERT INTO passage(passage, rank) VALUES('hashsize', {memory.postings}), ('automerge', 0)")
    return db


def open_readonly(path: Path) -> apsw.Connection:
    """A published shard. Raises DamagedShard when the file is missing, no database, or of another schema.

    `immutable` tells SQLite that nobody writes: no locks, no side files. https://www.sqlite.org/uri.html#uriimmutable
    """
    try:
        db = apsw.Connection(
            f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
        version = db.pragma("user_version")
    except apsw.Error as error:
        raise DamagedShard(
            expected=f"a shard in {path.parent.name}/{path.name}",
            found=f"{'a file that is no database' if path.exists() else 'no such file'} ({error})",
            next="run `aborist index` on its archive again",
        ) from error
    if version != SCHEMA_VERSION:
        raise DamagedShard(
            expected=f"shard schema {SCHEMA_VERSION} in {path.parent.name}/{path.name}",
            found=f"schema {version}",
            next="run `aborist index` on its archive again with this version of aborist",
        )
    return db


def _tune(db: apsw.Connection, memory: BuildMemory) -> None:
    # A rollback journal keeps a killed build at its last whole part; syncs happen once a part.
    # https://www.sqlite.org/pragma.html#pragma_journal_mode
    for pragma in ("journal_mode=persist", "synchronous=normal", "locking_mode=exclusive",
                   f"cache_size=-{memory.cache >> 10}", "temp_store=file"):  # fmt: skip
        run(db, f"PRAGMA {pragma}")


def run(db: apsw.Connection, statements: str) -> None:
    """Execute to the end: apsw stops at the first statement that returns rows unless it is drained."""
    db.execute(statements).fetchall()


def select(db: apsw.Connection, statement: str, bindings: apsw.Bindings | None = None) -> list[tuple[Any, ...]]:
    """All rows of one SELECT."""
    return db.execute(statement, bindings).fetchall()
