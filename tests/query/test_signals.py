"""What is said of a candidate for the gate, on pages where it can be counted by hand."""

from __future__ import annotations

import math

import pytest

from aborist.engine import Engine
from aborist.query.matches import Read
from aborist.query.rank import Ranker
from aborist.query.signals import RIVALS, SIGNALS, compared, signals
from tests.query.conftest import Make, Site, asking, find
from tests.zims import page

PAGES = (
    page("Kiln", "The kiln was lit in 1741 by Orla Brask. A tall brick oven stands beside the mill."),
    page("Mill", "The mill grinds barley. A kiln stands beside it."),
    page("Mining", "Miners defended the shaft against floods."),
)


@pytest.fixture(scope="module")
def works(make: Make) -> Engine:
    return Engine.open(make(Site(PAGES, name="works")))


def of(engine: Engine, question: str, title: str) -> dict[str, float]:
    asked = asking(engine, question)
    candidate, entry, layout, matching = find(asked, title)
    (scored,) = Ranker().scores([Read(candidate, entry, layout, matching)], asked.terms)
    return signals(asked.question, scored, layout, asked.terms)


def test_what_one_passage_holds_is_told_from_what_one_sentence_does(works: Engine) -> None:
    found = of(works, "brick oven lit in 1741", "Kiln")
    assert found["held"] == pytest.approx(1.0)
    assert found["sentence"] == pytest.approx(0.5)  # two of four words that are equally rare
    assert found["numbers_missing"] == 0


def test_neighbours_that_stay_neighbours_are_pairs(works: Engine) -> None:
    assert of(works, "tall brick oven", "Kiln")["pairs"] == 1.0
    assert of(works, "oven brick tall", "Kiln")["pairs"] == 0.0


def test_names_numbers_and_words_that_are_missing_are_told_apart(works: Engine) -> None:
    found = of(works, "when did Zorblat Brask light the kiln in 1641", "Kiln")
    assert found["names_missing"] == pytest.approx(math.log1p(1))
    assert found["numbers_missing"] == pytest.approx(math.log1p(1))
    assert 0 < found["unknown_names"] < found["unknown"] < 1
    assert of(works, "ZORBLAT BRASK KILN", "Kiln")["unknown_names"] == 0  # shouted: no names


def test_a_related_word_is_akin_and_not_held(works: Engine) -> None:
    found = of(works, "defensive shaft", "Mining")
    assert found["held"] < found["akin"] == pytest.approx(1.0)


def test_a_passage_without_a_date_does_not_suit_when(works: Engine) -> None:
    assert of(works, "when was the kiln lit", "Kiln")["unsuited"] == 0
    assert of(works, "when was the mill built", "Mill")["unsuited"] == 1


def test_more_rare_words_together_are_a_greater_surprise(works: Engine) -> None:
    few, many = of(works, "brick", "Kiln"), of(works, "brick oven", "Kiln")
    assert 0 < few["surprise"] < many["surprise"]


def test_margins_are_against_the_best_other_article() -> None:
    found = compared(
        [{"sum": s, "sentence": n, "held": h} for s, n, h in ((2.0, 0.5, 0.6), (1.5, 0.7, 0.6), (0.2, 0.1, 0.1))]
    )
    assert found[0]["margin"] == pytest.approx(math.log1p(10 * 0.5))
    assert [one["margin"] for one in found[1:]] == [0.0, 0.0]
    assert [round(one["sentence_margin"], 2) for one in found] == [-0.2, 0.2, -0.6]
    assert [one["peers"] for one in found] == pytest.approx([math.log1p(1), math.log1p(1), math.log1p(2)])


def test_without_a_rival_an_article_is_ahead_by_all_it_has() -> None:
    (alone,) = compared([{"sum": 0.3, "sentence": 0.4, "held": 0.4}])
    assert alone["margin"] == pytest.approx(math.log1p(3))
    assert (alone["sentence_margin"], alone["peers"]) == (0.4, 0.0)


def test_rivals_beyond_the_first_do_not_count() -> None:
    own = [{"sum": 1.0, "sentence": 0.1, "held": 0.5}] * RIVALS
    assert compared([*own, {"sum": 1.0, "sentence": 0.9, "held": 0.9}])[0] == compared(own)[0]


def test_every_signal_has_its_name_in_the_list(works: Engine) -> None:
    (told,) = compared([{**of(works, "brick oven", "Kiln"), "sum": 1.0}])
    assert set(told) - {"sum"} == set(SIGNALS)
