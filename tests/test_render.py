"""The reply object: the keys of the design in their order, and what each value may be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aborist.engine import Engine
from aborist.query.accept import RULES
from aborist.query.routes import ROUTES
from aborist.render import ROUTE_NAMES, explanation, reply
from tests.query.conftest import library, library_shards, make

__all__ = ["library", "library_shards", "make"]  # fixtures

# A list stands for any number of what it holds, a tuple for alternatives.
HIT = {"rank": int, "score": float, "matched": [str]}
CONTRACT: dict[str, Any] = {
    "question": str,
    "status": ("answered", "no_answer"),
    "reason": (None, str),
    "answer": (None, {"sentences": [{"text": str, "evidence": [str]}],
                      "label": ("STRICT", "EVIDENCE-LINKED", "HYBRID", "UNGROUNDED"), "supported": int, "claims": int}),
    "frame": {"kind": ("reference", "literal", None), "work": (None, str)},
    "results": [
        {"rank": int, "title": str, "path": str, "archive": str, "root": str, "score": float, "url": str,
         "accepted_by": (None, str),
         "role": ("primary_reference_source", "literal_world_background", "background_source"), "routes": dict}
    ],
    "evidence": [
        {"id": str, "root": str, "title": str, "archive": str, "path": str, "heading": [str], "quote": str,
         "start": int, "end": int, "highlights": [[int]], "url": str}
    ],
    "coverage": {"sectionCount": int, "distinctPageCount": int, "topSimilarity": (int, float),
                 "confidence": ("strong", "partial", "weak", "unknown"), "missingTerms": [str],
                 "shardsAnswered": int, "shardsTotal": int},
    "routes": dict,
    "timings": {"total_ms": float},
    "warnings": [str],
}  # fmt: skip
QUESTIONS = ["what is tea", "has oceania always been at war with east asia", "drink", "zorblat", "", "?", "x" * 5_000,
             '"hot water"', "cofee", "Blank", "Field manual", "tea zorblat", "chai"]  # fmt: skip


def fits(value: object, form: object) -> bool:
    """Whether a JSON value has this form; dictionaries have exactly these keys, in this order."""
    if isinstance(form, tuple):
        return any(fits(value, alternative) for alternative in form)
    if isinstance(form, list):
        return isinstance(value, list) and all(fits(one, form[0]) for one in value)
    if isinstance(form, dict):
        return (
            isinstance(value, dict) and list(value) == list(form) and all(fits(value[key], form[key]) for key in form)
        )
    if isinstance(form, type):
        return isinstance(value, form) and not (form is int and isinstance(value, bool))
    return value == form


def parts_that_do_not_fit(found: dict[str, Any]) -> list[str]:
    return [key for key, form in CONTRACT.items() if not fits(found[key], form)]


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_reply_keeps_the_contract(library: Engine, question: str, mode: str) -> None:
    found = reply(library.ask(question, mode=mode))
    assert list(found) == list(CONTRACT)
    assert parts_that_do_not_fit(found) == []
    assert json.loads(json.dumps(found)) == found
    assert list(found["routes"]) == list(ROUTE_NAMES)
    assert all(fits(route, {"hits": int, "ms": (int, float), "state": str}) for route in found["routes"].values())


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_parts_of_a_reply_agree_with_each_other(library: Engine, question: str) -> None:
    found = reply(library.ask(question))
    answered = found["status"] == "answered"
    assert (found["reason"] is None) == answered
    assert (found["answer"] is not None) <= answered
    assert (found["frame"]["kind"] is not None) == answered
    assert [result["rank"] for result in found["results"]] == list(range(1, len(found["results"]) + 1))
    for result in found["results"]:
        assert len(result["root"]) == 64
        assert result["routes"]
        assert all(fits(hit, HIT) for hit in result["routes"].values())
        assert set(result["routes"]) <= set(ROUTES)
        assert result["accepted_by"] is None or result["accepted_by"] in {
            "title", "phrase", "title-like", "core", "body",
        }  # fmt: skip
    ids = {item["id"]: item for item in found["evidence"]}
    assert list(ids) == [f"E{n}" for n in range(1, len(ids) + 1)]
    for item in found["evidence"]:
        assert item["end"] - item["start"] == len(item["quote"])
        assert all(len(span) == 2 for span in item["highlights"])
    if answered and found["answer"]:
        answer = found["answer"]
        assert answer["supported"] == answer["claims"] == len(answer["sentences"]) > 0
        for sentence in answer["sentences"]:
            assert sentence["evidence"]
            assert all(sentence["text"] in ids[name]["quote"] for name in sentence["evidence"])


def test_an_allusion_is_framed_as_a_reference_to_the_work(library: Engine) -> None:
    found = reply(library.ask("has oceania always been at war with east asia"))
    assert found["frame"] == {"kind": "reference", "work": "Nineteen Eighty-Four"}
    assert found["results"][0]["accepted_by"] == "phrase"
    roles = [result["role"] for result in found["results"]]
    assert roles[0] == "primary_reference_source"
    assert set(roles[1:]) <= {"literal_world_background"}


def test_a_plain_question_is_framed_literally(library: Engine) -> None:
    found = reply(library.ask("what is tea"))
    assert found["frame"] == {"kind": "literal", "work": None}
    assert {result["role"] for result in found["results"]} == {"background_source"}


def test_without_vectors_the_similarity_is_minus_one_and_the_state_says_why(library: Engine) -> None:
    found = reply(library.ask("what is tea"))
    assert found["coverage"]["topSimilarity"] == -1
    assert found["routes"]["dense"] == {"hits": 0, "ms": 0, "state": "off: no vectors"}


@pytest.mark.parametrize("question", ["zorblat", "tea zorblat quonset"])
def test_a_refusal_names_what_was_not_found(library: Engine, question: str) -> None:
    found = reply(library.ask(question))
    assert found["status"] == "no_answer"
    assert "zorblat" in found["coverage"]["missingTerms"]
    assert "zorblat" in found["reason"]
    assert all(result["accepted_by"] is None or result["rank"] > 1 for result in found["results"])


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_explanation_names_every_listed_article_and_why_it_was_kept_or_not(library: Engine, question: str) -> None:
    answer = library.ask(question)
    told = explanation(answer)
    assert json.loads(json.dumps(told)) == told
    assert [one["title"] for one in told["results"]] == [result.title for result in answer.results]
    assert all(one["why"] for one in told["results"])
    rejected = [result.title for result in answer.results if not result.verdict.accepted]
    assert [one["title"] for one in told["rejected"]] == rejected
    assert len(RULES) >= 1
