"""Text of archives and users as a terminal may show it: without what would steer the terminal or turn its writing."""

from __future__ import annotations

import re

__all__ = ["printable"]

# C0 and C1 controls but tab and line feed, and the bidirectional overrides: https://unicode.org/reports/tr9/
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with each steering character as a blank."""
    return _STEERING.sub(" ", text)
