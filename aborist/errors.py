"""The errors a caller can meet. Every one says what was expected, what was found and what to do next.

AboristError            exit 1
├── UsageError          exit 2: the call itself is wrong (option, file of questions, setting)
├── ArchiveError        a ZIM that cannot be read: missing, truncated, not a ZIM
├── IndexStateError     the index folder: absent, locked by another builder, other schema
│   └── DamagedShard    one shard file is missing, torn or altered
├── ModelError          a model that comes with the package does not fit the program
├── StorageError        the disk: full, read-only, not permitted
├── MemoryLimitError    too little memory for what was asked
├── NotFoundError       exit 3: an article or root that is not there
└── Interrupted         exit 130: Ctrl-C or SIGTERM; nothing published
"""

from __future__ import annotations

__all__ = [
    "AboristError",
    "ArchiveError",
    "DamagedShard",
    "IndexStateError",
    "Interrupted",
    "MemoryLimitError",
    "ModelError",
    "NotFoundError",
    "StorageError",
    "UsageError",
]


class AboristError(Exception):
    """A failure told in three parts; `exit_status` is what the command line leaves with."""

    exit_status = 1

    def __init__(self, *, expected: str, found: str, next: str) -> None:
        super().__init__(expected, found, next)
        self.expected = expected
        self.found = found
        self.next = next

    def __str__(self) -> str:
        return f"expected {self.expected}; found {self.found}; {self.next}"

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default pickling that worker processes use.
        return _rebuild, (type(self), self.expected, self.found, self.next)


def _rebuild(kind: type[AboristError], expected: str, found: str, next: str) -> AboristError:
    return kind(expected=expected, found=found, next=next)


class UsageError(AboristError):
    exit_status = 2


class ArchiveError(AboristError):
    pass


class IndexStateError(AboristError):
    pass


class DamagedShard(IndexStateError):
    pass


class ModelError(AboristError):
    pass


class StorageError(AboristError):
    pass


class MemoryLimitError(AboristError):
    pass


class NotFoundError(AboristError):
    exit_status = 3


class Interrupted(AboristError):
    exit_status = 130
