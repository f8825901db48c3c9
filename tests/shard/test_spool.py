"""Spools and the pass over all of them: stubs resolved, links added up, damage told."""

from __future__ import annotations

from array import array
from collections import Counter
from pathlib import Path

import apsw
import pytest

from aborist.memory import BuildMemory
from aborist.shard import spool
from aborist.shard.spool import DamagedBuild, Keywords, LinkCounter, Notes, Stub
from aborist.types import Alias


def stub(path: str, target: str, anchor: str = "", *names: str) -> Stub:
    return Stub(path.upper(), path, target, anchor, tuple(Alias(name, name) for name in names))


def test_a_spool_gives_back_what_was_saved(tmp_path: Path) -> None:
    notes = Notes(Counter({"Earth": 2, "../odd\n": 1}), [stub("a", "b", "c", "d")], Counter({"unreadable: x": 3}))
    articles, leads, common, ordinals = (array("I", c) for c in ([3, 1], [2, 1], [0, 0, 7], [4, 70_000, 5]))
    keywords = Keywords(["moon", "sun"], articles, leads, common, ordinals, array("B", [9, 2, 15]))
    spool.save(tmp_path / "0.spool", notes, keywords)
    assert spool.load_notes(tmp_path / "0.spool") == notes
    assert spool.load_keywords(tmp_path / "0.spool") == keywords


@pytest.mark.parametrize("content", [None, b"", b"\x05\0\0\0abcde", b"\xff" * 40])
def test_a_missing_or_torn_spool_is_a_damaged_build(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "0.spool"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DamagedBuild):
        spool.load_notes(path)
    with pytest.raises(DamagedBuild):
        spool.load_keywords(path)


RESOLVED = [
    pytest.param([stub("s", "t", "x")], {"s": ("t", "x")}, id="plain"),
    pytest.param([stub("a", "b", "x"), stub("b", "t", "y")], {"a": ("t", "y"), "b": ("t", "y")},
                 id="stub of a stub"),
    pytest.param([stub("a", "alias"), stub("b", "t", "y", "alias")], {"a": ("t", "y"), "b": ("t", "y")},
                 id="redirect to a stub"),
    pytest.param([stub("a", "b"), stub("b", "a")], {}, id="two that refresh to each other"),
    pytest.param([stub("a", "a")], {}, id="one that reloads itself"),
    pytest.param([stub("c", "a"), stub("a", "b"), stub("b", "a"), stub("s", "t")], {"s": ("t", "")},
                 id="one that leads into a loop"),
]  # fmt: skip


@pytest.mark.parametrize(("stubs", "expected"), RESOLVED)
def test_stubs_are_followed_to_their_end(stubs: list[Stub], expected: dict[str, tuple[str, str]]) -> None:
    assert {found.path: (found.target, found.anchor) for found in spool.resolved(stubs)} == expected


def test_links_are_added_up_and_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        counter = LinkCounter(tmp_path / "links.db", BuildMemory(links=2))  # goes to the disk in between
        for links in ({"a": 1, "b": 2, "c": 3}, {"b": 5}, {"a": 1, "d": 1, "e": 1}):
            counter.add(links)
        counter.close()
    rows = apsw.Connection(str(tmp_path / "links.db")).execute("SELECT path, n FROM link ORDER BY path").fetchall()
    assert rows == [("a", 2), ("b", 7), ("c", 3), ("d", 1), ("e", 1)]


def test_links_are_counted_over_what_a_kill_left(tmp_path: Path) -> None:
    # Without a journal a half-written file may be no database any more; the build must not be begun again for it.
    path = tmp_path / "links.db"
    path.write_bytes(b"SQLite format 3\0" + bytes(2000))
    counter = LinkCounter(path)
    counter.add({"a": 2})
    counter.close()
    assert apsw.Connection(str(path)).execute("SELECT path, n FROM link").fetchall() == [("a", 2)]
