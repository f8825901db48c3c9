"""Whether citations hold: the root is that of the stored text, and the quote is what stands there.

Reads a saved reply, an evidence item, a list or lines of them, and the form in which people and models write
citations: `[E13 | Nineteen Eighty-Four | 682f0a11: "words of the passage"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from aborist.errors import AboristError, UsageError
from aborist.library import Found, Library, section_at
from aborist.text import title_key
from aborist.types import Document

__all__ = ["Check", "Claim", "check", "read_claims"]

_WRITTEN = re.compile(
    r"\[(?P<id>[^\[\]|\n]*)\|(?P<title>[^|\n]*)\|\s*(?P<root>[0-9a-fA-F]+)\s*:\s*[\"“«](?P<quote>.*?)[\"”»]\s*\]",
    re.DOTALL,
)
_ELLIPSIS = re.compile(r"\.\.\.|…")
_REQUIRED = {"root": str, "quote": str, "start": int, "end": int}
_SHOWN = 60  # characters of a text that an error line quotes
_BEFORE = 20  # of them, before the place where two texts part
_VERBATIM_LABEL = "STRICT"  # of an answer whose sentences are quotations


@dataclass(frozen=True, slots=True)
class Claim:
    """One citation as it was saved: the fields of an evidence item, or those of the written form."""

    id: str
    fields: Mapping[str, Any]
    written: bool = False
    fault: str = ""  # why it is none, "" when it can be checked


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one citation; `failures` is empty when it holds, `notes` say under which reservation."""

    id: str
    root: str
    title: str
    failures: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_claims(text: str, source: str = "the file") -> list[Claim]:
    """Every citation of a saved text. Raises UsageError when there is none."""
    try:
        claims = [claim for value in _parsed(text) for claim in _claims(value)]
    except (ValueError, RecursionError):
        claims = list(_written(text))
    if not claims:
        raise UsageError(
            expected=f"citations in {source}: a reply, evidence items, or [E1 | Title | root: \"quote\"]",
            found="none", next="save a reply with `aborist query --json`",
        )  # fmt: skip
    return [claim if claim.id else replace(claim, id=f"#{n}") for n, claim in enumerate(claims, 1)]


def check(library: Library, claims: Iterable[Claim]) -> list[Check]:
    """Each citation held against the stored texts."""
    return [_check(library, claim) for claim in claims]


# -- reading -------------------------------------------------------------------------------------------------


def _parsed(text: str) -> list[Any]:
    """The JSON values in a text: one, or one a line. ValueError if it is no JSON."""
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


def _claims(value: Any) -> Iterator[Claim]:
    if isinstance(value, list):
        for one in value:
            yield from _claims(one)
    elif isinstance(value, str):
        yield from _written(value)
    elif isinstance(value, dict) and "evidence" in value:
        yield from _of_reply(value)
    elif isinstance(value, dict) and not value.keys().isdisjoint(_REQUIRED):
        yield _of_item(value)


def _written(text: str) -> Iterator[Claim]:
    for match in _WRITTEN.finditer(text):
        yield Claim(match["id"].strip(), {key: match[key].strip() for key in ("title", "root", "quote")}, written=True)


def _of_reply(reply: Mapping[str, Any]) -> Iterator[Claim]:
    claims = [_of_item(item) for item in _listed(reply["evidence"])]
    yield from claims
    known = {claim.id: claim.fields.get("quote") for claim in claims}
    answer = reply.get("answer")
    if isinstance(answer, dict):
        quoted = answer.get("label") == _VERBATIM_LABEL
        for sentence in _listed(answer.get("sentences", [])):
            yield from _of_sentence(sentence, known, quoted=quoted) if isinstance(sentence, dict) else ()


def _of_sentence(sentence: Mapping[str, Any], known: Mapping[str, Any], *, quoted: bool) -> Iterator[Claim]:
    """What is wrong with a sentence of the answer: it must rest on evidence, and stand there if it is a quotation."""
    for name in map(str, _listed(sentence.get("evidence", []))):
        if name not in known:
            yield Claim(name, {}, fault=f"a sentence that rests on {name}, which is not among the evidence")
        elif quoted and str(sentence.get("text")) not in str(known[name]):
            yield Claim(name, {}, fault=f"a sentence that {name} does not hold: {_cut(repr(sentence.get('text')))}")


