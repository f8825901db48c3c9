"""The eight groups and their macro mean."""

from __future__ import annotations

import pytest

from bench.groups import GROUPS, group_of, macro


@pytest.mark.parametrize(
    ("set_name", "group"),
    [
        ("squad_dev_v11", "squad"),
        ("hotpotqa_all_gold_in_corpus", "hotpotqa"),
        ("miracl_en_dev", "miracl_en"),
        ("wikiqa_train", "wikiqa"),
        ("triviaqa", "triviaqa"),
        # Outside the eight: their own group, so never in the macro.
        ("squad2_unanswerable", "squad2_unanswerable"),
        ("xquad_ru", "xquad_ru"),
        ("qald9plus_test", "qald9plus_test"),
    ],
)
def test_every_set_has_one_group(set_name: str, group: str) -> None:
    assert group_of(set_name) == group


def test_there_are_eight_groups() -> None:
    assert len(GROUPS) == 8


def test_macro_weighs_groups_alike_and_ignores_the_rest() -> None:
    assert macro({"squad": 0.4, "fever": 0.8, "xquad_ru": 0.0}) == pytest.approx(0.6)
    assert macro({"xquad_ru": 1.0}) is None
