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
    (seeds / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    status = frames.main(["--seeds", str(seeds), "--out", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")])
    assert status == 0
    (result,) = (tmp_path / "out").iterdir()
    assert result.name in capsys.readouterr().out
    found = json.loads(result.read_text(encoding="utf-8"))["seeds"]["orchard"]
    assert (found["n"], found["right"], found["of_right_answers"]) == (2, 1.0, 1.0)
