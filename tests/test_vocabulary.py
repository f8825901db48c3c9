"""Words as numbers say what the analyzer says, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.text import analyzer_for, function_words
from aborist.vocabulary import Vocabulary

VOCABULARY = Vocabulary(analyzer_for("eng"))
_SIGNS = st.sampled_from(list("ab'’`_-–— .,\u00a0\u2028\x1f\u0301½№ßéЙ水の0\N{ARABIC TATWEEL}"))


@given(text=st.one_of(st.text(st.characters(codec="utf-8")), st.text(_SIGNS)))
@pytest.mark.parametrize("language", ["eng", "rus", "fra", "zho"])
def test_the_numbers_of_a_text_stand_for_its_stems(language: str, text: str) -> None:
    vocabulary = Vocabulary(analyzer_for(language))
    assert vocabulary.text(vocabulary.numbers(text)) == analyzer_for(language).stems(text)
    # Each number is one stem: what is counted are words, not runs of them.
    assert all(" " not in vocabulary.stems[number] for number in vocabulary.numbers(text))


@given(texts=st.lists(st.text(_SIGNS, max_size=12)))
def test_a_text_seen_before_has_the_same_numbers(texts: list[str]) -> None:
    assert [VOCABULARY.numbers(text) for text in texts] == [VOCABULARY.numbers(text) for text in texts]
    assert len(set(VOCABULARY.stems) - {""}) == sum(map(bool, VOCABULARY.stems))


def test_function_words_have_the_lowest_numbers() -> None:
    vocabulary = Vocabulary(analyzer_for("eng"))
    assert all(n < vocabulary.common for n in vocabulary.numbers(" ".join(function_words("eng"))))
    assert vocabulary.numbers("volcano")[0] >= vocabulary.common


def test_a_large_vocabulary_is_begun_again() -> None:
    vocabulary = Vocabulary(analyzer_for("eng"))
    vocabulary.numbers("volcanoes 1912–1990")
    vocabulary.trim(len(vocabulary.stems))
    assert b"volcanoes" in vocabulary
    assert vocabulary.numbers("volcanoes")[0] == vocabulary.numbers("Volcano")[0]
    vocabulary.trim(1)
    assert b"volcanoes" not in vocabulary
    assert vocabulary.text(vocabulary.numbers("volcanoes 1912–1990")) == "volcano 1912 1990"
