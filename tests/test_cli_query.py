"""`aborist query`: every text gets a well-formed reply, every quote can be looked up, damage is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Done, Run

REPLY_KEYS = ["question", "status", "reason", "answer", "frame", "results", "evidence", "coverage", "routes",
              "timings", "warnings"]  # fmt: skip
RESULT_KEYS = {"rank", "title", "path", "archive", "root", "score", "url", "accepted_by", "role", "routes"}
EVIDENCE_KEYS = {"id", "root", "title", "archive", "path", "heading", "quote", "start", "end", "highlights",
                 "url"}  # fmt: skip
COVERAGE_KEYS = {"sectionCount", "distinctPageCount", "topSimilarity", "confidence", "missingTerms",
                 "shardsAnswered", "shardsTotal"}  # fmt: skip
ROUTES = ["title", "title-like", "core", "body", "phrase", "dense"]

ANSWERABLE = ["what is tea", "Who created C++?", "has oceania always been at war with eastasia", "AC/DC",
              "столица франции", "кто написал войну и мир", "coffee yemen", "drink"]  # fmt: skip
# What FTS5, SQL, a shell or a terminal could take for syntax.
ODD = [
    "", " ", "\t\n", "?", "!!! ... ???", "*", "**", '"', '""', '"""', "'", "AND", "OR", "NOT", "NEAR",
    "NEAR(a b)", "tea AND", "tea NOT coffee", "NOT", "^", "^tea", "{", "}", "(", ")", "(tea", "tea)",
    "{title}: tea", "head : tea", "body:tea", "- tea", "-tea", "tea*", 'tea "hot water', "“hot water”",
    "«Война", "tea;--",
    "'; DROP TABLE article; --", "%", "_", "\\", "\x1b[31mtea", "a", "я", "茶", "東京", "👩‍👩‍👧", "\u202etea",
    "\ufeff", "\u0301\u0301", "\udcff\ud800 tea", "tea " * 500, "?" * 4000, "NEAR(" * 300,
    "x" * 100, "xyz " * 1024, "field manual", "empty",
]  # fmt: skip


def assert_contract(reply: dict[str, Any]) -> None:
    """The reply object of the design, whatever was asked."""
    assert list(reply) == REPLY_KEYS
    assert reply["status"] in ("answered", "no_answer")
    assert (reply["reason"] is None) == (reply["status"] == "answered")
    if reply["status"] == "no_answer":
        assert reply["reason"].strip()
        assert reply["answer"] is None
    for rank, result in enumerate(reply["results"], 1):
        assert set(result) == RESULT_KEYS
        assert result["rank"] == rank
        assert len(result["root"]) == 64
    scores = [result["score"] for result in reply["results"]]
    assert scores == sorted(scores, reverse=True)
    places = [(result["archive"], result["path"]) for result in reply["results"]]
    assert len(set(places)) == len(places)
    assert len(reply["evidence"]) <= 10
    for item in reply["evidence"]:
        assert set(item) == EVIDENCE_KEYS
        assert (item["archive"], item["path"]) in places
        assert item["end"] - item["start"] == len(item["quote"])
        assert all(item["start"] <= start < end <= item["end"] for start, end in item["highlights"])
    assert set(reply["coverage"]) == COVERAGE_KEYS
    assert reply["coverage"]["confidence"] in ("strong", "partial", "weak", "unknown")
    assert reply["coverage"]["topSimilarity"] == -1
    assert list(reply["routes"]) == ROUTES
    assert all(set(route) == {"hits", "ms", "state"} for route in reply["routes"].values())


@pytest.mark.parametrize("question", ODD + ANSWERABLE)
def test_any_text_is_a_legal_question(run: Run, shards: Path, question: str) -> None:
    done = run("query", "--shards", shards, "--json", "--", question)
    assert done.status in (0, 3), done.err
    assert_contract(done.json)
    assert done.json["question"] in question  # cleaned of what no terminal shows
    assert (done.status == 0) == (done.json["status"] == "answered")


