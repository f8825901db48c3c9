"""The plots' figures against scipy and by hand, and that the same result draws the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy import stats

from bench import plots, record, run
from bench.plots import calibration_error, looks, reliability, wilson

ROOT = Path(__file__).parents[2]
RUSSIAN = ROOT / "samples" / "seeds_ru.zim"


@pytest.mark.parametrize(("right", "n"), [(0, 10), (1, 10), (50, 99), (10, 10)])
def test_the_interval_of_a_share_is_wilsons(right: int, n: int) -> None:
    theirs = stats.binomtest(right, n).proportion_ci(method="wilson")
    assert wilson(right / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-4)


def test_bins_hold_what_was_said_and_what_was_right() -> None:
    bins = reliability([(0.12, False), (0.18, True), (0.95, True), (1.0, True)])
    assert [(b.n, b.right) for b in bins] == [(2, 0.5), (2, 1.0)]
    assert [b.said for b in bins] == pytest.approx([0.15, 0.975])
    assert calibration_error(bins) == pytest.approx((2 * 0.35 + 2 * 0.025) / 4)


@pytest.mark.slow
def test_a_result_with_groups_draws_three_plots_always_the_same(tmp_path: Path, russian_shards: Path) -> None:
    questions = tmp_path / "q.jsonl"
    rows = [("TCP", "squad_dev_v11"), ("Байкал", "fever_beir_test"), ("Солнце", "triviaqa")]
    lines = [
        json.dumps({"id": str(n), "question": f"что такое {title}", "gold_in_archive": [title], "set": name})
        for n, (title, name) in enumerate(rows)
    ]
    questions.write_text("\n".join(lines), encoding="utf-8")
    options = ["--zim", str(RUSSIAN), "--questions", str(questions), "--shards", str(russian_shards)]
    assert run.main([*options, "--systems", "aborist,libzim", "--out", str(tmp_path), "--cache", str(tmp_path)]) == 0
    result = str(record.newest("dev", tmp_path))
    for folder in ("a", "b"):
        assert plots.main([result, "--out", str(tmp_path / folder)]) == 0
    drawn = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert set(drawn) == {"quality.png", "latency.png", "calibration.png"}
    for name, data in drawn.items():
        assert data.startswith(b"\x89PNG")
        assert data == (tmp_path / "b" / name).read_bytes()


def test_a_result_of_another_measure_is_a_failure_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "frames-0.json"
    other.write_text(json.dumps({"name": "frames", "seeds": {}}), encoding="utf-8")
    assert plots.main([str(other)]) == 1
    assert capsys.readouterr().err.strip() == (
        "bench: expected a result of bench.run; found no systems in frames-0.json"
    )


def test_a_group_without_gold_is_left_out_of_the_plots(tmp_path: Path) -> None:
    questions = tmp_path / "q.jsonl"
    rows = [
        {"question": "что такое TCP", "gold_in_archive": ["TCP"], "set": "triviaqa"},
        {"question": "что такое TCP", "gold_in_archive": [], "answerable": False, "set": "squad_dev_v11"},
    ]
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    options = ["--zim", str(RUSSIAN), "--questions", str(questions), "--systems", "libzim,suggestions"]
    assert run.main([*options, "--out", str(tmp_path), "--cache", str(tmp_path)]) == 0
    assert plots.main([str(record.newest("dev", tmp_path)), "--out", str(tmp_path / "plots")]) == 0
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {"quality.png", "latency.png"}


def test_every_system_has_a_look_of_its_own_whether_it_is_named_here_or_not() -> None:
    systems = [*plots.LOOKS, "mine", "yours", "theirs"]
    found = looks(systems)
    assert found["aborist"] == ("#0072B2", "o")
    assert len({marker for _, marker in found.values()}) == len(systems)


def test_a_missing_result_is_a_failure_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plots.main([str(tmp_path / "absent.json")]) == 1
    assert "absent.json" in capsys.readouterr().err
    with pytest.raises(record.MissingResultError, match="expected a result named dev"):
        record.newest("dev", tmp_path)
