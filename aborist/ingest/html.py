"""The canonical text of a page, in one walk over the parsed tree.

The walk is in Python and leaves the tree as it is. 2026-11-30, CPU a page: 0.78 ms at 46.7 kB (Ray Charles
2023-09; parsing alone 0.18), 0.10 ms at 3.6 kB (enwiki_medium); about 430 us for 26 kB of markup. Selecting
and removing what is dropped adds 617 us to a parse of 1,900 (227 kB), and removal once crashed the parser
(selectolax issue 217). Marking blocks in the bytes before parsing costs 540 us there and trusts that no
attribute holds a tag.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import TypeAlias
from unicodedata import normalize
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from aborist.ingest.charset import decoded
from aborist.types import Document, Section

__all__ = ["EXTRACTION", "Page", "extract"]

EXTRACTION = 1


# Named here: what a page shows but its reader would not quote.
_DROPPED_CLASSES = frozenset(
    # reference marks and lists, edit links
    "reference mw-ref mw-reflink-text Inline-Template noteref fnanchor footnote-ref footnote-backref"
    " mw-cite-backlink references reflist mw-references-wrap footnotes mw-editsection editsection"
    " edit-page"
    # navigation
    " toc tocright mw-toc toctitle navbox vertical-navbox navbar breadcrumb breadcrumbs sistersitebox"
    " portal portalbox succession-box catlinks mw-jump mw-jump-link skip-link pager pagination"
    # Notes to readers and editors. Hatnotes too: they name other topics where a page is weighted most.
    " hatnote dablink rellink ambox ombox tmbox cmbox fmbox dmbox asbox metadata mbox-small"
    " mbox-small-left"
    # print, footers, widgets
    " printfooter zim-footer mw-footer site-footer footer-links cookie-notice cookie-banner"
    " share-buttons social-share sharedaddy magnify sr-only visually-hidden screen-reader-text"
    " mw-tmh-player mw-kartographer-map"
    # second copies
    " sortkey geo-nondefault geo-multi-punct geo-inline-hidden MathJax MathJax_Preview MathJax_SVG"
    " MathJax_Display katex-html Z3988"
    # page and line numbers of books and code
    " pagenum pagenum2 pagenumber pageno page-number linenum linenos lineno".split()
)
_DROPPED_IDS = frozenset(
    "toc catlinks footer footer-info siteSub contentSub jump-to-nav mw-navigation mw-panel mw-head"
    " coordinates printfooter page-actions site-footer site-header cookie-banner".split()
)
_DROPPED_ROLES = frozenset(
    "navigation search contentinfo doc-noteref doc-backlink doc-toc doc-pagebreak doc-endnotes".split()
)
_WEAK_CLASSES = frozenset("noprint nomobile".split())  # dropped unless they wrap content
_CONTENT_TAGS = frozenset("p h2 h3".split())
_NOTE_ID = "cite_note"
_FOOTER_STYLE = "border-top: dashed 2px #AAAAAA"  # all the mark that mwoffliner's footer has (2015 to 2023)
_FOOTER_STARTS = ("This article is issued from ", 'Retrieved from "', "Retrieved from “")

# Pages of questions and answers, known by these classes and ids: elsewhere a score is a fact.
_FORUM = frozenset("answer answers answercell question questions accepted-answer s-post".split())
_FORUM_CLASSES = _DROPPED_CLASSES | frozenset(
    "score vote votes vote-count vote-count-post votecell vote-cell votecount vote-number vote-score"
    " upvotes downvotes upvote-count points karma voting js-vote-count js-voting-container answer-score"
    " question-score post-score reputation reputation-score user-card user-info user-details"
    " user-action-time post-signature author profile owner post-menu post-taglist tags question-stats"
    " question-status comment-score comment-date comment-user comment-copy comments-link relativetime"
    " relativetime-clean date timestamp views viewcount badge badgecount badge1 badge2 badge3"
    " accepted-indicator js-accepted-answer-indicator answers-subheader".split()
)
_FORUM_PROPERTIES = frozenset("upvoteCount downvoteCount answerCount commentCount dateCreated".split())
_PROFILE = re.compile(r"(?:^|/)users?/-?\d")
_SIGNATURE = re.compile(r"(?:\s*[–—-])+\s*\Z")  # what stays of one when name and date are gone
_TALLY = re.compile(
    r"[+−-]?\d{1,6}(?: (?:votes?|points?|answers?|comments?|views?))?|[✓✔]"
    r"|(?i:asked|answered|edited|commented|viewed|modified|active)\b.{0,40}(?:\d{4}|\d:\d\d|\bago|times|day)\b.{0,40}"
)

_INFOBOX = re.compile(r"infobox|\bvcard\b|\btaxobox\b|\bsinottico\b|portable-info")
_LAYOUT_CHARACTERS = 400  # a cell of several blocks beyond this is a page's column, not a datum
_WIKI_CONTAINERS = ("#mw-content-text", "#bodyContent", ".mw-parser-output")
_CONTAINERS = ("#content", "main", "article")
_CONTAINER_SIGNS = ("mw-content-text", "bodycontent", "mw-parser-output", "<main", "<article")
# An id that begins like "content", or an attribute written with entities, which may be any of them.
_CONTAINER_ATTRIBUTE = re.compile(r"=[\s\"']{0,9}content|=[^<>&]{0,99}&#?\w+;[^<>]{0,99}>")
_CONTAINER_SHARE = 0.5  # of the body's text: below it a container of no known software is not believed
_TITLE_PARENTS = frozenset("head body article div".split())  # not svg

# [3], [a], [iv], [note 2], [citation needed]; not [2+].
_MARK = re.compile(r"\[\s*(?:\d{1,4}|[^\W\d]{1,2}|[ivx]{1,5}|[^\W\d]+[.\s]{0,2}\d{1,3}|[^\d\[\]]{3,40})\s*\]")
_BARE_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[a-z]|[*†‡§]+)[\])]?")
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_LOOK_AHEAD = 40  # nodes that are looked at below one node, so that broken nesting costs no more than its length

_MATH_CLASSES = frozenset("mwe-math-element katex".split())
_MATH_IMAGES = frozenset(
    "tex mwe-math-fallback-png-inline mwe-math-fallback-png-display mwe-math-fallback-image-inline"
    " mwe-math-fallback-image-display mwe-math-fallback-source-inline".split()
)
_TEX_WRAPPER = re.compile(
    r"\{\s*\\(?:display|text|script)style\b(.*)\}|\\(?:display|text|script)style\b(.*)", re.DOTALL
)

_DISAMBIGUATION = frozenset(  # classes and ids; mw-disambig is no sign: it marks links to such pages
    "disambig disambigbox dmbox dmbox-disambig bksection homonymie Vorlage_Begriffsklaerung"
    " Begriffsklaerung ts-disambig-mainpage disambiguation-page".split()
)
_DISAMBIGUATION_PROPERTY = re.compile(r"Category:(?:All_)?disambig|mw:PageProp/disambiguation", re.IGNORECASE)
_SIGNS = _FORUM | _DISAMBIGUATION

# "Talk:Oak" is a path, so only schemes that a page may hold are named.
_EXTERNAL = re.compile(
    r"\s*(?:[a-z][a-z0-9+.-]*://|//|#|\Z"
    r"|(?:about|blob|callto|data|geo|irc|javascript|magnet|mailto|sms|tel|urn|xmpp):)",
    re.IGNORECASE,
)
# Every run is bounded: an attribute may be megabytes of digits or blanks.
_REFRESH = re.compile(
    r"\s{0,20}(\d{0,6})(?:\.\d{0,6})?\s{0,20}[;,\s]\s{0,20}(?:url\s{0,20}=\s{0,20})?[\"']?([^\"']*)", re.IGNORECASE
)
_REFRESH_CHARACTERS = 4_000
_STUB_CHARACTERS = 500  # more text than this is an article that reloads itself
_STUB_SECONDS = 10
# What stands in a page that only a script fills, one block at a time.
_PLACEHOLDER = re.compile(
    r"(?i)\W*(?:(?:(?:the )?(?:page|app|application|content|site|now|is|still) )*loading"
    r"(?:,? (?:the |your )?(?:page|app|application|content|data|site|please wait|\d+ ?%))*"
    r"|(?:one moment,? )?please wait|wird geladen|lädt|laden|chargement(?: en cours)?|cargando|carregando"
    r"|caricamento|(?:идёт |идет )?загрузка|wczytywanie|読み込み中|加载中|載入中|로딩 ?중)\W*"
    r"|(?=.*\bjava ?script)"
    r"(?=.*\b(?:enabl|turn|switch|activ|requir|need|disabled|aktiv|habilit|включ|необходим|нужен))"
    r"\W*(?:please|you|this|our|we|sorry|java ?script|enabl|turn|activ|to |bitte|veuillez|merci|por favor"
    r"|habilit|для |пожалуйста|включите).{0,250}"
)

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
    # joiners carry meaning inside Arabic and Indic words and emoji
    "|(?<![\u0590-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\U0010ffff])"
)
# Brackets that lost a picture, a pronunciation or a date: "Foo (; born 1912)", "Foo ( ) was". Blanks tell
# them from signs that are meant: f(), a[0], "the comma (,)", ";)". The signs are looked for first:
# 2026-11-30 the patterns alone took more than half of the walk.
_HOLLOW_SIGNS = (" ()", " []", "( ", "[ ]", "(; ", "(, ", "(: ", ", )", "; )")
_HOLLOW_OPENING = re.compile(r"[(\[][ ;,:\])]")
_HOLLOW = re.compile(r"(?:\A| )[(\[](?: [;,:]?| ?[;,:] )? ?[)\]](?: (?=[.,;:)]))?")
_HOLLOW_START = re.compile(r"\( ?(?:[;,:] )*(?=[^\s)])(?<= )")
_HOLLOW_END = re.compile(r"[;,] \)")


@dataclass(frozen=True, slots=True)
class Page:
    """What a page holds.

    `links`: internal hrefs as written, in order, from the kept text. `refresh`: where a stub without text
    of its own leads, (path, fragment), both percent-decoded. `disambiguation`: its markup says so; wording is
    not judged.
    """

    title: str
    document: Document
    links: tuple[str, ...] = ()
    refresh: tuple[str, str] | None = None
    disambiguation: bool = False


def extract(content: bytes, mime: str, title: str = "") -> Page:
    """The page in `content`; any bytes are legal.

    `title` is the archive's name of the entry: a first heading that repeats it (or <title>) is left out, and
    one that does not is text. Without either, the first h1 is the title.
    """
    text = decoded(content, mime)
    kind = mime.lower()
    if "html" not in kind and "xml" not in kind:
        return Page("", _document([_Part((), "", _paragraphs(text))]))
    if _nests_beyond_reason(text):
        return Page("", _document([_Part((), "", _paragraphs(_MARKUP.sub("\n", text)))]))
    try:
        tree = LexborHTMLParser(text)
    except SelectolaxError as error:  # lexbor fails where memory ends, and at nothing else: any bytes are HTML
        raise MemoryError from error
    written = _written_title(tree)
    out = _Text(title, written)
    body = tree.body or tree.root
    if body is not None:
        _walk(_container(text, tree, body), out)
    document = _document(out.parts)
    refresh = None
    if len(document.text) < _STUB_CHARACTERS:
        lowered = content.lower()
        blocks = filter(None, document.text.split("\n"))
        if b"<script" in lowered and all(map(_PLACEHOLDER.fullmatch, blocks)):
            document = Document("", ())
        if b"refresh" in lowered:
            refresh = _refresh(tree)
    return Page(written or out.heading, document, tuple(out.links), refresh, out.disambiguation)


@dataclass(slots=True)
class _Part:
    heading: tuple[str, ...]
    anchor: str
    blocks: list[str]


@dataclass(slots=True)
class _Cell:
    header: bool
    label: bool  # of its row
    blocks: list[str]
    items: int = 0  # how many of the blocks are list items


@dataclass(slots=True)
class _Table:
    sink: list[str]  # where it stands
    infobox: bool
    row: list[_Cell] = field(default_factory=list)
    layout: bool = False

    def take_row(self) -> list[str]:
        """The row as one block; as the blocks of its cells if it has one cell or is columns of a page."""
        cells = [cell for cell in self.row if cell.blocks]
        self.row = []
        if len(cells) < 2 or any(
            len(cell.blocks) > 1 and sum(map(len, cell.blocks)) > _LAYOUT_CHARACTERS for cell in cells
        ):
            return [block for cell in cells for block in cell.blocks]
        first, *rest = [(", " if cell.items == len(cell.blocks) else " ").join(cell.blocks) for cell in cells]
        if cells[0].label and not cells[1].header:
            return [f"{first.rstrip(' :')}: {' | '.join(rest)}"]
        # A name and its value read as one; a bar keeps apart what would run into another reading.
        joint = " | " if len(rest) > 1 or (first[-1].isdigit() and rest[0][0].isdigit()) else " "
        return [joint.join([first, *rest])]


_Attributes: TypeAlias = dict[str, str | None]
_Leave: TypeAlias = "Callable[[_Text], None]"
_Enter: TypeAlias = "Callable[[_Text, LexborNode, _Attributes], _Leave | None]"


class _Text:
    """Collects blocks into sections while the walk goes by."""

    def __init__(self, *titles: str) -> None:
        self.titles = [folded for title in titles if (folded := _folded(title))]
        self.heading = ""  # the page's own
        self.parts = [_Part((), "", [])]
        self.sink = self.parts[0].blocks  # where finished blocks go: a section, or a table's cell
        self.buffer: list[str] = []  # the block being read
        self.path: list[tuple[int, str]] = []
        self.tables: list[_Table] = []
        self.links: list[str] = []
        self.anchor = ""
        self.pre = 0
        self.verbatim = False  # code stands in the block
        self.disambiguation = False
        self.is_forum = False
        self._dropped = _DROPPED_CLASSES
        self._verdicts: dict[str, bool] = {}  # of the class attributes met so far

    def is_dropped(self, node: LexborNode, attributes: _Attributes) -> bool:
        if "id" in attributes:
            name = attributes["id"] or ""
            if name in _SIGNS:
                self._note([name])
            if name in _DROPPED_IDS or name.startswith(_NOTE_ID):
                self.disambiguation |= name == "catlinks" and _names_disambiguation(node)
                return True
        if (names := attributes.get("class")) and self._is_dropped_class(names, node):
            return True
        if "role" in attributes and attributes["role"] in _DROPPED_ROLES:
            return True
        if self.is_forum and attributes.get("itemprop") in _FORUM_PROPERTIES:
            return True
        return "style" in attributes and _FOOTER_STYLE in (attributes["style"] or "")

    def _is_dropped_class(self, names: str, node: LexborNode) -> bool:
        verdict = self._verdicts.get(names)
        if verdict is None:
            tokens = names.split()
            self._note(tokens)
            verdict = not self._dropped.isdisjoint(tokens)
            if not verdict and not _WEAK_CLASSES.isdisjoint(tokens):
                return not any(below.tag in _CONTENT_TAGS for below in _below(node))
            self._verdicts[names] = verdict
        return verdict

    def _note(self, names: list[str]) -> None:
        """What classes and ids say about the whole page."""
        if not self.is_forum and not _FORUM.isdisjoint(names):
            self.is_forum = True
            self._dropped = _FORUM_CLASSES
            self._verdicts.clear()
        if not _DISAMBIGUATION.isdisjoint(names):
            self.disambiguation = True

    def end_block(self) -> None:
        if not self.buffer:
            return
        text = "".join(self.buffer)
        self.buffer.clear()
        if text.isspace():
            return
        verbatim = self.verbatim or self.pre > 0
        self.verbatim = False
        block = _line(text, tidy=not verbatim)
        if self.is_forum and not verbatim:
            block = _SIGNATURE.sub("", block)
            if _TALLY.fullmatch(block):
                return
        if block and not block.startswith(_FOOTER_STARTS):
            self.sink.append(block)

    def end_item(self) -> None:
        self.end_block()
        if self.tables and self.tables[-1].row:
            self.tables[-1].row[-1].items += 1

    def end_pre(self) -> None:
        self.end_block()
        self.pre -= 1

    def add(self, text: str) -> None:
        if self.pre:
            self._add_lines(text)
        elif self.buffer or not text.isspace():
            self.buffer.append(text)

    def _add_lines(self, text: str) -> None:
        first, *rest = text.split("\n")
        self.buffer.append(first)
        for line in rest:
            self.end_block()
            self.buffer.append(line)

    def end_heading(self, level: int) -> None:
        name = _line("".join(self.buffer))
        self.buffer.clear()
        if not name or self._is_title(name, level):
            return
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.path.append((level, name))
        self.parts.append(_Part(tuple(name for _, name in self.path), self.anchor, []))
        self.sink = self.parts[-1].blocks

    def _is_title(self, name: str, level: int) -> bool:
        """Whether a heading is the page's own: no section, and text only when it says something new."""
        folded = _folded(name)
        if level > 1:
            return folded in self.titles and len(self.parts) == 1 and not self.sink
        if not self.path and any(folded in title or title in folded for title in self.titles):
            self.heading = self.heading or name
            return True
        if self.heading or self.path:
            return False
        self.heading = name
        if self.titles:
            self.sink.append(name)
        return True

    def end_table(self) -> None:
        self.end_block()
        table = self.tables.pop()
        self.sink = self.parts[-1].blocks if table.layout else table.sink

    def end_row(self) -> None:
        self.end_block()
        if self.tables:
            self.sink = self.parts[-1].blocks if self.tables[-1].layout else self.tables[-1].sink
            self.sink += self.tables[-1].take_row()

    def break_tables(self) -> None:
        """A heading inside tables: they lay the page out, so their cells hold plain blocks from here on."""
        fresh = list(takewhile(lambda table: not table.layout, reversed(self.tables)))
        self.sink = self.parts[-1].blocks
        for table in reversed(fresh):
            self.sink += table.take_row()
            table.layout = True


