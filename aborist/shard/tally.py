"""Counts the words of a part's articles: document frequencies, and candidates for core keywords.

Words are numbers of a `Vocabulary`, so whole batches are counted by sorting arrays. 2026-11-30, 8,000 articles of
enwiki_medium (180 words each): 13 us an article, where a Counter an article with its sort, and one a part, take 45.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from aborist.shard import core
from aborist.shard.spool import Keywords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aborist.vocabulary import Vocabulary

    Numbers = NDArray[np.uint64]

__all__ = ["Tally"]

# A batch's sort key holds article, word and place in 64 bits.
_PLACE_BITS, _WORD_BITS = 27, 26
_BATCH_ARTICLES = 1 << (64 - _PLACE_BITS - _WORD_BITS)
_BATCH_WORDS = 1 << 16  # beyond it a batch is counted: 2026-11-30, 1 << 19 took 300 MB of memory more and no less time
_PLACES = np.uint64((1 << _PLACE_BITS) - 1)
_WORDS = np.uint64((1 << _WORD_BITS) - 1)


class Tally:
    """Takes articles one by one; `keywords` gives what all of them amount to."""

    def __init__(self, vocabulary: Vocabulary, batch_words: int = _BATCH_WORDS) -> None:
        self._vocabulary = vocabulary
        self._batch_words = batch_words
        self._words = array("I")  # of the batch, one article after the other
        self._articles, self._sizes, self._leads = array("Q"), array("Q"), array("Q")
        self._done: list[tuple[Numbers, ...]] = []  # per batch: articles, candidates each, words, counts
        self._frequencies = [np.zeros(0, np.uint32), np.zeros(0, np.uint32)]  # by word: articles, leads

    def add(self, article: int, words: Sequence[int], lead: int) -> None:
        """An article's words in order, the first `lead` of which are its lead."""
        self._words.extend(words)
        self._articles.append(article)
        self._sizes.append(len(words))
        self._leads.append(lead)
        if len(self._words) >= self._batch_words or len(self._articles) == _BATCH_ARTICLES:
            self._count()

    def keywords(self) -> Keywords:
        """Each article's most frequent words that are no function words, ties in the order of the text, at most
        `core.SPOOLED`; and of every word in how many articles and leads it stands. Terms are in order.
        """
        self._count()
        articles, leads = self._frequencies
        used = np.flatnonzero(articles)
        stems = self._vocabulary.stems
        terms = [stems[number] for number in used.tolist()]
        order = sorted(range(len(terms)), key=terms.__getitem__)
        places = np.zeros(len(articles), np.uint32)
        places[used[order]] = np.arange(len(used), dtype=np.uint32)
        columns = [np.concatenate(column) for column in zip(*self._done, strict=True)]
        owners, sizes, words, counts = columns or [np.zeros(0, np.uint64)] * 4
        return Keywords(
            [terms[number] for number in order],
            *map(_column, (articles[used[order]], leads[used[order]])),
            *map(_column, (owners, sizes, places[words.astype(np.intp)], counts)),
        )

    def _count(self) -> None:
        """Count the batch that was collected and let go of it."""
        if not self._articles:
            return
        words = np.frombuffer(self._words, np.uint32)
        owners, sizes, leads = (np.frombuffer(c, np.uint64) for c in (self._articles, self._sizes, self._leads))
        starts = np.cumsum(sizes) - sizes
        index = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes.astype(np.intp))
        place = np.arange(len(words), dtype=np.uint64) - starts[index]
        keys = np.sort(
            index << np.uint64(_WORD_BITS + _PLACE_BITS) | words.astype(np.uint64) << np.uint64(_PLACE_BITS) | place
        )
        # One for each different word of each article: where its run starts, and so its first place in the text.
        first = np.flatnonzero(np.diff(keys >> np.uint64(_PLACE_BITS), prepend=~np.uint64(0)))
        counts = np.diff(first, append=len(keys)).astype(np.uint64)
        keys = keys[first]
        place, word = keys & _PLACES, keys >> np.uint64(_PLACE_BITS) & _WORDS
        index = keys >> np.uint64(_WORD_BITS + _PLACE_BITS)
        self._add(0, word)
        self._add(1, word[place < leads[index]])
        kept = word >= np.uint64(self._vocabulary.common)
        many, place, counts = _most_frequent(index, place, counts, kept, len(sizes))
        found = words[np.repeat(starts, many.astype(np.intp)) + place].astype(np.uint64)
        self._done.append((owners, many, found, counts))
        self._words, self._articles, self._sizes, self._leads = array("I"), array("Q"), array("Q"), array("Q")

    def _add(self, which: int, words: Numbers) -> None:
        total = self._frequencies[which]
        found = np.bincount(words.astype(np.intp), minlength=len(self._vocabulary.stems)).astype(np.uint32)
        found[: len(total)] += total
        self._frequencies[which] = found


def _most_frequent(
    index: Numbers, place: Numbers, counts: Numbers, kept: NDArray[np.bool_], articles: int
) -> tuple[Numbers, Numbers, Numbers]:
    """How many candidates each article has, and each one's first place and count, the most frequent first."""
    index, place, counts = index[kept], place[kept], counts[kept]
    # Counts descend, places ascend: one key, whose parts are taken out again after the sort.
    keys = np.sort(_key(index, _WORDS - counts, place))
    many = np.bincount(index.astype(np.intp), minlength=articles)
    rank = np.arange(len(keys)) - np.repeat(np.cumsum(many) - many, many)
    keys = keys[rank < core.SPOOLED]
    counted = _WORDS - (keys >> np.uint64(_PLACE_BITS) & _WORDS)
    return np.minimum(many, core.SPOOLED).astype(np.uint64), keys & _PLACES, counted


def _key(article: Numbers, word: Numbers, place: Numbers) -> Numbers:
    return article << np.uint64(_WORD_BITS + _PLACE_BITS) | word << np.uint64(_PLACE_BITS) | place


def _column(numbers: NDArray[np.uint32] | Numbers) -> array[int]:
    return array("I", numbers.astype(np.uint32).tobytes())
