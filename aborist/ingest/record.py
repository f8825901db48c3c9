"""From an archive's entry to the record that is stored: extract, cut into passages, stem, name its links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from urllib.parse import unquote

from aborist.ingest import chunk, html
from aborist.ingest.catalog import UNREAD_TYPES, essence
from aborist.merkle import document_root
from aborist.shard.write import Record, Stub
from aborist.text import LEAD_TOKENS
from aborist.types import Article, Document, Kind
from aborist.vocabulary import Vocabulary

__all__ = ["passage_heads", "to_record"]


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


def to_record(
    article: Article,
    vocabulary: Vocabulary,
    *,
    boilerplate: frozenset[bytes] = frozenset(),
    main_path: str | None = None,
) -> Record | Stub:
    """What the shard stores of an entry; a page that only refreshes to another becomes a Stub."""
    if essence(article.mime) in UNREAD_TYPES:
        page = html.extract(b"", "text/plain")
    else:
        page = html.extract(article.content, article.mime, article.title)
    if page.refresh:
        target, anchor = page.refresh
        return Stub(article.title, article.path, _resolve(article.path, target), anchor, article.aliases)
    document = page.document
    title = article.title or page.title or article.path
    spans = chunk.passages(document, boilerplate)
    named = vocabulary.numbers(title)
    bodies = [vocabulary.numbers(document.text[span.start : span.end]) for span in spans]
    title_stems = vocabulary.text(named)
    heads = passage_heads(title_stems, document, vocabulary)
    words = [*named, *chain.from_iterable(bodies)]
    return Record(
        path=article.path,
        title=title,
        kind=_kind(article, document, title, main_path, listed=page.disambiguation),
        root=document_root(document),
        document=document,
        passages=spans,
        heads=tuple(heads[span.section] for span in spans),
        bodies=tuple(map(vocabulary.text, bodies)),
        lengths=tuple(map(len, bodies)),
        title_stems=title_stems,
        words=words,
        title_tokens=len(named),
        lead_tokens=min(len(words), len(named) + LEAD_TOKENS),
        links=_links(article, page.links),
        aliases=article.aliases,
    )


def passage_heads(title_stems: str, document: Document, vocabulary: Vocabulary) -> list[str]:
    """The contextual prefix "Title - Section" in stems, for each section."""
    headings = (vocabulary.text(vocabulary.numbers(" ".join(section.heading))) for section in document.sections)
    return [f"{title_stems} {heading}".strip() for heading in headings]


def _kind(article: Article, document: Document, title: str, main_path: str | None, *, listed: bool) -> Kind:
    if essence(article.mime) in UNREAD_TYPES:
        return Kind.UNREAD_FILE
    if article.path == main_path:
        return Kind.MAIN_PAGE
    if not document.text:
        return Kind.NO_TEXT
    if listed or _AMBIGUOUS_TITLE.search(title) or _AMBIGUOUS.search(document.text[:_AMBIGUOUS_WITHIN]):
        return Kind.DISAMBIGUATION
    return Kind.ARTICLE


def _links(article: Article, links: Iterable[str]) -> tuple[str, ...]:
    """The paths of other articles, each once, in the order of the page."""
    own = {article.path, *(alias.path for alias in article.aliases)}
    targets = dict.fromkeys(_resolve(article.path, link) for link in links)
    return tuple(path for path in targets if path not in own)


def _resolve(path: str, link: str) -> str:
    """The path that a link on the page `path` leads to; empty steps ("A//dev/zero") are kept."""
    target = link.partition("#")[0].partition("?")[0]
    if "%" in target:
        target = unquote(target)
    if not target:
        return path
    if "/" not in target and "/" not in path and target not in {".", ".."}:
        return target
    if target.startswith("/"):
        return target.lstrip("/")
    steps = path.split("/")[:-1]
    for step in target.split("/"):
        if step == "..":
            del steps[-1:]
        elif step != ".":
            steps.append(step)
    return "/".join(steps)