@pytest.mark.parametrize("question", ODD)
def test_any_text_is_shown_to_a_person(run: Run, shards: Path, question: str) -> None:
    done = run("query", "--shards", shards, "--explain", "--", question)
    assert done.status in (0, 3), done.err
    assert "confidence" in done.out


@pytest.mark.parametrize("question", ["", " ", "?", "*", '"""'])
def test_a_question_without_words_has_its_reason(run: Run, shards: Path, question: str) -> None:
    done = run("query", "--shards", shards, "--json", "--", question)
    assert done.status == 3
    assert done.json["results"] == []


@pytest.mark.parametrize("letters", [4097, 100_000])
def test_a_question_too_long_is_refused_in_little_space(run: Run, shards: Path, letters: int) -> None:
    done = run("query", "--shards", shards, "--json", "--", "x" * letters)
    assert done.status == 3
    assert_contract(done.json)
    assert f"question too long: {letters} characters, limit 4096" in done.json["reason"].replace(",000", "000")
    assert len(done.json["question"]) <= 200
    assert len(done.out.encode()) < 2048
    assert len(run("query", "--shards", shards, "--", "x" * letters).out.encode()) < 2048


@pytest.mark.parametrize("question", ANSWERABLE)
def test_every_quote_is_what_stands_under_its_root(run: Run, shards: Path, question: str) -> None:
    reply = run("query", "--shards", shards, "--json", "--", question).json
    assert reply["evidence"]
    for item in reply["evidence"]:
        where = ("--archive", item["archive"], "--shards", shards, "--json")
        article = run("article", item["path"], *where).json
        assert article["root"] == item["root"]
        assert article["text"][item["start"] : item["end"]] == item["quote"]
        assert item["heading"] in [section["heading"] for section in article["sections"]]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_k_bounds_the_results_and_keeps_their_order(run: Run, shards: Path, k: int) -> None:
    every = run("query", "drink", "--shards", shards, "--json").json["results"]
    some = run("query", "drink", "-k", k, "--shards", shards, "--json").json
    assert_contract(some)
    assert [r["title"] for r in some["results"]] == [r["title"] for r in every][:k]


def test_an_archive_can_be_chosen(run: Run, shards: Path) -> None:
    reply = run("query", "coffee", "--archive", "small", "--shards", shards, "--json").json
    assert {result["archive"] for result in reply["results"]} == {"small"}
    assert reply["coverage"]["shardsTotal"] == 2


def test_an_unknown_archive_is_told(run: Run, shards: Path) -> None:
    done = run("query", "coffee", "--archive", "nope", "--shards", shards, "--json")
    assert done.status == 2
    assert "small" in done.json["error"]["expected"]
    assert "nope" in done.json["error"]["found"]


@pytest.mark.parametrize("name", ["small", "Small", "SMALL"])
def test_an_archive_is_named_in_any_spelling(run: Run, shards: Path, name: str) -> None:
    done = run("query", "tea", "--archive", name, "--shards", shards, "--json")
    assert {result["archive"] for result in done.json["results"]} == {"small"}


def test_a_question_needs_no_quotation_marks(run: Run, shards: Path) -> None:
    joined = run("query", "what", "is", "tea", "--shards", shards, "--json")
    assert joined.json["question"] == "what is tea"
    assert joined.json["results"][0]["title"] == "Tea"


def test_dense_without_vectors_is_no_answer(run: Run, shards: Path) -> None:
    done = run("query", "tea", "--mode", "dense", "--shards", shards, "--json")
    assert done.status == 3
    assert_contract(done.json)
    assert "off: no vectors" in done.json["reason"]
    assert done.json["routes"]["dense"]["state"] == "off: no vectors"


# -- question files ------------------------------------------------------------------------------------------


