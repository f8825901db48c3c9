"""Words as all measures compare them: their own folding, so that nothing here leans on the one that is measured."""

from __future__ import annotations

import re
import sys
import unicodedata

__all__ = ["is_punctuation", "plain"]

_WORD = re.compile(r"\w+")
_MARK = re.compile("[" + "".join(chr(n) for n in range(sys.maxunicode + 1) if unicodedata.combining(chr(n))) + "]+")


def plain(text: str) -> str:
    """The words of a text joined by one blank, without case, diacritics and punctuation; apostrophes part words."""
    folded = text.casefold()
    if not folded.isascii():
        folded = _MARK.sub("", unicodedata.normalize("NFKD", folded)).casefold()
    return " ".join(_WORD.findall(folded))


def is_punctuation(text: str) -> bool:
    """Whether nothing but punctuation and blanks stands there; symbols (+, ∞) are no punctuation."""
    return all(unicodedata.category(letter)[0] in "PZ" for letter in text)
