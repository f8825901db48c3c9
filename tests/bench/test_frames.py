"""The figures of bench.frames counted by hand, and a run over a small archive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import frames
from bench.frames import Told, accuracy, references
from tests import zims

TOLD = [
    Told("a", "reference", "reference", "quoted", "Work", True),
    Told("b", "reference", "literal", "literal", None, True),
    Told("c", "reference", None, "no answer", None, False),
    Told("d", "literal", "literal", "literal", None, True),
    Told("e", None, None, "no answer", None, False),
    Told("f", None, "reference", "quoted", "Work", False),
]


def test_accuracy_is_counted_over_all_each_kind_and_the_right_answers() -> None:
    found = accuracy(TOLD)
    assert found["right"] == 3 / 6
    assert found["by_kind"] == {"reference": 1 / 3, "literal": 1.0, "None": 1 / 2}
    assert found["of_right_answers"] == 2 / 3
    assert [one["question"] for one in found["wrong"]] == ["b", "c", "f"]


def test_references_are_counted_over_all_questions() -> None:
    found = references(TOLD)
    assert found["reference"] == 2 / 6
    assert [one["question"] for one in found["wrong"]] == ["a", "f"]


def test_a_run_over_no_question_has_no_share() -> None:
    assert accuracy([])["right"] is None
    assert references([])["reference"] is None


def test_a_run_asks_the_seeds_of_a_folder_and_writes_a_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds = tmp_path / "orchard"
    seeds.mkdir()
    pages = [
        zims.page("The Glass Orchard", 'The Glass Orchard is a novel. It begins "no lamp burns twice on one oil".'),
        zims.page("Lamp", "A lamp is a device that gives light."),
    ]
    zims.build(seeds / "orchard.zim", pages)
    rows = [
        {"question": "no lamp burns twice on one oil", "titles": ["The Glass Orchard"], "answerable": True,
         "frame": "reference"},
        {"question": "what is a lamp", "titles": ["Lamp"], "answerable": True},
    ]  # fmt: skip
    # A line separator inside a question ends no line.
    rows.append({"question": "what is\u2028a lamp", "titles": ["Lamp"]})
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    (seeds / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    status = frames.main(["--seeds", str(seeds), "--out", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")])
    assert status == 0
    (result,) = (tmp_path / "out").iterdir()
    assert result.name in capsys.readouterr().out
    found = json.loads(result.read_text(encoding="utf-8"))["seeds"]["orchard"]
    assert (found["n"], found["right"], found["of_right_answers"]) == (3, 1.0, 1.0)


def test_a_folder_without_archive_or_questions_is_a_failure_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert frames.main(["--seeds", str(tmp_path / "absent")]) == 1
    assert "questions.jsonl" in capsys.readouterr().err
    (tmp_path / "questions.jsonl").write_text('{"question": "q", "titles": ["T"]}', encoding="utf-8")
    assert frames.main(["--seeds", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "found no *.zim" in told
    assert told.count("\n") == 1


def test_a_broken_seed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "questions.jsonl").write_text('{"titles": ["T"]}', encoding="utf-8")
    assert frames.main(["--seeds", str(tmp_path)]) == 1
    assert "questions.jsonl, line 1" in capsys.readouterr().err
