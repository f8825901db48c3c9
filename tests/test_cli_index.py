"""`aborist status`, `verify` and `remove`: what is there, whether it is whole, and how to be rid of it."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from aborist.shard import manifest as manifests
from tests import zims
from tests.conftest import Run, build_index

# -- status --------------------------------------------------------------------------------------------------


def test_status_of_a_whole_index(run: Run, shards: Path, archives: dict[str, Path]) -> None:
    found = run("status", "--shards", shards, "--json").json
    assert [one["archive"] for one in found["archives"]] == ["other", "russian", "small"]
    assert (found["building"], found["lock"]) == ([], "")
    russian = found["archives"][1]
    assert russian["source"] == {"file": str(archives["russian"]), "state": "same", "why": ""}
    expected = {"title": "Малая", "language": "rus", "articles": 4, "redirects": 1, "shards": 1,
                "complete": True, "date": "2026-01-02", "vectors": []}  # fmt: skip
    assert {key: russian[key] for key in expected} == expected
    shown = run("status", "--shards", shards).out
    assert "vectors: none" in shown
    assert "2 shard(s)" in shown


@pytest.mark.parametrize("exists", [True, False])
def test_status_of_an_empty_index_says_what_to_do(run: Run, tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "empty"
    if exists:
        folder.mkdir()
    assert run("status", "--shards", folder, "--json").json == {
        "shards": str(folder), "archives": [], "building": [], "lock": "",
    }  # fmt: skip
    done = run("status", "--shards", folder)
    assert (done.status, "aborist index" in done.out) == (0, True)
    assert folder.exists() is exists


def _replace_zim(file: Path) -> None:
    zims.build(file, [zims.page("Other", "Another archive under the same name.")])


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (Path.unlink, "missing"),
        (_replace_zim, "changed"),
        (lambda file: file.write_bytes(b"no ZIM"), "unreadable"),
        (lambda file: zims.truncate(file, -10), "unreadable"),
    ],
)
def test_status_tells_a_source_that_changed(
    run: Run, tmp_path: Path, archives: dict[str, Path], change: Callable[[Path], None], state: str
) -> None:
    file = tmp_path / "one.zim"
    shutil.copy(archives["other"], file)
    folder = build_index([file], tmp_path / "shards")
    change(file)
    done = run("status", "--shards", folder, "--json")
    assert (done.status, done.json["archives"][0]["source"]["state"]) == (0, state)
    assert state in run("status", "--shards", folder).out


def test_status_tells_builds_and_who_holds_the_lock(run: Run, tmp_path: Path) -> None:
    building = tmp_path / f"{manifests.BUILDING}wiki"
    building.mkdir()
    (building / "state.json").write_text('{"shards": 2}')
    for part in ("000.00000", "000.00001", "001.00000"):
        (building / f"{part}.spool").touch()
    lock = tmp_path / manifests.LOCK
    lock.write_text("pid 1 on host since noon")  # left by a holder that was killed
    expected = {"archive": "wiki", "state": "interrupted", "shards": 2, "parts_done": 3}
    found = run("status", "--shards", tmp_path, "--json").json
    assert (found["building"], found["lock"]) == ([expected], "")
    assert "it continues" in run("status", "--shards", tmp_path).out
    with lock.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        found = run("status", "--shards", tmp_path, "--json").json
        assert (found["building"], found["lock"]) == (
            [expected | {"state": "under way"}], "pid 1 on host since noon",
        )  # fmt: skip
        assert "being changed by pid 1" in run("status", "--shards", tmp_path).out


def test_status_names_what_is_damaged(run: Run, index_copy: Path) -> None:
    (index_copy / "small" / "001.db").unlink()
    (index_copy / "other" / manifests.FILE_NAME).write_text("{")
    found = {one["archive"]: one for one in run("status", "--shards", index_copy, "--json").json["archives"]}
    assert [name for name, one in found.items() if not one["complete"]] == ["other", "small"]
    assert "001.db" in found["small"]["faults"][0]
    assert "damaged file" in found["other"]["faults"][0]


# -- verify --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deep", [[], ["--deep"]])
def test_a_whole_index_verifies_and_stays_untouched(run: Run, shards: Path, deep: list[str]) -> None:
    before = {file: file.stat().st_mtime_ns for file in shards.rglob("*")}
    done = run("verify", *deep, "--shards", shards, "--json")
    assert (done.status, done.err) == (0, "")
    assert done.json["ok"] is True
    assert [(one["archive"], one["faults"], one["notes"]) for one in done.json["archives"]] == [
        ("other", [], []), ("russian", [], []), ("small", [], []),
    ]  # fmt: skip
    assert "small: sound" in run("verify", *deep, "--shards", shards).out
    assert {file: file.stat().st_mtime_ns for file in shards.rglob("*")} == before


def _flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)


def _edit(folder: Path, **values: object) -> None:
    path = folder / manifests.FILE_NAME
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def _edit_shard(folder: Path, **values: object) -> None:
    raw = json.loads((folder / manifests.FILE_NAME).read_text())
    _edit(folder, shards=[raw["shards"][0] | values, *raw["shards"][1:]])


def _make_folder(folder: Path) -> None:
    (folder / "001.db").unlink()
    (folder / "001.db").mkdir()


def _swap(folder: Path) -> None:
    first, second, aside = folder / "000.db", folder / "001.db", folder / "aside"
    first.rename(aside)
    second.rename(first)
    aside.rename(second)


def _sql(folder: Path, statement: str) -> None:
    """Change the database and make the manifest agree with the file, as a forger would."""
    file = folder / "000.db"
    db = apsw.Connection(str(file))
    blob = db.execute("PRAGMA table_info(text)").fetchall()[1][1]
    db.execute(statement.replace("BLOB", str(blob))).fetchall()
    db.close()
    _edit_shard(folder, sha256=manifests.file_sha256(file), bytes=file.stat().st_size)


_SWAPPED_TEXT = (
    "UPDATE article SET (stored_at, stored_bytes) ="
    " (SELECT stored_at, stored_bytes FROM article ORDER BY id DESC LIMIT 1) WHERE id = 1"
)
# As many rows as before, but their words are gone.
_EMPTIED_INDEX = (
    "INSERT INTO passage(passage) VALUES('delete-all');"
    " INSERT INTO passage(rowid, head, body) SELECT id, '', '' FROM article"
)

DAMAGE: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "flipped byte": (lambda f: _flip(f / "000.db"), "000.db", "sha256"),
    "cut short": (lambda f: zims.truncate(f / "000.db", -5000), "000.db", "bytes"),
    "emptied": (lambda f: (f / "000.db").write_bytes(b""), "000.db", "schema 0"),
    "no database": (lambda f: (f / "000.db").write_bytes(b"x" * 9000), "000.db", "no database"),
    "deleted": (lambda f: (f / "001.db").unlink(), "001.db", "no such file"),
    "a folder": (_make_folder, "001.db", "is a directory"),
    "swapped": (_swap, "000.db", "it is 001.db"),
    "other shard schema": (lambda f: _sql(f, "PRAGMA user_version=99"), "000.db", "schema 99"),
    "other schema": (lambda f: _edit(f, schema=99), "manifest.json", "schema 99"),
    "other analyzer": (lambda f: _edit(f, analyzer="snowball-x-v0"), "manifest.json", "analyzer"),
    "other count": (lambda f: _edit(f, articles=1000), "manifest.json", "articles"),
    "other redirects": (lambda f: _edit(f, aliases=1000), "manifest.json", "redirects"),
    "other snapshot": (lambda f: _edit(f, snapshot_root="0" * 64), "manifest.json", "snapshot root"),
    "incomplete": (lambda f: _edit(f, complete=False), "manifest.json", "complete"),
    "other shard count": (lambda f: _edit_shard(f, passages=1000), "000.db", "passages 1000"),
    "other name": (lambda f: _edit(f, archive="else"), "manifest.json", "archive"),
    "wrong type": (lambda f: _edit(f, language=None), "manifest.json", "language"),
    "wrong type in a shard": (lambda f: _edit_shard(f, bytes="many"), "manifest.json", "bytes"),
    "name that leads out": (lambda f: _edit_shard(f, name="../other/000.db"), "manifest.json", "name"),
    "unknown field": (lambda f: _edit(f, extra=1), "manifest.json", "other fields"),
    "no JSON": (lambda f: (f / "manifest.json").write_text("{"), "manifest.json", "damaged file"),
    "a list": (lambda f: (f / "manifest.json").write_text("[]"), "manifest.json", "damaged file"),
    "no UTF-8": (lambda f: (f / "manifest.json").write_bytes(b"\xff"), "manifest.json", "damaged file"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "manifest.json", "no such file"),
    "lost article": (lambda f: _sql(f, "DELETE FROM article WHERE id = 1"), "000.db", "articles"),
    "lost term table": (lambda f: _sql(f, "DROP TABLE part"), "000.db", "no such table"),
    "another ZIM": (lambda f: _edit(f, uuid="0" * 32), ".zim", "changed"),
}
DEEP: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "text of another": (lambda f: _sql(f, _SWAPPED_TEXT), "000.db", "instead of"),
    "no zstd": (lambda f: _sql(f, "UPDATE text SET piece = zeroblob(length(piece))"), "000.db", "unreadable text"),
    "lost text": (lambda f: _sql(f, "DELETE FROM text"), "000.db", "without text"),
    "title index": (lambda f: _sql(f, "UPDATE alias SET folded = 'xyz' || folded"), "000.db", "name 'xyz"),
    "passage index": (lambda f: _sql(f, _EMPTIED_INDEX), "000.db", "passage 0-"),
    "row of passages": (
        lambda f: _sql(f, "UPDATE article SET passages = passages + 1 WHERE id = 1;"
                          " UPDATE article SET passages = passages - 1 WHERE id = 2"),
        "000.db", "row",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", [*DAMAGE, *DEEP])
def test_damage_is_named_and_the_other_archives_are_checked(run: Run, index_copy: Path, kind: str) -> None:
    change, where, told = (DAMAGE | DEEP)[kind]
    change(index_copy / "small")
    deep = ["--deep"] if kind in DEEP else []
    done = run("verify", *deep, "--shards", index_copy, "--json")
    assert done.status == 1
    good = {one["archive"]: one["ok"] for one in done.json["archives"]}
    assert good == {"other": True, "russian": True, "small": False}
    faults: list[dict[str, Any]] = done.json["archives"][2]["faults"]
    assert any(
        fault["where"].endswith(where) and told in f"{fault['expected']} {fault['found']} {fault['next']}"
        for fault in faults
    ), faults
    assert all(fault["next"] for fault in faults)
    assert done.err.count("\n") == len(faults)
    assert "Traceback" not in done.err


def test_a_forged_text_passes_only_without_deep(run: Run, index_copy: Path) -> None:
    _sql(index_copy / "small", _SWAPPED_TEXT)
    assert run("verify", "--shards", index_copy).status == 0
    assert run("verify", "--deep", "--shards", index_copy).status == 1


def test_deep_compares_with_the_zim(run: Run, tmp_path: Path, archives: dict[str, Path]) -> None:
    file = tmp_path / "one.zim"
    shutil.copy(archives["small"], file)
    folder = build_index([file], tmp_path / "shards")
    zims.smash_cluster(file, "Tea")
    assert run("verify", "--shards", folder).status == 0  # what says that the ZIM is the same stands at its ends
    done = run("verify", "--deep", "--shards", folder)
    assert done.status == 1
    assert "agrees with its checksum" in done.err
    file.unlink()
    done = run("verify", "--deep", "--shards", folder)
    assert (done.status, "not compared" in done.out) == (0, True)


@pytest.mark.parametrize("exists", [True, False])
def test_there_must_be_something_to_verify(run: Run, tmp_path: Path, exists: bool) -> None:
    done = run("verify", "--shards", tmp_path if exists else tmp_path / "none", "--json")
    assert (done.status, list(done.json)) == (1, ["error"])


# -- remove --------------------------------------------------------------------------------------------------


def test_remove_takes_one_archive_and_says_so(run: Run, index_copy: Path, archives: dict[str, Path]) -> None:
    done = run("remove", "small", "--shards", index_copy)
    assert done.status == 0
    assert "removed small: 14 articles" in done.out
    assert archives["small"].exists()
    assert sorted(p.name for p in index_copy.iterdir() if p.name[0] != ".") == ["other", "russian"]
    assert run("query", "coffee", "--shards", index_copy, "--json").json["coverage"]["shardsTotal"] == 2
    assert run("remove", "other", "--shards", index_copy, "--json").json["removed"] == "other"


@pytest.mark.parametrize("name", ["nope", "../small", ".", "", "small/", ".building-small", "\udcff"])
def test_remove_refuses_what_is_no_archive(run: Run, index_copy: Path, name: str) -> None:
    done = run("remove", "--shards", index_copy, "--json", "--", name)
    assert done.status == 1
    assert "other, russian, small" in done.json["error"]["found"]
    assert (index_copy / "small" / "manifest.json").exists()


def test_remove_without_an_index_creates_none(run: Run, tmp_path: Path) -> None:
    done = run("remove", "small", "--shards", tmp_path / "none")
    assert (done.status, (tmp_path / "none").exists()) == (1, False)


def test_remove_a_damaged_archive_and_an_unfinished_build(run: Run, index_copy: Path) -> None:
    (index_copy / "small" / "manifest.json").write_text("{")
    assert run("remove", "small", "--shards", index_copy).status == 0
    (index_copy / f"{manifests.BUILDING}wiki").mkdir()
    assert "an unfinished build" in run("remove", "wiki", "--shards", index_copy).out
