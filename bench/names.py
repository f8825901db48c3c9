"""The names of an archive that must find their article: every title, and every unambiguous redirect."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.asking import Place
from bench.fixed import SEED
from bench.published import Known
from bench.words import is_punctuation, plain

__all__ = ["REDIRECT", "SHARED", "TITLE", "Name", "names_of", "sampled"]

TITLE = "title"
SHARED = "title, form shared"  # a title whose folded form another article's name has too (Ada and ADA)
REDIRECT = "redirect"


@dataclass(frozen=True, slots=True)
class Name:
    """A name, what it is, and the articles it names: one, unless several have this very title."""

    text: str
    kind: str
    gold: frozenset[Place]
    title: str


def names_of(articles: Iterable[Known]) -> list[Name]:
    """All titles, and all redirects whose folded form no other article has for a title or redirect.

    Names of punctuation alone are left out. A redirect spelled like its own article's title is asked once, as the
    title; forms that lead to one and the same article are not ambiguous.
    """
    articles = list(articles)
    by_form: dict[str, set[Place]] = defaultdict(set)
    by_title: dict[str, set[Place]] = defaultdict(set)
    for article in articles:
        by_title[article.title].add(article.place)
        for name in (article.title, *article.aliases):
            by_form[_form(name)].add(article.place)
    titles = {
        title: Name(title, TITLE if by_form[_form(title)] == places else SHARED, frozenset(places), title)
        for title, places in by_title.items()
    }
    redirects = [
        Name(alias, REDIRECT, frozenset((article.place,)), article.title)
        for article in articles
        for alias in article.aliases
        if alias not in titles and by_form[_form(alias)] == {article.place}
    ]
    return [name for name in (*titles.values(), *redirects) if not is_punctuation(name.text)]


def sampled(names: Sequence[Name], most: int | None) -> list[Name]:
    """At most so many names, always the same ones of an archive whatever its shards; all for None."""
    if most is None or most >= len(names):
        return list(names)
    ordered = sorted(names, key=lambda name: (name.text, name.kind, sorted(name.gold)))
    return random.Random(SEED).sample(ordered, most)


def _form(name: str) -> str:
    return plain(name) or name
