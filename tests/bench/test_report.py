"""The report holds what the result files hold, in the order of the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.report import main, page
from bench.sections import LONGEST_TABLE, anything, shown, table

ORIGIN = {
    "commit": "0123456789ab", "uncommitted_changes": False, "date": "2026-11-30T10:00:00+00:00",
    "command": "python -m x",
    "machine": {"processor": "P", "cores": 2, "load": 0.1, "python": "3.11", "sqlite": "3.54"},
}  # fmt: skip
COMPARED = {
    "a": "aborist", "b": "fts5", "part": "macro", "measure": "hit1", "n": 9, "a_mean": 0.8, "b_mean": 0.6,
    "difference": 0.2, "low": 0.1, "high": 0.3, "wins": 4, "ties": 5, "losses": 0, "p": 0.00001, "p_holm": 0.00004,
}  # fmt: skip


def write(folder: Path, name: str, **content: Any) -> None:
    path = folder / f"{name}-{len(list(folder.iterdir()))}.json"
    path.write_text(json.dumps({"name": name, **ORIGIN, **content}), encoding="utf-8")


def test_sections_stand_in_order_and_the_newest_of_a_name_counts(tmp_path: Path) -> None:
    write(tmp_path, "build-x", median={"articles": 28437})
    write(tmp_path, "titles-x", rows=[{"form": "what is X", "first": 0.9951}])
    write(tmp_path, "compare-dev", comparisons=[COMPARED])
    write(tmp_path, "titles-x", rows=[{"form": "what is X", "first": 0.9962}], date="2026-12-01T10:00:00+00:00")
    text = page(tmp_path, tmp_path / "no-floors.json", tmp_path)
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## compare-dev", "## titles-x", "## build-x"]
    assert "| what is X | 0.996 |" in text
    assert "0.995" not in text
    assert "| macro | 9 | +0.200 [+0.100, +0.300]; 4 / 5 / 0; p <.0001 |" in text


def test_floors_and_plots_are_shown_where_they_are(tmp_path: Path) -> None:
    write(tmp_path, "gate-x", auroc=0.81)
    (tmp_path / "latency.png").touch()
    floors = tmp_path / "floors"
    floors.write_text(json.dumps({"sweep": {"hit1": 0.9285}}), encoding="utf-8")
    text = page(tmp_path, floors, tmp_path)
    assert "| sweep | 0.928 |" in text
    assert "(plots/latency.png)" in text
    assert "quality.png" not in text


def test_anything_nested_becomes_tables() -> None:
    result = {**ORIGIN, "ece": 0.02, "by_language": {"en": {"auroc": 0.9}, "ru": {"auroc": 0.8, "n": 1200}}}
    assert list(anything(result)) == [
        "|  | value |", "|-|-|", "| ece | 0.020 |",
        "\nby_language:\n", "|  | auroc | n |", "|-|-|-|", "| en | 0.900 | - |", "| ru | 0.800 | 1,200 |",
    ]  # fmt: skip


def test_long_tables_are_cut_and_say_so() -> None:
    lines = list(table([{"row": number} for number in range(LONGEST_TABLE + 3)]))
    assert lines[-1].strip() == "and 3 more in the result file."


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, "-"),
        (True, "true"),
        (1234, "1,234"),
        (0.77149, "0.771"),
        (74.04, "74.0"),
        ("a|b\nc", "a\\|b c"),
        ([1], "[1]"),
    ],
)
def test_cells(value: object, cell: str) -> None:
    assert shown(value) == cell


def test_no_results_is_a_failure_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--results", str(tmp_path), "--out", str(tmp_path / "page.md")]) == 1
    assert capsys.readouterr().err.strip() == "bench: no result files; run `make bench` first"
