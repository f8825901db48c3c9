"""Parts are committed whole or not at all, streamed, and continued; odd strings are stored as they are."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from aborist.ingest.record import to_record
from aborist.shard.core import Common
from aborist.shard.schema import open_build, open_readonly
from aborist.shard.spool import load_notes
from aborist.shard.write import Learnt, Record, ShardWriter, Stub
from aborist.text import analyzer_for
from aborist.types import Alias, Article
from aborist.vocabulary import Vocabulary

ENGLISH = Vocabulary(analyzer_for("eng"))


def record(number: int, text: str = "Water is wet.", title: str = "") -> Record:
    page = Article(
        f"p{number}",
        title or f"Page {number}",
        "text/plain",
        text.encode(),
        (Alias(f"A {number}", f"a{number}"),),
    )
    found = to_record(page, ENGLISH)
    assert isinstance(found, Record)
    return found


def writer_in(folder: Path) -> ShardWriter:
    return ShardWriter(folder, 0, ENGLISH, Learnt(b"", Common({}, 1.0)))


def test_a_part_that_fails_leaves_nothing_and_can_be_written_again(tmp_path: Path) -> None:
    def failing() -> Iterator[Record]:
        yield record(2)
        raise RuntimeError("the archive went away")

    with closing(writer_in(tmp_path)) as writer:
        assert writer.write_part(0, [record(1)], Counter()) == 1
        with pytest.raises(RuntimeError, match="went away"):
            writer.write_part(1, failing(), Counter())
        assert writer.done_parts() == {0: 1}
    with closing(writer_in(tmp_path)) as writer:
        assert writer.done_parts() == {0: 1}
        writer.write_part(1, [record(2), Stub("S", "s", "p1", "")], Counter({"unreadable: x": 1}))
        assert writer.done_parts() == {0: 1, 1: 1}
        assert writer.db.execute("SELECT path FROM article ORDER BY id").fetchall() == [("p1",), ("p2",)]
        notes = load_notes(writer.spool_path(1))
    assert notes.stubs == [Stub("S", "s", "p1", "")]
    assert notes.unreadable == {"unreadable: x": 1}


def test_a_shard_cut_down_before_its_tables_were_made_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "000.db").touch()
    with closing(writer_in(tmp_path)) as writer:
        assert writer.write_part(0, [record(1)], Counter()) == 1


def test_a_shard_killed_after_its_tables_were_made_gets_its_dictionary(tmp_path: Path) -> None:
    open_build(tmp_path / "000.db").close()
    with closing(ShardWriter(tmp_path, 0, ENGLISH, Learnt(b"words", Common({}, 1.0)))) as writer:
        found = writer.db.execute("SELECT value FROM fact WHERE name = 'dictionary'").fetchall()
    assert found == [(b"words",)]


def test_two_builders_of_one_shard_do_not_write_both(tmp_path: Path) -> None:
    with closing(writer_in(tmp_path)) as writer:
        writer.write_part(0, [record(1)], Counter())
        other = apsw.Connection(str(tmp_path / "000.db"))
        with pytest.raises(apsw.BusyError):
            other.execute("SELECT count(*) FROM article").fetchall()


@pytest.mark.parametrize("title", ["nul\0inside", "x" * 10_000, "word " * 2_000, "\ud7ff\ue000", "'\"%_*?["])
def test_odd_titles_are_stored_as_they_are(tmp_path: Path, title: str) -> None:
    with closing(writer_in(tmp_path)) as writer:
        writer.write_part(0, [record(1, title=title)], Counter())
        assert writer.db.execute("SELECT title FROM article").fetchall() == [(title,)]
        assert writer.db.execute("SELECT title FROM alias WHERE path IS NULL").fetchall() == [(title,)]


class _Tracked(str):  # noqa: SLOT000  slots would forbid weak references
    """A text that a weak reference can follow."""


def test_records_are_not_held(tmp_path: Path) -> None:
    """However many articles a part has, no more than two are in memory at once."""
    alive: weakref.WeakSet[_Tracked] = weakref.WeakSet()
    most = 0

    def streamed() -> Iterator[Record]:
        nonlocal most
        for number in range(200):
            found = record(number, f"Stone {number} lies by the sea.")
            text = _Tracked(found.document.text)
            alive.add(text)
            most = max(most, len(alive))
            yield found._replace(document=replace(found.document, text=text))

    with closing(writer_in(tmp_path)) as writer:
        assert writer.write_part(0, streamed(), Counter()) == 200
    assert most <= 2


def test_a_build_under_way_is_no_index_for_a_reader(tmp_path: Path) -> None:
    open_build(tmp_path / "000.db").close()
    with closing(open_readonly(tmp_path / "000.db")) as reader, pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM article")
