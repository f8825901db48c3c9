"""Second tries for a question that found no answer: the wrong keyboard layout, near titles, single-letter typos.

Each is labelled, so that a reply can say that it answers another spelling than the one asked. A word that the
index holds is never changed: help with spelling must not override what was typed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from aborist.text import fold, title_key
from aborist.types import Question

__all__ = ["Attempt", "Known", "second_tries"]

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


class Known(Protocol):
    """What an index holds."""

    def articles(self, word: str) -> int:
        """How many articles hold a word, in any of its forms."""

    def titled(self, keys: Collection[str]) -> Sequence[str]:
        """Titles and redirects with one of these keys (text.title_key), best known first."""


def second_tries(question: Question, known: Known, *, held: bool) -> Iterator[Attempt]:
    """Other readings of the question, the likeliest first. `held`: some article holds a word just as it was typed."""
    yield from _other_layout(question, known)
    if not held:
        yield from _near_titles(question, known)
    yield from _typos(question, known)


def _other_layout(question: Question, known: Known) -> Iterator[Attempt]:
    """The text as the other of the two keyboard layouts would have typed it, if its words are then known."""
    for table, label in (
        (_TO_RUSSIAN, "typed in the Latin layout"),
        (_TO_LATIN, "typed in the Russian layout"),
    ):
        other = question.text.translate(table)
        words = fold(other).split()
        changed = [word for word in fold(question.text).split() if word.translate(table) != word]
        meant = any(known.articles(word) for word in changed)  # as it was typed
        if other != question.text and words and not meant and all(known.articles(word) for word in words):
            yield Attempt(other, label)


def _near_titles(question: Question, known: Known) -> Iterator[Attempt]:
    """A title one letter away from a spelling of the topic, which is itself no title (or it would have answered)."""
    for topic in reversed(question.topics):
        key = title_key(topic)
        if key.isalpha() and _SHORTEST_TYPO <= len(key) <= _LONGEST_TYPO:
            for title in known.titled(_neighbours(key))[:1]:
                yield Attempt(title, "corrected a typo in the title")


def _typos(question: Question, known: Known) -> Iterator[Attempt]:
    unknown = [
        word for word in question.words if word.content and " " not in word.folded and not known.articles(word.folded)
    ]
    if not 0 < len(unknown) <= _MOST_UNKNOWN or any(len(word.folded) > _LONGEST_TYPO for word in unknown):
        return
    text = question.text
    for word in reversed(unknown):
        held = {other: n for other in _neighbours(word.folded) if (n := known.articles(other))}
        if not held:
            return
        best = min(held, key=lambda other: (not _confused(word.folded, other), -held[other], other))
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
