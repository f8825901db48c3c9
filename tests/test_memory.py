"""Memory: what there is, how it is shared out, what is told when it is too little, and a build that stays within it."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from aborist import memory
from aborist.errors import MemoryLimitError, UsageError
from aborist.memory import MB, Limit, for_build, for_query, parse_size
from tests import zims
from tests.conftest import Run

SIZES = {"512M": 512 << 20, "2G": 2 << 30, "512 MiB": 512 << 20, "1048576": 1 << 20, "64k": 64 << 10}


@pytest.mark.parametrize("text", SIZES)
def test_a_size_is_read(text: str) -> None:
    assert parse_size(text) == SIZES[text]


@pytest.mark.parametrize("text", ["", "0", "-5M", "1.5G", "many", "M", "5Q", "9" * 40])
def test_what_is_no_size_is_wrong_usage(text: str, run: Run, shards: Path) -> None:
    with pytest.raises(UsageError):
        parse_size(text)
    if text:
        done = run("query", "tea", "--shards", shards, "--memory", text)
        assert done.status == 2
        assert done.err.count("\n") == 1
        assert "--memory" in done.err


@pytest.mark.parametrize("count", [1, 2, 8])
@pytest.mark.parametrize("megabytes", [200, 300, 512, 4096, 1 << 20])
def test_a_build_is_given_what_there_is_or_told(megabytes: int, count: int) -> None:
    found = Limit(megabytes * MB, "a test")
    fits = memory.workers(found, count)
    if fits < count:
        with pytest.raises(MemoryLimitError, match=rf"found {megabytes} MB \(a test\); set --workers {fits}$"):
            for_build(found, count)
    share = for_build(found, fits)  # what it says to do works
    held = share.cache + share.postings + share.words * memory.WORD_COST + share.page * memory.PAGE_COST
    assert memory.PARENT + fits * (memory.WORKER + held) <= found.bytes
    if megabytes == 1 << 20 and count == 1:
        assert share == memory.BuildMemory()


@pytest.mark.parametrize("megabytes", [88, 128, 512, 1 << 20])
def test_an_open_index_is_given_what_there_is(megabytes: int) -> None:
    share = for_query(Limit(megabytes * MB, "a test"))
    held = share.open_shards * (share.pages_kib + 300) * 1024 + share.texts + share.words * memory.WORD_COST
    assert memory.ASKING + held <= megabytes * MB or megabytes == 88
    assert share.open_shards >= 4


def test_the_limit_of_the_group_around_it_counts(tmp_path: Path) -> None:
    own = tmp_path / "cgroup"
    own.write_text("4:memory:/outer/inner\n1:cpu:/elsewhere\n0::/v2/leaf\n")
    found = [str(file.relative_to(tmp_path)) for file in memory._group_files(tmp_path, own)]
    assert found == [
        "memory/outer/inner/memory.limit_in_bytes",
        "memory/outer/memory.limit_in_bytes",
        "memory/memory.limit_in_bytes",
        "v2/leaf/memory.max",
        "v2/memory.max",
        "memory.max",
    ]


def limited(megabytes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command line in a process whose data the kernel limits (RLIMIT_DATA: private writable memory)."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MB, megabytes * MB))

    command = [sys.executable, "-m", "aborist", *map(str, arguments)]
    root = Path(__file__).parents[1]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=root, preexec_fn=limit)


def pages(count: int) -> list[zims.Page]:
    return [zims.page(f"Topic {n}", f"Topic {n} is about thing{n} and " + f"word{n % 97} " * 200) for n in range(count)]


@pytest.mark.slow
def test_a_build_and_a_question_stay_within_a_limit_of_the_kernel(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "topics.zim", pages(3_000), cluster_bytes=20_000)  # more than a part: a worker builds
    done = limited(512, "index", file, "--shards", tmp_path / "shards", "--workers", 1)
    assert (done.returncode, "3,000 articles" in done.stdout) == (0, True), done.stderr
    asked = limited(128, "query", "what is topic 17 about", "--shards", tmp_path / "shards")
    assert asked.returncode == 0, asked.stderr
    assert "Topic 17" in asked.stdout


@pytest.mark.parametrize(("command", "megabytes"), [("index", 120), ("query", 85)])
def test_too_little_is_told_before_it_begins(
    tmp_path: Path, archives: dict[str, Path], command: str, megabytes: int
) -> None:
    what = archives["other"] if command == "index" else "tea"
    done = limited(megabytes, command, what, "--shards", tmp_path / "shards")
    assert done.returncode == 1
    assert done.stderr.startswith("aborist: expected at least ")
    assert f"found {megabytes} MB (RLIMIT_DATA)" in done.stderr
    assert done.stderr.count("\n") == 1


RUNS_OUT = """
import sys
from aborist import memory
from aborist.cli import main
memory._limits = lambda: iter(())
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_memory_that_runs_out_all_the_same_is_one_line_and_the_next_run_finishes(tmp_path: Path) -> None:
    html = "<html><body><h1>Long</h1>" + "<p>One more paragraph of a very long page.</p>" * 200_000 + "</body></html>"
    file = zims.build(tmp_path / "long.zim", [zims.Page("Long", "Long", html), zims.page("Tea", "A drink.")])

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (90 * MB, 90 * MB))

    command = ["index", str(file), "--shards", str(tmp_path / "shards"), "--workers", "1"]
    done = subprocess.run([sys.executable, "-c", RUNS_OUT, *command], capture_output=True, text=True, check=False,
                          cwd=Path(__file__).parents[1], preexec_fn=limit)  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "aborist: expected enough memory" in done.stderr.splitlines()[-1]
    assert "--memory" in done.stderr
    assert limited(1024, *command).returncode == 0


def test_a_page_beyond_the_bound_is_left_out_with_its_reason(run: Run, tmp_path: Path) -> None:
    html = f"<html><body><h1>Long</h1><p>{'word ' * 300_000}</p></body></html>"
    file = zims.build(tmp_path / "long.zim", [zims.Page("Long", "Long", html), zims.page("Tea", "A drink.")])
    done = run("index", file, "--shards", tmp_path / "shards", "--workers", 1, "--memory", "186M", "--json")
    assert done.status == 0, done.err
    (report,) = done.json["archives"]
    assert report["articles"] == 1
    assert {reason[:17] for reason in report["skipped"]} == {"page of more than"}
    assert any("--memory" in warning for warning in report["warnings"])
