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
    write(tmp_path, "another", n=1)
    write(tmp_path, "frames", n=1)
    text = page(tmp_path, tmp_path / "no-floors.json", tmp_path)
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## compare-dev", "## titles-x", "## frames", "## build-x", "## another"]
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


def test_failures_in_a_row_are_counted_and_what_is_small_is_told_in_its_cell() -> None:
    file = {"name": "seeds/questions.jsonl", "sha256": "0" * 64}
    row = {"n": 2, "by_kind": {"literal": 0.5, "None": None}, "wrong": [{"question": "q"}] * 3, "questions": file}
    assert list(anything({**ORIGIN, "seeds": {"ru": row}}))[-1] == (
        "| ru | 2 | literal 0.500; None - | 3 | seeds/questions.jsonl |"
    )


def test_the_gate_is_told_in_tables(tmp_path: Path) -> None:
    levels = {"strong": {"share": 0.75, "right": 1.0}, "refused": {"share": 0.25, "right": None}}
    found = {
        "enwiki": {"auroc": {"absent": {"right": 0.91, "answerable": 0.82}}, "ece": 0.021, "reliability": [{"w": 1}],
                   "levels": {"enwiki/squad own": levels}},
        "elsewhere": {"auroc": {}, "ece": 0.5, "reliability": [], "levels": {}},
    }  # fmt: skip
    write(
        tmp_path, "gate", thresholds={"strong": 0.6}, worth={"strong": [1.0, 1.5]}, rules={"title": 0.92}, folds=2,
        models={"eng": found},
    )  # fmt: skip
    lines = page(tmp_path, tmp_path / "no-floors.json", tmp_path).splitlines()
    assert "| strong | 0.600 | 1.000 | -1.500 |" in lines
    assert "How often the first article is right that a rule accepts: title 0.920." in lines
    assert lines[lines.index("### gate: eng") :][4:8] == [
        "| family | ECE | absent |", "|-|-|-|", "| enwiki | 0.021 | 0.910 / 0.820 |", "| elsewhere | 0.500 | - |",
    ]  # fmt: skip
    assert "| enwiki/squad own | 0.750 (1.000) | 0.250 (-) |" in lines
    assert "{" not in "".join(lines)


def test_every_committed_result_is_told_without_a_dump() -> None:
    assert max(map(len, page().splitlines())) < 600


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
        ([{"a": 1}], "1"),
        ({"a": 1.5, "b": None}, "a 1.500; b -"),
    ],
)
def test_cells(value: object, cell: str) -> None:
    assert shown(value) == cell


def test_no_results_is_a_failure_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--results", str(tmp_path), "--out", str(tmp_path / "page.md")]) == 1
    assert capsys.readouterr().err.strip() == "bench: no result files; run `make bench` first"
