"""The benchmark's commands on the bundled samples."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from bench import build, floor, record, run
from bench.build import Cost, Measured, ratios, run_measured
from bench.index import IndexFailedError
from bench.systems import DEFAULT

ROOT = Path(__file__).parents[2]
RUSSIAN = ROOT / "samples" / "seeds_ru.zim"
SWEEP = ROOT / "bench" / "qa_questions.txt"


def run_sweep(tmp_path: Path, *more: str) -> int:
    questions = tmp_path / "few.txt"
    questions.write_text("# topics\nчто такое TCP\tTCP\nглубина Байкала\tБайкал\n", encoding="utf-8")
    out = ["--out", str(tmp_path / "results"), "--cache", str(tmp_path / "cache"), "--name", "few"]
    return run.main(["--zim", str(RUSSIAN), "--questions", str(questions), *out, *more])


def test_a_run_prints_a_table_and_writes_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_sweep(tmp_path, "--systems", "fts5,libzim", "--by", "category") == 0
    printed = capsys.readouterr().out
    assert "topics" in printed
    (result,) = (tmp_path / "results").glob("*.json")
    assert re.fullmatch(r"few-(\w{12}|uncommitted)\.json", result.name)
    content = json.loads(result.read_text(encoding="utf-8"))
    assert set(content["systems"]) == {"fts5", "libzim"}
    assert content["corpus"] == [{"name": "seeds_ru.zim", "uuid": content["corpus"][0]["uuid"], "bytes": 297665}]
    assert content["systems"]["fts5"]["all"]["n"] == 2


def test_a_result_names_no_machine_and_no_path(tmp_path: Path) -> None:
    run_sweep(tmp_path, "--systems", "fts5")
    (result,) = (tmp_path / "results").glob("*.json")
    text = result.read_text(encoding="utf-8")
    assert str(tmp_path.parent) not in text
    assert str(ROOT) not in text
    assert "few.txt" in text


def test_an_unknown_system_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run_sweep(tmp_path, "--systems", "solr")
    assert left.value.code == 2
    assert (
        "expected some of aborist, fts5, bm25s, tantivy, libzim, suggestions, zimantic, zimi; found solr"
        in capsys.readouterr().err
    )


def test_no_question_left_is_a_failure_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_sweep(tmp_path, "--systems", "fts5", "--sets", "nothing") == 1
    assert capsys.readouterr().err.strip() == "bench: no question is left: look at --questions and --sets"


def test_an_index_or_an_archive_that_is_none_is_a_failure_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_sweep(tmp_path, "--systems", "aborist", "--shards", str(tmp_path / "absent")) == 1
    assert "expected an index" in capsys.readouterr().err
    other = tmp_path / "other.zim"
    other.write_bytes(b"PK")
    assert run.main(["--zim", str(other), "--questions", str(SWEEP), "--systems", "fts5"]) == 1
    assert capsys.readouterr().err.strip() == "bench: other.zim is no ZIM file"


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_number_of_questions_below_one_is_wrong_usage(
    tmp_path: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        run_sweep(tmp_path, f"--limit-per-set={number}")
    assert left.value.code == 2
    assert f"expected a whole number from 1; found '{number}'" in capsys.readouterr().err


def test_a_missing_question_file_is_a_failure_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--zim", str(RUSSIAN), "--questions", "absent.txt", "--systems", "fts5"]) == 1
    assert "absent.txt" in capsys.readouterr().err


def test_aborist_answers_the_sweep_beside_the_baselines(tmp_path: Path) -> None:
    assert run_sweep(tmp_path) == 0
    (result,) = (tmp_path / "results").glob("*.json")
    systems = json.loads(result.read_text(encoding="utf-8"))["systems"]
    assert set(systems) == set(DEFAULT)
    assert systems["aborist"]["all"]["hit1"] == 1.0
    assert systems["aborist"]["route_ms"]


def test_the_floor_counts_articles_and_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert floor.main([str(RUSSIAN), str(tmp_path / "floor.db")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["articles"] == 104  # 103 and the main page
    assert report["text_bytes"] > 50_000
    assert floor.main([]) == 2


def test_cost_covers_the_children_of_a_command(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < .2: pass"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}]); print('{{}}')"
    output = tmp_path / "out"
    output.mkdir()
    (output / "a").write_bytes(b"1234")
    measured = run_measured([sys.executable, "-c", script], output)
    assert measured.cost.cpu_s >= 0.2
    assert measured.cost.wall_s > 0
    assert (measured.bytes, measured.report) == (4, {})


def test_a_build_that_fails_is_reported(tmp_path: Path) -> None:
    with pytest.raises(IndexFailedError, match="ended with 7"):
        run_measured([sys.executable, "-c", "raise SystemExit(7)"], tmp_path)


def test_ratios_are_against_the_floor_of_the_same_run() -> None:
    plain = Measured(Cost(2.0, 4.0, 100.0), 1000, {"articles": 10, "text_bytes": 2000})
    built = Measured(Cost(3.0, 2.0, 200.0), 1500, {})
    found = ratios(plain, built)
    assert found["cpu_ratio"] == 1.5
    assert found["size_ratio"] == 1.5
    assert found["aborist_index_to_text"] == 0.75
    assert found["aborist_articles_per_s"] == 5.0
    assert found["aborist_bytes_per_article"] == 150.0


def test_the_build_is_measured_beside_the_floor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--zim", str(RUSSIAN), "--out", str(tmp_path / "results"), "--scratch", str(tmp_path)]) == 0
    assert "cpu_ratio" in capsys.readouterr().out
    (result,) = (tmp_path / "results").glob("*.json")
    content = json.loads(result.read_text(encoding="utf-8"))
    assert content["median"]["articles"] == 104
    assert content["median"]["aborist_bytes"] > 0


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ("--zim", "--zim"),
        ("/home/me/data/a.zim", "data/a.zim"),
        ("a.zim", "a.zim"),
        ("../x/y/z.txt", "y/z.txt"),
    ],
)
def test_paths_in_the_command_are_cut_to_two_parts(argument: str, shown: str) -> None:
    assert record.command("bench.run", [argument]) == f"python -m bench.run {shown}"
