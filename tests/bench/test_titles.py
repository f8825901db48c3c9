"""Which names are asked, and the whole command on a small real index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import titles
from bench.asking import Place, Target
from bench.names import REDIRECT, SHARED, TITLE, names_of, sampled
from bench.published import Known, published


def article(path: str, title: str, *aliases: str) -> Known:
    return Known(Place("a", path), title, aliases, 10, 0, 1)


def kinds(*articles: Known) -> dict[str, str]:
    return {name.text: name.kind for name in names_of(articles)}


def test_a_redirect_that_another_article_could_mean_is_left_out() -> None:
    found = kinds(article("Tea", "Tea", "Chai", "Cha!"), article("Cha", "Tea (plant)", "CHÁ"))
    assert found == {"Tea": TITLE, "Chai": REDIRECT, "Tea (plant)": TITLE}


def test_a_redirect_with_another_title_s_form_is_left_out_and_the_title_is_marked() -> None:
    assert kinds(article("Ada", "Ada", "ADA law"), article("x", "Other", "ada")) == {
        "Ada": SHARED, "ADA law": REDIRECT, "Other": TITLE,
    }  # fmt: skip


def test_two_spellings_of_one_article_are_no_ambiguity_and_an_equal_one_is_asked_once() -> None:
    found = names_of([article("R", "Ray Charles", "ray charles", "Ray Charles")])
    assert [(name.text, name.kind) for name in found] == [("Ray Charles", TITLE), ("ray charles", REDIRECT)]


def test_names_of_punctuation_alone_are_left_out_and_symbols_stay() -> None:
    assert kinds(article("Q", "Question mark", "?", "🐸"), article("D", "...")) == {
        "Question mark": TITLE, "🐸": REDIRECT,
    }  # fmt: skip


def test_articles_with_one_title_are_right_for_each_other() -> None:
    (name,) = names_of([article("1", "Mercury"), article("2", "Mercury")])
    assert name.gold == {Place("a", "1"), Place("a", "2")}


def test_a_sample_is_the_same_whatever_the_order() -> None:
    names = names_of([article(str(n), f"Article {n}") for n in range(50)])
    chosen = sampled(names, 5)
    assert sampled(names[::-1], 5) == chosen
    assert len({name.text for name in chosen}) == 5
    assert sampled(names, None) == names


def test_an_index_gives_its_names_with_the_articles_paths(shards: Path) -> None:
    with published(shards, "russian") as index:
        names = {name.text: name for name in names_of(index.articles())}
    assert names["Столица Франции"].gold == {Place("russian", "Париж")}
    assert names["Столица Франции"].kind == REDIRECT
    assert set(names) == {"Париж", "TCP", "Война и мир", "Ёж", "Столица Франции"}


def test_every_name_is_asked_in_every_form(shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--archive", "russian", "--out", str(tmp_path), "--processes", "1"]
    assert titles.main(["--shards", str(shards), *options]) == 0
    (file,) = tmp_path.iterdir()
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["asked"] == {"title": 4, "redirect": 1}
    assert {part: row["n"] for part, row in result["rows"].items() if ":" not in part} == {
        "all": 15, "bare": 5, "what is": 5, "что такое": 5,
    }  # fmt: skip
    assert result["rows"]["all"]["first"] == 1.0
    printed = capsys.readouterr().out
    assert "что такое: redirect" in printed
    heading, everything = printed.splitlines()[:2]
    assert heading.split() == ["n", "first", "in", "5", "in", "10", "ms", "p50", "ms", "p95"]
    assert everything.split()[:5] == ["all", "15", "1.0000", "1.0000", "1.0000"]


def test_two_processes_answer_as_one_and_in_order(shards: Path) -> None:
    # 13 articles and redirects of the small archive in two forms: enough for the pool to be used.
    with published(shards, "small") as index:
        names = names_of(index.articles())
    one, two = (titles.ask_names(Target(shards, "small", processes), names, titles.FORMS) for processes in (1, 2))
    assert len(one) == 2 * len(names) > 16
    assert [(a.question, a.rank, a.heard.results) for a in one] == [(a.question, a.rank, a.heard.results) for a in two]


def test_an_index_of_several_archives_asks_for_a_name(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert titles.main(["--shards", str(shards), "--out", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "several: other, russian, small; name one with --archive" in told
    assert told.count("\n") == 1
