"""`aborist check-citation`: what is cited as it stands holds, anything altered fails and is named."""

from __future__ import annotations

import copy
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

QUESTION = "has oceania always been at war with eastasia"


@pytest.fixture
def reply(run: Run, shards: Path) -> dict[str, Any]:
    found: dict[str, Any] = run("query", QUESTION, "--shards", shards, "--json").json
    assert found["evidence"]
    return found


@pytest.fixture
def orwell(reply: dict[str, Any]) -> dict[str, Any]:
    item: dict[str, Any] = next(e for e in reply["evidence"] if e["title"] == "Nineteen Eighty-Four")
    return item


@pytest.fixture
def check(run: Run, shards: Path, tmp_path: Path) -> Callable[..., Any]:
    def call(saved: object, *more: object, index: Path = shards) -> Any:
        file = tmp_path / "saved"
        file.write_text(saved if isinstance(saved, str) else json.dumps(saved), encoding="utf-8")
        return run("check-citation", file, "--shards", index, *more)

    return call


def test_a_saved_reply_holds(check: Callable[..., Any], reply: dict[str, Any]) -> None:
    done = check(reply, "--json")
    assert (done.status, done.err) == (0, "")
    assert done.json["ok"] is True
    assert done.json["checked"] == len(reply["evidence"])
    assert f"E1 {reply['evidence'][0]['root'][:8]}" in check(reply).out


@pytest.mark.parametrize(
    "form",
    [
        lambda r: r["evidence"][0],
        lambda r: r["evidence"],
        lambda r: [r, r["evidence"]],
        lambda r: "\n".join(json.dumps(one) for one in (r, r)) + "\n",
        lambda r: "\ufeff" + json.dumps(r),
    ],
    ids=["item", "list", "nested", "lines", "byte order mark"],
)
def test_every_form_that_is_saved_can_be_read(
    check: Callable[..., Any], reply: dict[str, Any], form: Callable[[dict[str, Any]], object]
) -> None:
    assert check(form(reply)).status == 0


def test_stdin_is_read(run: Run, shards: Path, reply: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(reply).encode())))
    assert run("check-citation", "-", "--shards", shards).status == 0


def test_what_cite_prints_can_be_checked(
    run: Run, shards: Path, check: Callable[..., Any], orwell: dict[str, Any]
) -> None:
    span = f"{orwell['start']}-{orwell['end']}"
    assert check(run("cite", orwell["root"][:8], "--span", span, "--shards", shards, "--json").out).status == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"root": "0" * 64}, "none in this index"),
        ({"root": "xyz"}, "hex digits"),
        ({"quote": "Oceania has never been at war."}, "to be the quote"),
        ({"start": 0}, "to be the quote"),
        ({"start": -1}, "a span within"),
        ({"end": 10**9}, "a span within"),
        ({"start": 5, "end": 5, "quote": ""}, "a span within"),
        ({"title": "Animal Farm"}, "expected title 'Nineteen Eighty-Four'"),
        ({"path": "Animal_Farm"}, "expected path 'Nineteen_Eighty-Four'"),
        ({"heading": ["Reception"]}, "expected heading ['Plot']"),
        ({"heading": None}, "expected heading"),
        ({"highlights": [[0, 10**6]]}, "expected highlights inside"),
        ({"highlights": [[3]]}, "expected highlights inside"),
        ({"highlights": "none"}, "expected highlights inside"),
        ({"start": "3"}, "found start: '3'"),
        ({"start": True}, "found start: True"),
        ({"quote": None}, "found quote: None"),
        ({"quote": "\ud800"}, "to be the quote"),
    ],
)
def test_any_change_fails_and_is_named(
    check: Callable[..., Any], orwell: dict[str, Any], change: dict[str, Any], told: str
) -> None:
    assert check(orwell).status == 0
    done = check(orwell | change)
    assert done.status == 1
    assert told in done.err
    assert "fails" in done.out
    assert check(orwell | change, "--json").json["failed"] == 1


@pytest.mark.parametrize("key", ["root", "quote", "start", "end"])
def test_an_item_without_what_a_citation_needs_fails(
    check: Callable[..., Any], orwell: dict[str, Any], key: str
) -> None:
    done = check({k: v for k, v in orwell.items() if k != key})
    assert (done.status, f"no {key}" in done.err) == (1, True)


