"""The floors: below one fails, and the ratchet only turns one way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import check
from bench.check import below, ratcheted
from bench.record import FLOORS

FIGURES = st.dictionaries(
    st.sampled_from(["a", "b"]), st.dictionaries(st.sampled_from(["hit1", "hit5"]), st.floats(0, 1)), max_size=2
)


@given(FIGURES, FIGURES)
def test_the_ratchet_lowers_nothing_and_what_was_reached_passes(
    floors: dict[str, dict[str, float]], found: dict[str, dict[str, float]]
) -> None:
    raised = ratcheted(floors, found)
    for name, figures in floors.items():
        assert all(raised[name][measure] >= floor for measure, floor in figures.items())
    assert {one[:2] for one in below(raised, found)} == {one[:2] for one in below(floors, found)}


def test_a_measure_that_is_gone_is_a_miss_but_a_set_that_was_not_measured_is_none() -> None:
    floors = {"a": {"hit1": 0.5}, "b": {"hit1": 0.9}}
    assert below(floors, {"a": {"hit5": 1.0}}) == [("a", "hit1", 0.5, None)]


def test_the_committed_floors_are_of_the_sets_that_are_checked() -> None:
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))
    assert set(floors) == {one.name for one in check.sets(Path("data"))}
    assert all(floors[one.name]["hit1"] > 0.5 for one in check.sets(None))


@pytest.mark.slow
def test_a_floor_too_high_fails_and_stays_and_one_too_low_is_raised(
    tmp_path: Path, cache: Path, russian_shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floors = tmp_path / "floors.json"
    floors.write_text(json.dumps({"seeds_ru": {"hit1": 1.0, "hit5": 0.1}}), encoding="utf-8")
    options = ["--sets", "seeds_ru", "--floors", str(floors), "--cache", str(cache)]
    assert check.main(options) == 1
    assert "expected hit1 of seeds_ru to be at least 1.0; found" in capsys.readouterr().err
    assert check.main([*options, "--ratchet"]) == 1
    raised = json.loads(floors.read_text(encoding="utf-8"))["seeds_ru"]
    assert raised["hit1"] == 1.0
    assert raised["hit5"] > 0.5
    floors.write_text(json.dumps({"seeds_ru": {**raised, "hit1": 0.5}}), encoding="utf-8")
    assert check.main(options) == 0


def test_a_set_that_is_not_known_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        check.main(["--sets", "seed_ru"])
    assert left.value.code == 2
    assert "'seed_ru' (choose from" in capsys.readouterr().err


def test_a_missing_floor_file_fails_unless_it_is_to_be_made(
    tmp_path: Path, cache: Path, russian_shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floors = tmp_path / "absent.json"
    options = ["--sets", "seeds_ru", "--floors", str(floors), "--cache", str(cache)]
    assert check.main(options) == 1
    assert "absent.json; found no such file: look at --floors, or add --ratchet" in capsys.readouterr().err
    assert check.main([*options, "--ratchet"]) == 0
    assert json.loads(floors.read_text(encoding="utf-8"))["seeds_ru"]["hit1"] > 0.5


def test_a_broken_floor_file_fails_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floors = tmp_path / "floors.json"
    floors.write_text("{", encoding="utf-8")
    assert check.main(["--floors", str(floors)]) == 1
    assert capsys.readouterr().err.startswith("bench: ")
