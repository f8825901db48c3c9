"""The gates: each on its own, their order, and that nothing passes by default."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.engine import Engine
from aborist.query import gate
from aborist.query.accept import RULES, judge
from aborist.query.rank import Ranker, Scored
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
    scored = Ranker().score(candidate, entry, layout, [], asked.terms)
    return replace(scored, features=dict.fromkeys((*scored.features, "phrase", "verbatim", "said"), 0.0))


def found_by(scored: Scored, route: str, score: float, *matched: str) -> Scored:
    hit = Hit(scored.candidate.ref, score, 1, matched)
    return replace(scored, candidate=replace(scored.candidate, hits={**scored.candidate.hits, route: hit}))


def test_nothing_passes_by_default(plain: Scored) -> None:
    verdict = judge(plain)
    assert not verdict.accepted
    assert verdict.rule == ""
    assert verdict.why


def test_an_exact_title_passes_whatever_the_text_holds(plain: Scored) -> None:
    verdict = judge(found_by(plain, "title", 1.0, "Chimney"))
    assert (verdict.accepted, verdict.rule) == (True, "title")
    assert "its title" in verdict.why
    assert "redirect" in judge(found_by(plain, "title", 1.0, "Flue")).why


def test_a_verbatim_quotation_passes_without_the_title(plain: Scored) -> None:
    quoted = found_by(plain, "phrase", 130.0, "smoke from a hearth")
    verdict = judge(replace(quoted, features={**quoted.features, "phrase": 1.0, "verbatim": 1.0, "said": 1.0}))
    assert (verdict.accepted, verdict.rule) == (True, "phrase")
    assert "smoke from a hearth" in verdict.why


@pytest.mark.parametrize("route", ["title-like", "core", "body", "phrase"])
def test_to_be_found_is_not_to_be_accepted(plain: Scored, route: str) -> None:
    assert not judge(found_by(plain, route, 0.1, "tea")).accepted


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
    verdict = judge(scored)
    assert verdict.why
    assert bool(verdict.rule) == verdict.accepted
    decided = [one for rule in RULES if (one := rule(scored))]
    assert verdict == decided[0] if decided else not verdict.accepted


@given(shares=values)
def test_the_probability_is_a_share_and_rises_with_every_feature(plain: Scored, shares: list[float]) -> None:
    features = dict(zip(plain.features, shares, strict=False))
    sure = gate.probability(features)
    assert 0 <= sure <= 1
    for name in features:
        assert gate.probability({**features, name: 1.0}) >= sure - 1e-12


@pytest.mark.parametrize("missing", [(), ("zorblat",), tuple("abcdefgh")])
@pytest.mark.parametrize("verdict", [None, Verdict(False, "", "no passage holds the rest")])
def test_a_refusal_says_something_and_names_what_is_missing(verdict: Verdict | None, missing: tuple[str, ...]) -> None:
    told = gate.refusal("Tea" if verdict else "", verdict, missing)
    assert told
    assert "\n" not in told
    assert all(repr(word) in told for word in missing[:1])
    assert verdict is None or "Tea" in told
