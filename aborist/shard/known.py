"""The words a shard may know, as a filter in its manifest: a question opens only shards that can answer it.

A Bloom filter: it never denies a word that was put in, and takes one word in 318 for known that was not (12 bits and 8
hashes a word). B. H. Bloom, Space/time trade-offs in hash coding with allowable errors, CACM 13(7), 1970; two hashes
serve for all: Kirsch and Mitzenmacher, ESA 2006.
"""

from __future__ import annotations

import base64
from collections.abc import Collection
from hashlib import blake2b
from typing import NamedTuple, Self

__all__ = ["MOST_WORDS", "Known", "Mark", "mark"]

MOST_WORDS = 40_000  # 80 kB of a manifest. A shard of more is large enough to be looked into each time
_BITS = 12  # a word
_HASHES = 8


class Mark(NamedTuple):
    """A word as filters see it."""

    first: int
    step: int


def mark(word: str) -> Mark:
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return Mark(int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little") | 1)


class Known(NamedTuple):
    """A filter over the words of one shard."""

    bits: bytes

    @classmethod
    def of(cls, words: Collection[str]) -> Self:
        size = max(1, -(-_BITS * len(words) // 8))
        bits = bytearray(size)
        for word in words:
            first, step = mark(word)
            for number in range(_HASHES):
                at = (first + number * step) % (8 * size)
                bits[at >> 3] |= 1 << (at & 7)
        return cls(bytes(bits))

    def may_hold(self, sought: Mark) -> bool:
        """Whether the word may be there; False is certain."""
        bits, size, at = self.bits, 8 * len(self.bits), sought.first
        for _ in range(_HASHES):
            place = at % size
            if not bits[place >> 3] >> (place & 7) & 1:
                return False
            at += sought.step
        return True

    def pack(self) -> str:
        return base64.b64encode(self.bits).decode()

    @classmethod
    def unpack(cls, text: str) -> Self | None:
        """None for what no `pack` made, and for a shard that has no filter."""
        try:
            bits = base64.b64decode(text, validate=True)
        except ValueError:
            return None
        return cls(bits) if bits else None
