"""The document root against an independent recursive oracle, its proofs, and what it depends on."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aborist.merkle import document_root, leaves, proof, verify_proof
from aborist.types import Document, Section

Part = tuple[tuple[str, ...], list[str]]

WORDS = st.text(alphabet=st.characters(exclude_characters="\n"), min_size=1, max_size=6)
PARTS = st.lists(
    st.tuples(st.lists(WORDS, max_size=3).map(tuple), st.lists(WORDS, min_size=1, max_size=5)), max_size=5
).filter(lambda parts: all(a[0] != b[0] for a, b in pairwise(parts)))


def document(parts: list[Part]) -> Document:
    sections, start = [], 0
    for heading, blocks in parts:
        end = start + len("\n".join(blocks))
        sections.append(Section(heading, "anchor", start, end))
        start = end + 2
    return Document("\n\n".join("\n".join(blocks) for _, blocks in parts), tuple(sections))


def oracle(entries: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, word for word."""
    if not entries:
        return sha256(b"").digest()
    if len(entries) == 1:
        return sha256(b"\x00" + entries[0]).digest()
    k = 1
    while k * 2 < len(entries):
        k *= 2
    return sha256(b"\x01" + oracle(entries[:k]) + oracle(entries[k:])).digest()


def oracle_path(m: int, entries: list[bytes]) -> list[bytes]:
    """RFC 6962 section 2.1.1, word for word."""
    if len(entries) == 1:
        return []
    k = 1
    while k * 2 < len(entries):
        k *= 2
    if m < k:
        return [*oracle_path(m, entries[:k]), oracle(entries[k:])]
    return [*oracle_path(m - k, entries[k:]), oracle(entries[:k])]


@given(PARTS)
def test_root_and_proofs_are_those_of_rfc_6962(parts: list[Part]) -> None:
    page = document(parts)
    entries = leaves(page)
    assert len(entries) == sum(len(blocks) for _, blocks in parts)
    assert document_root(page) == oracle(entries)
    for n in range(len(entries)):
        assert list(proof(page, n)) == oracle_path(n, entries)


@given(PARTS)
def test_every_block_proves_itself_and_nothing_else(parts: list[Part]) -> None:
    page = document(parts)
    root = document_root(page)
    blocks = [(heading, block) for heading, blocks in parts for block in blocks]
    for n, (heading, block) in enumerate(blocks):
        path = proof(page, n)
        assert verify_proof(root, heading, block, n, len(blocks), path)
        assert not verify_proof(root, heading, block + "x", n, len(blocks), path)
        assert not verify_proof(root, (*heading, "x"), block, n, len(blocks), path)
        assert not verify_proof(root, heading, block, n, len(blocks), (*path, root))
        assert not path or not verify_proof(root, heading, block, n, len(blocks), path[:-1])
        assert not verify_proof(root[::-1] + b"x", heading, block, n, len(blocks), path)
        for other, entry in enumerate(blocks):
            assert verify_proof(root, *entry, n, len(blocks), path) is (entry == (heading, block)) or other == n


@given(PARTS, PARTS)
def test_different_texts_or_headings_have_different_roots(one: list[Part], other: list[Part]) -> None:
    assume(one != other)
    assert document_root(document(one)) != document_root(document(other))


@given(PARTS.filter(bool), st.data())
def test_any_changed_character_changes_the_root(parts: list[Part], data: st.DataObject) -> None:
    page = document(parts)
    at = data.draw(st.integers(0, len(page.text) - 1).filter(lambda i: page.text[i] != "\n"))
    changed = page.text[:at] + ("y" if page.text[at] != "y" else "z") + page.text[at + 1 :]
    assert document_root(replace(page, text=changed)) != document_root(page)


def test_anchors_do_not_matter() -> None:
    page = document([((), ["a"]), (("H",), ["b", "c"])])
    sections = tuple(replace(section, anchor="elsewhere") for section in page.sections)
    assert document_root(replace(page, sections=sections)) == document_root(page)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([(("ab",), ["c"])], [(("a",), ["bc"])]),
        ([(("a", "b"), ["c"])], [(("ab",), ["c"])]),
        ([(("a", "b"), ["c"])], [(("a",), ["bc"])]),
        ([((), ["a", "b"])], [((), ["ab"])]),
        ([((), ["a", "b"])], [((), ["b", "a"])]),
        ([((), ["a"])], [((), ["a", "a"])]),
        ([((), ["a", "b"])], [((), ["a"]), (("",), ["b"])]),
    ],
)
def test_encoding_is_unambiguous(one: list[Part], other: list[Part]) -> None:
    assert document_root(document(one)) != document_root(document(other))


def test_a_node_is_no_leaf() -> None:
    page = document([((), ["a", "b", "c", "d"])])
    inner = b"".join(sha256(b"\x00" + entry).digest() for entry in leaves(page)[:2])
    assert sha256(b"\x00" + inner).digest() != sha256(b"\x01" + inner).digest()
    assert oracle([inner, *leaves(page)[2:]]) != document_root(page)


def test_roots_that_are_stored_do_not_change() -> None:
    # The root is cited by others: a change here needs a new EXTRACTION.
    assert document_root(Document("", ())).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    page = document([((), ["Elevation: 412 m"]), (("History", "Pier"), ["Built in 1912.", "Ещё раз."])])
    assert document_root(page).hex() == "f7e00e569eadc7f144526e279ac4e75d48bf78a04f8698ac39a9f7ed8eb20e8a"


@pytest.mark.parametrize("n", [-1, 3])
def test_proof_of_no_block(n: int) -> None:
    with pytest.raises(IndexError, match="of 3"):
        proof(document([((), ["a", "b", "c"])]), n)


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0), (0, -1)])
def test_proof_outside_of_the_document(index: int, size: int) -> None:
    page = document([((), ["a", "b", "c"])])
    assert not verify_proof(document_root(page), (), "a", index, size, proof(page, 0))
