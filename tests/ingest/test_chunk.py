"""Passages: whole blocks or sentences of one section, and nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.ingest.chunk import (
    FRAGMENT_WORDS,
    LONGEST_BLOCK_WORDS,
    LONGEST_SENTENCE_WORDS,
    REPEATED_PAGES,
    REPEATED_TIMES,
    TARGET_WORDS,
    block_key,
    passages,
    repeated_blocks,
)
from aborist.sentence import sentences
from aborist.types import Document, Section


def document(*sections: list[str]) -> Document:
    """Sections of these blocks, under the headings 0, 1, ..."""
    made, start = [], 0
    for n, blocks in enumerate(sections):
        end = start + len("\n".join(blocks))
        made.append(Section((str(n),), "", start, end))
        start = end + 2
    return Document("\n\n".join("\n".join(blocks) for blocks in sections), tuple(made))


def words(n: int, stop: str = ".") -> str:
    return ("Word " + "word " * (n - 2) if n > 1 else "") + "end" + stop


def lengths(page: Document) -> list[int]:
    return [len(page.text[span.start : span.end].split()) for span in passages(page)]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([words(10)], [10]),
        ([words(TARGET_WORDS)] * 2, [TARGET_WORDS] * 2),
        ([words(30)] * 9, [90, 90, 90]),
        ([words(LONGEST_BLOCK_WORDS)], [LONGEST_BLOCK_WORDS]),
        ([words(90), words(FRAGMENT_WORDS - 1)], [90 + FRAGMENT_WORDS - 1]),  # a tail joins
        ([words(5), words(LONGEST_BLOCK_WORDS)], [LONGEST_BLOCK_WORDS + 5]),  # so does a head
        ([" ".join([words(20)] * 20)], [100] * 4),  # a long block parts at its sentences
        ([words(LONGEST_SENTENCE_WORDS)], [LONGEST_SENTENCE_WORDS]),  # one sentence stays whole
    ],
)
def test_lengths_within_a_section(blocks: list[str], expected: list[int]) -> None:
    assert lengths(document(blocks)) == expected


def test_sections_are_not_mixed() -> None:
    page = document([words(3)], [words(4), words(5)], [words(6)])
    assert [(span.section, page.text[span.start : span.end]) for span in passages(page)] == [
        (0, words(3)),
        (1, f"{words(4)}\n{words(5)}"),
        (2, words(6)),
    ]


def test_a_sentence_beyond_the_limit_is_cut() -> None:
    page = document([words(1_000)])
    assert sum(lengths(page)) == 1_000
    assert max(lengths(page)) <= LONGEST_SENTENCE_WORDS
    assert max(span.end - span.start for span in passages(document(["x" * 100_000]))) < 2_000


def test_cjk_is_counted_by_characters() -> None:
    sentence = "これは二十文字の短い日本語の文章である。"
    spans = passages(document([sentence * 40]))
    assert len(spans) > 3
    assert all((span.end - span.start) % len(sentence) == 0 for span in spans)
    assert len(passages(document(["あ" * 20_000]))) > 50


def test_boilerplate_is_in_no_passage_and_parts_its_neighbours() -> None:
    page = document([words(5), "Turn on scripts.", words(6)], ["Turn on scripts."])
    spans = passages(page, frozenset({block_key("Turn on scripts.")}))
    assert [page.text[span.start : span.end] for span in spans] == [words(5), words(6)]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([["cookie", str(n)] for n in range(4)], {"cookie"}),
        ([["cookie", str(n)] for n in range(3)] + [["x"]] * 3, {"cookie", "x"}),
        ([["cookie"]] * (REPEATED_PAGES - 1), set()),  # too few pages to judge
        ([["cookie"]] * 3 + [["a"], ["b"], ["c"], ["d"]], set()),  # less than half
        ([["twin"], ["twin"], ["a"], ["b"]], set()),  # two equal pages
        ([["twice", "twice", "a"], ["b"], ["c"], ["d"]], set()),  # counted once a page
        ([["cookie"]] * 3 + [[]] * 10, set()),  # pages without text say nothing
        ([], set()),
    ],
)
def test_repeated_blocks(pages: list[list[str]], expected: set[str]) -> None:
    documents = [document(blocks) if blocks else Document("", ()) for blocks in pages]
    assert repeated_blocks(iter(documents)) == {block_key(block) for block in expected}
    assert REPEATED_TIMES <= REPEATED_PAGES


def test_no_text_no_passages() -> None:
    assert passages(Document("", ())) == ()


BLOCK = st.one_of(
    st.text(min_size=1).map(lambda t: " ".join(t.split())),
    st.lists(
        st.sampled_from(["word", "Dr.", "end.", "Is it?", "漢字。", "文", "x" * 50]), min_size=1, max_size=400
    ).map(" ".join),
).filter(bool)
DOCUMENTS = st.lists(st.lists(BLOCK, min_size=1, max_size=6), max_size=4).map(lambda parts: document(*parts))


@given(DOCUMENTS, st.data())
def test_every_character_is_in_exactly_one_passage(page: Document, data: st.DataObject) -> None:
    blocks = sorted({block for block in page.text.split("\n") if block})
    dropped = set(data.draw(st.lists(st.sampled_from(blocks), max_size=2))) if blocks else set()
    spans = passages(page, frozenset(map(block_key, dropped)))
    covered = [0] * len(page.text)
    last = 0
    for span in spans:
        section = page.sections[span.section]
        assert section.start <= span.start < span.end <= section.end
        assert last <= span.start
        assert page.text[span.start : span.end] == page.text[span.start : span.end].strip()
        last = span.end
        for i in range(span.start, span.end):
            covered[i] += 1
    at = 0
    for block in page.text.split("\n"):
        expected = 0 if block in dropped else 1
        assert all(covered[at + i] == expected for i, c in enumerate(block) if not c.isspace())
        at += len(block) + 1


@given(DOCUMENTS)
def test_passages_begin_and_end_with_sentences(page: Document) -> None:
    bounds = sentences(page.text)
    short = all((end - start) / 2 < LONGEST_SENTENCE_WORDS for start, end in bounds)
    if short:
        starts, ends = {start for start, _ in bounds}, {end for _, end in bounds}
        assert all(span.start in starts and span.end in ends for span in passages(page))
