"""Second tries for a question that found no answer: the wrong keyboard layout, then single-letter typos.

Each is labelled, so that a reply can say that it answers another spelling than the one asked. A word that the
index holds is never changed: help with spelling must not override what was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from aborist.text import fold
from aborist.types import Question

__all__ = ["Attempt", "second_tries"]

_LATIN_KEYS = "`qwertyuiop[]asdfghjkl;'zxcvbnm,./~QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?"
_RUSSIAN_KEYS = "ёйцукенгшщзхъфывапролджэячсмитьбю.ЁЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"
_TO_RUSSIAN = str.maketrans(_LATIN_KEYS, _RUSSIAN_KEYS)
_TO_LATIN = str.maketrans(_RUSSIAN_KEYS, _LATIN_KEYS)

_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")
# Letters that are written for one another, not slips of the finger: tried for short words too, and preferred.
_CONFUSED = ({"и", "й"}, {"е", "э"}, {"о", "а"}, {"е", "и"}, {"i", "y"}, {"s", "z"}, {"s", "c"}, {"e", "a"})
_SHORTEST_CONFUSED = 3
_SHORTEST_TYPO = 5  # letters: shorter words have too many neighbours
_LONGEST_TYPO = 32  # beyond it the neighbours run into the thousands, and no word is that long
_MOST_UNKNOWN = 3  # words that are corrected in one question


class Attempt(NamedTuple):
    text: str
    label: str


def second_tries(question: Question, articles: Callable[[str], int]) -> Iterator[Attempt]:
    """Other readings of the question, the likeliest first. `articles(word)` says how many articles hold a word."""
    yield from _other_layout(question, articles)
    yield from _typos(question, articles)


def _other_layout(question: Question, articles: Callable[[str], int]) -> Iterator[Attempt]:
    """The text as the other of the two keyboard layouts would have typed it, if its words are then known."""
    for table, label in (
        (_TO_RUSSIAN, "typed in the Latin layout"),
        (_TO_LATIN, "typed in the Russian layout"),
    ):
        other = question.text.translate(table)
        words = fold(other).split()
        typed = [word.folded for word in question.words if articles(word.folded)]
        if other != question.text and words and not typed and all(articles(word) for word in words):
            yield Attempt(other, label)


def _typos(question: Question, articles: Callable[[str], int]) -> Iterator[Attempt]:
    unknown = [word for word in question.words if word.content and " " not in word.folded and not articles(word.folded)]
    if not 0 < len(unknown) <= _MOST_UNKNOWN or any(len(word.folded) > _LONGEST_TYPO for word in unknown):
        return
    text = question.text
    for word in reversed(unknown):
        known = {other: n for other in _neighbours(word.folded) if (n := articles(other))}
        if not known:
            return
        best = min(known, key=lambda other: (not _confused(word.folded, other), -known[other], other))
        text = text[: word.start] + best + text[word.end :]
    yield Attempt(text, "corrected a typo")


def _neighbours(word: str) -> set[str]:
    """Words at one edit (deletion, transposition, replacement, insertion); of a short word only confused letters.

    The generation is P. Norvig's, https://norvig.com/spell-correct.html.
    """
    alphabet = next((letters for letters in _ALPHABETS if word[0] in letters), "")
    splits = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    replaced = {left + letter + right[1:] for left, right in splits if right for letter in alphabet} - {word}
    if len(word) < _SHORTEST_TYPO:
        return {other for other in replaced if len(word) >= _SHORTEST_CONFUSED and _confused(word, other)}
    deleted = {left + right[1:] for left, right in splits if right}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1}
    inserted = {left + letter + right for left, right in splits for letter in alphabet}
    return (deleted | swapped | replaced | inserted) - {word}


def _confused(word: str, other: str) -> bool:
    if len(word) != len(other):
        return False
    return any({a, b} in _CONFUSED for a, b in zip(word, other, strict=True) if a != b)
