"""Second tries: the other keyboard layout, one slip of the finger, and never a word that the index holds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.query.question import parse
from aborist.query.tries import second_tries
from aborist.text import fold, title_key

ENGLISH = frozenset("coffee tea programming language harbour mouse island what is the of".split())
RUSSIAN = frozenset("париж столица франции йод еж корова что такое протокол гитара".split())


class Words(NamedTuple):
    """An index that holds these words, and has titles of these names."""

    words: frozenset[str]
    titles: tuple[str, ...] = ()

    def articles(self, word: str) -> int:
        return int(word in self.words)

    def titled(self, keys: Collection[str]) -> list[str]:
        return [title for title in self.titles if title_key(title) in keys]


class Everything:
    def articles(self, word: str) -> int:
        return 1

    def titled(self, keys: Collection[str]) -> list[str]:
        return list(keys)


def tries(text: str, known: frozenset[str] = ENGLISH | RUSSIAN) -> list[str]:
    question = parse(text, languages=["eng", "rus"])
    return [attempt.text for attempt in second_tries(question, Words(known), held=False)]


LAYOUT = [
    ("cnjkbwf ahfywbb", "столица франции"),
    ("Gfhb;", "Париж"),
    ("qjl", "йод"),
    ("xnj nfrjt ghjnjrjk", "что такое протокол"),
    ("сщааул", None),
    ("сщаауу", "coffee"),
    ("еуф", "tea"),
    ("пкщпкфььштп", None),
]
TYPOS = [
    ("cofee", "coffee"),  # a letter left out
    ("cofffee", "coffee"),  # one too many
    ("cofefe", "coffee"),  # two swapped
    ("cogfee", "coffee"),  # another letter
    ("what is cofee", "what is coffee"),
    ("Programing Langauge", "programming language"),
    ("харбур", None),
    ("столеца", "столица"),
    ("гетара", "гитара"),
    ("карова", "корова"),
    ("иод", "йод"),  # letters that are written for one another count in short words too
    ("еж", None),  # the index holds it
]
UNTOUCHED = [
    "coffee",  # known
    "coffee zzzzzz",  # no neighbour of the unknown word is known
    "te",  # too short
    "tae",  # likewise: short words have too many neighbours
    "mousse island harbour",  # corrected words aside, see below
    "",
    "?!",
    "qqqqq wwwww eeeee rrrrr",  # too many unknown words
]


@pytest.mark.parametrize(("typed", "meant"), LAYOUT)
def test_the_other_keyboard_layout(typed: str, meant: str | None) -> None:
    assert (meant in tries(typed)) if meant else not tries(typed)


@pytest.mark.parametrize(("typed", "meant"), TYPOS)
def test_one_slip_a_word_is_corrected(typed: str, meant: str | None) -> None:
    assert tries(typed) == ([meant] if meant else [])


@pytest.mark.parametrize("typed", [text for text in UNTOUCHED if "mousse" not in text])
def test_nothing_is_tried_where_nothing_is_known(typed: str) -> None:
    assert tries(typed) == []


def test_only_the_unknown_word_is_changed() -> None:
    assert tries("coffee on the mousee island") == ["coffee on the mouse island"]


def test_every_try_is_labelled() -> None:
    for typed in ("Gfhb;", "сщаауу", "cofee"):
        question = parse(typed)
        assert all(attempt.label for attempt in second_tries(question, Words(ENGLISH | RUSSIAN), held=False))


@pytest.mark.parametrize("known", [{"ghbdtn", "привет"}, {"привет", "ghbdtn", "vbh", "мир"}])
def test_a_word_that_the_index_holds_is_not_typed_in_another_layout(known: set[str]) -> None:
    assert tries("ghbdtn vbh" if "vbh" in known else "ghbdtn", frozenset(known)) == []


@given(
    asked=st.lists(st.sampled_from([*sorted(ENGLISH), "cofee", "ghbdtn", "zzz", "mousee"]), min_size=1, max_size=5),
    known=st.sets(st.sampled_from([*sorted(ENGLISH | RUSSIAN), "привет", "ghbdtn"])),
)
def test_a_word_that_the_index_holds_is_never_changed(asked: list[str], known: set[str]) -> None:
    for attempt in tries(" ".join(asked), frozenset(known)):
        words = fold(attempt).split()
        assert all(word in words for word in asked if word in known)
        assert all(word in known for word, before in zip(words, asked, strict=True) if word != before)


@given(st.text(max_size=40))
def test_any_text_may_be_tried_again(text: str) -> None:
    for attempt in second_tries(parse(text), Everything(), held=False):
        assert attempt.text != parse(text).text


@pytest.mark.parametrize("letters", [100, 4_000])
def test_a_long_word_costs_no_more_than_a_short_one(letters: int) -> None:
    asked = Counter[str]()

    class Nothing:
        def articles(self, word: str) -> int:
            asked["word"] += 1
            return 0

        def titled(self, keys: Collection[str]) -> list[str]:
            asked["key"] += len(keys)
            return []

    begun = time.process_time()
    list(second_tries(parse("x" * letters), Nothing(), held=False))
    assert asked.total() < 5_000
    assert time.process_time() - begun < 5


def test_a_title_one_letter_away_is_tried_whole() -> None:
    index = Words(frozenset({"aristotel"}), ("Aristotle", "Aristophanes"))
    assert [attempt.text for attempt in second_tries(parse("who was aristotel"), index, held=False)] == ["Aristotle"]


def test_a_short_or_signed_topic_is_no_misspelt_title() -> None:
    index = Words(frozenset({"tee", "c"}), ("Tea", "C", "C#"))
    assert not list(second_tries(parse("tee"), index, held=False))
    assert not list(second_tries(parse("c++"), index, held=False))


def test_a_title_is_not_corrected_where_an_article_holds_the_word_as_typed() -> None:
    index = Words(frozenset({"radium"}), ("Rodium",))
    assert not list(second_tries(parse("radium"), index, held=True))
