"""Cost against size, by stage and beside quality: the commands on small real archives, and the fits against numpy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import scale, scale_plot, speed, stages
from bench.build import cost_of
from bench.index import IndexFailedError, index_of
from bench.questions import load
from bench.report import page
from bench.scale_ask import kind_of
from bench.synthetic.__main__ import generate

SAMPLE = Path(__file__).parents[2] / "samples" / "sample_en.zim"
SWEEP = Path(__file__).parents[2] / "bench" / "qa_questions.txt"


def result_of(folder: Path, name: str) -> dict[str, Any]:
    (path,) = folder.glob(f"{name}-*.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@given(
    st.lists(st.tuples(st.integers(2, 10**7), st.floats(0.01, 1e5)), min_size=2, max_size=8, unique_by=lambda p: p[0])
)
def test_the_exponent_is_that_of_numpys_least_squares(points: list[tuple[float, float]]) -> None:
    expected = np.polyfit(np.log([x for x, _ in points]), np.log([y for _, y in points]), 1)[0]
    assert scale.exponent(points) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_one_size_has_no_exponent() -> None:
    assert scale.exponent([(100, 2.0), (100, 3.0)]) is None


@pytest.mark.slow
def test_two_sizes_are_built_asked_and_fitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {"small": 60, "large": 240}
    zims = []
    for name, articles in sizes.items():
        zims.append(tmp_path / f"{name}.zim")
        generate(articles, zims[-1])
    arguments = ["--zim", *map(str, zims), "--per-kind", "3", "--out", str(tmp_path), "--scratch", str(tmp_path)]
    assert scale.main(arguments) == 0
    found = result_of(tmp_path, "scale")
    small, large = found["archives"]
    assert small["articles"] < large["articles"]
    assert small["index_bytes"] < large["index_bytes"]
    assert large["build"]["cpu_s"] > 0
    assert large["seams_missing"] == []
    assert set(large["kinds"]) == {
        *(kind_of(one) for one in load(zims[1].with_suffix(".questions.jsonl"))),
        "all asked",
    }
    # Stages are told apart: reading and scoring are never free, and a route is named.
    assert {"parse", "statistics", "fuse", "read text", "score", "judge", "route body"} <= set(
        large["stages"]["natural"]
    )
    assert large["kinds"]["title"]["hit1"] >= 0.5
    assert found["exponents"]["natural"]["p50"] is not None
    assert scale_plot.main([str(next(tmp_path.glob("scale-*.json"))), "--out", str(tmp_path / "plots")]) == 0
    assert (tmp_path / "plots" / scale_plot.NAME).stat().st_size > 10_000
    assert "## Cost against size" in page(tmp_path, tmp_path / "none", tmp_path / "plots")


def test_an_archive_without_questions_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scale.main(["--zim", str(SAMPLE), "--out", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "name some by --questions" in told
    assert "Traceback" not in told


def test_an_index_that_exists_is_asked_and_none_is_built(tmp_path: Path, cache: Path) -> None:
    arguments = ["--zim", str(SAMPLE), "--shards", str(index_of([SAMPLE], cache)), "--questions", str(SWEEP)]
    assert scale.main([*arguments, "--per-kind", "5", "--out", str(tmp_path)]) == 0
    (found,) = result_of(tmp_path, "scale")["archives"]
    assert found["build"] is None
    assert not found["synthetic"]
    assert found["articles"] == 137  # with the main page
    assert page(tmp_path, tmp_path / "none", tmp_path)


def test_as_many_indexes_as_archives_are_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scale.main(["--zim", str(SAMPLE), str(SAMPLE), "--shards", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "expected one --shards for each --zim; found 1 for 2" in capsys.readouterr().err


def test_the_stages_of_a_build_add_up_to_its_time(tmp_path: Path) -> None:
    assert stages.main(["--zim", str(SAMPLE), "--out", str(tmp_path), "--scratch", str(tmp_path)]) == 0
    found = result_of(tmp_path, "stages-sample_en")
    assert found["articles"] == 137  # with the main page
    assert found["seams_missing"] == []
    assert sum(row["share"] for row in found["stages"].values()) == pytest.approx(1)
    assert found["stages"]["chunk"]["calls"] >= found["articles"]
    assert found["stages"][stages.REST]["share"] < 0.2


@pytest.mark.slow
def test_speed_measures_builds_and_answers_of_the_same_questions(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    asked = [one for one in load(SWEEP) if one.answerable and one.gold][:30]
    rows = ({"id": str(i), "question": one.text, "set": "triviaqa", "gold_in_archive": sorted(one.gold)}
            for i, one in enumerate(asked))  # fmt: skip
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments = ["--zim", str(SAMPLE), "--questions", str(questions), "--per-group", "15", "--out", str(tmp_path)]
    systems = ["aborist", "tantivy", "bm25s", "fts5"]
    assert speed.main([*arguments, "--systems", ",".join(systems), "--scratch", str(tmp_path)]) == 0
    found = result_of(tmp_path, "speed")
    assert list(found["speed"]) == systems
    assert found["asked"] == 15
    for row in found["speed"].values():
        assert row["build_cpu_s"] > 0
        assert row["index_bytes"] > 0
        assert row["cpu_ms_p50"] <= row["cpu_ms_p95"] <= row["cpu_ms_p99"]
        assert row["macro_hit1"] > 0.3
    text = page(tmp_path, tmp_path / "none", tmp_path)
    assert "## Speed beside quality" in text
    assert "| tantivy |" in text


def test_a_commands_memory_is_not_that_of_the_process_that_measures_it() -> None:
    held = np.ones(40 << 20)  # 320 MB of this process
    cost = cost_of([sys.executable, "-c", "sum(range(10**6))"])
    assert cost.max_rss_mb < 100 < held.nbytes / (1 << 20)
    assert cost.cpu_s > 0


def test_a_command_that_fails_is_told_by_name_and_status() -> None:
    with pytest.raises(IndexFailedError, match="ended with 3"):
        cost_of([sys.executable, "-c", "raise SystemExit(3)"])
