"""Counting by sorted arrays gives what a Counter an article gives."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.shard import core
from aborist.shard.core import Common
from aborist.shard.tally import Tally
from aborist.text import analyzer_for
from aborist.vocabulary import Vocabulary

VOCABULARY = Vocabulary(analyzer_for("eng"))
NUMBERS = VOCABULARY.numbers("the of and to in " + " ".join(f"w{n}" for n in range(150)))
ARTICLES = st.lists(st.tuples(st.lists(st.sampled_from(NUMBERS), max_size=300), st.integers(0, 20)), max_size=8)


STEMS = sorted({VOCABULARY.stems[number] for number in NUMBERS if number >= VOCABULARY.common})
COMMON = Common({stem: 1 + n / 10 for n, stem in enumerate(STEMS[:120])}, 50.0)


def best(words: list[int], named: int) -> dict[str, int]:
    """The levels of an article's best common terms, counted the plain way."""
    counts, titles = Counter(words), Counter(words[:named])
    found = []
    for number, count in counts.items():
        if (stem := VOCABULARY.stems[number]) in COMMON.idf:
            weighted = count + core.TITLE * titles[number]
            share = weighted / (weighted + core.K1 * (1 - core.B + core.B * len(words) / COMMON.mean))
            level = min(core.LEVELS, max(1, math.ceil(core.LEVELS * share)))
            found.append((-COMMON.idf[stem] * (level - 0.5) / core.LEVELS, stem, level))
    return {stem: level for _, stem, level in sorted(found)[: core.KEPT]}


@pytest.mark.parametrize("batch", [1 << 19, 40])
@given(articles=ARTICLES)
def test_words_are_counted_as_a_counter_counts_them(batch: int, articles: list[tuple[list[int], int]]) -> None:
    tally, stems = Tally(VOCABULARY, COMMON, batch), VOCABULARY.stems
    for number, (words, lead) in enumerate(articles):
        tally.add(7 * number, words, min(lead, len(words)), min(lead // 2, len(words)))
    found = tally.keywords()
    in_articles = Counter(stems[n] for words, _ in articles for n in set(words))
    in_leads = Counter(stems[n] for words, lead in articles for n in set(words[:lead]))
    assert found.terms == sorted(in_articles)
    assert list(found.in_articles) == [in_articles[term] for term in found.terms]
    assert list(found.in_leads) == [in_leads[term] for term in found.terms]
    postings = list(zip(found.common, found.articles, found.levels, strict=True))
    assert postings == sorted(postings)
    names = list(COMMON.idf)
    for number, (words, lead) in enumerate(articles):
        kept = {names[term]: level for term, article, level in postings if article == 7 * number}
        expected = best(words, min(lead // 2, len(words)))
        assert sorted(kept.values()) == sorted(expected.values())
        if len(expected) < core.KEPT:
            assert kept == expected
