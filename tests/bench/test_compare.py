"""Comparisons of real runs over the Russian sample, and the ablation of its routes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from aborist.query.routes import ROUTES
from bench import ablation, compare, run
from bench.ablation import Found, routes_of, variants
from bench.compare import Side, UnequalQuestionsError
from bench.scores import Scored
from tests.bench.test_scores import one_scored

ROOT = Path(__file__).parents[2]
RUSSIAN = ROOT / "samples" / "seeds_ru.zim"
QUESTIONS = ROOT / "bench" / "seeds_ru_questions.jsonl"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    options = ["--zim", str(RUSSIAN), "--questions", str(QUESTIONS), "--cache", str(folder / "cache")]
    assert run.main([*options, "--systems", "fts5,bm25s,libzim", "--out", str(folder), "--name", "ru"]) == 0
    (path,) = folder.glob("ru-*.json")
    return path


def comparisons(result: Path, name: str) -> dict[tuple[str, str], dict[str, object]]:
    (path,) = result.parent.glob(f"compare-{name}-*.json")
    rows = json.loads(path.read_text(encoding="utf-8"))["comparisons"]
    return {(row["b"], row["measure"]): row for row in rows}


def test_systems_of_one_run_are_compared_with_the_first(result: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--systems", "fts5,bm25s,libzim", "--out", str(result.parent)]
    assert compare.main([str(result), *options, "--name", "one"]) == 0
    assert "fts5 - libzim" in capsys.readouterr().out
    found = comparisons(result, "one")
    systems = json.loads(result.read_text(encoding="utf-8"))["systems"]
    assert set(found) == {(b, measure) for b in ("bm25s", "libzim") for measure in ("hit1", "hit5")}
    row = found["libzim", "hit1"]
    assert row["a_mean"] == pytest.approx(systems["fts5"]["all"]["hit1"])
    assert row["b_mean"] == pytest.approx(systems["libzim"]["all"]["hit1"])
    assert row["n"] == systems["fts5"]["all"]["scored"] == row["wins"] + row["ties"] + row["losses"]  # type: ignore[operator]
    assert all(one["p"] <= one["p_holm"] <= 4 * one["p"] for one in found.values())  # type: ignore[operator]


def test_a_run_does_not_differ_from_itself(result: Path) -> None:
    both = [str(result), str(result), "--systems", "fts5", "--out", str(result.parent)]
    assert compare.main([*both, "--name", "self"]) == 0
    for row in comparisons(result, "self").values():
        assert (row["difference"], row["wins"], row["losses"], row["p"]) == (0, 0, 0, 1)


def test_a_system_that_was_not_asked_is_named(result: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main([str(result), "--systems", "fts5,aborist", "--out", str(result.parent)]) == 1
    assert "expected the questions of 'aborist'" in capsys.readouterr().err


def scored_as(topic: str, hit: bool, group: str = "squad") -> Scored:
    one = one_scored(("a",), frozenset("a" if hit else "b"))
    return replace(one, topic=topic, group=group)


def test_other_questions_are_not_compared() -> None:
    a, b = Side("a", [scored_as("1", True)]), Side("b", [scored_as("1", True), scored_as("2", True)])
    with pytest.raises(UnequalQuestionsError, match=r"same questions in a and b; found 1 that differ \(2 is the first"):
        compare.compare(a, b, ["hit1"], "group")


def test_the_macro_row_comes_last_and_weighs_groups_alike() -> None:
    a = Side("a", [scored_as("1", True), scored_as("2", True, "fever"), scored_as("3", False, "fever")])
    b = Side("b", [scored_as("1", False), scored_as("2", True, "fever"), scored_as("3", True, "fever")])
    rows = compare.compare(a, b, ["hit1"], "group")
    assert [row.part for row in rows] == ["squad", "fever", "macro"]
    assert [row.difference for row in rows] == [1.0, -0.5, 0.25]
    assert (rows[-1].wins, rows[-1].ties, rows[-1].losses) == (1, 1, 1)


def test_every_route_is_left_out_once_and_left_alone_once() -> None:
    found = {variant.label: set(variant.routes) for variant in variants(["a", "b", "c"])}
    assert found == {
        "all routes": {"a", "b", "c"},
        "without a": {"b", "c"}, "without b": {"a", "c"}, "without c": {"a", "b"},
        "only a": {"a"}, "only b": {"b"}, "only c": {"c"},
    }  # fmt: skip


def test_unique_hits_are_those_no_other_route_has() -> None:
    found = [
        Found("squad", frozenset({"a", "b"}), frozenset({"a"})),
        Found("squad", frozenset({"a"}), frozenset()),
        Found("fever", frozenset(), frozenset()),
        Found("fever", frozenset({"b"}), frozenset({"b"})),
    ]
    a, b, union = routes_of(found, ["a", "b"])
    assert (a["recall"], a["first"], a["unique"], a["unique_hits"]) == (0.5, 0.25, 0.25, 1)
    assert (b["recall"], b["first"], b["unique"], b["unique_hits"]) == (0.5, 0.25, 0.25, 1)
    assert (union["recall"], union["first"]) == (0.75, 0.5)


@pytest.mark.slow
def test_the_ablation_asks_with_every_set_of_routes(tmp_path: Path, russian_shards: Path) -> None:
    options = ["--shards", str(russian_shards), "--questions", str(QUESTIONS), "--per-group", "10"]
    assert ablation.main([*options, "--name", "ru", "--out", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("ablation-ru-*.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    assert [row["variant"] for row in content["variants"]] == [one.label for one in variants(list(ROUTES))]
    whole, *others = content["variants"]
    alone = {row["variant"]: row["hit1"] for row in others}
    assert whole["hit1"] >= 0.5
    assert alone["only phrase"] < whole["hit1"]
    *routes, union = content["routes"]
    assert union["recall"] >= max(row["recall"] for row in routes)


def test_more_than_two_results_are_wrong_usage(result: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        compare.main([str(result)] * 3)
    assert left.value.code == 2
    assert "expected at most 2 results; found 3" in capsys.readouterr().err


def test_no_measure_is_wrong_usage(result: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        compare.main([str(result), "--measures", ""])
    assert left.value.code == 2
    assert "expected some of hit1, hit5" in capsys.readouterr().err


def test_results_without_gold_are_a_failure_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = tmp_path / "open.txt"
    questions.write_text("что такое TCP\n", encoding="utf-8")
    options = ["--zim", str(RUSSIAN), "--questions", str(questions), "--systems", "libzim,suggestions"]
    assert run.main([*options, "--out", str(tmp_path), "--name", "open", "--cache", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("open-*.json")
    capsys.readouterr()
    assert compare.main([str(path), "--systems", "libzim,suggestions", "--out", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("bench: expected questions with gold in open-")
    assert told.count("\n") == 1


def test_an_ablation_refuses_questions_that_come_twice_before_it_asks(
    russian_shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = ["--questions", str(QUESTIONS), str(QUESTIONS)]
    assert ablation.main(["--shards", str(russian_shards), *twice]) == 1
    told = capsys.readouterr().err
    assert "expected every id once in a set" in told
    assert "asked" not in told


def test_an_ablation_without_an_index_fails_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ablation.main(["--shards", str(tmp_path / "absent"), "--questions", str(QUESTIONS)]) == 1
    assert "expected an index" in capsys.readouterr().err
