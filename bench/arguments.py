"""Types of command line arguments that several measures take."""

from __future__ import annotations

import argparse

__all__ = ["names", "positive"]


def names(text: str) -> list[str]:
    """What commas join, empty parts left out."""
    return [name for name in text.split(",") if name]


def positive(text: str) -> int:
    """A whole number from 1. :raises ArgumentTypeError: the text is none."""
    number = int(text) if text.strip().isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1; found {text!r}")
    return number
