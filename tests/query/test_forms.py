"""Texts as numbers of words: the numbers stand for the very words that folding and stemming give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.query.forms import Forms
from aborist.text import analyzer_for, fold

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=5)


@pytest.mark.parametrize("language", ["eng", "fra", "rus", "zho"])
@given(texts=TEXTS)
def test_every_word_has_the_number_of_its_form(language: str, texts: list[str]) -> None:
    vocabulary = Forms(analyzer_for(language))
    numbers, sizes = vocabulary.read(texts)
    expected = [fold(text).split() for text in texts]
    assert [list(map(len, expected)), len(vocabulary)] == [sizes.tolist(), len(set().union(*expected))]
    known = {number: form for stem in stems_of(vocabulary, texts) for number, form in vocabulary.of(stem)}
    assert [known[number] for number in numbers.tolist()] == [form for forms in expected for form in forms]


def stems_of(vocabulary: Forms, texts: list[str]) -> set[str]:
    return {stem for text in texts for stem in vocabulary.analyzer.stems(text).split()}


def test_forms_of_a_stem_are_those_that_were_met() -> None:
    vocabulary = Forms(analyzer_for("eng"))
    vocabulary.read(["Teas are drunk; tea is.", "Drinking TEA"])
    assert {form for _, form in vocabulary.of("tea")} == {"tea", "teas"}
    assert vocabulary.of("kiln") == []


def test_what_grew_too_large_is_forgotten_and_begun_anew() -> None:
    vocabulary = Forms(analyzer_for("eng"))
    vocabulary.read(["one two three"])
    vocabulary.trim(most=3)
    assert len(vocabulary) == 3
    vocabulary.trim(most=2)
    assert len(vocabulary) == 0
    numbers, _ = vocabulary.read(["three one"])
    assert numbers.tolist() == [0, 1]