def _walk(root: LexborNode, out: _Text) -> None:
    """Show `out` every node below `root` once, in order, without recursion: pages nest thousands deep."""
    stack: list[tuple[LexborNode, _Leave | None]] = []
    node = root.first_child
    while node is not None:
        child: LexborNode | None = None
        leave: _Leave | None = None
        tag = node.tag
        if tag == "-text":
            out.add(node.text_content or "")
        else:
            leave = _entered(node, tag, out)
            if leave is not _skipped:
                child = node.first_child
        if child is not None:
            stack.append((node, leave))
            node = child
            continue
        if leave is not None:
            leave(out)
        following = node.next
        while following is None and stack:
            node, leave = stack.pop()
            if leave is not None:
                leave(out)
            following = node.next
        node = following
    out.end_block()


def _entered(node: LexborNode, tag: str | None, out: _Text) -> _Leave | None:
    enter = _TAGS.get(tag, _inline) if tag else _skip
    if enter is None:
        return None
    attributes = node.attributes
    if attributes and out.is_dropped(node, attributes):
        if enter not in _FLOWING:
            out.end_block()
        return _skipped
    return enter(out, node, attributes)


# What a tag does. Each function is called at the start and returns what is to be called at the end.


def _skipped(_out: _Text) -> None:
    """Returned in place of an end: the content is passed by."""


