"""Which Russian stems count as derived from one word, in tables of words, and what holds for any stem."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.derivation import kin
from aborist.text import analyzer_for

RUSSIAN = analyzer_for("rus")

AKIN = [
    # verbs and their nouns
    ("финансировал", "финансирование"), ("исследовать", "исследование"), ("исследовать", "исследователь"),
    ("создать", "создание"), ("голосовать", "голосование"), ("увеличить", "увеличение"), ("победить", "победитель"),
    ("производил", "производство"), ("организовать", "организация"),
    # a labial takes л
    ("восстановить", "восстановление"), ("восстановлен", "восстановление"), ("потребить", "потребление"),
    # aspect pairs by a suffix
    ("создать", "создавать"), ("увеличить", "увеличивать"), ("определить", "определять"),
    # nouns and adjectives
    ("Амазонка", "амазонский"), ("Париж", "парижский"), ("Россия", "российский"), ("университет", "университетский"),
    ("кислород", "кислородный"), ("банк", "банковский"), ("финансы", "финансовый"), ("государство", "государственный"),
    # velars soften
    ("наука", "научный"), ("физика", "физический"), ("экономика", "экономический"), ("столица", "столичный"),
    # vowels that come and go
    ("плёнок", "плёнка"), ("поправок", "поправка"), ("американец", "американцев"), ("сердце", "сердец"),
    # inflection that the stemmer misses
    ("время", "времени"), ("мавзолей", "мавзолея"),
]  # fmt: skip
APART = [
    ("мир", "мирный"), ("вода", "водный"), ("учить", "учитель"),  # akin, but three letters join too much
    ("Париж", "парижанин"),  # a suffix of inhabitants that is not in the table
    ("стол", "столица"), ("стол", "столичный"), ("столик", "столица"), ("час", "часть"), ("вера", "верх"),
    ("порт", "портрет"), ("план", "планета"), ("команда", "командировка"), ("мать", "математика"),
    ("право", "правый край"), ("наука", "навука"), ("1984", "1984ский"), ("Windows", "windowsный"),
]  # fmt: skip


def akin(one: str, other: str) -> bool:
    return RUSSIAN.stems(other) in kin(RUSSIAN.stems(one), RUSSIAN.language)


@pytest.mark.parametrize(("one", "other"), AKIN)
def test_words_of_one_derivation_are_akin_either_way(one: str, other: str) -> None:
    assert RUSSIAN.stems(one) != RUSSIAN.stems(other), "the stemmer joins them already"
    assert akin(one, other)
    assert akin(other, one)


@pytest.mark.parametrize(("one", "other"), APART)
def test_words_that_only_begin_alike_are_not(one: str, other: str) -> None:
    assert not akin(one, other)
    assert not akin(other, one)


@pytest.mark.parametrize("language", ["eng", "deu", "fra", "spa", ""])
def test_a_language_whose_stemmer_takes_derivation_away_has_no_kin(language: str) -> None:
    assert kin("финансирова", language) == kin("organ", language) == frozenset()


@given(st.text(st.sampled_from("абвгеиклнорстчшьцё1x "), max_size=14))
def test_kin_are_other_stems_that_share_a_base_of_four_letters(stem: str) -> None:
    found = kin(stem, "rus")
    assert stem not in found
    assert all(other[:3] == stem[:3] for other in found)  # the fourth may have softened
    if len(stem) < 4:
        assert not found
