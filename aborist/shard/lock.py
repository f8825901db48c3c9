"""One indexer at a time in an index folder."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aborist.errors import IndexStateError
from aborist.shard.manifest import LOCK

__all__ = ["exclusive"]


@contextmanager
def exclusive(shards: Path) -> Iterator[None]:
    """Make the folder if it is not there and hold its lock, which the kernel frees however the holder ends.

    Raises IndexStateError, which names the holder, when the lock is taken; OSError when the folder cannot be
    written.
    """
    shards.mkdir(parents=True, exist_ok=True)
    with (shards / LOCK).open("a+", encoding="utf-8", errors="replace") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise IndexStateError(
                expected=f"to be the only one that changes {shards}",
                found=f"another indexer is running: {lock.read().strip() or 'it has not given its name yet'}",
                next="wait for it, or end it",
            ) from None
        lock.truncate(0)
        lock.write(f"pid {os.getpid()} on {socket.gethostname()} since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        lock.flush()
        try:
            yield
        finally:
            lock.truncate(0)