def _skip(_out: _Text, _node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    return _skipped


def _inline(out: _Text, node: LexborNode, attributes: _Attributes) -> _Leave | None:
    if not attributes:
        return None
    if not _MATH_CLASSES.isdisjoint((attributes.get("class") or "").split()):
        return _formula(out, node, attributes)
    # Sort keys and machine-readable second copies; blocks that hide so are opened by a script.
    return _skipped if "style" in attributes and _HIDDEN.search(attributes["style"] or "") else None


def _property(out: _Text, _node: LexborNode, attributes: _Attributes) -> _Leave | None:
    named = attributes.get("property") or attributes.get("href")
    if named and _DISAMBIGUATION_PROPERTY.search(named):
        out.disambiguation = True
    return _skipped


def _superscript(_out: _Text, node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    text = _short_text(node)
    is_mark = _MARK.fullmatch(text) or (_BARE_MARK.fullmatch(text) and any(_leads_down(n) for n in _below(node)))
    return _skipped if is_mark else None


def _link(out: _Text, node: LexborNode, attributes: _Attributes) -> _Leave | None:
    href = attributes.get("href")
    if not href:
        return None
    if (href[0] == "#" and _MARK.fullmatch(_short_text(node))) or (out.is_forum and _PROFILE.search(href)):
        return _skipped
    if not _EXTERNAL.match(href):
        out.links.append(href)
    return None


def _line_break(out: _Text, _node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    """One parts words, a second parts paragraphs."""
    if out.buffer and out.buffer[-1] == "\n" and not out.tables:
        out.end_block()
    else:
        out.buffer.append("\n")
    return None


def _image(out: _Text, _node: LexborNode, attributes: _Attributes) -> _Leave | None:
    if not _MATH_IMAGES.isdisjoint((attributes.get("class") or "").split()):
        out.buffer.append(_tex(attributes.get("alt") or ""))
    return None


def _formula(out: _Text, node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    """One copy of a formula, whatever the page holds of it."""
    out.buffer.append(_formula_text(node))
    return _skipped


def _code(out: _Text, _node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    out.verbatim = True
    return None


def _block(out: _Text, _node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    out.end_block()
    return _Text.end_block


def _item(out: _Text, _node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    out.end_block()
    return _Text.end_item


def _footer(out: _Text, node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    """A page's footer is boilerplate, a quotation's is its source."""
    out.end_block()
    return _Text.end_block if node.parent is not None and node.parent.tag == "blockquote" else _skipped


def _preformatted(out: _Text, _node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    out.end_block()
    out.pre += 1
    return _Text.end_pre


def _heading(level: int) -> _Enter:
    def enter(out: _Text, node: LexborNode, attributes: _Attributes) -> _Leave | None:
        out.end_block()
        if out.tables:
            out.break_tables()
        out.anchor = attributes.get("id") or _inner_anchor(node)
        return lambda out: out.end_heading(level)

    return enter


def _table(out: _Text, _node: LexborNode, attributes: _Attributes) -> _Leave | None:
    out.end_block()
    out.tables.append(_Table(out.sink, _INFOBOX.search(attributes.get("class") or "") is not None))
    return _Text.end_table


def _row(out: _Text, _node: LexborNode, _attributes: _Attributes) -> _Leave | None:
    out.end_block()
    return _Text.end_row


def _cell(out: _Text, node: LexborNode, attributes: _Attributes) -> _Leave | None:
    out.end_block()
    if out.tables and not out.tables[-1].layout:
        header = node.tag == "th"
        label = header and (out.tables[-1].infobox or attributes.get("scope") == "row")
        cell = _Cell(header, label, [])
        out.tables[-1].row.append(cell)
        out.sink = cell.blocks
    return _Text.end_block


def _tags() -> dict[str, _Enter | None]:
    """By tag; those absent are `_inline`, those with None have no attributes worth a look."""
    names: list[tuple[_Enter | None, str]] = [
        (None, "b i em strong u tt big font wbr bdi bdo thead tbody tfoot ruby rb rbc rtc"),
        (_block, _BLOCK_TAGS),
        (_skip, _SKIPPED_TAGS),
        (_item, "li"),
        (_footer, "footer"),
        (_preformatted, "pre listing xmp plaintext"),
        (_line_break, "br"),
        (_link, "a"),
        (_superscript, "sup"),
        (_image, "img"),
        (_formula, "math script"),
        (_property, "link meta"),
        (_code, "code kbd samp"),
        (_table, "table"),
        (_row, "tr"),
        (_cell, "td th"),
        *((_heading(level), f"h{level}") for level in range(1, 7)),
    ]
    return {tag: enter for enter, tags in names for tag in tags.split()}


_BLOCK_TAGS = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure form header hgroup hr legend main menu ol p search section summary ul"
)
_SKIPPED_TAGS = (
    "-comment applet audio button canvas datalist embed frame frameset head iframe input label map meter nav"
    " noembed noframes noscript object optgroup option progress rp rt select style svg template textarea"
    " title video"
)
_TAGS = _tags()
# These part no words, even when they are dropped.
_FLOWING = frozenset({_inline, _link, _superscript, _image, _formula, _code, _line_break, _property, _skip})


def _formula_text(node: LexborNode) -> str:
    if node.tag == "script":
        return f" {_tex(node.text())} " if (node.attributes.get("type") or "").startswith("math/tex") else ""
    source = node.css_first("annotation[encoding*='tex']")
    if source is not None:
        return _tex(source.text())
    for selector, attribute in (("math[alttext]", "alttext"), ("img[alt]", "alt")):
        found = node.css_first(selector)
        if found is not None:
            return _tex(found.attributes.get(attribute) or "")
    return node.text()


def _tex(source: str) -> str:
    """TeX without the wrapper that MediaWiki and its converters put around it."""
    source = source.strip().strip("$").strip()
    while match := _TEX_WRAPPER.fullmatch(source):
        source = (match[1] or match[2]).strip()
    return source


def _line(text: str, tidy: bool = True) -> str:
    """White space collapsed, invisible characters gone, NFC; without hollow brackets if `tidy`."""
    if "  " in text or not text.isprintable():
        text = " ".join(text.split())
        if not text.isprintable():
            text = " ".join(_INVISIBLE.sub("", text).split())
    text = text.strip()
    if tidy and ("(" in text or "[" in text) and _may_be_hollow(text):
        text = _HOLLOW_END.sub(")", _HOLLOW_START.sub("(", _HOLLOW.sub("", text))).strip()
    return text if text.isascii() else normalize("NFC", text)


def _may_be_hollow(text: str) -> bool:
    """Whether one of the signs is there; the opening ones together cost .3 of looking for each."""
    hint = _HOLLOW_OPENING.search(text) is not None or ", )" in text or "; )" in text
    return hint and any(sign in text for sign in _HOLLOW_SIGNS)


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, normalize("NFKC", text).casefold()))


def _nests_beyond_reason(text: str) -> bool:
    """Whether so many elements stay open that the parser, quadratic in them, would take minutes."""
    if text.count("<") - 2 * text.count("</") < _DEEPEST:
        return False
    open_tags = Counter(name.lower() for name in _STARTS.findall(text))
    open_tags.subtract(name.lower() for name in _ENDS.findall(text))
    return any(count > _DEEPEST for tag, count in open_tags.items() if tag not in _NEED_NO_END)


_DEEPEST = 20_000  # 2026-11-30: 50,000 nested <div> take under a second, 200,000 more than a minute
_STARTS = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)")
_ENDS = re.compile(r"</([a-zA-Z][a-zA-Z0-9]*)")
_MARKUP = re.compile(r"<[^<>]*>")
_NEED_NO_END = frozenset(
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th tbody thead"
    " tfoot colgroup option optgroup rt rp".split()
)


def _written_title(tree: LexborHTMLParser) -> str:
    child = tree.head.first_child if tree.head is not None else None
    while child is not None:  # where it nearly always stands; 2026-11-30: 2 us, a search of the whole tree 6
        if child.tag == "title":
            return _line(child.text())
        child = child.next
    for node in tree.css("title"):
        if node.parent is not None and node.parent.tag in _TITLE_PARENTS:
            return _line(node.text())
    return ""


def _below(node: LexborNode) -> Iterator[LexborNode]:
    """The node and the first ones below it."""
    return islice(node.traverse(include_text=True), _LOOK_AHEAD)


def _short_text(node: LexborNode) -> str:
    """The text of a node that holds little, else ""."""
    below = list(_below(node))
    if len(below) == _LOOK_AHEAD:
        return ""
    return "".join(child.text_content or "" for child in below if child.tag == "-text").strip()


def _leads_down(node: LexborNode) -> bool:
    """Whether the node is a link to another place of the page."""
    return node.tag == "a" and (node.attributes.get("href") or "").startswith("#")


def _names_disambiguation(node: LexborNode) -> bool:
    links = node.css("a[href]")
    return any(_DISAMBIGUATION_PROPERTY.search(link.attributes["href"] or "") for link in links)


def _inner_anchor(node: LexborNode) -> str:
    """The id of something inside a heading, or of the section that the heading opens."""
    for inner in _below(node):
        if not (inner.tag or "-").startswith("-"):
            attributes = inner.attributes
            if name := attributes.get("id") or (inner.tag == "a" and attributes.get("name")):
                return name
    around = node.parent
    if around is None or around.tag not in _SECTION_TAGS or next(around.iter(), None) != node:
        return ""
    name = around.attributes.get("id") or ""
    return "" if "content" in name.lower() else name


_SECTION_TAGS = frozenset("section article details div".split())


def _container(text: str, tree: LexborHTMLParser, body: LexborNode) -> LexborNode:
    """The element that holds the article, else the body."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _CONTAINER_SIGNS) and not _CONTAINER_ATTRIBUTE.search(lowered):
        return body  # 2026-11-30: 8 us, the searches of the tree 106
    for selector in _WIKI_CONTAINERS:
        node = tree.css_first(selector)
        if node is not None:
            return node
    for selector in _CONTAINERS:
        found = tree.css(selector)
        if len(found) == 1 and len(found[0].text()) >= _CONTAINER_SHARE * len(body.text()):
            return found[0]
    return body


def _refresh(tree: LexborHTMLParser) -> tuple[str, str] | None:
    for node in tree.css("meta[http-equiv='refresh' i]"):
        match = _REFRESH.match((node.attributes.get("content") or "")[:_REFRESH_CHARACTERS])
        if match and int(match[1] or 0) <= _STUB_SECONDS and (node.parent is None or node.parent.tag != "noscript"):
            path, _, fragment = match[2].strip().partition("#")
            if path and not _EXTERNAL.match(path):
                return unquote(path), unquote(fragment)
    return None


def _document(parts: list[_Part]) -> Document:
    """Sections joined by a blank line; those without text are left out."""
    texts: list[str] = []
    sections: list[Section] = []
    start = 0
    kept: list[_Part] = []
    for part in parts:
        if not part.blocks:
            continue
        if kept and kept[-1].heading == part.heading:
            # merged: the document root tells sections apart by their heading path alone
            kept[-1].blocks += part.blocks
        else:
            kept.append(part)
    for part in kept:
        text = "\n".join(part.blocks)
        texts.append(text)
        sections.append(Section(part.heading, part.anchor, start, start + len(text)))
        start += len(text) + 2
    return Document("\n\n".join(texts), tuple(sections))


def _paragraphs(text: str) -> list[str]:
    """Blank lines part the blocks of plain text; hard-wrapped lines are joined."""
    paragraphs = _BLANK_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n"))
    return [block for paragraph in paragraphs if (block := _line(paragraph))]


_BLANK_LINES = re.compile(r"\n[^\S\n]*\n")
