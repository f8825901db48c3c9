"""Counts the words of a part's articles: document frequencies, and core keywords.

Words are numbers of a `Vocabulary`, so whole batches are counted by sorting arrays. 2026-11-30, 8,000 articles of
enwiki_medium (180 words each): 13 us an article, where a Counter an article with its sort, and one a part, take 45.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aborist.shard import core
from aborist.shard.spool import Keywords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aborist.shard.core import Common
    from aborist.vocabulary import Vocabulary

    Numbers = NDArray[np.uint64]

__all__ = ["Tally"]

# A batch's sort key holds article, word and place in 64 bits.
_PLACE_BITS, _WORD_BITS = 27, 26
_BATCH_ARTICLES = 1 << (64 - _PLACE_BITS - _WORD_BITS)
_BATCH_WORDS = 1 << 16  # beyond it a batch is counted: 2026-11-30, 1 << 19 took 300 MB of memory more and no less time
_PLACES = np.uint64((1 << _PLACE_BITS) - 1)
_WORDS = np.uint64((1 << _WORD_BITS) - 1)


class _Counted(NamedTuple):
    """A column for each different word of each article that is no function word."""

    owners: Numbers  # articles
    words: Numbers
    counts: Numbers
    titles: Numbers  # how many of them stand in the title
    lengths: Numbers  # of the article, in words


class Tally:
    """Takes articles one by one; `keywords` gives what all of them amount to."""

    def __init__(self, vocabulary: Vocabulary, common: Common, batch_words: int = _BATCH_WORDS) -> None:
        self._vocabulary = vocabulary
        self._common = common
        self._batch_words = batch_words
        self._words = array("I")  # of the batch, one article after the other
        self._articles: list[_Added] = []
        self._done: list[_Counted] = []
        self._frequencies = [np.zeros(0, np.uint32), np.zeros(0, np.uint32)]  # by word: articles, leads

    def add(self, article: int, words: Sequence[int], lead: int, named: int) -> None:
        """An article's words in order, the first `lead` of which are its lead, the first `named` its title."""
        self._words.extend(words)
        self._articles.append(_Added(article, len(words), lead, named))
        if len(self._words) >= self._batch_words or len(self._articles) == _BATCH_ARTICLES:
            self._count()

    def keywords(self) -> Keywords:
        """Of every word in how many articles and leads it stands, in order; and each article's `core.KEPT` best common
        terms, term by term."""
        self._count()
        articles, leads = self._frequencies
        used = np.flatnonzero(articles)
        stems = self._vocabulary.stems
        terms = [stems[number] for number in used.tolist()]
        order = sorted(range(len(terms)), key=terms.__getitem__)
        in_articles, in_leads = (
            array("I", column[used[order]].astype(np.uint32).tobytes()) for column in (articles, leads)
        )
        return Keywords([terms[number] for number in order], in_articles, in_leads, *self._core())

    def _core(self) -> tuple[array[int], array[int], array[int]]:
        """Columns of postings: numbers of common terms, ascending, articles, ascending in each, levels."""
        if not self._done:
            return array("I"), array("I"), array("B")
        counted = _Counted(*(np.concatenate(column) for column in zip(*self._done, strict=True)))
        place = np.full(len(self._vocabulary.stems), -1, np.int64)
        for number, term in enumerate(self._common.idf):
            if (word := self._vocabulary.known(term)) is not None:
                place[word] = number
        kept = place[counted.words.astype(np.intp)] >= 0
        owners, words, counts, titles, lengths = (column[kept] for column in counted)
        terms = place[words.astype(np.intp)]
        found = core.levels(counts.astype(float), titles.astype(float), lengths / self._common.mean)
        worth = np.array([*self._common.idf.values()])[terms] * core.impacts(found)
        order = np.lexsort((terms, -worth, owners))
        first = np.flatnonzero(np.diff(owners[order], prepend=~np.uint64(0)))
        rank = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
        order = order[rank < core.KEPT]
        order = order[np.lexsort((owners[order], terms[order]))]
        return (
            array("I", terms[order].astype(np.uint32).tobytes()),
            array("I", owners[order].astype(np.uint32).tobytes()),
            array("B", found[order].tobytes()),
        )

    def _count(self) -> None:
        """Count the batch that was collected and let go of it."""
        if not self._articles:
            return
        words = np.frombuffer(self._words, np.uint32)
        owners, sizes, leads, named = np.array(self._articles, np.uint64).T
        starts = np.cumsum(sizes) - sizes
        index = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes.astype(np.intp))
        place = np.arange(len(words), dtype=np.uint64) - starts[index]
        keys = np.sort(
            index << np.uint64(_WORD_BITS + _PLACE_BITS) | words.astype(np.uint64) << np.uint64(_PLACE_BITS) | place
        )
        # One for each different word of each article: where its run starts, and so its first place in the text.
        first = np.flatnonzero(np.diff(keys >> np.uint64(_PLACE_BITS), prepend=~np.uint64(0)))
        index = keys >> np.uint64(_WORD_BITS + _PLACE_BITS)
        titles = np.add.reduceat((keys & _PLACES) < named[index], first, dtype=np.uint64) if len(keys) else first
        counts = np.diff(first, append=len(keys)).astype(np.uint64)
        keys, index = keys[first], index[first]
        word = keys >> np.uint64(_PLACE_BITS) & _WORDS
        self._add(0, word)
        self._add(1, word[(keys & _PLACES) < leads[index]])
        kept = word >= np.uint64(self._vocabulary.common)
        columns = owners[index], word, counts, titles, sizes[index]
        self._done.append(_Counted(*(column[kept].astype(np.uint64) for column in columns)))
        self._words, self._articles = array("I"), []

    def _add(self, which: int, words: Numbers) -> None:
        total = self._frequencies[which]
        found = np.bincount(words.astype(np.intp), minlength=len(self._vocabulary.stems)).astype(np.uint32)
        found[: len(total)] += total
        self._frequencies[which] = found


class _Added(NamedTuple):
    article: int
    words: int
    lead: int
    named: int
