"""The stream of texts gives back every stretch, over pieces, blocks and the ends of both."""

from __future__ import annotations

from contextlib import suppress

import apsw
from hypothesis import given
from hypothesis import strategies as st

from aborist.shard.stream import PIECE, Stream, read

_sizes = st.integers(0, 300) | st.sampled_from([PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 5 * PIECE + 7])


def empty() -> apsw.Connection:
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE text(id INTEGER PRIMARY KEY, piece BLOB NOT NULL)")
    return db


@given(st.lists(st.lists(_sizes, max_size=6), max_size=4))
def test_what_was_appended_is_read_back(parts: list[list[int]]) -> None:
    db = empty()
    stored = []
    for number, sizes in enumerate(parts):
        with Stream(db) as stream:
            for size in sizes:
                data = bytes((number + n) % 251 for n in range(size))
                stored.append((stream.append(data), data))
    for at, data in stored:
        assert read(db, at, len(data)) == data


def test_a_block_that_fails_does_not_write_what_it_held() -> None:
    db = empty()
    stream = Stream(db)
    stream.append(b"abc")
    with suppress(KeyError), stream:
        raise KeyError
    assert db.execute("SELECT count(*) FROM text").fetchall() == [(0,)]


def test_pieces_fill_their_pages() -> None:
    db = apsw.Connection(":memory:")
    db.execute("PRAGMA page_size=8192").fetchall()
    db.execute("CREATE TABLE text(id INTEGER PRIMARY KEY, piece BLOB NOT NULL)")
    with Stream(db) as stream:
        for _ in range(2000):
            stream.append(bytes(1000))
    pages, unused = db.execute("SELECT sum(pgsize), sum(unused) FROM dbstat WHERE name = 'text'").fetchall()[0]
    assert int(str(unused)) < int(str(pages)) / 100


def test_beyond_its_end_the_stream_is_short() -> None:
    db = empty()
    with Stream(db) as stream:
        stream.append(b"abc")
    assert read(db, 0, 10) == b"abc"
    assert read(db, 10 * PIECE, 10) == b""
