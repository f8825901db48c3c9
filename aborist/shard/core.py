"""Core keywords: of each term that is common in the archive, the articles it says most of, with a quantised impact.

What an OR over common terms would have to score is scored when the index is built: an impact is the term's saturated
frequency (BM25 without idf, the title counted more), in fifteen steps, and an article keeps its KEPT best terms by
impact and idf. Terms that are not common have few postings in the passage index, which are read there.
Which terms are common, their idf there and the mean length come from the sample of pages that a build takes first, so
that they, and what is kept, do not depend on the number of shards; a question weighs impacts by the idf of the whole
collection. Static pruning: Carmel et al., SIGIR 2001; impacts: Anh, de Kretser and Moffat, SIGIR 2001.

2026-11-30, enwiki_130k, 800 dev questions, gold among the first 25 articles: .875 with 7.6 million postings in 12.9 MB;
.825 where 32 terms an article were kept (31 MB with a table of all terms); article BM25 over all postings .889.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["COMMON", "KEPT", "LEVELS", "Common", "impacts", "levels", "pack", "pack_ids", "unpack", "unpack_ids"]

KEPT = 96  # terms an article; 64 / 96 / 128 at k1 1.2, b .3: .833 / .844 / .854 with 12.0 / 14.3 / 16.0 MB
COMMON = 1 / 200  # of the sampled pages; 1 / 100 / 200 / 400: .862 with 11.6 MB, .854 with 12.9, .844 with 14.3
LEVELS = 15
# 1.2, .3: .852; 2, .3: .854; 3, .3: .862; 2, .15: .875 (KEPT 96, COMMON 1/200). The weight of the title hardly matters.
K1, B, TITLE = 2.0, 0.15, 2.0

Ordinals = npt.NDArray[np.int64]  # articles by their place in the order of ids
Levels = npt.NDArray[np.uint8]


class Common(NamedTuple):
    """What a sample of its pages says of an archive's words."""

    idf: Mapping[str, float]  # of the terms that are common, in their order
    mean: float  # tokens of an article


def levels(
    counts: npt.NDArray[np.float64], titles: npt.NDArray[np.float64], relative: npt.NDArray[np.float64]
) -> Levels:
    """The quantised impacts, 1..LEVELS, of terms by how often they stand in an article and in its title; `relative` is
    the article's length over the mean one."""
    weighted = counts + TITLE * titles
    saturated = weighted / (weighted + K1 * (1 - B + B * relative))
    return np.ceil(LEVELS * saturated).clip(1, LEVELS).astype(np.uint8)


def impacts(found: Levels) -> npt.NDArray[np.float64]:
    """The saturated frequencies, 0..1, that levels stand for: the middle of each step."""
    return (found - 0.5) / LEVELS


def pack(ordinals: Ordinals, found: Levels) -> bytes:
    """The postings of a term: ascending ordinals as gaps, and two levels a byte."""
    nibbles = np.append(found, 0)[: len(found) + len(found) % 2].reshape(-1, 2)
    packed: Levels = (nibbles[:, 0] << 4 | nibbles[:, 1]).astype(np.uint8)
    return _pack_gaps(ordinals) + packed.tobytes()


def unpack(blob: object) -> tuple[Ordinals, Levels]:
    """Raises ValueError for what no `pack` made."""
    ordinals, rest = _unpack_gaps(blob)
    if len(rest) != (len(ordinals) + 1) // 2:
        raise ValueError("not whole postings")
    packed = np.frombuffer(rest, np.uint8)
    found = np.stack((packed >> 4, packed & 15), axis=1).reshape(-1)[: len(ordinals)]
    return ordinals, found


def pack_ids(ids: Sequence[int]) -> bytes:
    """All articles' ids, ascending: a byte each for most."""
    return _pack_gaps(np.array(ids, np.int64))


def unpack_ids(blob: object) -> Ordinals:
    """Raises ValueError for what no `pack_ids` made."""
    ids, rest = _unpack_gaps(blob)
    if rest:
        raise ValueError("not whole ids")
    return ids


_COUNT = struct.Struct("<I")
_MORE = 255  # a gap of a byte that is this and what stands in the wider column


def _pack_gaps(ascending: Ordinals) -> bytes:
    """How many, a byte for each gap from the one before, and four bytes more for each that needs them."""
    gaps = np.diff(ascending, prepend=0)
    wide = gaps[gaps >= _MORE] - _MORE
    narrow = np.minimum(gaps, _MORE).astype(np.uint8)
    return _COUNT.pack(len(gaps)) + narrow.tobytes() + wide.astype("<u4").tobytes()


def _unpack_gaps(blob: object) -> tuple[Ordinals, bytes]:
    """The numbers, and what stands behind them."""
    if not isinstance(blob, bytes) or len(blob) < _COUNT.size:
        raise ValueError("not whole postings")
    end = _COUNT.size + _COUNT.unpack_from(blob)[0]
    gaps = np.frombuffer(blob[_COUNT.size : end], np.uint8).astype(np.int64)
    wide = np.flatnonzero(gaps == _MORE)
    stop = end + 4 * len(wide)
    if len(blob) < stop:
        raise ValueError("not whole postings")
    gaps[wide] += np.frombuffer(blob[end:stop], "<u4")
    return np.cumsum(gaps), blob[stop:]
