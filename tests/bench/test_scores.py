"""From replies to rows; the ranking measures against their definitions, written out here."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.questions import Question
from bench.scores import Asked, Row, Scored, breakdown, route_times, row, scored, summary
from bench.systems import Outcome, Passage, outcome_of_reply
from bench.table import lines


def question(gold: str | frozenset[str] = "A", **changes: Any) -> Question:
    values: dict[str, Any] = {
        "id": "1",
        "text": "q",
        "gold": frozenset(gold),
        "answers": (),
        "answerable": True,
        "set": "squad_dev_v11",
        "category": "c",
    }
    return Question(**{**values, **changes})


def figures_of(*asked: Asked) -> Row:
    return row(scored(numbered(*asked)))


def numbered(*asked: Asked) -> list[Asked]:
    return [replace(one, question=replace(one.question, id=str(n))) for n, one in enumerate(asked)]


def one_scored(titles: tuple[str, ...], gold: frozenset[str]) -> Scored:
    return scored([Asked(question(gold=gold), Outcome(titles), 1.0)])[0]


REPLY = {
    "question": "q",
    "status": "no_answer",
    "results": [{"title": "B", "path": "b"}, {"title": "A", "path": "a"}, {"title": "B", "path": "other"}],
    "evidence": [{"title": "B", "quote": "in 1889"}, {"title": "A", "quote": "no year"}],
    "routes": {"body": {"hits": 2, "ms": 1.5, "state": "ok"}},
    "coverage": {"confidence": "weak"},
}


def test_a_reply_is_reduced_to_what_is_measured() -> None:
    outcome = outcome_of_reply(REPLY, 0.25)
    assert outcome.titles == ("B", "A")  # the same title in two archives counts once
    assert outcome.refused is True
    assert outcome.evidence == (Passage("B", "in 1889"), Passage("A", "no year"))
    assert outcome.route_ms == {"body": 1.5}
    assert (outcome.confidence, outcome.probability) == ("weak", 0.25)


def test_answers_count_anywhere_but_sections_only_in_right_articles() -> None:
    figures = figures_of(Asked(question(answers=("1889",)), outcome_of_reply(REPLY), 2.0))
    assert (figures.answer5, figures.section5) == (1.0, 0.0)
    assert (figures.hit1, figures.hit5, figures.mrr10) == (0.0, 1.0, 0.5)
    assert (figures.cpu_ms_p50, figures.cpu_ms_p95) == (2.0, 2.0)


def test_evidence_behind_the_fifth_does_not_count() -> None:
    passages = (*[Passage("A", "nothing")] * 5, Passage("A", "1889"))
    assert figures_of(Asked(question(answers=("1889",)), Outcome(("A",), False, passages), 1.0)).answer5 == 0.0


def test_unanswerable_questions_score_the_gate_and_nothing_else() -> None:
    absent = question(gold="", answerable=False)
    asked = [
        Asked(question(), Outcome(("A",), False, ()), 1.0),
        Asked(absent, Outcome(("A",), True, ()), 1.0),
        Asked(absent, Outcome(("A",), False, ()), 1.0),
    ]
    figures = figures_of(*asked)
    assert (figures.n, figures.scored, figures.hit1) == (3, 1, 1.0)
    assert (figures.gate_precision, figures.gate_recall) == (1.0, 0.5)


def test_gold_of_an_unanswerable_question_is_no_hit() -> None:
    assert figures_of(Asked(question(answerable=False), Outcome(("A",)), 1.0)).hit1 is None


def test_systems_without_a_gate_or_evidence_have_no_such_figures() -> None:
    figures = figures_of(Asked(question(answers=("x",)), Outcome(("A",)), 1.0))
    assert (figures.answer5, figures.section5, figures.gate_precision, figures.gate_recall) == (None,) * 4


def test_groups_come_first_and_macro_weighs_them_alike() -> None:
    asked = [
        Asked(question(set="xquad_ru"), Outcome(()), 1.0),
        Asked(question(set="wikiqa_dev"), Outcome(("A",)), 1.0),
        Asked(question(), Outcome(("A",)), 1.0),
        Asked(question(), Outcome(("B",)), 1.0),
    ]
    found = scored(numbered(*asked))
    assert list(breakdown(found, "group")) == ["squad", "wikiqa", "xquad_ru"]
    assert summary(found)["macro"]["hit1"] == pytest.approx(0.75)


def test_a_summary_is_json_and_prints_as_a_table() -> None:
    asked = [Asked(question(answers=("1889",)), outcome_of_reply(REPLY), 2.0)]
    found = json.loads(json.dumps({**summary(scored(asked)), "route_ms": route_times(asked)}))
    text = "\n".join(lines("aborist", found, "group"))
    assert "squad" in text
    assert "macro over groups" in text
    assert "route body" in text
    assert "0.500" in text


def test_a_table_without_the_eight_groups_has_no_macro() -> None:
    asked = [Asked(question(set="other", category="a very long category name that has to be cut"), Outcome(()), 1.0)]
    text = "\n".join(lines("fts5", {**summary(scored(asked)), "route_ms": {}}, "category"))
    assert "macro" not in text
    assert "…" in text


RANKED = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
names = st.text("abcdefghijklmnop", min_size=1, max_size=2)


@pytest.mark.parametrize(
    ("gold", "hit1", "hit5", "mrr10"),
    [
        ({"a"}, 1.0, 1.0, 1.0),
        ({"b"}, 0.0, 1.0, 0.5),
        ({"d", "c"}, 0.0, 1.0, 1 / 3),
        ({"f"}, 0.0, 0.0, 1 / 6),
        ({"j"}, 0.0, 0.0, 0.1),
        ({"k"}, 0.0, 0.0, 0.0),
        ({"x"}, 0.0, 0.0, 0.0),
    ],
)
def test_hits_and_reciprocal_rank_by_hand(gold: set[str], hit1: float, hit5: float, mrr10: float) -> None:
    found = one_scored(RANKED, frozenset(gold))
    assert (found.hit1, found.hit5) == (hit1, hit5)
    assert found.mrr10 == pytest.approx(mrr10)


def test_ndcg_by_hand() -> None:
    # Right at ranks 2 and 3 of two: (1/log2 3 + 1/log2 4) / (1/log2 2 + 1/log2 3)
    expected = (1 / math.log2(3) + 0.5) / (1 + 1 / math.log2(3))
    assert one_scored(RANKED, frozenset("bc")).ndcg10 == pytest.approx(expected)


@given(st.lists(names, unique=True, max_size=15), st.frozensets(names, min_size=1, max_size=12))
def test_every_measure_is_its_definition(ranked: list[str], gold: frozenset[str]) -> None:
    right = [rank for rank, title in enumerate(ranked, 1) if title in gold]
    found = one_scored(tuple(ranked), gold)
    assert found.rank == (right[0] if right else None)
    assert found.hit1 == float(right[:1] == [1])
    assert found.hit5 == float(any(rank <= 5 for rank in right))
    assert found.mrr10 == pytest.approx(1 / right[0] if right and right[0] <= 10 else 0.0)
    gain = sum(1 / math.log2(rank + 1) for rank in right if rank <= 10)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), 10) + 1))
    assert found.ndcg10 == pytest.approx(gain / ideal)
