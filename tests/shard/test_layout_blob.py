"""The blob of the text table gives back what it was given, whatever that is."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.shard import layout
from aborist.types import Document, Section, Span

_letters = st.characters(codec="utf-8")
_words = st.text(_letters, max_size=8)


@st.composite
def _articles(draw: st.DrawFn) -> tuple[Document, tuple[Span, ...], tuple[int, ...]]:
    sections, spans, tokens, text = [], [], [], ""
    for number in range(draw(st.integers(0, 5))):
        start = len(text) + draw(st.integers(0, 3))
        text = text.ljust(start) + draw(st.text(_letters, max_size=300))
        heading = tuple(draw(st.lists(_words, max_size=3)))
        usual = heading[-1].replace(" ", "_") if heading else ""
        sections.append(Section(heading, draw(st.sampled_from([usual, "", "1"]) | _words), start, len(text)))
        if len(text) > start:
            spans.append(Span(number, start, len(text)))
            tokens.append(draw(st.integers(0, 100_000)))
    return Document(text, tuple(sections)), tuple(spans), tuple(tokens)


@given(_articles())
def test_unpack_reverses_pack(article: tuple[Document, tuple[Span, ...], tuple[int, ...]]) -> None:
    assert layout.unpack(layout.pack(*article)) == article


def test_positions_beyond_a_million_characters_survive() -> None:
    text = "word " * 400_000 + "end"
    document = Document(text, (Section((), "", 0, len(text)),))
    spans = (Span(0, 0, 100), Span(0, 1_999_000, len(text)))
    assert layout.unpack(layout.pack(document, spans, (20, 200))) == (document, spans, (20, 200))


@pytest.mark.parametrize("cut", [0, 4, 9, 20])
def test_a_torn_blob_is_an_error_and_no_shorter_article(cut: int) -> None:
    blob = layout.pack(Document("ab", (Section(("History",), "x", 0, 2),)), (Span(0, 0, 2),), (1,))
    with pytest.raises((ValueError, TypeError, IndexError, struct.error)):
        layout.unpack(blob[:cut])
