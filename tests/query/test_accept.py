"""The gates: each on its own, their order, and that nothing passes by default."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.engine import Engine
from aborist.query.accept import RULES, Case, judge, passes
from aborist.query.gate import LEVELS, Gate, Model, stored_gate
from aborist.query.matches import Read
from aborist.query.rank import Ranker, Scored
from aborist.query.signals import SIGNALS
from aborist.types import Hit, Verdict
from tests.query.conftest import asking, find

values = st.lists(st.floats(0, 1), min_size=30, max_size=30)  # one a feature, the rest unused
hits = st.dictionaries(
    st.sampled_from(["title", "title-like", "core", "body", "phrase"]),
    st.tuples(st.floats(0, 130), st.lists(st.sampled_from(["tea", "a b", "x"]), min_size=1, max_size=3)),
)


@pytest.fixture(scope="module")
def plain(library: Engine) -> Scored:
    """A question and a candidate that no route found and whose text holds nothing of it."""
    asked = asking(library, "what is tea")
    candidate, entry, layout, _ = find(asked, "Chimney")
    (scored,) = Ranker().scores([Read(candidate, entry, layout, [])], asked.terms)
    return replace(scored, features=dict.fromkeys((*scored.features, *SIGNALS, "verbatim", "said"), 0.0))


def found_by(scored: Scored, route: str, score: float, *matched: str) -> Scored:
    hit = Hit(scored.candidate.ref, score, 1, matched)
    return replace(scored, candidate=replace(scored.candidate, hits={**scored.candidate.hits, route: hit}))


def judged(scored: Scored) -> Verdict:
    return judge(scored, stored_gate(), "eng")


def test_nothing_passes_by_default(plain: Scored) -> None:
    verdict = judged(plain)
    assert not verdict.accepted
    assert verdict.rule == ""
    assert verdict.why


def test_an_exact_title_passes_whatever_the_text_holds(plain: Scored) -> None:
    verdict = judged(found_by(plain, "title", 1.0, "Chimney"))
    assert (verdict.accepted, verdict.rule) == (True, "title")
    assert "its title" in verdict.why
    assert "redirect" in judged(found_by(plain, "title", 1.0, "Flue")).why


def test_a_verbatim_quotation_passes_without_the_title(plain: Scored) -> None:
    quoted = found_by(plain, "phrase", 130.0, "smoke from a hearth")
    verdict = judged(replace(quoted, features={**quoted.features, "phrase": 1.0, "verbatim": 1.0, "said": 1.0}))
    assert (verdict.accepted, verdict.rule) == (True, "phrase")
    assert "smoke from a hearth" in verdict.why


@pytest.mark.parametrize("route", ["title-like", "core", "body", "phrase"])
def test_to_be_found_is_not_to_be_accepted(plain: Scored, route: str) -> None:
    assert not judged(found_by(plain, route, 0.1, "tea")).accepted


def test_rules_have_names_that_differ() -> None:
    assert len({rule.__name__ for rule in RULES}) == len(RULES)
    assert all(rule.__doc__ for rule in RULES)


@given(shares=values, found=hits)
def test_any_candidate_gets_a_verdict_with_its_reason(
    plain: Scored, shares: list[float], found: dict[str, tuple[float, list[str]]]
) -> None:
    scored = replace(plain, features=dict(zip(plain.features, shares, strict=False)))
    for route, (score, matched) in found.items():
        scored = found_by(scored, route, score, *matched)
    verdict = judged(scored)
    assert verdict.why
    assert bool(verdict.rule) == verdict.accepted
    case = Case(scored, verdict.probability, stored_gate().answered)
    decided = [one for rule in RULES if (one := rule(case))]
    assert (verdict.rule, verdict.why) == (decided[0].rule, decided[0].why) if decided else not verdict.accepted


@pytest.mark.parametrize("bias", [-9.0, 9.0])
def test_what_no_rule_decides_the_gate_does(plain: Scored, bias: float) -> None:
    gate = Gate({"": Model(bias, {})}, dict.fromkeys(LEVELS, 0.5), {})
    verdict = judge(plain, gate, "eng")
    assert verdict.accepted == (bias > 0)
    assert verdict.probability == pytest.approx(float(bias > 0), abs=0.001)
    assert verdict.accepted == passes(plain.features, verdict.probability, gate.answered)


@pytest.mark.parametrize(
    ("features", "accepted"),
    [
        ({"title": 0.5, "window": 0.5, "akin": 0.5}, False),
        ({"title": 0.5, "window": 0.5, "akin": 0.9}, True),
        ({"title": 0.9, "window": 0.9, "akin": 0.9}, True),
        ({"functional": 1.0}, False),
        ({"unknown_names": 0.5}, False),
        ({"unknown_names": 0.1}, True),
    ],
)
def test_a_title_alone_or_function_words_are_no_answer_however_likely(
    plain: Scored, features: dict[str, float], accepted: bool
) -> None:
    sure = Gate({"": Model(9.0, {})}, dict.fromkeys(LEVELS, 0.5), {})
    asked = replace(plain, features={**plain.features, **features})
    assert judge(asked, sure, "eng").accepted == accepted


def test_a_name_of_two_words_is_no_quotation_unless_it_was_said(plain: Scored) -> None:
    named = found_by(plain, "phrase", 122.0, "set theory")
    strong = {**named.features, "phrase": 1.0, "verbatim": 1.0}
    assert not judged(replace(named, features=strong)).accepted
    assert judged(replace(named, features={**strong, "said": 1.0})).rule == "phrase"


def test_a_saying_asked_for_whose_words_all_stand_there_needs_no_likelihood(plain: Scored) -> None:
    near = {**plain.features, "window": 1.0, "trigrams": 0.5}
    unlikely = Gate({"": Model(-9.0, {})}, dict.fromkeys(LEVELS, 0.5), {})
    assert not judge(replace(plain, features=near), unlikely, "eng").accepted
    assert judge(replace(plain, features={**near, "quoted": 1.0}), unlikely, "eng").accepted
