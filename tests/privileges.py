"""Lets root meet file permissions as anybody else does, so that no test is skipped where root runs the suite."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["as_anybody"]

# Linux' capget and capset, https://man7.org/linux/man-pages/man2/capget.2.html
_VERSION = 0x20080522
_OVERRIDE = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH


@contextmanager
def as_anybody() -> Iterator[None]:
    """Inside the block this thread may not read or write what its files' modes forbid, root or not."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        yield
        return
    header = ctypes.create_string_buffer(struct.pack("Ii", _VERSION, 0))
    before = ctypes.create_string_buffer(24)
    libc = ctypes.CDLL(None, use_errno=True)
    _done(libc.capget(header, before))
    effective, *rest = struct.unpack("6I", before.raw)
    limited = ctypes.create_string_buffer(struct.pack("6I", effective & ~_OVERRIDE, *rest))
    _done(libc.capset(header, limited))
    try:
        yield
    finally:
        _done(libc.capset(header, before))


def _done(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
