"""Passages: the unit that is indexed, retrieved and cited. Whole blocks or whole sentences of one section."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from math import ceil

from aborist.sentence import sentences
from aborist.types import Document, Span

__all__ = ["CHUNKING", "block_key", "passages", "repeated_blocks"]

CHUNKING = 1

# Words. 80: the mean that QUALITY.md's passages had when they beat whole articles (h@1 62.5 -> 66.4 with prefix).
TARGET_WORDS = 95
LONGEST_BLOCK_WORDS = 130  # a longer block is split at sentence ends
FRAGMENT_WORDS = 20  # a shorter last passage joins the one before it
LONGEST_SENTENCE_WORDS = 250  # only beyond it is a sentence cut
LONGEST_SENTENCE_CHARACTERS = 4_000  # the same for text without blanks
CHARACTERS_PER_WORD = 2  # of scripts written without blanks

REPEATED_SHARE = 0.5
REPEATED_PAGES = 4
REPEATED_TIMES = 3  # two equal pages among four are a duplicate, not a template

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def passages(document: Document, boilerplate: frozenset[bytes] = frozenset()) -> tuple[Span, ...]:
    """In text order; each is `text[start:end]` without white space at either end, inside one section.

    Every character that is not white space is in exactly one passage, except those of blocks whose
    `block_key` is in `boilerplate`, which are in none.
    """
    spans: list[Span] = []
    text = document.text
    for number, section in enumerate(document.sections):
        for run in _runs(text, section.start, section.end, boilerplate):
            spans += [Span(number, start, end) for start, end in _merged(run)]
    return tuple(spans)


def block_key(text: str) -> bytes:
    """8 bytes that stand for a block's text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def repeated_blocks(documents: Iterable[Document]) -> frozenset[bytes]:
    """Keys of the blocks that stand on at least half of the given pages that have text; none below four pages."""
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


def _runs(
    text: str, start: int, end: int, boilerplate: frozenset[bytes]
) -> Iterator[list[tuple[int, int, int]]]:
    """Pieces (start, end, words) of neighbouring blocks; a boilerplate block parts two runs."""
    run: list[tuple[int, int, int]] = []
    for block in text[start:end].split("\n"):
        if boilerplate and block_key(block) in boilerplate:
            yield run
            run = []
        elif (words := _words(block)) <= LONGEST_BLOCK_WORDS:
            lead = len(block) - len(block.lstrip())
            if block[lead:]:
                run.append((start + lead, start + len(block.rstrip()), words))
        else:
            run += _split(block, start, words)
        start += len(block) + 1
    yield run


def _merged(run: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Neighbouring pieces joined until they reach the target."""
    spans: list[tuple[int, int]] = []
    words = TARGET_WORDS
    for start, end, more in run:
        if words + more // 2 >= TARGET_WORDS and not (spans and words < FRAGMENT_WORDS):
            spans.append((start, end))
            words = more
        else:
            spans[-1] = (spans[-1][0], end)
            words += more
    if len(spans) > 1 and words < FRAGMENT_WORDS:
        (first, _), (_, last) = spans[-2:]
        spans[-2:] = [(first, last)]
    return spans


def _split(block: str, offset: int, words: int) -> list[tuple[int, int, int]]:
    """A long block as pieces of whole sentences, about equally long."""
    goal = words / round(words / TARGET_WORDS)
    pieces: list[tuple[int, int, int]] = []
    total = goal
    for start, end in _bounded(block):
        more = _words(block[start:end])
        if total + more / 2 >= goal:
            pieces.append((offset + start, offset + end, more))
            total = more
        else:
            pieces[-1] = (pieces[-1][0], offset + end, pieces[-1][2] + more)
            total += more
    return pieces


def _bounded(block: str) -> Iterator[tuple[int, int]]:
    """Sentences; one beyond the hard limit is cut at blanks, or anywhere when it has none."""
    for start, end in sentences(block):
        sentence = block[start:end]
        if len(sentence) <= LONGEST_SENTENCE_CHARACTERS and _words(sentence) <= LONGEST_SENTENCE_WORDS:
            yield start, end
            continue
        for match in _PART.finditer(block, start, end):
            yield match.span()


_PART = re.compile(rf"(?=\S).{{1,{TARGET_WORDS * 5}}}(?<=\S)(?=\s|\Z)|\S.{{0,{TARGET_WORDS * 5 - 1}}}(?<=\S)")


def _words(text: str) -> int:
    spaced = text.count(" ") + 1
    return spaced if text.isascii() else spaced + len(_UNSPACED.findall(text)) // CHARACTERS_PER_WORD
