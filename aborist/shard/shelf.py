"""What the shards of one index may hold at a time: open files, and texts that were unpacked.

An index may have a thousand archives; a process may open 1,024 files by default on Linux, 256 on macOS.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, Protocol, TypeVar

__all__ = ["Closing", "Shelf"]

Text = TypeVar("Text")


class Closing(Protocol):
    """What stands on the shelf: it can be closed, and opens itself again."""

    def close(self) -> None: ...


class Shelf(Generic[Text]):
    """Closes what was looked into longest ago when more than `most` are open, and drops texts beyond `text_bytes`."""

    def __init__(self, most: int = 128, pages_kib: int = 2000, text_bytes: int = 64 << 20) -> None:
        self.most = most
        self.pages_kib = pages_kib  # SQLite's page cache, an open shard
        self._text_bytes = text_bytes
        self._open: OrderedDict[Closing, None] = OrderedDict()
        self._texts: OrderedDict[tuple[Closing, int], tuple[Text, int]] = OrderedDict()
        self._held = 0
        self.asked = 0  # texts asked for, kept or not

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def use(self, shard: Closing) -> None:
        """Note that a shard's file is open and used now."""
        if shard in self._open:
            self._open.move_to_end(shard)
            return
        self._open[shard] = None
        if len(self._open) > self.most:
            oldest, _ = self._open.popitem(last=False)
            oldest.close()

    def document(self, shard: Closing, article: int) -> Text | None:
        """A text that was kept, if it still is."""
        self.asked += 1
        if (found := self._texts.get((shard, article))) is None:
            return None
        self._texts.move_to_end((shard, article))
        return found[0]

    def keep(self, shard: Closing, article: int, text: Text, size: int) -> None:
        """Keep a text of so many bytes; one larger than all room is not kept."""
        if size > self._text_bytes:
            return
        self._texts[shard, article] = text, size
        self._held += size
        while self._held > self._text_bytes:
            _, (_, dropped) = self._texts.popitem(last=False)
            self._held -= dropped
