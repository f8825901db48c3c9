"""What an article is on, as far as a quotation is concerned: a work, a saying, something made up, or none of these.

Judged from the title's parentheses ("(film)"), the description or definition at the head of the text, and the rows
of its infobox, with the words of `data/kinds.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from aborist.text import analyzer_for, fold
from aborist.types import Document

__all__ = ["KINDS", "kinds_of"]

KINDS = ("saying", "fiction", "work")
_HEAD_BLOCKS = 12  # of an article, in which it says what it is on: behind an infobox and notes, the definition
_HEAD_CHARACTERS = 2_000
_DESCRIPTION_WORDS = 12  # of a line before the definition ("1949 novel by George Orwell")
_HYPHEN = "-"  # joins, where all other signs part
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_IN_MARKS = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]")
_SENTENCE_END = (".", "!", "?", "…", '."', ":")


@dataclass(frozen=True, slots=True)
class _Set:
    """Words, and endings of words."""

    whole: frozenset[str]
    endings: tuple[str, ...]

    @classmethod
    def of(cls, listed: str) -> _Set:
        words = listed.split()
        endings = tuple(fold(word[1:]) for word in words if word.startswith("*"))
        return cls(frozenset(_folded(word for word in words if not word.startswith("*"))), endings)

    def __contains__(self, word: str) -> bool:
        return word in self.whole or word.endswith(self.endings)

    def __bool__(self) -> bool:
        return bool(self.whole or self.endings)


@dataclass(frozen=True, slots=True)
class _Words:
    """One language's table, folded."""

    copulas: frozenset[str]
    ends: frozenset[str]
    followers: _Set
    head_kinds: frozenset[str]
    parts: frozenset[str]
    labels: frozenset[str]
    kinds: Mapping[str, _Set]


def _folded(words: Iterable[str]) -> list[str]:
    """The words' exact forms, an elided article apart (l'épisode); a sign stands for itself."""
    return [form for word in words for form in fold(word).split() or [word]]


@cache
def _tables() -> Mapping[str, _Words]:
    text = files("aborist").joinpath("data/kinds.toml").read_text(encoding="utf-8")
    return {
        language: _Words(
            frozenset(_folded(row["copulas"].split())),
            frozenset(_folded(row["ends"].split())),
            _Set.of(row.get("followers", "")),
            frozenset(row.get("head_kinds", ())),
            frozenset(_folded(row["parts"].split())),
            frozenset(map(fold, row["labels"])),
            {kind: _Set.of(row[kind]) for kind in KINDS},
        )
        for language, row in tomllib.loads(text).items()
    }


def kinds_of(title: str, document: Document, language: str) -> frozenset[str]:
    """Which of KINDS an article is on, by the words of its archive's language; those of all where it has none here."""
    tables = _tables()
    own = tables.get(analyzer_for(language).language)
    return frozenset(kind for words in ([own] if own else tables.values()) for kind in _kinds(title, document, words))


def _kinds(title: str, document: Document, words: _Words) -> Iterable[str]:
    for phrase in _predicates(title, document, words):
        yield from _kinds_in(phrase, words)
    rows = (line.partition(":")[0] for line in _head(document) if ":" in line)
    if not words.labels.isdisjoint(map(fold, rows)):
        yield "work"


def _head(document: Document) -> Sequence[str]:
    """The first blocks of the first section."""
    end = document.sections[0].end if document.sections else 0
    return document.text[: min(end, _HEAD_CHARACTERS)].split("\n")[:_HEAD_BLOCKS]


def _predicates(title: str, document: Document, words: _Words) -> Iterable[list[str]]:
    """What is said of the title: in its parentheses, in a description, in the definition. Tokens from there on."""
    yield from (_tokens(aside[1:-1]) for aside in _ASIDE.findall(title))
    for number, line in enumerate(_head(document)):
        said = _said(title, line, words)
        short = line.count(" ") < _DESCRIPTION_WORDS
        if said and (not short or line.rstrip().endswith(_SENTENCE_END)):
            yield said
            return
        if number == 0 and not said and short and ":" not in line:
            yield _tokens(line)


def _said(title: str, line: str, words: _Words) -> list[str]:
    """The tokens behind the line's first copula, that of the title and of what stands in marks or aside left out."""
    tokens = _tokens(_IN_MARKS.sub(" ", _ASIDE.sub(" ", _ASIDE.sub(" ", line))))
    name = _tokens(_ASIDE.sub(" ", title))
    start = len(name) if tokens[: len(name)] == name else 0
    copula = next((n for n in range(start, len(tokens)) if tokens[n] in words.copulas), len(tokens))
    return tokens[copula + 1 :]


def _tokens(text: str) -> list[str]:
    return _folded(_TOKEN.findall(text))


def _kinds_in(tokens: Sequence[str], words: _Words) -> Iterable[str]:
    """The kinds whose words stand in the noun phrase at the head of these tokens."""
    phrase = list(_noun_phrase(tokens, words))
    for number, word in enumerate(phrase):
        following = tokens[number + 1] if number + 1 < len(tokens) else ""
        is_head = not (following.isalnum() or following == _HYPHEN) or following in words.ends
        is_head = is_head or following in words.followers
        for kind, named in words.kinds.items():
            if word in named and (is_head or kind not in words.head_kinds):
                yield kind


def _noun_phrase(tokens: Sequence[str], words: _Words) -> Iterator[str]:
    """Tokens up to punctuation or a word that ends the phrase, unless it leads on to what the thing is a part of."""
    before = ""
    for word in tokens:
        if not (word.isalnum() or word == _HYPHEN) or (word in words.ends and before not in words.parts):
            return
        yield word
        before = word
