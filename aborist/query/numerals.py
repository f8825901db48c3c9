"""Other ways to write the numbers in a name: World War 2 is World War II, Elizabeth the Second is Elizabeth II."""

from __future__ import annotations

import re

__all__ = ["respelled"]

_ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII XXIII XXIV XXV".split()
_ARABIC = {roman: str(number) for number, roman in enumerate(_ROMAN, 1)}
_ENGLISH = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
# Stems of the ordinals; what follows is the case ending.
_RUSSIAN = "перв втор трет четв[её]рт пят шест седьм восьм девят десят одиннадцат двенадцат".split()
_ORDINALS = tuple(
    (re.compile(rf"(?<=\w )(?:the )?(?:{english}|{russian}(?:\w{{2,3}}))$", re.IGNORECASE), roman)
    for english, russian, roman in zip(_ENGLISH, _RUSSIAN, _ROMAN, strict=False)
)
_NUMBER = re.compile(r"(?<![\w.-])(?:\d{1,2}|[IVX]{1,6}|[ivx]{2,6})(?![\w.-])")


def respelled(name: str) -> list[str]:
    """The name with its small numbers in the other numerals, and with a last ordinal as a Roman number."""
    found = [_NUMBER.sub(_other, name)]
    found += [pattern.sub(roman, name) for pattern, roman in _ORDINALS if pattern.search(name)]
    return [other for other in found if other != name]


def _other(match: re.Match[str]) -> str:
    number = match.group()
    if number.isdigit():
        return _ROMAN[int(number) - 1] if 0 < int(number) <= len(_ROMAN) else number
    return _ARABIC.get(number.upper(), number)
