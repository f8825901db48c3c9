"""The folding that names and quotations are compared by."""

from __future__ import annotations

import pytest

from bench.words import is_punctuation, plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("tea", "tea"),
        ("  AC/DC — Live! ", "ac dc live"),
        ("Café Müller", "cafe muller"),
        ("Cafe\N{COMBINING ACUTE ACCENT}", "cafe"),
        ("Straße", "strasse"),
        ("Ёж", "еж"),
        ("don’t", "don t"),
        ("?!", ""),
    ],
)
def test_case_diacritics_and_punctuation_go(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("?!", True), ("« »", True), ("+", False), ("🐸", False), ("!!!a", False)]
)
def test_symbols_are_no_punctuation(name: str, expected: bool) -> None:
    assert is_punctuation(name) is expected
