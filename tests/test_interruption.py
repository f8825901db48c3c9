"""Builds that are interrupted or killed: readers see the old index or the new one, and the next run resumes.

Cases L01, L02, L03 and L06, on the command itself in processes of its own.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from aborist import build
from aborist.engine import Engine
from aborist.errors import IndexStateError
from aborist.shard import manifest as manifests
from aborist.shard.lock import exclusive
from aborist.shard.publish import STATE, place, publish, tidy
from tests import zims
from tests.test_build import THEMES, Quiet, contents, corpus, entries, indexed, redirects

pytestmark = pytest.mark.slow

ARTICLES = 1_500
PATIENCE = 60  # seconds for what takes one or two on an idle machine
# The command with parts so small that there are many moments to be killed at.
COMMAND = """
import functools, sys
from aborist import build, cli
build.index = functools.partial(build.index, part_articles=25)
sys.exit(cli.main())
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("zim") / "big.zim"
    return zims.build(file, corpus(ARTICLES), redirects(ARTICLES), cluster_bytes=2048)


@pytest.fixture(scope="module")
def clean(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a build that nothing interrupted."""
    shards = tmp_path_factory.mktemp("clean")
    indexed([archive], shards, shard_count=2, part_articles=25)
    return shards / "big"


class Running:
    """`aborist index` in a process group of its own."""

    def __init__(self, archive: Path, shards: Path) -> None:
        self.building = shards / ".building-big"
        self.lock = shards / manifests.LOCK
        command = [sys.executable, "-c", COMMAND, "index", str(archive), "--shards", str(shards), "--json"]
        self.process = subprocess.Popen(
            [*command, "--workers", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def is_building(self) -> bool:
        """Whether it holds the lock; before that a signal just ends a Python that is starting."""
        return self.lock.exists() and f"pid {self.process.pid} " in self.lock.read_text()

    def wait_for(self, condition: Callable[[], bool]) -> bool:
        """Wait until it is building and the condition holds; False if the process ended first."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            if self.is_building() and condition():
                return True
            time.sleep(0.002)
        return condition()

    def parts(self) -> int:
        return len(list(self.building.glob("*.spool")))

    def group(self) -> dict[int, str]:
        """The living processes of the group by id, with their command lines."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                state, _, group = folder.joinpath("stat").read_text().rpartition(")")[2].split()[:3]
                if int(group) == self.process.pid and state != "Z":
                    found[int(folder.name)] = folder.joinpath("cmdline").read_text()
        return found

    def workers(self) -> list[int]:
        return [pid for pid, command in self.group().items() if "spawn_main" in command]

    def end(self) -> tuple[int, str, str]:
        """Exit status, stdout and stderr, once the process ended; all of its group are gone soon after."""
        out, err = self.process.communicate(timeout=PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while self.group() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not self.group()
        return self.process.returncode, out, err


@pytest.fixture
def start(archive: Path) -> Iterator[Callable[[Path], Running]]:
    started: list[Running] = []

    def begin(shards: Path) -> Running:
        started.append(Running(archive, shards))
        return started[-1]

    yield begin
    for run in started:
        for pid in run.group():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run.process.communicate()


def _reached(run: Running, parts: int, published: Path) -> bool:
    return run.parts() >= parts or published.exists()


def control_c(run: Running) -> None:
    os.killpg(run.process.pid, signal.SIGINT)


def terminate(run: Running) -> None:
    run.process.terminate()


def terminate_all(run: Running) -> None:
    os.killpg(run.process.pid, signal.SIGTERM)


def kill(run: Running) -> None:
    run.process.kill()


def kill_all(run: Running) -> None:
    os.killpg(run.process.pid, signal.SIGKILL)


def kill_a_worker(run: Running) -> None:
    for pid in run.workers()[:1]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def check_outcome(stop: Callable[[Running], None], outcome: tuple[int, str, str]) -> None:
    status, out, err = outcome
    if stop in {kill, kill_all}:
        assert status == -signal.SIGKILL
        return
    assert "Traceback" not in err
    (line,) = err.splitlines()
    if stop is kill_a_worker:
        assert status == 1
        assert "one that was killed" in line
        assert "error" in json.loads(out)
    else:
        assert status == 130
        assert "nothing of the archive under way was published" in line
        assert out == ""


def check_is_clean(shards: Path, clean: Path) -> None:
    assert manifests.load(shards / "big").snapshot_root == manifests.load(clean).snapshot_root
    assert contents(shards / "big") == contents(clean)
    assert {file.name for file in shards.iterdir()} == {"big", ".lock"}
    for shard in manifests.load(shards / "big").shards:
        with closing(apsw.Connection(str(shards / "big" / shard.name))) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with closing(Engine.open(shards)) as found, closing(Engine.open(clean.parent)) as expected:
        for question in ("keeper17", "castle 62", "what is alias 30", "history of harbour"):
            assert [(r.path, r.score) for r in found.ask(question).results] == [
                (r.path, r.score) for r in expected.ask(question).results
            ]


@pytest.mark.parametrize("stop", [control_c, terminate, terminate_all, kill, kill_all, kill_a_worker])
def test_stopped_again_and_again_it_ends_as_if_it_never_was(
    stop: Callable[[Running], None], start: Callable[[Path], Running], clean: Path, tmp_path: Path
) -> None:
    moments = random.Random(stop.__name__)
    done = 0
    for _ in range(4):
        run = start(tmp_path)
        goal = done + moments.randint(1, 14)
        assert run.wait_for(partial(_reached, run, goal, tmp_path / "big"))
        time.sleep(moments.random() / 10)
        done = max(done, run.parts())
        if (tmp_path / "big").exists():
            break  # too late: it is being published
        stop(run)
        outcome = run.end()
        if manifests.archives_in(tmp_path):
            break  # it was published before the signal came
        check_outcome(stop, outcome)
        assert manifests.archives_in(tmp_path) == []
        with pytest.raises(IndexStateError, match="no archive there"):
            Engine.open(tmp_path)
    run = start(tmp_path)
    status, out, err = run.end()
    assert status == 0, err
    (report,) = json.loads(out)["archives"]
    assert report["status"] in {"indexed", "unchanged"}
    assert report["articles"] == ARTICLES
    if report["status"] == "indexed":
        # A spool may be written and its part not yet be committed: one for each worker.
        assert report["resumed"] >= (done - 2) * 25
    check_is_clean(tmp_path, clean)


@pytest.mark.parametrize("stop", [control_c, kill])
def test_stopped_while_finishing_it_resumes_with_all_parts(
    stop: Callable[[Running], None], start: Callable[[Path], Running], clean: Path, tmp_path: Path
) -> None:
    run = start(tmp_path)
    assert run.wait_for((run.building / "links.db").exists)
    stop(run)
    check_outcome(stop, run.end())
    assert manifests.archives_in(tmp_path) == []
    status, out, _ = start(tmp_path).end()
    (report,) = json.loads(out)["archives"]
    assert (status, report["resumed"]) == (0, ARTICLES)
    check_is_clean(tmp_path, clean)


def test_an_orphan_worker_ends_within_moments(start: Callable[[Path], Running], tmp_path: Path) -> None:
    run = start(tmp_path)
    assert run.wait_for(lambda: run.parts() >= 3)
    assert run.workers()
    run.process.kill()
    run.process.wait()
    begun = time.monotonic()
    while run.workers() and time.monotonic() - begun < PATIENCE:
        time.sleep(0.01)
    assert time.monotonic() - begun < 5


def test_a_killed_rebuild_leaves_the_old_index_to_readers(
    tmp_path: Path, start: Callable[[Path], Running], archive: Path
) -> None:
    (tmp_path / "old").mkdir()
    old = zims.build(tmp_path / "old" / "big.zim", corpus(30))
    shards = tmp_path / "s"
    build.index([old], shards, progress=Quiet())
    manifest = json.loads((shards / "big" / "manifest.json").read_text())
    manifest["source"] = str(archive)  # as if the archive had been replaced in its place
    (shards / "big" / "manifest.json").write_text(json.dumps(manifest))
    with closing(Engine.open(shards)) as reader:
        for goal in (5, 30, 55):
            run = start(shards)
            assert run.wait_for(partial(_reached, run, goal, run.building / "nothing"))
            kill_all(run)
            run.end()
            assert reader.ask("keeper17").results[0].path == "harbour_17"
            with closing(Engine.open(shards)) as another:
                assert another.ask("keeper17").results[0].path == "harbour_17"
            assert manifests.load(shards / "big").articles == 30
        assert start(shards).end()[0] == 0
        assert reader.ask("keeper17").results[0].path == "harbour_17"
    with closing(Engine.open(shards)) as another:
        assert another.ask("keeper1400").results[0].path == f"{THEMES[1400 % 12]}_1400"
    assert manifests.load(shards / "big").articles == ARTICLES


# -- publication, step by step -----------------------------------------------------------------------------


@pytest.fixture
def finished(tmp_path: Path) -> tuple[Path, Path, manifests.Manifest]:
    """A published archive of 30 articles, a finished build of 60 beside it, and that one's manifest."""
    for name, count in (("old", 30), ("new", 60)):
        file = tmp_path / name / "x.zim"
        file.parent.mkdir()
        indexed([zims.build(file, corpus(count), cluster_bytes=2048)], tmp_path / f"{name}-shards", shard_count=2)
    building = tmp_path / "old-shards" / ".building-x"
    (tmp_path / "new-shards" / "x").rename(building)
    manifest = manifests.load(building)
    (building / manifests.FILE_NAME).rename(building / STATE)
    return tmp_path / "old-shards" / "x", building, manifest


def articles_for_readers(folder: Path) -> int:
    """How many articles a reader that opens the index now finds."""
    with closing(Engine.open(folder.parent)) as engine:
        assert engine.ask("keeper17").results
    return sum(1 for _ in entries(folder))


def test_a_kill_after_the_files_were_placed_leaves_the_old_index(
    finished: tuple[Path, Path, manifests.Manifest],
) -> None:
    folder, building, manifest = finished
    place(folder, building, manifest)
    assert articles_for_readers(folder) == 30
    assert articles_for_readers(folder) == 30
    publish(folder, building, manifest)  # the next run does it all again
    assert articles_for_readers(folder) == 60
    assert len(list(folder.iterdir())) == 3
    assert not building.exists()


def test_a_kill_after_the_manifest_was_replaced_leaves_the_new_index(
    finished: tuple[Path, Path, manifests.Manifest],
) -> None:
    folder, building, manifest = finished
    placed = place(folder, building, manifest)
    manifests.save(folder, placed)
    assert articles_for_readers(folder) == 60
    assert len(list(folder.iterdir())) == 5
    tidy(folder, building, placed)
    assert articles_for_readers(folder) == 60
    assert len(list(folder.iterdir())) == 3
    assert not building.exists()


def test_tidying_keeps_the_vectors_of_published_shards_only(
    finished: tuple[Path, Path, manifests.Manifest],
) -> None:
    folder, building, _ = finished
    for name in ("000.use.db", "000-zzzzzz.use.db", "001.st-mini-v2.db"):
        (folder / name).touch()
    tidy(folder, building, manifests.load(folder))
    assert {f.name for f in folder.iterdir()} == {
        "manifest.json",
        "000.db",
        "001.db",
        "000.use.db",
        "001.st-mini-v2.db",
    }


# -- one at a time -----------------------------------------------------------------------------------------


def test_a_second_indexer_exits_at_once_and_names_the_first(
    start: Callable[[Path], Running], archive: Path, clean: Path, tmp_path: Path
) -> None:
    first = start(tmp_path)
    assert first.wait_for(lambda: first.parts() >= 1)
    status, out, err = start(tmp_path).end()
    assert status == 1
    assert err.count("\n") == 1
    assert f"pid {first.process.pid} " in err
    assert f"pid {first.process.pid} " in json.loads(out)["error"]["found"]
    with pytest.raises(IndexStateError, match=f"pid {first.process.pid} "):
        build.remove(tmp_path, "big")
    assert first.end()[0] == 0
    check_is_clean(tmp_path, clean)


def test_the_lock_of_a_dead_holder_does_not_block(archive: Path, tmp_path: Path) -> None:
    (tmp_path / manifests.LOCK).write_text("pid 1 on elsewhere since 2020-01-01 00:00:00")
    with exclusive(tmp_path):
        assert f"pid {os.getpid()} " in (tmp_path / manifests.LOCK).read_text()
        with pytest.raises(IndexStateError, match="another indexer is running"), exclusive(tmp_path):
            pass
    assert (tmp_path / manifests.LOCK).read_text() == ""


# -- what was begun and cannot be continued ----------------------------------------------------------------


def begun(archive: Path, shards: Path, start: Callable[[Path], Running]) -> Path:
    run = start(shards)
    assert run.wait_for(lambda: run.parts() >= 20)
    kill_all(run)
    run.end()
    return run.building


def tear_database(building: Path) -> None:
    file = building / "000.db"
    data = bytearray(file.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    file.write_bytes(data)
    building.joinpath("000.db-journal").unlink(missing_ok=True)


def lose_spool(building: Path) -> None:
    min(building.glob("000.*.spool")).unlink()


def tear_state(building: Path) -> None:
    (building / STATE).write_text('{"uuid":')


def tear_sample(building: Path) -> None:
    (building / "sample.json").write_text("{")


def no_database(building: Path) -> None:
    (building / "000.db").write_bytes(b"not a database" * 1000)
    building.joinpath("000.db-journal").unlink(missing_ok=True)


@pytest.mark.parametrize("damage", [tear_database, lose_spool, tear_state, tear_sample, no_database])
def test_what_a_power_cut_damaged_is_built_again(
    damage: Callable[[Path], None],
    start: Callable[[Path], Running],
    archive: Path,
    clean: Path,
    tmp_path: Path,
) -> None:
    damage(begun(archive, tmp_path, start))
    status, _, err = start(tmp_path).end()
    assert status == 0, err
    check_is_clean(tmp_path, clean)


def test_another_number_of_workers_continues_what_was_begun(
    start: Callable[[Path], Running], archive: Path, clean: Path, tmp_path: Path
) -> None:
    begun(archive, tmp_path, start)
    report: Any
    (report,) = indexed([archive], tmp_path, workers=1, part_articles=25)
    assert report.resumed >= 18 * 25
    assert report.shards == 2
    check_is_clean(tmp_path, clean)


def test_another_archive_in_its_place_begins_anew(
    start: Callable[[Path], Running], archive: Path, tmp_path: Path
) -> None:
    begun(archive, tmp_path / "s", start)
    other = zims.build(tmp_path / "big.zim", corpus(30))
    (report,) = indexed([other], tmp_path / "s")
    assert (report.articles, report.resumed) == (30, 0)
    assert not (tmp_path / "s" / ".building-big").exists()
