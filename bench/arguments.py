"""Types of command line arguments that several measures take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection

__all__ = ["names", "positive", "some_of"]


def names(text: str) -> list[str]:
    """What commas join, empty parts left out."""
    return [name for name in text.split(",") if name]


def positive(text: str) -> int:
    """A whole number from 1. :raises ArgumentTypeError: the text is none."""
    number = int(text) if text.strip().isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1; found {text!r}")
    return number


def some_of(known: Collection[str]) -> Callable[[str], list[str]]:
    """The type of an argument that joins some of the known names by commas; it raises ArgumentTypeError for any other,
    and for none."""

    def chosen(text: str) -> list[str]:
        found = names(text)
        if not found or set(found) - set(known):
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(known)}; found {text!r}")
        return found

    return chosen