def test_a_file_gets_a_compact_line_for_each_question(run: Run, shards: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions"
    lines = ["\ufeff# drinks", "", "what is tea\tTea", "zzzz qqqq", '{"question": "nul \\u0000 and \\ud800"}',
             "nul \0 tea", "line\u2028separator", "x" * 5000]  # fmt: skip
    file.write_text("\n".join(lines), encoding="utf-8")
    done = run("query", "--questions", file, "--json", "--shards", shards)
    assert (done.status, done.err) == (0, "")
    replies = [json.loads(line) for line in done.out.removesuffix("\n").split("\n")]
    for reply in replies:
        assert_contract(reply)
    assert [reply["question"] for reply in replies[:4]] == [
        "what is tea", "zzzz qqqq", "nul   and", "nul   tea",
    ]  # fmt: skip
    assert replies[0]["status"] == "answered"
    assert len(replies) == 6


@pytest.mark.parametrize("content", [b"\xff\xfe", b'{"no": 1}\n', b'{"question"\n', None])
def test_a_bad_question_file_is_wrong_usage(run: Run, shards: Path, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "questions"
    if content is not None:
        file.write_bytes(content)
    done = run("query", "--questions", file, "--json", "--shards", shards)
    assert (done.status, list(done.json)) == (2, ["error"])


# -- damage --------------------------------------------------------------------------------------------------


def _spoil(shards: Path, kind: str) -> None:
    shard, manifest = shards / "small" / "001.db", shards / "small" / "manifest.json"
    if kind == "missing":
        shard.unlink()
    elif kind == "cut short":
        shard.write_bytes(shard.read_bytes()[:-5000])
    elif kind == "overwritten":
        shard.write_bytes(b"\xa5" * shard.stat().st_size)
    elif kind == "pages":  # the header stays, so that it opens
        data = shard.read_bytes()
        shard.write_bytes(data[:8192] + b"\xa5" * (len(data) - 8192))
    else:
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"schema": 99}))


@pytest.mark.parametrize("kind", ["missing", "cut short", "overwritten", "pages", "schema"])
def test_a_damaged_shard_is_named_and_the_rest_answers(run: Run, index_copy: Path, kind: str) -> None:
    _spoil(index_copy, kind)
    done = run("query", "столица франции", "--shards", index_copy, "--json")
    assert done.status == 0
    assert_contract(done.json)
    assert done.json["results"][0]["title"] == "Париж"
    coverage = done.json["coverage"]
    assert coverage["shardsAnswered"] < coverage["shardsTotal"]
    assert any("small" in warning or "001.db" in warning for warning in done.json["warnings"])
    assert any("aborist" in warning for warning in done.json["warnings"])
    shown = run("query", "столица франции", "--shards", index_copy).out
    assert f"{coverage['shardsAnswered']} of {coverage['shardsTotal']} shards" in shown


@pytest.mark.parametrize("seed", range(25))
def test_flipped_bytes_never_end_in_a_traceback(run: Run, russian_shards: Path, tmp_path: Path, seed: int) -> None:
    import random
    import shutil

    copy = Path(shutil.copytree(russian_shards, tmp_path / "flipped"))
    shard = copy / "russian" / "000.db"
    dice, data = random.Random(seed), bytearray(shard.read_bytes())
    for _ in range(dice.choice([1, 10, 500])):
        data[dice.randrange(100, len(data))] ^= dice.randrange(1, 256)
    shard.write_bytes(data)
    for arguments in (["query", "что такое TCP"], ["article", "Париж"], ["status"]):
        assert run(*arguments, "--shards", copy, "--json").status in (0, 1, 3)
    assert run("verify", "--deep", "--shards", copy).status == 1


def test_reading_changes_nothing_in_the_folder(run: Run, index_copy: Path) -> None:
    def state() -> dict[Path, int]:
        return {file: file.stat().st_mtime_ns for file in [index_copy, *index_copy.rglob("*")]}

    before = state()
    for arguments in (["query", "tea"], ["article", "Tea"], ["status"], ["verify", "--deep"]):
        assert run(*arguments, "--shards", index_copy).status == 0
    assert state() == before


