"""`aborist article` and `aborist cite`: an article or a passage, by name and by root."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from tests.conftest import Run

ARTICLE_KEYS = ["title", "path", "archive", "root", "aliases", "text", "sections"]


def test_article_gives_the_contract_keys_and_sections_that_slice_the_text(run: Run, shards: Path) -> None:
    item = run("article", "Nineteen Eighty-Four", "--shards", shards, "--json").json
    assert list(item) == ARTICLE_KEYS
    assert item["path"] == "Nineteen_Eighty-Four"
    assert item["archive"] == "small"
    assert item["aliases"] == ["Nineteen 84", "1984 (novel)"]
    assert [section["heading"] for section in item["sections"]] == [[], ["Plot"], ["Plot", "Room 101"]]
    for section in item["sections"]:
        assert section["text"] == item["text"][section["start"] : section["end"]]
    assert "\n\n".join(section["text"] for section in item["sections"]) == item["text"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Nineteen_Eighty-Four", "Nineteen Eighty-Four"),  # path
        ("Nineteen Eighty-Four", "Nineteen Eighty-Four"),  # title
        ("1984 (novel)", "Nineteen Eighty-Four"),  # title of a redirect
        ("1984", "Nineteen Eighty-Four"),  # path of a redirect
        ("nineteen eighty four", "Nineteen Eighty-Four"),  # folded
        ("AC/DC", "AC/DC"),
        ("C++", "C++"),
        ("Столица Франции", "Париж"),
        ("еж", "Ёж"),
    ],
)
def test_an_article_is_found_by_every_name_it_has(run: Run, shards: Path, name: str, title: str) -> None:
    done = run("article", name, "--shards", shards, "--json")
    assert (done.status, done.json["title"]) == (0, title)


def test_an_article_of_several_archives_is_the_first_ones(run: Run, shards: Path) -> None:
    done = run("article", "Coffee", "--shards", shards, "--json")
    assert done.json["archive"] == "other"
    assert "also Coffee in small" in done.err
    chosen = run("article", "Coffee", "--archive", "small", "--shards", shards, "--json")
    assert chosen.json["archive"] == "small"
    assert not chosen.err


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Nineteen", "Nineteen Eighty-Four"),
        ("Nineteen Eigthy-Fuor", "Nineteen Eighty-Four"),
        ("Парижж", "Париж"),
        ("cofee", "Coffee"),
    ],
)
def test_an_unknown_name_tells_the_nearest_titles(run: Run, shards: Path, name: str, near: str) -> None:
    done = run("article", name, "--shards", shards, "--json")
    assert (done.status, done.out) == (3, "")
    assert near in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("name", ["", "ab", "?*[", "\udcff", "'\"", "a" * 100_000, "%", "x\ny"])
def test_any_text_is_a_legal_name(run: Run, shards: Path, name: str) -> None:
    done = run("article", "--shards", shards, "--json", "--", name)
    assert done.status == 3
    assert done.err.count("\n") == 1
    assert len(done.err) < 1000


def test_an_unknown_archive_is_named_with_those_there_are(run: Run, shards: Path) -> None:
    done = run("article", "Tea", "--archive", "nope", "--shards", shards, "--json")
    assert done.status == 1
    assert "other, russian, small" in done.json["error"]["found"]


@pytest.mark.parametrize(("name", "told"), [("Field manual", "is not read"), ("Empty", "no text of its own")])
def test_an_article_without_text_says_why(run: Run, shards: Path, name: str, told: str) -> None:
    done = run("article", name, "--shards", shards)
    assert done.status == 0
    assert told in done.err


def test_a_reader_sees_title_root_names_and_headings(run: Run, shards: Path) -> None:
    item = run("article", "1984", "--shards", shards, "--json").json
    lines = run("article", "1984", "--shards", shards).out.splitlines()
    assert lines[:3] == [
        "Nineteen Eighty-Four", f"root {item['root']}", "small: Nineteen_Eighty-Four",
    ]  # fmt: skip
    assert "also: Nineteen 84; 1984 (novel)" in lines
    assert "Plot - Room 101" in lines


# -- cite ----------------------------------------------------------------------------------------------------


@pytest.fixture
def orwell(run: Run, shards: Path) -> dict[str, str]:
    item: dict[str, str] = run("article", "1984", "--shards", shards, "--json").json
    return item


@pytest.mark.parametrize("digits", [8, 9, 63, 64])
def test_a_root_or_its_first_digits_lead_to_the_article(
    run: Run, shards: Path, orwell: dict[str, str], digits: int
) -> None:
    done = run("cite", orwell["root"][:digits].upper(), "--shards", shards, "--json")
    assert done.json == orwell | {"others": []}


def test_a_span_gives_the_passage_as_an_evidence_item(run: Run, shards: Path, orwell: dict[str, str]) -> None:
    start = orwell["text"].index("In Room 101")
    done = run("cite", orwell["root"], "--span", f"{start}-{start + 11}", "--shards", shards, "--json")
    assert done.json["quote"] == "In Room 101"
    assert done.json["heading"] == ["Plot", "Room 101"]
    shown = run("cite", orwell["root"][:8], "--span", f"{start}-{start + 11}", "--shards", shards).out
    assert shown.endswith("\nPlot - Room 101\nIn Room 101\n")
    assert f"{start}-{start + 11}" in shown


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("Copy one", [{"title": "Copy two", "path": "Copy_two", "archive": "small"}]),
        ("Tea", [{"title": "Tea", "path": "Tea", "archive": "small"}]),
    ],
)
def test_equal_roots_are_all_listed(run: Run, shards: Path, name: str, others: list[dict[str, str]]) -> None:
    root = run("article", name, "--shards", shards, "--json").json["root"]
    assert run("cite", root, "--shards", shards, "--json").json["others"] == others
    assert f"the same text: {others[0]['title']}" in run("cite", root, "--shards", shards).out


def test_digits_that_fit_several_roots_list_them(run: Run, shards: Path) -> None:
    roots = [run("article", n, "--shards", shards, "--json").json["root"] for n in ("Twin one", "Twin two")]
    assert roots[0][:8] == roots[1][:8]
    done = run("cite", roots[0][:8], "--shards", shards)
    assert done.status == 1
    assert all(root in done.err for root in roots)
    assert "more digits" in done.err
    assert run("cite", roots[1], "--shards", shards, "--json").json["title"] == "Twin two"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["0" * 64], 3),
        (["00000000"], 3),
        (["1234567"], 2),
        (["0" * 65], 2),
        (["not a root"], 2),
        (["\udcff" * 8], 2),
        (["٠" * 8], 2),
        (["ROOT", "--span", "5"], 2),
        (["ROOT", "--span", "a-b"], 2),
        (["ROOT", "--span", "-1-5"], 2),
        (["ROOT", "--span", "5-5"], 2),
        (["ROOT", "--span", "9-5"], 2),
        (["ROOT", "--span", "0-99999999"], 2),
        (["ROOT", "--span", f"0-{'9' * 5000}"], 2),
        (["ROOT", "--span", "²-³"], 2),
    ],
)
def test_bad_citations_are_told_in_one_line(
    run: Run, shards: Path, orwell: dict[str, str], arguments: list[str], status: int
) -> None:
    done = run("cite", *(orwell["root"] if a == "ROOT" else a for a in arguments), "--shards", shards, "--json")
    assert done.status == status
    assert done.err.count("\n") == 1
    assert done.out == "" if status == 3 else list(json.loads(done.out)) == ["error"]


def test_a_damaged_text_is_not_shown(run: Run, index_copy: Path) -> None:
    root = run("article", "Mate", "--shards", index_copy, "--json").json["root"]
    db = apsw.Connection(str(index_copy / "other" / "000.db"))
    db.execute(
        "UPDATE article SET (stored_at, stored_bytes) ="
        " (SELECT stored_at, stored_bytes FROM article WHERE title = 'Coffee') WHERE title = 'Mate'"
    )
    db.close()
    for arguments in (["article", "Mate"], ["cite", root]):
        done = run(*arguments, "--shards", index_copy)
        assert (done.status, done.out) == (1, "")
        assert "has root" in done.err


def test_the_rest_is_served_and_what_is_damaged_is_noted(run: Run, index_copy: Path) -> None:
    db = apsw.Connection(str(index_copy / "small" / "001.db"))
    db.execute("DROP TABLE alias").fetchall()
    db.close()
    (index_copy / "russian" / "000.db").unlink()
    done = run("article", "Mate", "--shards", index_copy, "--json")
    assert (done.status, done.json["title"]) == (0, "Mate")
    assert "small/001.db" in done.err
    assert "000.db" in done.err
    missed = run("article", "Париж", "--shards", index_copy)
    assert (missed.status, "not all could be read" in missed.err) == (3, True)
