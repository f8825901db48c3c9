"""Postings of core keywords: what is packed comes back, and what was damaged is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.shard import core

ORDINALS = st.lists(st.one_of(st.integers(0, 300), st.integers(0, 2**32 - 2)), unique=True, max_size=60).map(sorted)


@given(ORDINALS, st.data())
def test_unpack_gives_what_was_packed(ordinals: list[int], data: st.DataObject) -> None:
    levels = data.draw(st.lists(st.integers(1, core.LEVELS), min_size=len(ordinals), max_size=len(ordinals)))
    found = core.unpack(core.pack(np.array(ordinals, np.int64), np.array(levels, np.uint8)))
    assert [column.tolist() for column in found] == [ordinals, levels]


@given(ORDINALS)
def test_ids_come_back(ids: list[int]) -> None:
    assert core.unpack_ids(core.pack_ids(ids)).tolist() == ids


@pytest.mark.parametrize("blob", [None, 7, b"", b"\x05\0\0\0ab", b"\x01\0\0\0\xff\0\0", b"\x01\0\0\0\x01\x10\x10"])
def test_what_was_cut_or_grew_is_no_postings(blob: object) -> None:
    with pytest.raises(ValueError, match="not whole"):
        core.unpack(blob)
    with pytest.raises(ValueError, match="not whole"):
        core.unpack_ids(blob)


def test_an_impact_is_the_saturated_frequency_within_half_a_step() -> None:
    counts, titles, relative = (np.array(column, float) for column in ([1, 3, 40, 1], [0, 1, 0, 0], [1, 0.5, 4, 30]))
    weighted = counts + core.TITLE * titles
    exact = weighted / (weighted + core.K1 * (1 - core.B + core.B * relative))
    found = core.levels(counts, titles, relative)
    assert np.abs(core.impacts(found) - exact).max() <= 0.5 / core.LEVELS + 1e-9
    assert found.min() >= 1
