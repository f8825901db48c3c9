"""Question files in both formats."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.questions import Question, QuestionFileError, load, sample, select

SWEEP = Path(__file__).parents[2] / "bench" / "qa_questions.txt"
ATTRIBUTION = Path(__file__).parents[2] / "samples" / "ATTRIBUTION.tsv"


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", encoding="utf-8")
    return path


def question(name: str, set_name: str = "s") -> Question:
    return Question(name, name, frozenset({"T"}), (), True, set_name, set_name)


def test_an_id_that_comes_again_in_its_set_is_numbered(tmp_path: Path) -> None:
    rows = [{"id": "117", "question": text, "set": name} for text, name in zip("abcd", "ssts", strict=True)]
    assert [q.id for q in load(write_rows(tmp_path / "q.jsonl", *rows))] == ["117", "117-2", "117", "117-3"]


def test_plain_text_has_categories_gold_titles_and_questions_without(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    who = "# who\nwho wrote it\tAnimal Farm|Nineteen Eighty-Four\n\n"
    lines = f"{who}# open\nwhat now\n# no answer: absent\nwho is X\n"
    file.write_text(lines, encoding="utf-8")
    wrote, now, absent = load(file)
    assert (wrote.text, wrote.category, wrote.answerable) == ("who wrote it", "who", True)
    assert wrote.gold == {"Animal Farm", "Nineteen Eighty-Four"}
    assert (now.gold, now.answerable) == (frozenset(), None)
    assert (absent.category, absent.answerable) == ("no answer: absent", False)
    assert wrote.set == "mine"


def test_json_lines_take_the_gold_that_is_in_the_archive(tmp_path: Path) -> None:
    row = {
        "id": "7",
        "question": "q",
        "titles": ["A", "B"],
        "gold_in_archive": ["B"],
        "set": "x",
        "answers": ["b"],
    }
    assert load(write_rows(tmp_path / "f.jsonl", row)) == [Question("7", "q", frozenset({"B"}), ("b",), True, "x", "x")]


def test_json_lines_without_set_are_named_by_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "seeds"
    folder.mkdir()
    row = {"question": "q", "titles": [], "answerable": False, "category": "c"}
    (only,) = load(write_rows(folder / "questions.jsonl", row))
    assert (only.set, only.category, only.answerable, only.gold) == ("seeds", "c", False, frozenset())


def test_stale_questions_are_left_out(tmp_path: Path) -> None:
    rows = [
        {"question": "old", "titles": ["A"], "stale": True},
        {"question": "good", "titles": ["A"], "stale": False},
    ]
    assert [q.text for q in load(write_rows(tmp_path / "f.jsonl", *rows))] == ["good"]


def test_line_separators_inside_a_json_string_do_not_end_the_line(tmp_path: Path) -> None:
    row = {"question": "one\u2028two\u0085three", "titles": ["A"]}
    assert [q.text for q in load(write_rows(tmp_path / "f.jsonl", row))] == [row["question"]]


@pytest.mark.parametrize("line", ['{"question": ', '{"titles": []}', '{"question": "q", "titles": 3}', "{}"])
def test_a_broken_json_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "f.jsonl"
    file.write_text('{"question": "fine"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(QuestionFileError, match=r"f\.jsonl, line 2: .*`question`"):
        load(file)


def test_sets_are_selected_by_name_or_by_beginning() -> None:
    questions = [question("1", "wikiqa_dev"), question("2", "wikiqa_test"), question("3", "squad")]
    assert [q.id for q in select(questions, ["wikiqa_*"])] == ["1", "2"]
    assert [q.id for q in select(questions, ["squad"])] == ["3"]
    assert select(questions, []) == questions


@given(st.lists(st.tuples(st.text(max_size=5), st.sampled_from("abc")), max_size=40), st.integers(1, 10))
def test_a_sample_is_bounded_by_set_and_keeps_the_order(rows: list[tuple[str, str]], per_set: int) -> None:
    questions = [question(f"{i}{name}", s) for i, (name, s) in enumerate(rows)]
    kept = sample(questions, per_set)
    wanted = {s: min(n, per_set) for s, n in Counter(q.set for q in questions).items()}
    assert Counter(q.set for q in kept) == wanted
    assert kept == [q for q in questions if q in kept]
    assert sample(questions, None) == questions
    assert sample(list(reversed(questions)), per_set) == list(reversed(kept))


def test_the_sweep_starts_with_the_flagship_and_asks_only_for_articles_of_the_samples() -> None:
    titles = {line.split("\t")[1] for line in ATTRIBUTION.read_text(encoding="utf-8").splitlines()[1:]}
    questions = load(SWEEP)
    assert questions[0].text == "has oceania always been at war with east asia"
    assert questions[0].gold == {"Nineteen Eighty-Four"}
    assert not [(q.text, q.gold - titles) for q in questions if q.gold - titles]
    assert all(q.answerable is not None for q in questions)
    assert len({q.text for q in questions}) == len(questions)