# -- as a process --------------------------------------------------------------------------------------------


def _process(*arguments: object, **environment: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "aborist", *map(str, arguments)], capture_output=True, check=False, timeout=60,
        env=os.environ | {"PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"} | environment,
    )  # fmt: skip
    return Done(done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode())


def test_a_reply_does_not_hang_on_the_seed_of_the_hashes(shards: Path, tmp_path: Path) -> None:
    # Sets are walked in another order in each process: sums of floats over them, compared, once told answers apart.
    asked = tmp_path / "questions.txt"
    asked.write_text("\n".join([*ANSWERABLE, "who drinks tea and coffee at war in eastasia with the party"]), "utf-8")
    told = set()
    for seed in range(4):
        done = _process("query", "--questions", asked, "--json", "--shards", shards, PYTHONHASHSEED=str(seed))
        replies = [json.loads(line) for line in done.out.splitlines()]
        told.add(json.dumps([{key: r[key] for key in r if key not in ("timings", "routes")} for r in replies]))
    assert len(told) == 1


def test_pipes_get_no_colours_and_long_lines(shards: Path) -> None:
    done = _process("query", "has oceania always been at war with eastasia", "--shards", shards, TERM="xterm-256color")
    assert done.status == 0
    assert "\x1b" not in done.out + done.err
    assert "[E1]" in done.out


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1251"])
@pytest.mark.parametrize("question", ["столица франции", "茶 👩‍👩‍👧 \udcff"])
def test_any_terminal_encoding_does(shards: Path, encoding: str, question: str) -> None:
    for json_option in ([], ["--json"]):
        done = _process("query", question, *json_option, "--shards", shards, PYTHONIOENCODING=encoding)
        assert done.status in (0, 3)
        assert "Traceback" not in done.err
        if json_option:
            assert json.loads(done.out.encode(errors="surrogateescape").decode(encoding))["question"]


def test_a_read_only_folder_serves(index_copy: Path) -> None:
    for path in sorted(index_copy.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    index_copy.chmod(0o555)
    # Root may write everywhere, so there only reading is shown; the folder's times are compared elsewhere.
    done = _process("query", "tea", "--shards", index_copy, "--json")
    assert done.status == 0
    if os.geteuid():
        refused = _process("remove", "small", "--shards", index_copy)
        assert (refused.status, "Traceback" in refused.err) == (1, False)
    index_copy.chmod(0o755)
    for path in index_copy.iterdir():
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_reader_that_goes_away_is_no_error(shards: Path) -> None:
    command = f'"{sys.executable}" -m aborist article 1984 --shards "{shards}" | head -n 1'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("Nineteen Eighty-Four\n", "")


def test_a_piped_answer_shows_whole_passages(run: Run, shards: Path) -> None:
    quote = run("query", "what is tea", "--shards", shards, "--json").json["evidence"][0]["quote"]
    assert quote.splitlines()[0] in run("query", "what is tea", "--shards", shards).out


def test_an_allusion_is_told_as_one_and_explained(run: Run, shards: Path) -> None:
    asked = "has oceania always been at war with east asia"
    done = run("query", asked, "--shards", shards, "--explain")
    assert "Taken as a reference to Nineteen Eighty-Four." in done.out
    listed = [line for line in done.out.splitlines() if "Nineteen Eighty-Four  [" in line]
    assert listed[0].endswith("(source of the words)")
    assert "frame: reference, by the rule" in done.out
    assert "primary_reference_source, by the rule" in done.out


def test_a_plain_question_says_nothing_of_references(run: Run, shards: Path) -> None:
    done = run("query", "what is oceania", "--shards", shards)
    assert done.status == 0
    assert "Taken as" not in done.out
    assert "source of the words" not in done.out
