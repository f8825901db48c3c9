"""Which articles hold a sequence of words, by looking into every text: no index, no stems, one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from bench import pool
from bench.asking import Place, Target
from bench.published import Known, open_published
from bench.words import plain

__all__ = ["Anchored", "anchored", "held", "holders"]

Anchored = Mapping[str, tuple[str, ...]]  # a word of each sequence, the sequences that are looked for where it stands

_BATCH = 200  # articles read at once


def holders(target: Target, articles: Sequence[Known], sequences: Collection[str]) -> dict[str, frozenset[Place]]:
    """For each sequence of folded words (`words.plain`) the articles of the archive whose text holds it."""
    batches = [articles[n : n + _BATCH] for n in range(0, len(articles), _BATCH)]
    found: dict[str, set[Place]] = {sequence: set() for sequence in sequences}
    for pairs in pool.each(partial(_opened, target, anchored(sequences)), batches, target.processes, "holders"):
        for sequence, place in pairs:
            found[sequence].add(place)
    return {sequence: frozenset(places) for sequence, places in found.items()}


def anchored(sequences: Collection[str]) -> Anchored:
    """The sequences by their longest word, which is likely a rare one: a text without it need not be searched."""
    found = defaultdict(list)
    for sequence in sequences:
        found[max(sequence.split(), key=len)].append(sequence)
    return {word: tuple(group) for word, group in found.items()}


def held(text: str, wanted: Anchored) -> list[str]:
    """Those of the sequences that stand in the text, word for word."""
    folded = plain(text)
    line = f" {folded} "
    present = wanted.keys() & set(folded.split())
    return [sequence for word in present for sequence in wanted[word] if f" {sequence} " in line]


def _opened(target: Target, wanted: Anchored) -> Callable[[Sequence[Known]], list[tuple[str, Place]]]:
    index = open_published(target.shards, target.archive)

    def search(batch: Sequence[Known]) -> list[tuple[str, Place]]:
        return [(sequence, article.place) for article in batch for sequence in held(index.text(article), wanted)]

    return search
