"""`make query` and `make index` hand on what was typed, to the letter, and never run it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Stands where the installed command would: writes down how it was called, leaves with a given status.
PROGRAM = """#!{python}
import json, os, pathlib, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + chr(10))
if sys.argv[1] == "index":
    archive = pathlib.Path(sys.argv[sys.argv.index("--shards") + 1], "archive")
    archive.mkdir(parents=True, exist_ok=True)
    archive.joinpath("manifest.json").write_text("{{}}")
else:
    sys.exit(int(os.environ.get("LEAVE_WITH", "0")))
"""


class Make:
    """Runs a target in the checkout with a virtualenv that looks installed and an empty index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards = folder / "sh ards"
        program = folder / "venv" / "bin" / "aborist"
        program.parent.mkdir(parents=True)
        program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        for made in ("bin/pip", ".installed-base", ".installed-dev"):
            (folder / "venv" / made).touch()

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = [f"VENV={self.folder / 'venv'}", f"SHARDS={self.shards}"]
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
        return subprocess.run(
            ["make", "--silent", *arguments, *variables],
            cwd=ROOT,
            env={**kept, "CALLS": str(self.folder / "calls"), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> list[list[str]]:
        written = (self.folder / "calls").read_text(encoding="utf-8")
        return [json.loads(line) for line in written.splitlines()]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return Make(tmp_path)


NASTY = [
    "costs $5 or $$ or ${HOME} or $(HOME)",
    "`touch pwned`; $(touch pwned) $(shell touch pwned) $(error pwned) $(",
    """a "double" and 'single' quoted, isn't it \\""",
    "--help",
    "# hash, 100% | x > y & z * ~ {a,b} !!",
    "two\nlines",
    "привет «мир» 東京",
    "K=3",
    "x" * 20_000,
]


@pytest.mark.parametrize("question", NASTY)
@pytest.mark.parametrize("way", ["argument", "environment"])
def test_the_question_arrives_as_it_was_typed(make: Make, question: str, way: str) -> None:
    done = make("query", f"Q={question}") if way == "argument" else make("query", Q=question)
    assert done.returncode == 0, done.stderr
    assert make.calls()[-1] == ["query", "--shards", str(make.shards), "-k", "10", "--", question]
    assert not (ROOT / "pwned").exists()


def test_samples_are_indexed_only_into_an_empty_index(make: Make) -> None:
    make("query", "Q=one")
    make("query", "Q=two", "K=3")
    indexed, one, two = make.calls()
    assert indexed == ["index", "samples/sample_en.zim", "samples/seeds_ru.zim", "--shards", str(make.shards)]
    assert one[-1] == "one"
    assert two[-4:] == ["-k", "3", "--", "two"]


@pytest.mark.parametrize(("status", "is_failure"), [("0", False), ("1", True), ("2", True), ("3", False)])
def test_no_answer_is_no_failure_of_make_but_everything_else_is(make: Make, status: str, is_failure: bool) -> None:
    assert bool(make("query", "Q=x", LEAVE_WITH=status).returncode) is is_failure


@pytest.mark.parametrize("target", ["query", "index"])
def test_a_target_without_its_variable_says_how_to_call_it(make: Make, target: str) -> None:
    done = make(target, Q="", ZIM="")
    assert done.returncode != 0
    assert f"usage: make {target}" in done.stderr


def test_index_takes_several_archives_or_one_path_with_blanks(make: Make, tmp_path: Path) -> None:
    blank = tmp_path / "my $5 file.zim"
    blank.touch()
    make("index", "ZIM=a.zim b.zim")
    make("index", f"ZIM={blank}")
    several, one = make.calls()
    assert several[-2:] == ["a.zim", "b.zim"]
    assert one[-1] == str(blank)


def test_make_alone_lists_the_targets(make: Make) -> None:
    listed = make().stdout
    assert all(f"make {target}" in listed for target in ("query", "index", "test", "lint", "bench", "check"))
