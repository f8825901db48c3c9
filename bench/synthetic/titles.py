"""Titles, the redirects to them, and the pages that part titles of the same name: all drawn before any text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bench.synthetic.words import FIRST_SLOT, Ints, Vocabulary, pareto

__all__ = ["OWN_WORDS", "Titles", "path_of"]

# Titles of 1, 2, 3 and 4 words, redirects an article: enwiki_medium (3,869 titles; 15,369 / 28,437; 2026-11-30).
WORDS = (0.19, 0.38, 0.22, 0.21)
REDIRECTS = 0.55
NAMES = 0.6  # of a title's words that are names rather than common words
COMMON_LAST = 30_000
NAMES_FROM, NAMES_SLOPE = 5_000, 0.8
SAME = 0.03  # articles that bear the name of an earlier one
WITH_PAGE = 0.5  # of the names that several articles bear: has a disambiguation page of the bare name
OWN_WORDS = 8  # rare words that an article uses again and again
LINKING = ("of", "of", "of", "the", "in", "and")
KINDS = (
    "film album song band novel river village footballer politician singer actor ship mountain lake district magazine "
    "company school museum genus plant moth bird software game journal bishop painter crater horse"
).split()
OTHER_NAMES = ("The {0}", "{0}s", "{1} {0}", "{0} {1}", "{1}")


def path_of(title: str) -> str:
    return title.replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Titles:
    """`names` by article; `own` ranks [articles, OWN_WORDS], the title's words first; what else the archive lists.

    `parted` maps the title of a disambiguation page to its articles, `redirects` a title to an article's number.
    """

    names: tuple[str, ...]
    own: Ints
    parted: Mapping[str, tuple[int, ...]]
    redirects: Mapping[str, int]

    @classmethod
    def drawn(cls, vocabulary: Vocabulary, count: int, seed: int) -> Titles:
        """The titles of `count` articles, no two the same."""
        random = np.random.default_rng([seed, 0])
        own = _own(random, count)
        bare = _bare(vocabulary, random, own)
        names, parted = _apart(bare, random)
        return cls(names, own, parted, dict(_redirects(vocabulary, random, names, set(parted))))


def _own(random: np.random.Generator, count: int) -> Ints:
    shape = (count, OWN_WORDS)
    rare = pareto(random, count * OWN_WORDS, NAMES_FROM, NAMES_SLOPE).reshape(shape)
    common = (FIRST_SLOT * (COMMON_LAST / FIRST_SLOT) ** random.random(shape)).astype(np.int64)
    is_common = random.random(shape) >= NAMES
    is_common[:, len(WORDS) :] = False
    return np.where(is_common, common, rare)


def _bare(vocabulary: Vocabulary, random: np.random.Generator, own: Ints) -> list[str]:
    counts = random.choice(len(WORDS), size=len(own), p=WORDS) + 1
    linked = random.random(len(own)) < 0.25
    linking = random.integers(len(LINKING), size=len(own))
    same = random.random(len(own)) < SAME
    earlier = (random.random(len(own)) * np.arange(len(own))).astype(np.int64)
    titles: list[str] = []
    for number, words in enumerate(counts.tolist()):
        if same[number] and number:
            titles.append(titles[earlier[number]])
            continue
        parts = [vocabulary.word(rank) for rank in own[number, :words].tolist()]
        parts = [part.capitalize() if i == 0 or own[number, i] >= NAMES_FROM else part for i, part in enumerate(parts)]
        if words > 2 and linked[number]:
            parts[1] = LINKING[linking[number]]
        titles.append(" ".join(parts))
    return titles


def _apart(bare: list[str], random: np.random.Generator) -> tuple[tuple[str, ...], dict[str, tuple[int, ...]]]:
    bearers = defaultdict(list)
    for number, title in enumerate(bare):
        bearers[title].append(number)
    names, parted = list(bare), dict[str, tuple[int, ...]]()
    taken = set(bearers)
    for title, numbers in bearers.items():
        if len(numbers) == 1:
            continue
        page = random.random() < WITH_PAGE
        if page:
            parted[title] = tuple(numbers)
        for number in numbers[0 if page else 1 :]:
            names[number] = _bracketed(title, random, taken)
    return tuple(names), parted


def _bracketed(title: str, random: np.random.Generator, taken: set[str]) -> str:
    name = f"{title} ({KINDS[random.integers(len(KINDS))]})"
    while name in taken:
        name = f"{title} ({KINDS[random.integers(len(KINDS))]}, {random.integers(1500, 2026)})"
    taken.add(name)
    return name


def _redirects(
    vocabulary: Vocabulary, random: np.random.Generator, names: tuple[str, ...], parted: set[str]
) -> Iterator[tuple[str, int]]:
    # Geometric: most articles have none, a few have many.
    counts = random.geometric(1 / (1 + REDIRECTS), size=len(names)) - 1
    taken = parted.union(names)
    for number in np.flatnonzero(counts).tolist():
        others = pareto(random, int(counts[number]), NAMES_FROM, NAMES_SLOPE).tolist()
        for other in others:
            form = OTHER_NAMES[random.integers(len(OTHER_NAMES))]
            title = form.format(names[number], vocabulary.word(other).capitalize())
            if title not in taken:
                taken.add(title)
                yield title, number
