"""The gate: its file is checked, its levels rise, and a similarity never turns a refusal into an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.compose import Composer
from aborist.engine import Engine
from aborist.errors import ModelError
from aborist.query.gate import LEVELS, Gate, Model, Weight, read, refusal, stored_gate
from aborist.types import Verdict

STORED = files("aborist").joinpath("data/gate.json").read_text(encoding="utf-8")
shares = st.floats(0, 1)


def changed(**parts: Any) -> str:
    return json.dumps({**json.loads(STORED), **parts})


def without_pooled() -> dict[str, Any]:
    return {name: model for name, model in json.loads(STORED)["models"].items() if name}


def test_the_model_that_comes_with_the_package_has_both_languages_and_a_pooled_one() -> None:
    assert set(stored_gate().models) == {"eng", "rus", ""}
    assert stored_gate().probability({}, "fra") == stored_gate().models[""].probability({}, stored_gate().answered)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "JSONDecodeError"),
        ("[]", "TypeError"),
        (changed(format=0), "'format': 0"),
        (changed(signals=0), "'signals': 0"),
        (changed(analyzer=0), "'analyzer': 0"),
        (changed(thresholds={"weak": 0.5, "partial": 0.4, "strong": 0.9}), "0.4"),
        (changed(thresholds={"weak": 0.5}), "KeyError"),
        (changed(models=without_pooled()), "eng"),
        (changed(models={"": {"bias": float("nan"), "weights": {}}}), "no finite numbers"),
        (changed(models={"": {"bias": 0, "weights": {"held": [0, 0, 0, 1, 1]}}}), "held"),
        (changed(models={"": {"bias": 0, "weights": {"held": [0, 1]}}}), "TypeError"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_what_was_found(text: str, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text)
    assert told in caught.value.found
    assert "bench.gate" in caught.value.next


def test_a_feature_counts_by_its_standardised_value_within_what_was_seen() -> None:
    model = Model(-1.0, {"held": Weight(mean=0.5, scale=0.25, low=0.0, high=1.0, weight=2.0)})
    assert model.probability({"held": 0.625}, 0.5) == pytest.approx(0.5)  # -1 + 2 * (.625 - .5) / .25 = 0
    assert model.probability({"held": 7.0}, 0.5) == model.probability({"held": 1.0}, 0.5)


@given(
    lexical=shares,
    similar=shares,
    weights=st.tuples(st.floats(-10, 10), st.floats(-1000, 1000), st.floats(-10, 10)),
    answered=st.floats(0.05, 0.95),
)
def test_a_similarity_never_turns_a_refusal_into_an_answer(
    lexical: float, similar: float, weights: tuple[float, float, float], answered: float
) -> None:
    of_held, of_similarity, bias = weights
    own = {"held": Weight(0.5, 0.2, 0.0, 1.0, of_held)}
    both = {**own, "similarity": Weight(0.5, 0.2, 0.0, 1.0, of_similarity)}
    alone = Model(bias, own).probability({"held": lexical}, answered)
    if alone < answered:
        assert Model(bias, both).probability({"held": lexical, "similarity": similar}, answered) <= alone


def test_a_refused_question_stays_refused_however_alike_the_article_is(library: Engine) -> None:
    question = "how many calories are in the chimney of the tea house"
    refused = library.ask(question)
    assert not refused.answered
    features = {**refused.results[0].features, "similarity": 1.0}
    gate = stored_gate()
    models = {
        name: replace(model, weights={**model.weights, "similarity": Weight(0.0, 1.0, 0.0, 1.0, 1000.0)})
        for name, model in gate.models.items()
    }
    assert replace(gate, models=models).probability(features, "eng") < gate.answered


def test_levels_rise_with_the_probability() -> None:
    gate = Gate({"": Model(0.0, {})}, {"weak": 0.3, "partial": 0.5, "strong": 0.8}, {"title": 0.9, "phrase": 0.6})
    levels = [gate.level(Verdict(True, "body", "", p))[0] for p in (0.3, 0.49, 0.5, 0.79, 0.8)]
    assert levels == ["weak", "weak", "partial", "partial", "strong"]
    assert gate.level(Verdict(True, "title", "", 0.1)) == ("strong", 0.9)
    assert gate.level(Verdict(True, "phrase", "", 0.7)) == ("partial", 0.7)
    assert gate.level(Verdict(False, "", "", 0.9))[0] == "weak"


def test_the_verdict_does_not_depend_on_how_many_are_listed(library: Engine) -> None:
    for question in ("where is smoke led from a hearth", "what do people drink in Japan", "zorblat of the sea"):
        one, many = library.ask(question, 1), library.ask(question, 10)
        assert one.coverage.confidence == many.coverage.confidence
        assert [result.verdict for result in one.results] == [result.verdict for result in many.results[:1]]


def test_another_gate_decides_otherwise(library: Engine) -> None:
    never = Gate({"": Model(-9.0, {})}, dict.fromkeys(LEVELS, 0.5), {})
    always = Gate({"": Model(9.0, {})}, dict.fromkeys(LEVELS, 0.5), {})
    question = "what do people pour over cured leaves in the evening"
    engines = [Engine(library.index, composer=Composer(gate=gate)) for gate in (never, always)]
    assert [engine.ask(question).answered for engine in engines] == [False, True]


@pytest.mark.parametrize("missing", [(), ("zorblat",), tuple("abcdefgh")])
@pytest.mark.parametrize("verdict", [None, Verdict(False, "", "no passage holds the rest")])
def test_a_refusal_says_something_and_names_what_is_missing(verdict: Verdict | None, missing: tuple[str, ...]) -> None:
    told = refusal("Tea" if verdict else "", verdict, missing)
    assert told
    assert "\n" not in told
    assert all(repr(word) in told for word in missing[:1])
    assert verdict is None or "Tea" in told
