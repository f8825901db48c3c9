"""Whatever is wrong with a call: the promised exit status, one line that helps, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.privileges import as_anybody

QUERY, ARTICLE, CITE = ["query", "tea"], ["article", "Tea"], ["cite", "0" * 64]
READING = [QUERY, ARTICLE, CITE, ["verify"], ["remove", "small"]]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["nosuch"], 2),
        (["query"], 2),
        (["query", "a", "--questions", "f"], 2),
        (["query", "tea", "-k", "0"], 2),
        (["query", "tea", "-k", "1001"], 2),
        (["query", "tea", "-k", "ten"], 2),
        (["query", "tea", "--mode", "magic"], 2),
        (["query", "tea", "--nosuch"], 2),
        (["query", "--questions", "missing"], 2),
        (["article"], 2),
        (["article", "a", "b"], 2),
        (["article", "Atlantis"], 3),
        (["article", "Tea", "--archive", "nosuch"], 1),
        (["cite"], 2),
        (["cite", "xyz"], 2),
        (["cite", "0" * 64], 3),
        (["check-citation"], 2),
        (["check-citation", "missing"], 2),
        (["status", "extra"], 2),
        (["verify", "--shallow"], 2),
        (["remove"], 2),
        (["remove", "nosuch"], 1),
        (["index"], 2),
        (["index", "missing.zim"], 1),
        (["index", "missing.zim", "--workers", "0"], 2),
    ],
)
def test_a_wrong_call(run: Run, shards: Path, tmp_path: Path, arguments: list[str], status: int) -> None:
    folder = tmp_path / "shards" if arguments[0] == "index" else shards
    done = run(*arguments, "--shards", folder)
    assert done.status == status
    assert done.err.startswith("aborist: expected ")
    assert done.err.count("\n") == 1
    told = run(*arguments, "--shards", folder, "--json")
    assert told.status == status
    if status == 3:
        assert told.out == ""
    else:
        assert told.out == "" or isinstance(json.loads(told.out), dict)


def _missing(folder: Path) -> Path:
    return folder / "missing"


def _empty(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def _file(folder: Path) -> Path:
    (folder / "file").write_text("text")
    return folder / "file"


def _below_a_file(folder: Path) -> Path:
    return _file(folder) / "shards"


def _loop(folder: Path) -> Path:
    (folder / "loop").symlink_to(folder / "loop")
    return folder / "loop"


def _long(folder: Path) -> Path:
    return folder / ("x" * 300)


@pytest.mark.parametrize("place", [_missing, _empty, _file, _below_a_file, _loop, _long])
@pytest.mark.parametrize("arguments", READING, ids=lambda a: a[0])
def test_no_index_there(run: Run, tmp_path: Path, arguments: list[str], place: Callable[[Path], Path]) -> None:
    folder = place(tmp_path)
    done = run(*arguments, "--shards", folder, "--json")
    assert done.status == 1
    assert list(done.json) == ["error"]
    assert all(done.json["error"][key] for key in ("expected", "found", "next"))
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("place", [_missing, _empty, _file, _below_a_file, _loop, _long])
def test_status_never_needs_an_index(run: Run, tmp_path: Path, place: Callable[[Path], Path]) -> None:
    done = run("status", "--shards", place(tmp_path), "--json")
    assert done.status in (0, 1)
    assert done.json.get("archives") == [] or "error" in done.json


@pytest.mark.parametrize("arguments", [*READING, ["status"]], ids=lambda a: a[0])
def test_an_index_of_another_schema_is_named(run: Run, index_copy: Path, arguments: list[str]) -> None:
    for manifest in index_copy.glob("*/manifest.json"):
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"schema": 99}))
    done = run(*arguments, "--shards", index_copy, "--json")
    assert done.status in (0, 1, 3)
    if arguments[0] != "remove":
        assert "schema 99" in done.out + done.err


@pytest.mark.parametrize("arguments", [*READING, ["status"]], ids=lambda a: a[0])
def test_an_unreadable_folder(run: Run, index_copy: Path, arguments: list[str]) -> None:
    index_copy.chmod(0)
    try:
        with as_anybody():
            done = run(*arguments, "--shards", index_copy)
    finally:
        index_copy.chmod(0o755)
    assert done.status == 1
    assert done.err.count("\n") == 1


def test_an_error_of_the_system_is_one_line(run: Run, shards: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    for arguments in READING:
        done = run(*arguments, "--shards", shards, "--json")
        assert (done.status, "Permission denied" in done.json["error"]["found"]) == (1, True)
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("ABORIST_K", "many"), ("ABORIST_CONFIG", "missing.toml"), ("ABORIST_WORKERS", "")],
)
def test_a_wrong_setting(run: Run, shards: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    done = run("query", "tea", "--shards", shards, "--json")
    assert (done.status, list(done.json)) == (2, ["error"])


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["query", "tea", "--shards", "missing", "--json"], 1),
        (["article", b"\xff\xfe", "--shards", "SHARDS", "--json"], 3),
        (["cite", "0" * 64, "--shards", "SHARDS"], 3),
        (["remove", b"\xff", "--shards", "SHARDS", "--json"], 1),
        (["status", "--shards", b"\xff", "--json"], 0),
        (["nosuch", "--json"], 2),
    ],
)
def test_the_process_ends_as_promised(shards: Path, arguments: list[str | bytes], status: int) -> None:
    named = [str(shards) if argument == "SHARDS" else argument for argument in arguments]
    done = subprocess.run([sys.executable, "-m", "aborist", *named], capture_output=True, check=False, timeout=60)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert not done.stdout or json.loads(done.stdout)
