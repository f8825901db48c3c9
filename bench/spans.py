"""Planted quotes: stretches of the corpus's own words, drawn with a fixed seed, and misquotes of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench.fixed import SEED
from bench.published import Known
from bench.words import plain

__all__ = ["CHANGED", "CHANGED_FUNCTIONAL", "FUNCTIONAL", "LENGTHS", "ORDINARY", "Span", "changed", "drawn"]

LENGTHS = range(3, 10)  # words
ORDINARY, FUNCTIONAL = "verbatim", "verbatim, stop words"
CHANGED, CHANGED_FUNCTIONAL = "changed", "changed, stop words"  # by what stood there before
FUNCTIONAL_SHARE = 0.1  # of the spans have none but stop words
SHORTEST_CHANGED = 6

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_TRIES = 200  # articles looked at for one span before its length is given up: none holds so many words in a line

Read = Callable[[Known], str]  # an article's canonical text


@dataclass(frozen=True, slots=True)
class Span:
    """`asked` is the question; `original` are the words of the text it came from, folded; `words` their number."""

    asked: str
    original: str
    words: int
    kind: str
    source: Known


def drawn(articles: Sequence[Known], read: Read, stop: Collection[str], n: int) -> list[Span]:
    """`n` different spans, as many of each length; a tenth of each length are stop words only, as far as there are any.

    Every place of the corpus is as likely as another: an article by its length, a place in it evenly. Spans keep
    what stands between their words; they cross sentences, never lines.
    """
    draw = _Draw(sorted(articles, key=lambda one: one.place), read)
    quota = {length: n // len(LENGTHS) + (number < n % len(LENGTHS)) for number, length in enumerate(LENGTHS)}
    spans = list(draw.functional(frozenset(stop), {length: round(FUNCTIONAL_SHARE * n) for length, n in quota.items()}))
    for length, count in quota.items():
        spans += draw.ordinary(length, count - sum(span.words == length for span in spans))
    return spans


@dataclass
class _Draw:
    """A draw without repetition: no two spans of it have the same words."""

    articles: Sequence[Known]
    read: Read
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))
    seen: set[str] = field(default_factory=set)

    def ordinary(self, length: int, count: int) -> Iterator[Span]:
        """So many spans of one length from anywhere; fewer where the texts do not hold as many."""
        weights = [one.tokens for one in self.articles]
        left = count
        for source in self.chance.choices(self.articles, weights, k=count * _TRIES):
            if not left:
                return
            text = self.read(source)
            if span := self._taken(text, _starts(text, length), (length, ORDINARY, source)):
                left -= 1
                yield span

    def functional(self, stop: frozenset[str], quota: Mapping[int, int]) -> Iterator[Span]:
        """One of each length an article, in a random order of the articles, until the quotas are full."""
        left = dict(quota)
        for source in self.chance.sample(self.articles, len(self.articles)):
            wanted = [length for length in LENGTHS if left[length]]
            if not wanted:
                return
            text = self.read(source)
            runs = _runs(text, stop, wanted[0])
            for length in wanted:
                if span := self._taken(text, _within(runs, length), (length, FUNCTIONAL, source)):
                    left[length] -= 1
                    yield span

    def _taken(self, text: str, places: Sequence[tuple[int, int]], what: tuple[int, str, Known]) -> Span | None:
        """One of the places at random; None where there is none, the words were drawn before, or the span's borders
        are no borders once folded."""
        if not places:
            return None
        start, end = self.chance.choice(places)
        original = plain(text[start:end])
        if not original or original in self.seen or f" {original} " not in f" {plain(text)} ":
            return None
        self.seen.add(original)
        return Span(text[start:end], original, *what)


def _runs(text: str, stop: frozenset[str], shortest: int) -> list[list[re.Match[str]]]:
    """Stretches of at least so many stop words in one line."""
    found: list[list[re.Match[str]]] = [[]]
    line_end = 0
    for match in _WORD.finditer(text):
        if match.start() >= line_end:
            end = text.find("\n", match.start())
            line_end = len(text) if end < 0 else end
            found.append([])
        if match.group().casefold() in stop:
            found[-1].append(match)
        elif found[-1]:
            found.append([])
    return [run for run in found if len(run) >= shortest]


def _starts(text: str, length: int) -> list[tuple[int, int]]:
    """(start, end) of every stretch of so many words within one line."""
    lines = (list(_WORD.finditer(text, line.start(), line.end())) for line in re.finditer(r"[^\n]+", text))
    return _within(list(lines), length)


def _within(runs: Sequence[Sequence[re.Match[str]]], length: int) -> list[tuple[int, int]]:
    """(start, end) of every stretch of so many words of the runs."""
    return [(run[n].start(), run[n + length - 1].end()) for run in runs for n in range(len(run) - length + 1)]


def changed(spans: Sequence[Span]) -> list[Span]:
    """Each span of six words or more with one word at random replaced by a word from another span.

    Left out where the spans have no other word.
    """
    chance = random.Random(SEED)
    vocabulary = [word for span in spans if span.kind == ORDINARY for word in _WORD.findall(span.asked)]
    misquotes = (_misquoted(span, vocabulary, chance) for span in spans if span.words >= SHORTEST_CHANGED)
    return [span for span in misquotes if span]


def _misquoted(span: Span, vocabulary: Sequence[str], chance: random.Random) -> Span | None:
    place = chance.choice(list(_WORD.finditer(span.asked)))
    if all(plain(word) == plain(place.group()) for word in vocabulary):
        return None
    other = next(word for word in iter(lambda: chance.choice(vocabulary), "") if plain(word) != plain(place.group()))
    asked = f"{span.asked[: place.start()]}{other}{span.asked[place.end() :]}"
    return replace(span, asked=asked, kind=CHANGED if span.kind == ORDINARY else CHANGED_FUNCTIONAL)
