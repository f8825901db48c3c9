"""TREC files: what is written is what ir-measures reads, and any title survives its column."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import unquote

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import artefacts
from bench.questions import Question, QuestionFileError
from bench.record import MissingResultError
from bench.scores import MEASURES, Asked, row, scored
from bench.systems import Outcome
from bench.trec import column, topics

TITLES = ("Nineteen Eighty-Four", "100% (film)", "C++", "東京", "a\u2028b\tc")


def text_of(escaped: str) -> str:
    return unquote(escaped, errors="surrogatepass")


def question(number: str, *gold: str, **changes: object) -> Question:
    values = {"text": "q", "answers": (), "answerable": True, "set": "squad dev", "category": "c\u2028"}
    return Question(id=number, gold=frozenset(gold), **{**values, **changes})  # type: ignore[arg-type]


ASKED = [
    Asked(question("1", TITLES[0]), Outcome(TITLES, refused=False, confidence="strong", probability=0.91), 1.25),
    Asked(question("2", TITLES[2], "elsewhere"), Outcome(TITLES, refused=True), 2.0),
    Asked(question("3", TITLES[4]), Outcome(()), 3.0),
    Asked(question("4", answerable=False), Outcome(TITLES, refused=True), 4.0),
]


@given(st.text(min_size=1) | st.from_regex(r"[%\s\x00\x85\ud800]+", fullmatch=True))
def test_any_text_survives_its_column(text: str) -> None:
    escaped = column(text)
    assert text_of(escaped) == text
    assert escaped.split() == [escaped]
    escaped.encode()


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("Tea", "Tea"), ("C++", "C++"), ("東京", "東京"), ("a b", "a%20b"), ("50%", "50%25"), ("%20", "%2520")],
)
def test_only_what_breaks_a_column_is_escaped(text: str, escaped: str) -> None:
    assert column(text) == escaped


def test_sets_may_share_ids_but_a_set_may_not_repeat_one() -> None:
    assert topics([question("1"), question("1", set="b")]) == ["squad%20dev:1", "b:1"]
    with pytest.raises(QuestionFileError, match="found squad%20dev:1 twice"):
        topics([question("1"), question("1")])


def test_ir_measures_reads_the_files_and_gives_the_figures_of_the_summary(tmp_path: Path) -> None:
    found = scored(ASKED)
    artefacts.write(tmp_path / "x", {"sys": ASKED}, {"sys": found})
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "x" / "qrels.txt")))  # type: ignore[no-untyped-call]
    text = gzip.decompress((tmp_path / "x" / "sys.run.gz").read_bytes()).decode()
    run = list(ir_measures.read_trec_run(text))  # type: ignore[no-untyped-call]
    assert {text_of(one.doc_id) for one in run} == set(TITLES)
    assert {one.query_id for one in qrels} == {"squad%20dev:1", "squad%20dev:2", "squad%20dev:3"}
    theirs = ir_measures.calc_aggregate(list(MEASURES.values()), qrels, run)
    ours = row(found)
    assert ours.scored == 3
    # Question 3 has an empty list, which no run file can hold; ir-measures averages over the qrels' topics anyway.
    for name, measure in MEASURES.items():
        assert getattr(ours, name) == pytest.approx(theirs[measure])


def test_each_questions_figures_come_back_from_their_file(tmp_path: Path) -> None:
    found = scored(ASKED)
    artefacts.write(tmp_path / "r", {"sys": ASKED}, {"sys": found})
    written = (tmp_path / "r" / "sys.questions.jsonl.gz").read_bytes()
    back = artefacts.read_questions(tmp_path / "r.json", "sys")
    assert [one.topic for one in back] == [one.topic for one in found]
    assert (back[0].rank, back[0].hit1, back[0].answered, back[0].confidence) == (1, 1.0, True, "strong")
    assert (back[0].probability, back[0].cpu_ms) == (0.91, 1.25)
    assert (back[1].rank, back[1].answered) == (3, False)
    assert back[1].mrr10 == pytest.approx(1 / 3, abs=1e-4)
    assert (back[2].rank, back[2].hit5, back[2].answered) == (None, 0.0, None)
    assert (back[3].hit1, back[3].answerable, back[3].category) == (None, False, "c\u2028")
    artefacts.write(tmp_path / "r", {"sys": ASKED}, {"sys": found})
    assert (tmp_path / "r" / "sys.questions.jsonl.gz").read_bytes() == written


def test_missing_questions_are_named_with_the_way_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(MissingResultError, match=r"'sys' in r/sys\.questions\.jsonl\.gz; found none: repeat"):
        artefacts.read_questions(tmp_path / "r.json", "sys")