def _of_item(item: Any) -> Claim:
    if not isinstance(item, dict):
        return Claim("", {}, fault=f"{_cut(json.dumps(item, ensure_ascii=False))}, which is no evidence item")
    name = item["id"] if isinstance(item.get("id"), str) else ""
    for key, kind in _REQUIRED.items():
        if type(item.get(key)) is not kind:
            return Claim(name, item, fault=f"no {key}" if key not in item else f"{key}: {_cut(repr(item[key]))}")
    return Claim(name, item)


# -- checking ------------------------------------------------------------------------------------------------


def _check(library: Library, claim: Claim) -> Check:
    root, title = (value if isinstance(value := claim.fields.get(key), str) else "" for key in ("root", "title"))
    if claim.fault:
        return Check(claim.id, root, title, (f"expected root, quote, start and end; found {claim.fault}",))
    try:
        cited = library.cited(root)
        found = min(cited, key=lambda one: _distance(one, claim.fields))
        document = found.document()
    except AboristError as error:
        return Check(claim.id, root, title, (f"expected {error.expected}; found {error.found}",))
    if claim.written:
        return Check(claim.id, root, title, tuple(_written_failures(found, document, claim.fields)))
    failures = (*_place_failures(found, claim.fields), *_quote_failures(document, claim.fields))
    return Check(claim.id, root, title, failures, tuple(_notes(library, found, claim.fields)))


def _distance(found: Found, fields: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    """How far an article with the cited text is from the one that was cited; the least is meant."""
    entry = found.entry
    return (
        "archive" in fields and fields["archive"] != found.archive,
        "path" in fields and fields["path"] != entry.path,
        "title" in fields and fields["title"] != entry.title,
    )


def _place_failures(found: Found, fields: Mapping[str, Any]) -> Iterator[str]:
    entry = found.entry
    if "title" in fields and fields["title"] != entry.title:
        yield _expected(f"title {entry.title!r}", repr(fields["title"]))
    # Elsewhere the same text may stand under another path; in the cited archive it may not.
    if fields.get("archive", found.archive) == found.archive and fields.get("path", entry.path) != entry.path:
        yield _expected(f"path {entry.path!r} for this root", repr(fields["path"]))


def _quote_failures(document: Document, fields: Mapping[str, Any]) -> Iterator[str]:
    start, end, quote = fields["start"], fields["end"], fields["quote"]
    if not 0 <= start < end <= len(document.text):
        yield _expected(f"a span within 0-{len(document.text)}", f"{start}-{end}")
        return
    told = document.text[start:end]
    if told != quote:
        # From where the two part: long quotes differ by a word.
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(told, quote, strict=False)))
        place = max(0, alike - _BEFORE)
        yield _expected(
            f"text[{start}:{end}] to be the quote, which at {place} reads {_cut(repr(quote[place:]))}",
            _cut(repr(told[place:])),
        )
    section = section_at(document, start)
    heading = list(section.heading) if section else []
    if "heading" in fields and fields["heading"] != heading:
        yield _expected(f"heading {heading}", _cut(repr(fields["heading"])))
    for span in _listed(fields.get("highlights", [])):
        if not _is_inside(span, start, end):
            yield _expected(f"highlights inside {start}-{end}", _cut(repr(span)))


def _written_failures(found: Found, document: Document, fields: Mapping[str, Any]) -> Iterator[str]:
    names = {title_key(name) for name in (found.entry.title, *found.aliases())}
    if title_key(fields["title"]) not in names:
        yield _expected(f"title {found.entry.title!r} for root {fields['root']}", repr(fields["title"]))
    pieces = [" ".join(piece.split()) for piece in _ELLIPSIS.split(fields["quote"])]
    if not any(pieces):
        yield _expected("words of the passage in the quote", _cut(repr(fields["quote"])))
    text, position = " ".join(document.text.split()), 0
    for piece in pieces:
        at = text.find(piece, position)
        if at < 0:
            yield _expected(f"the words {_cut(repr(piece))} in {found.entry.title!r}", "no such passage there")
            return
        position = at + len(piece)


def _notes(library: Library, found: Found, fields: Mapping[str, Any]) -> Iterator[str]:
    archive = fields.get("archive", found.archive)
    if archive == found.archive:
        return
    held = archive in {manifest.archive for manifest, _ in library.holdings}
    why = "does not hold this text" if held else "is not in this index"
    yield f"{archive} {why}; the same text stands in {found.archive} as {found.entry.path!r}"


def _is_inside(span: Any, start: int, end: int) -> bool:
    return (
        isinstance(span, Sequence)
        and len(span) == 2
        and all(type(value) is int for value in span)
        and start <= span[0] < span[1] <= end
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _expected(expected: str, found: str) -> str:
    return f"expected {expected}; found {found}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
