"""Numbers in names, in the other spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.query.numerals import respelled


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("world war 2", "world war II"),
        ("World War II", "World War 2"),
        ("Apollo 11", "Apollo XI"),
        ("Elizabeth the Second", "Elizabeth II"),
        ("Екатерина Вторая", "Екатерина II"),
        ("Екатерине Второй", "Екатерине II"),
        ("Henry VIII", "Henry 8"),
        ("Rocky iv", "Rocky 4"),
    ],
)
def test_the_other_numerals(name: str, other: str) -> None:
    assert other in respelled(name)


@pytest.mark.parametrize(
    "name", ["", "Tea", "second", "1984", "TS 38.101", "X-ray spex", "civic mix", "0", "i", "R2-D2"]
)
def test_what_is_no_small_number_stays(name: str) -> None:
    assert respelled(name) == []


@given(st.text(max_size=40))
def test_any_name_may_be_respelled(name: str) -> None:
    assert name not in respelled(name)
