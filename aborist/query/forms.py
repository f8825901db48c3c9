"""Texts as arrays of word numbers: what lets one question's candidates be searched at once, in C.

Every chunk of text (`text.chunks`) that was met before is known with the numbers of its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from aborist.text import Analyzer, chunks, fold, unchunked

__all__ = ["FormNumbers", "Forms"]

FormNumbers: TypeAlias = npt.NDArray[np.int32]  # numbers of exact forms, in the order of the text

_CHUNKS = 200_000  # kept; about 200 bytes each


class Forms:
    """Numbers for the exact forms of one analyzer's words, given as they are met.

    A number holds until `trim` is called, which one question does once, before it begins.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._chunks = _Chunks(self._numbered)
        self._numbers: dict[str, int] = {}
        self._forms: list[str] = []
        self._by_stem: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """How many forms have a number."""
        return len(self._forms)

    def trim(self, most: int = _CHUNKS) -> None:
        """Forget everything where more than `most` chunks are kept: numbers given before mean nothing then."""
        if len(self._chunks) > most:
            for kept in (self._chunks, self._numbers, self._forms, self._by_stem):
                kept.clear()

    def read(self, texts: Iterable[str]) -> tuple[FormNumbers, npt.NDArray[np.int64]]:
        """The words of all texts in one array, and how many each text has."""
        known = self._chunks.__getitem__
        coded = [b"".join(map(known, chunks(text))) for text in texts]
        sizes = np.fromiter(map(len, coded), np.int64, len(coded)) // _BYTES
        return np.frombuffer(b"".join(coded), np.int32), sizes

    def of(self, stem: str) -> list[tuple[int, str]]:
        """(number, form) of the forms met so far that have this stem."""
        return [(number, self._forms[number]) for number in self._by_stem.get(stem, ())]

    def _numbered(self, chunk: bytes) -> bytes:
        numbers = []
        for surface in unchunked(chunk):
            # A run of Han or an elision is several words under one surface.
            for stem, form in zip(self.analyzer[surface].split(), fold(surface).split(), strict=True):
                number = self._numbers.get(form)
                if number is None:
                    number = self._numbers[form] = len(self._forms)
                    self._forms.append(form)
                    self._by_stem.setdefault(stem, []).append(number)
                numbers.append(number)
        return np.array(numbers, np.int32).tobytes()


_BYTES = 4  # of a number


class _Chunks(dict[bytes, bytes]):
    """Chunk between blanks to the numbers of its words, filled as chunks are met."""

    def __init__(self, numbered: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self._numbered = numbered

    def __missing__(self, chunk: bytes) -> bytes:
        found = self[chunk] = self._numbered(chunk)
        return found
