"""The document root: a Merkle root over the blocks of the canonical text, so that one block can be proved.

Hashes and tree shape follow RFC 6962 section 2.1 (sha256; leaf prefix 0x00, node prefix 0x01; an empty
document has the hash of nothing). A leaf is a block with its heading path, so the root depends on texts and
headings alone: not on anchors, path, title or chunking.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from aborist.types import Document

__all__ = ["document_root", "leaves", "proof", "verify_proof"]


def leaves(document: Document) -> list[bytes]:
    """Payload of each block in text order: its heading path and its text.

    Equal payloads mean equal paths and equal blocks. Neighbouring sections must differ in their heading path
    (extraction sees to it); then the list determines the text, including where its sections part.
    """
    payloads: list[bytes] = []
    for section in document.sections:
        prefix = _heading_prefix(section.heading)
        text = document.text[section.start : section.end].encode("utf-8", "surrogatepass")
        payloads += [prefix + block for block in text.split(b"\n")]
    return payloads


def document_root(document: Document) -> bytes:
    """32 bytes."""
    return _levels(leaves(document))[-1][0]


def proof(document: Document, n: int) -> tuple[bytes, ...]:
    """The sibling hashes from block `n` (in text order, from 0) up to the root; IndexError if absent."""
    payloads = leaves(document)
    if not 0 <= n < len(payloads):
        raise IndexError(f"block {n} of {len(payloads)}")
    path: list[bytes] = []
    for level in _levels(payloads)[:-1]:
        if n ^ 1 < len(level):  # the last node of an odd level moves up alone
            path.append(level[n ^ 1])
        n >>= 1
    return tuple(path)


def verify_proof(
    root: bytes, heading: Sequence[str], block_text: str, index: int, size: int, proof: Sequence[bytes]
) -> bool:
    """Whether `proof` shows that block `index` of `size` below `root` is this text with this heading."""
    if not 0 <= index < size:
        return False
    digest = _leaf(_heading_prefix(heading) + block_text.encode("utf-8", "surrogatepass"))
    siblings = iter(proof)
    last = size - 1
    while last:
        if index & 1 or index < last:
            sibling = next(siblings, None)
            if sibling is None:
                return False
            digest = _node(sibling, digest) if index & 1 else _node(digest, sibling)
        index >>= 1
        last >>= 1
    return next(siblings, None) is None and digest == root


def _heading_prefix(heading: Sequence[str]) -> bytes:
    parts = [len(heading).to_bytes(4, "big")]
    for name in heading:
        encoded = name.encode("utf-8", "surrogatepass")
        parts += (len(encoded).to_bytes(4, "big"), encoded)
    return b"".join(parts)


def _leaf(payload: bytes) -> bytes:
    return sha256(b"\0" + payload).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def _levels(payloads: Sequence[bytes]) -> list[list[bytes]]:
    """Hashes from the leaves up to the root. Pairing neighbours and moving an odd last node up alone gives
    the split at the largest power of two of RFC 6962."""
    level = [sha256(b"\0" + payload).digest() for payload in payloads] or [sha256().digest()]
    levels = [level]
    while len(level) > 1:
        odd = level[len(level) & ~1 :]
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [sha256(b"\1" + left + right).digest() for left, right in pairs] + odd
        levels.append(level)
    return levels
