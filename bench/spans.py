"""Planted quotes: stretches of the corpus's own words, drawn with a fixed seed, and misquotes of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from bench.published import Known
from bench.words import plain

__all__ = ["CHANGED", "CHANGED_FUNCTIONAL", "FUNCTIONAL", "LENGTHS", "ORDINARY", "Span", "changed", "drawn"]

LENGTHS = range(3, 10)  # words
ORDINARY, FUNCTIONAL = "verbatim", "verbatim, stop words"
CHANGED, CHANGED_FUNCTIONAL = "changed", "changed, stop words"  # by what stood there before
FUNCTIONAL_SHARE = 0.1  # of the spans have none but stop words
SHORTEST_CHANGED = 6

_SEED = 20261130
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_TRIES = 200  # articles looked at for one span before its length is given up: none holds so many words in a line


@dataclass(frozen=True, slots=True)
class Span:
    """`asked` is the question; `original` are the words of the text it came from, folded; `words` their number."""

    asked: str
    original: str
    words: int
    kind: str
    source: Known


def drawn(articles: Sequence[Known], read: Callable[[Known], str], stop: Collection[str], n: int) -> list[Span]:
    """`n` different spans, as many of each length; a tenth of each length are stop words only, as far as there are any.

    Every place of the corpus is as likely as another: an article by its length, a place in it evenly. Spans keep
    what stands between their words; they cross sentences, never lines.
    """
    chance = random.Random(_SEED)
    ordered = sorted(articles, key=lambda one: one.place)
    quota = {length: n // len(LENGTHS) + (number < n % len(LENGTHS)) for number, length in enumerate(LENGTHS)}
    functional = {length: round(FUNCTIONAL_SHARE * count) for length, count in quota.items()}
    found = {span.original: span for span in _functional(ordered, read, frozenset(stop), functional, chance)}
    for length, count in quota.items():
        missing = count - sum(span.words == length for span in found.values())
        for span in _ordinary(ordered, read, length, missing, chance):
            found.setdefault(span.original, span)
    return list(found.values())


def _ordinary(
    articles: Sequence[Known], read: Callable[[Known], str], length: int, count: int, chance: random.Random
) -> Iterator[Span]:
    seen: set[str] = set()
    weights = [one.tokens for one in articles]
    for source in chance.choices(articles, weights, k=count * _TRIES):
        if len(seen) == count:
            return
        text = read(source)
        span = _taken(text, _starts(text, length), length, ORDINARY, source, chance)
        if span and span.original not in seen:
            seen.add(span.original)
            yield span


def _functional(
    articles: Sequence[Known],
    read: Callable[[Known], str],
    stop: frozenset[str],
    quota: dict[int, int],
    chance: random.Random,
) -> Iterator[Span]:
    """One of each length an article, in a random order of the articles, until the quotas are full."""
    left = dict(quota)
    seen: set[str] = set()
    for source in chance.sample(articles, len(articles)):
        wanted = [length for length in LENGTHS if left[length]]
        if not wanted:
            return
        text = read(source)
        runs = _runs(text, stop, wanted[0])
        for length in wanted:
            places = [(run[n].start(), run[n + length - 1].end()) for run in runs for n in range(len(run) - length + 1)]
            span = _taken(text, places, length, FUNCTIONAL, source, chance)
            if span and span.original not in seen:
                seen.add(span.original)
                left[length] -= 1
                yield span


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
    found = []
    for line in re.finditer(r"[^\n]+", text):
        words = list(_WORD.finditer(text, line.start(), line.end()))
        found += [(words[n].start(), words[n + length - 1].end()) for n in range(len(words) - length + 1)]
    return found


def _taken(
    text: str, places: Sequence[tuple[int, int]], length: int, kind: str, source: Known, chance: random.Random
) -> Span | None:
    """One of the places at random; None where there is none, or where its borders are no borders once folded."""
    if not places:
        return None
    start, end = chance.choice(places)
    original = plain(text[start:end])
    whole = original and f" {original} " in f" {plain(text)} "
    return Span(text[start:end], original, length, kind, source) if whole else None


def changed(spans: Sequence[Span]) -> list[Span]:
    """Each span of six words or more with one word at random replaced by a word from another span."""
    chance = random.Random(_SEED)
    vocabulary = [word for span in spans if span.kind == ORDINARY for word in _WORD.findall(span.asked)]
    return [_misquoted(span, vocabulary, chance) for span in spans if span.words >= SHORTEST_CHANGED]


def _misquoted(span: Span, vocabulary: Sequence[str], chance: random.Random) -> Span:
    place = chance.choice(list(_WORD.finditer(span.asked)))
    other = next(word for word in iter(lambda: chance.choice(vocabulary), "") if plain(word) != plain(place.group()))
    asked = f"{span.asked[: place.start()]}{other}{span.asked[place.end() :]}"
    return replace(span, asked=asked, kind=CHANGED if span.kind == ORDINARY else CHANGED_FUNCTIONAL)