def test_one_bad_citation_among_good_ones_fails_alone(check: Callable[..., Any], reply: dict[str, Any]) -> None:
    altered = copy.deepcopy(reply)
    altered["evidence"][0]["quote"] += " indeed"
    done = check(altered, "--json")
    assert done.status == 1
    assert [one["ok"] for one in done.json["citations"]] == [False] + [True] * (len(reply["evidence"]) - 1)
    assert done.err.count("\n") == 1


def test_an_answer_that_rests_on_no_evidence_fails(check: Callable[..., Any], reply: dict[str, Any]) -> None:
    reply["answer"] = {"sentences": [{"text": "It is so.", "evidence": ["E99"]}]}
    done = check(reply)
    assert (done.status, "E99" in done.err) == (1, True)


def test_an_answer_whose_sentence_its_evidence_does_not_hold_fails(
    check: Callable[..., Any], reply: dict[str, Any]
) -> None:
    assert check(reply).status == 0
    altered = copy.deepcopy(reply)
    altered["answer"]["sentences"][0]["text"] = "Oceania has never been at war."
    done = check(altered)
    assert (done.status, "does not hold: 'Oceania has never" in done.err) == (1, True)


def test_a_long_quote_that_differs_late_is_shown_from_there(check: Callable[..., Any], orwell: dict[str, Any]) -> None:
    done = check(orwell | {"quote": orwell["quote"].replace("diary", "ledger")})
    assert done.status == 1
    assert "ledger" in done.err
    assert "diary" in done.err


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('[E13 | Nineteen Eighty-Four | {root}: "Oceania has always been at war with Eastasia"]', None),
        ('As it says [E1 | 1984 (novel) | {root}: "always been ... remembers otherwise"], and so on.', None),
        ("[E1 | Nineteen Eighty-Four | {root}: “keeps a\nforbidden diary”]", None),
        ('[E1 | Nineteen Eighty-Four | {root}: "Oceania was never at war"]', "no such passage"),
        ('[E1 | Nineteen Eighty-Four | {root}: "remembers otherwise ... always been"]', "no such passage"),
        ('[E1 | Animal Farm | {root}: "always been at war"]', "expected title"),
        ('[E1 | Nineteen Eighty-Four | 00000000: "always been at war"]', "none in this index"),
        ('[E1 | Nineteen Eighty-Four | {root}: "..."]', "words of the passage"),
    ],
)
def test_the_written_form_is_checked_too(
    check: Callable[..., Any], orwell: dict[str, Any], written: str, told: str | None
) -> None:
    done = check(written.format(root=orwell["root"][:8]))
    assert done.status == (1 if told else 0), done.err
    assert (told or "") in done.err


@pytest.mark.parametrize(
    "saved",
    ["", "no citation here", "[]", "{}", '{"evidence": []}', "null", "3", "[[[]]]", "[" * 100_000, '{"a": 1'],
)
def test_a_file_without_any_citation_is_wrong_usage(check: Callable[..., Any], saved: str) -> None:
    done = check(saved, "--json")
    assert (done.status, list(done.json)) == (2, ["error"])
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("item", [3, None, "text", [], {}, {"id": ["E1"]}])
def test_evidence_that_is_none_fails(check: Callable[..., Any], item: object) -> None:
    done = check({"evidence": [item], "answer": {"sentences": [3, {"evidence": [["E1"], None]}]}})
    assert (done.status, "Traceback" in done.err) == (1, False)


def test_the_same_text_in_another_archive_is_accepted_with_a_note(
    run: Run, shards: Path, check: Callable[..., Any], index_copy: Path
) -> None:
    root = run("article", "Tea", "--archive", "small", "--shards", shards, "--json").json["root"]
    item = run("cite", root, "--span", "0-3", "--shards", shards, "--json").json | {"archive": "small"}
    assert check(item, index=index_copy).out.count("note") == 0
    shutil.rmtree(index_copy / "small")
    done = check(item, index=index_copy)
    assert done.status == 0
    assert "small is not in this index; the same text stands in other" in done.out


def test_a_missing_or_binary_file_is_wrong_usage(run: Run, shards: Path, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for file in (tmp_path / "missing", tmp_path, binary):
        done = run("check-citation", file, "--shards", shards, "--json")
        assert (done.status, list(done.json)) == (2, ["error"])
