"""From an archive's entry to the record that is stored: extract, cut into passages, analyse, name its links."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from aborist.ingest import chunk, html
from aborist.merkle import document_root
from aborist.shard.write import Record, Stub
from aborist.text import Analyzer
from aborist.types import Article, Document, Kind

__all__ = ["LEAD_TOKENS", "passage_heads", "to_record"]

LEAD_TOKENS = 100  # QUALITY.md: lead = title and first 100 tokens

# A page that only lists what its title may mean says so in its first words; the wordings differ by language.
_AMBIGUOUS = re.compile(
    r"\b(?:may|can|could|might)\s+(?:also\s+)?(?:commonly\s+|most\s+often\s+)?refer\s+(?:also\s+)?to\b"
    r"|\b(?:commonly|most often|usually)\s+refers\s+to\s*:"
    r"|\brefers\s+to\s*:|\bmay\s+(?:also\s+)?(?:mean|stand\s+for)\s*:"
    r"|\bможет\s+(?:также\s+)?(?:означать|обозначать|относиться)\b|\bмногозначн\w+\s+(?:термин|слово|понятие)"
    r"|\bsteht\s+für\s*:|\bbezeichnet\s*:|\bpeut\s+(?:aussi\s+)?(?:désigner|faire\s+référence)"
    r"|\bpuede\s+(?:también\s+)?(?:referirse|hacer\s+referencia)\b|\bpuò\s+(?:anche\s+)?riferirsi\b"
    r"|\bpode\s+(?:também\s+)?(?:referir|significar)",
    re.IGNORECASE,
)
_AMBIGUOUS_TITLE = re.compile(
    r"\((?:disambiguation|значения|неоднозначность|begriffsklärung|homonymie|desambiguación|disambigua|desambiguação)\)$",
    re.IGNORECASE,
)
_AMBIGUOUS_WITHIN = 240  # characters from the start in which the wording counts
_UNREAD = ("application/pdf", "application/epub+zip")


def to_record(
    article: Article, analyzer: Analyzer, *, boilerplate: frozenset[bytes] = frozenset(), main_path: str | None = None
) -> Record | Stub:
    """What the shard stores of an entry; a page that only refreshes to another becomes a Stub."""
    if article.mime.startswith(_UNREAD):
        page = html.extract(b"", "text/plain")
    else:
        page = html.extract(article.content, article.mime)
    if page.refresh:
        target, anchor = page.refresh
        return Stub(article.title, article.path, _resolve(article.path, target), anchor)
    document = page.document
    title = article.title or page.title or article.path
    spans = chunk.passages(document, boilerplate)
    bodies = tuple(analyzer.stems(document.text[span.start : span.end]) for span in spans)
    title_stems = analyzer.stems(title)
    lead = _first_tokens(title_stems, bodies)
    heads = passage_heads(title_stems, document, analyzer)
    return Record(
        path=article.path,
        title=title,
        kind=_kind(article, document, title, main_path, listed=page.disambiguation),
        root=document_root(document),
        document=document,
        passages=spans,
        heads=tuple(heads[span.section] for span in spans),
        bodies=bodies,
        title_stems=title_stems,
        lead=frozenset(lead),
        lead_tokens=len(lead),
        links=tuple({_resolve(article.path, link) for link in page.links}),
        aliases=article.aliases,
    )


def passage_heads(title_stems: str, document: Document, analyzer: Analyzer) -> list[str]:
    """The contextual prefix "Title - Section" in stems, for each section."""
    return [" ".join(filter(None, (title_stems, analyzer.stems(" ".join(s.heading))))) for s in document.sections]


def _first_tokens(title_stems: str, bodies: tuple[str, ...]) -> list[str]:
    tokens: list[str] = []
    for stems in bodies:
        tokens += stems.split()
        if len(tokens) >= LEAD_TOKENS:
            break
    return title_stems.split() + tokens[:LEAD_TOKENS]


def _kind(article: Article, document: Document, title: str, main_path: str | None, *, listed: bool) -> Kind:
    if article.mime.startswith(_UNREAD):
        return Kind.UNREAD_FILE
    if article.path == main_path:
        return Kind.MAIN_PAGE
    if not document.text:
        return Kind.NO_TEXT
    if listed or _AMBIGUOUS_TITLE.search(title) or _AMBIGUOUS.search(document.text[:_AMBIGUOUS_WITHIN]):
        return Kind.DISAMBIGUATION
    return Kind.ARTICLE


def _resolve(path: str, link: str) -> str:
    """The path in the archive that a link on the page `path` leads to."""
    target = unquote(link.partition("#")[0].partition("?")[0])
    if not target:
        return path
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)).lstrip("./")

