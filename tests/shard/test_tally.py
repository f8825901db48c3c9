"""Counting by sorted arrays gives what a Counter an article gives."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.shard import core
from aborist.shard.tally import Tally
from aborist.text import analyzer_for
from aborist.vocabulary import Vocabulary

VOCABULARY = Vocabulary(analyzer_for("eng"))
NUMBERS = VOCABULARY.numbers("the of and to in " + " ".join(f"w{n}" for n in range(150)))
ARTICLES = st.lists(st.tuples(st.lists(st.sampled_from(NUMBERS), max_size=300), st.integers(0, 20)), max_size=8)


@pytest.mark.parametrize("batch", [1 << 19, 40])
@given(articles=ARTICLES)
def test_words_are_counted_as_a_counter_counts_them(batch: int, articles: list[tuple[list[int], int]]) -> None:
    tally, stems = Tally(VOCABULARY, batch), VOCABULARY.stems
    for number, (words, lead) in enumerate(articles):
        tally.add(7 * number, words, min(lead, len(words)))
    found = tally.keywords()
    in_articles = Counter(stems[n] for words, _ in articles for n in set(words))
    in_leads = Counter(stems[n] for words, lead in articles for n in set(words[:lead]))
    assert found.terms == sorted(in_articles)
    assert list(found.in_articles) == [in_articles[term] for term in found.terms]
    assert list(found.in_leads) == [in_leads[term] for term in found.terms]
    for number, (article, ids, counts) in enumerate(found):
        counted = Counter(n for n in articles[number][0] if n >= VOCABULARY.common)
        ranked = islice(sorted(counted.items(), key=lambda pair: -pair[1]), core.SPOOLED)
        assert article == 7 * number
        assert [(found.terms[n], count) for n, count in zip(ids, counts, strict=True)] == [
            (stems[n], count) for n, count in ranked
        ]
    assert len(found.articles) == len(articles)
