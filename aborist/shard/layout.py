"""How an article's text, sections and passages stand in one blob of the text table, before compression.

Two lengths (uint32, little endian), then names (JSON), numbers (varints) and the text, so that what articles
have in common comes first and a compression dictionary finds it.

- names: per section `[n, anchor, *headings]`: the first n headings are those of the section before; the
  anchor is 1 where it is the last heading with `_` for blanks, as MediaWiki makes it.
- numbers: how many sections; per section the gap to the one before and its length; per passage the sections
  and characters since the one before, its length and its tokens.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence

from aborist.types import Document, Section, Span

__all__ = ["pack", "unpack"]

_LENGTHS = struct.Struct("<II")


def pack(document: Document, passages: Sequence[Span], tokens: Sequence[int]) -> bytes:
    """The blob; `tokens` are the passages' lengths in tokens."""
    names: list[list[str | int]] = []
    numbers = [len(document.sections)]
    last: tuple[str, ...] = ()
    end = 0
    for section in document.sections:
        heading = section.heading
        same = 0
        while same < len(last) and same < len(heading) and last[same] == heading[same]:
            same += 1
        names.append([same, _anchor_code(section), *heading[same:]])
        numbers += (section.start - end, section.end - section.start)
        last, end = heading, section.end
    number = end = 0
    for span, length in zip(passages, tokens, strict=True):
        numbers += (span.section - number, span.start - end, span.end - span.start, length)
        number, end = span.section, span.end
    listed = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode()
    coded = bytes(_varints(numbers))
    return _LENGTHS.pack(len(listed), len(coded)) + listed + coded + document.text.encode()


def unpack(blob: bytes) -> tuple[Document, tuple[Span, ...], tuple[int, ...]]:
    """What `pack` was given. Raises ValueError, TypeError or struct.error for what is no such blob."""
    names_length, numbers_length = _LENGTHS.unpack_from(blob)
    at = _LENGTHS.size + names_length
    names = json.loads(blob[_LENGTHS.size : at])
    numbers = list(_integers(blob[at : at + numbers_length]))
    text = blob[at + numbers_length :].decode()
    gaps = numbers[1 : 1 + 2 * numbers[0]]
    sections: list[Section] = []
    heading: tuple[str, ...] = ()
    end = 0
    for (same, anchor, *rest), gap, length in zip(names, gaps[::2], gaps[1::2], strict=True):
        heading = (*heading[:same], *rest)
        start, end = end + gap, end + gap + length
        sections.append(Section(heading, _anchor_of(heading) if anchor == 1 else str(anchor or ""), start, end))
    spans: list[Span] = []
    tokens = numbers[4 + 2 * numbers[0] :: 4]
    rest = numbers[1 + 2 * numbers[0] :]
    number = end = 0
    for more, gap, length in zip(rest[::4], rest[1::4], rest[2::4], strict=True):
        number, start, end = number + more, end + gap, end + gap + length
        spans.append(Span(number, start, end))
    return Document(text, tuple(sections)), tuple(spans), tuple(tokens)


def _anchor_code(section: Section) -> str | int:
    return 1 if section.heading and section.anchor == _anchor_of(section.heading) else section.anchor


def _anchor_of(heading: Sequence[str]) -> str:
    return heading[-1].replace(" ", "_")


def _varints(numbers: Iterable[int]) -> Iterator[int]:
    """Seven bits a byte, the lowest first, the top bit set where more follow."""
    for number in numbers:
        while number > 127:
            yield number & 127 | 128
            number >>= 7  # noqa: PLW2901  what is left of it
        yield number


def _integers(coded: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in coded:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0
