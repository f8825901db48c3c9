"""Passages: the unit that is indexed, retrieved and cited. Whole blocks or whole sentences of one section."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from math import ceil
from typing import TypeAlias

from aborist.sentence import sentences
from aborist.types import Document, Span

__all__ = ["CHUNKING", "block_key", "passages", "repeated_blocks"]

CHUNKING = 1

# Words. 95 gives a mean of 73 to 75 on real pages (2026-11-30), whose short sections cannot fill a passage.
TARGET_WORDS = 95
LONGEST_BLOCK_WORDS = 130  # a longer block is split at sentence ends
FRAGMENT_WORDS = 20  # a shorter last passage joins the one before it
LONGEST_SENTENCE_WORDS = 250  # only beyond it is a sentence cut
CHARACTERS_PER_WORD = 2  # of scripts written without blanks
LONGEST_WORD = 16  # characters; what goes on longer (base64, a sequence of genes) counts as several

REPEATED_SHARE = 0.5
REPEATED_PAGES = 4
REPEATED_TIMES = 3  # two equal pages among four are a duplicate, not a template

_Piece: TypeAlias = tuple[int, int, int]  # start, end, words
# Thai to Lao, Burmese, Khmer, kana, ideographs.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def passages(document: Document, boilerplate: frozenset[bytes] = frozenset()) -> tuple[Span, ...]:
    """In text order; each is `text[start:end]` without white space at either end, inside one section.

    Every character that is not white space is in exactly one passage, except those of blocks whose
    `block_key` is in `boilerplate`, which are in none.
    """
    spans: list[Span] = []
    text = document.text
    for number, section in enumerate(document.sections):
        for run in _runs(text, section.start, section.end, boilerplate):
            spans += [Span(number, start, end) for start, end, _ in _joined(run, TARGET_WORDS)]
    return tuple(spans)


def block_key(text: str) -> bytes:
    """8 bytes that stand for a block's text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def repeated_blocks(documents: Iterable[Document]) -> frozenset[bytes]:
    """Keys of the blocks that stand on at least half of those documents that have text.

    None when fewer than four have; one document counts once, and a block must stand on three.
    """
    pages = 0
    seen: Counter[bytes] = Counter()
    for document in documents:
        if document.text:
            pages += 1
            seen.update({block_key(block) for block in document.text.split("\n") if block})
    if pages < REPEATED_PAGES:
        return frozenset()
    floor = max(REPEATED_TIMES, ceil(pages * REPEATED_SHARE))
    return frozenset(key for key, count in seen.items() if count >= floor)


def _runs(text: str, start: int, end: int, boilerplate: frozenset[bytes]) -> Iterator[list[_Piece]]:
    """Pieces of neighbouring blocks; a boilerplate block parts two runs."""
    run: list[_Piece] = []
    for block in text[start:end].split("\n"):
        if boilerplate and block_key(block) in boilerplate:
            yield run
            run = []
        else:
            run += _pieces(block, start)
        start += len(block) + 1
    yield run


def _pieces(block: str, offset: int) -> list[_Piece]:
    """A block whole, or a long one as whole sentences in pieces that are about equally long."""
    words = _words(block)
    if words <= LONGEST_BLOCK_WORDS:
        bare = block.strip()
        start = offset + len(block) - len(block.lstrip())
        return [(start, start + len(bare), words)] if bare else []
    goal = words / round(words / TARGET_WORDS)
    bounded = [(offset + start, offset + end, _words(block[start:end])) for start, end in _bounded(block)]
    return _joined(bounded, goal)


def _joined(pieces: list[_Piece], goal: float) -> list[_Piece]:
    """Neighbours joined while that brings them nearer to `goal` words; fragments join a neighbour."""
    joined: list[_Piece] = []
    for start, end, words in pieces:
        if joined and (joined[-1][2] + words / 2 < goal or joined[-1][2] < FRAGMENT_WORDS):
            joined[-1] = (joined[-1][0], end, joined[-1][2] + words)
        else:
            joined.append((start, end, words))
    if len(joined) > 1 and joined[-1][2] < FRAGMENT_WORDS:
        _, end, words = joined.pop()
        joined[-1] = (joined[-1][0], end, joined[-1][2] + words)
    return joined


def _bounded(block: str) -> Iterator[tuple[int, int]]:
    """Sentences; one beyond the hard limit is cut at blanks, or anywhere when it has none."""
    for start, end in sentences(block):
        words = _words(block[start:end])
        if words <= LONGEST_SENTENCE_WORDS:
            yield start, end
            continue
        size = max(1, (end - start) * TARGET_WORDS // words)
        at = start
        while at < end:
            stop = min(end, at + size)
            blank = block.rfind(" ", at + 1, stop + 1) if stop < end else -1
            stop = blank if blank > 0 else stop
            yield at, stop
            at = stop + (block[stop : stop + 1] == " ")


def _words(text: str) -> int:
    spaced = max(text.count(" ") + 1, len(text) // LONGEST_WORD)
    return spaced if text.isascii() else spaced + len(_UNSPACED.findall(text)) // CHARACTERS_PER_WORD
