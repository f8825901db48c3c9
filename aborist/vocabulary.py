"""Words as numbers, for a build: a text becomes a list of integers that are counted in C.

A text is split at ASCII signs that stand in no word; what remains between two of them (a *chunk*) is mostly one
word, met before, and costs one look-up. 2026-11-30, enwiki_medium, at load 4: 37 ns a word to split and 165 to look
up; finding words with a regular expression that knows the marks of all scripts took half of a build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aborist.text import Analyzer, chunks, function_words, unchunked

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Vocabulary"]

# Chunks kept from part to part. 2026-11-30: all 350,000 of enwiki_medium fit, in a build of 254 MB.
_KEPT_CHUNKS = 400_000


class Vocabulary(dict[bytes, int]):
    """Chunk to number, filling itself. `stems[n]` is the stem that number n stands for.

    A chunk without a word or with several (1912–1990, l'eau, runs of Han) has a number of its own, whose parts
    `numbers` puts in its place. The numbers below `common` are those of the language's function words.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self.analyzer = analyzer
        self.stems: list[str] = []
        self._of_stem: dict[str, int] = {}
        self._parts: dict[int, tuple[int, ...]] = {}
        self.common = 0
        self._begin()

    def _begin(self) -> None:
        words = self.analyzer.stems(" ".join(sorted(function_words(self.analyzer.language))))
        self.common = len({*map(self._number, words.split())})

    def trim(self, most: int = _KEPT_CHUNKS) -> None:
        """Forget everything if it has grown beyond `most`; numbers given before then mean nothing any more."""
        if max(len(self), len(self.stems)) > most:
            for filled in (self, self.stems, self._of_stem, self._parts):
                filled.clear()
            self._begin()

    def __missing__(self, chunk: bytes) -> int:
        if chunk.isalnum():  # ASCII, the commonest by far: one word as it stands
            number = self[chunk] = self._number(self.analyzer.stem(chunk.decode()))
            return number
        found = [stem for surface in unchunked(chunk) for stem in self.analyzer.stem(surface).split()]
        if len(found) == 1:
            number = self._number(found[0])
        else:
            number = len(self.stems)
            self.stems.append("")
            self._parts[number] = tuple(map(self._number, found))
        self[chunk] = number
        return number

    def _number(self, stem: str) -> int:
        number = self._of_stem.setdefault(stem, len(self.stems))
        if number == len(self.stems):
            self.stems.append(stem)
        return number

    def known(self, stem: str) -> int | None:
        """The number of a stem, if it was met."""
        return self._of_stem.get(stem)

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's stems, in order: of what `Analyzer.stems` gives."""
        found = [*map(self.__getitem__, chunks(text))]
        if self._parts.keys().isdisjoint(found):
            return found
        return [part for number in found for part in self._parts.get(number, (number,))]

    def text(self, numbers: Iterable[int]) -> str:
        """The stems joined by blanks."""
        return " ".join(map(self.stems.__getitem__, numbers))
