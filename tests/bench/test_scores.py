"""From replies to rows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bench.questions import Question
from bench.scores import Asked, breakdown, row, summary
from bench.systems import Outcome, Passage, outcome_of_reply
from bench.table import lines


def question(gold: str = "A", **changes: Any) -> Question:
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


REPLY = {
    "question": "q",
    "status": "no_answer",
    "results": [{"title": "B", "path": "b"}, {"title": "A", "path": "a"}, {"title": "B", "path": "other"}],
    "evidence": [{"title": "B", "quote": "in 1889"}, {"title": "A", "quote": "no year"}],
    "routes": {"body": {"hits": 2, "ms": 1.5, "state": "ok"}},
}


def test_a_reply_is_reduced_to_what_is_measured() -> None:
    outcome = outcome_of_reply(REPLY)
    assert outcome.titles == ("B", "A")  # the same title in two archives counts once
    assert outcome.refused is True
    assert outcome.evidence == (Passage("B", "in 1889"), Passage("A", "no year"))
    assert outcome.route_ms == {"body": 1.5}


def test_answers_count_anywhere_but_sections_only_in_right_articles() -> None:
    asked = [Asked(question(answers=("1889",)), outcome_of_reply(REPLY), 2.0)]
    figures = row(asked)
    assert (figures.answer5, figures.section5) == (1.0, 0.0)
    assert (figures.hit1, figures.hit5, figures.mrr10) == (0.0, 1.0, 0.5)
    assert (figures.cpu_ms_p50, figures.cpu_ms_p95) == (2.0, 2.0)


def test_evidence_behind_the_fifth_does_not_count() -> None:
    passages = (*[Passage("A", "nothing")] * 5, Passage("A", "1889"))
    assert row([Asked(question(answers=("1889",)), Outcome(("A",), False, passages), 1.0)]).answer5 == 0.0


def test_unanswerable_questions_score_the_gate_and_nothing_else() -> None:
    absent = question(gold="", answerable=False)
    asked = [
        Asked(question(), Outcome(("A",), False, ()), 1.0),
        Asked(absent, Outcome(("A",), True, ()), 1.0),
        Asked(absent, Outcome(("A",), False, ()), 1.0),
    ]
    figures = row(asked)
    assert (figures.n, figures.scored, figures.hit1) == (3, 1, 1.0)
    assert (figures.gate_precision, figures.gate_recall) == (1.0, 0.5)


def test_gold_of_an_unanswerable_question_is_no_hit() -> None:
    assert row([Asked(question(answerable=False), Outcome(("A",)), 1.0)]).hit1 is None


def test_systems_without_a_gate_or_evidence_have_no_such_figures() -> None:
    figures = row([Asked(question(answers=("x",)), Outcome(("A",)), 1.0)])
    assert (figures.answer5, figures.section5, figures.gate_precision, figures.gate_recall) == (None,) * 4


def test_groups_come_first_and_macro_weighs_them_alike() -> None:
    asked = [
        Asked(question(set="xquad_ru"), Outcome(()), 1.0),
        Asked(question(set="wikiqa_dev"), Outcome(("A",)), 1.0),
        Asked(question(), Outcome(("A",)), 1.0),
        Asked(question(), Outcome(("B",)), 1.0),
    ]
    assert list(breakdown(asked, "group")) == ["squad", "wikiqa", "xquad_ru"]
    assert summary(asked)["macro"]["hit1"] == pytest.approx(0.75)


def test_a_summary_is_json_and_prints_as_a_table() -> None:
    asked = [Asked(question(answers=("1889",)), outcome_of_reply(REPLY), 2.0)]
    found = json.loads(json.dumps(summary(asked)))
    text = "\n".join(lines("aborist", found, "group"))
    assert "squad" in text
    assert "macro over groups" in text
    assert "route body" in text
    assert "0.500" in text


def test_a_table_without_the_eight_groups_has_no_macro() -> None:
    asked = [Asked(question(set="other", category="a very long category name that has to be cut"), Outcome(()), 1.0)]
    text = "\n".join(lines("fts5", summary(asked), "category"))
    assert "macro" not in text
    assert "…" in text
