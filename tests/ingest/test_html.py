"""Extraction: a table of cases for each rule, real pages, broken pages."""

from __future__ import annotations

import json
import os
import random
import re
import runpy
import threading
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from libzim.reader import Archive

from aborist.ingest.html import Page, extract
from aborist.types import Document

GOLDENS = runpy.run_path(str(Path(__file__).parents[2] / "scripts/goldens.py"))
DATA = os.environ.get("ABORIST_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="ABORIST_DATA is not set: the real archives are not at hand")


def page(html: str | bytes, title: str = "") -> Page:
    return extract(html if isinstance(html, bytes) else html.encode(), "text/html", title)


def text(html: str | bytes, title: str = "") -> str:
    return page(html, title).document.text


def headings(html: str) -> list[tuple[tuple[str, ...], str]]:
    return [(section.heading, section.anchor) for section in page(html).document.sections]


def check_invariants(document: Document) -> None:
    """What every other part relies on."""
    assert "\n\n".join(document.text[s.start : s.end] for s in document.sections) == document.text
    for section in document.sections:
        for block in document.text[section.start : section.end].split("\n"):
            assert block
            assert block == " ".join(block.split())
            assert not any(unicodedata.category(c) == "Cc" for c in block)
    assert unicodedata.is_normalized("NFC", document.text)
    neighbours = zip(document.sections, document.sections[1:], strict=False)
    assert all(a.heading != b.heading and b.start == a.end + 2 for a, b in neighbours)


KEPT = {
    "blocks are lines": ("<p>One<p>Two", "One\nTwo"),
    "items": ("<ul><li>One</li><li>Two<ul><li>Three</ul></ul>", "One\nTwo\nThree"),
    "definitions": ("<dl><dt>Term<dd>Meaning</dl>", "Term\nMeaning"),
    "text beside a block": ("<div>a<p>b</p>c</div>", "a\nb\nc"),
    "heading-less div": ("<div>a</div><div>b</div>", "a\nb"),
    "inline markup joins": (
        "<p>H<sub>2</sub>O, x<sup>2</sup>, <b>b</b>old, l<i>i</i>n<a href=x>k</a>",
        "H2O, x2, bold, link",
    ),
    "white space collapses": ("<p> a \n\t b&nbsp;c\u2003d ", "a b c d"),
    "break parts words": ("<p>Hello<br/>World", "Hello World"),
    "two breaks part paragraphs": ("<p>a<br> <br>b", "a b"),
    "two bare breaks": ("<p>a<br><br>b", "a\nb"),
    "rule parts": ("<div>a<hr>b</div>", "a\nb"),
    "preformatted lines": ("<pre>a  b\n  c\n</pre>", "a b\nc"),
    "hidden section": ('<section style="display: none"><p>Wind</p></section>', "Wind"),
    "hidden div": ('<div style="display:none"><p>Wind</p></div>', "Wind"),
    "collapsed": ("<details><summary>More</summary><p>Wind</p></details>", "More\nWind"),
    "nowrap number": (
        '<p>At <span class="nowrap" data-mw="{}">1,300&#160;miles</span>, long',
        "At 1,300 miles, long",
    ),
    "real brackets": (
        "<p>array[0] and f() and [sic] and (a) x[i]",
        "array[0] and f() and [sic] and (a) x[i]",
    ),
    "signs in brackets": (
        "<p>the comma (,) and the colon (:) ;) [:alpha:]",
        "the comma (,) and the colon (:) ;) [:alpha:]",
    ),
    "empty call in code": ("<p>Call <code>exit ()</code> now", "Call exit () now"),
    "caption": ("<figure><img src=x alt=y><figcaption>A pier in fog</figcaption></figure>", "A pier in fog"),
    "quotation with source": ("<blockquote>To be<footer>Hamlet</footer></blockquote>", "To be\nHamlet"),
    "noprint around content": ('<div class="noprint"><p>Body</p></div>', "Body"),
    "score outside of a forum": ('<p>Final <span class="score">3</span> : 2', "Final 3 : 2"),
    "author outside of a forum": ('<p class="author">By Ada</p><p>Text', "By Ada\nText"),
    "superscript that is no mark": (
        "<p>Ca<sup>2+</sup>, 10<sup>[2+]</sup>, 1<sup>st</sup>",
        "Ca2+, 10[2+], 1st",
    ),
    "joiner inside Persian": ("<p>می\u200cخواهم", "می\u200cخواهم"),
    "form around content": ("<form><p>Body</p><input value=x></form>", "Body"),
    "ruby once": ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字", "漢字"),
    "composed": ("<p>cafe\u0301", "caf\u00e9"),
}  # fmt: skip
DROPPED = {
    "script": ("<p>a<script>var q={}</script>b", "ab"),
    "style": ("<p>Before<style>.x{}</style> after", "Before after"),
    "template, noscript, comment": (
        "<p>a<template>g</template><noscript>Enable</noscript><!-- note -->b",
        "ab",
    ),
    "svg": ("<p>a<svg><title>icon</title><text>t</text></svg>b", "ab"),
    "video": ("<p>a<video>No support.</video>b", "ab"),
    "nav": ("<nav>Home</nav><p>a", "a"),
    "nav role": ("<div role=navigation>Home</div><p>a", "a"),
    "navbox": ('<p>a</p><table class="navbox"><tr><td>Others</table>', "a"),
    "toc": ('<p>a<div id="toc" class="toc"><ul><li>1 History</ul></div><p>b', "a\nb"),
    "reference mark": ('<p>1912<sup class="reference"><a href="#n">[3]</a></sup> by', "1912 by"),
    "reference mark, Parsoid": (
        '<p>1912<span class="mw-ref reference"><a href="#n">[3]</a></span> by',
        "1912 by",
    ),
    "bare mark": ("<p>1912<sup>[3]</sup> by<sup>[note 2]</sup> x<sup>[a]</sup>", "1912 by x"),
    "linked mark without brackets": ('<p>1912<sup><a href="#fn1">1</a></sup> by', "1912 by"),
    "mark that is a link": ('<p>1912<a href="#Footnote_1">[121]</a> by', "1912 by"),
    "citation needed": ('<p>guild<sup class="noprint">[<i>citation needed</i>]</sup> x', "guild x"),
    "references": ('<p>a<ol class="references"><li>Smith</ol><div class="reflist">Jones</div>', "a"),
    "hatnote": ('<div class="hatnote">For other uses, see X.</div><p>a', "a"),
    "maintenance box": ('<table class="ambox"><tr><td>needs sources</table><p>a', "a"),
    "controls": (
        "<p>a</p><button>Go</button><select><option>x</select><textarea>y</textarea><label>z</label>",
        "a",
    ),
    "footer": ("<p>a</p><footer>Kept by the library</footer>", "a"),
    "footer by id": ('<p>a</p><div id="footer">This question is issued from</div>', "a"),
    "footer of mwoffliner": (
        '<p>a<div><div style="clear:both; border-top: dashed 2px #AAAAAA;">Issued from W</div></div>',
        "a",
    ),
    "page number": ('<p>a<span class="pagenum">[Pg 12]</span>b', "ab"),
    "sort key": ('<p><span style="display:none">0412</span>412 m', "412 m"),
    "second coordinates": ('<p>53° N<span class="geo-nondefault"> / 53.4</span>', "53° N"),
    "hollow brackets": ("<p>Foo (; born 1912) was ( ) a ( , ) b [ ] c ().", "Foo (born 1912) was a b c."),
    "hollow end": ("<p>Foo (born 1912; ) was", "Foo (born 1912) was"),
    "brackets of a picture": ('<p>Foo (<a href="x.ogg"><img src=i></a>) was', "Foo was"),
    "invisible": ("<p>z\u200bw&shy;x&#xfeff; y\u200cz \u200ea", "zwx yz a"),
    "control characters": ("<p>a\x00b\x07c\x7fd&#1;e", "abcde"),
    "select soup": ("<form><select><option>a<option selected>b</select><div><option>stray</form>t", "t"),
}  # fmt: skip
FORMULAS = {
    "MediaWiki, three copies": (
        (
            '<p>is <span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display:none">'
            '<math alttext="{\\displaystyle s=gt^2}"><semantics><mrow><mi>s</mi></mrow>'
            '<annotation encoding="application/x-tex">{\\displaystyle s=gt^2}</annotation>'
            '</semantics></math></span>'
            '<img class="mwe-math-fallback-image-inline"'
            ' alt="{\\displaystyle s=gt^2}"></span> for'
        ),
        "is s=gt^2 for",
    ),
    "image alone": ('<p>is <img class="tex" alt="\\textstyle a^2"> for', "is a^2 for"),
    "MathML with TeX": (
        '<p>is <math alttext="a^2"><msup><mi>a</mi><mn>2</mn></msup></math> for',
        "is a^2 for",
    ),
    "MathML alone": ("<p>is <math><mi>a</mi><mo>=</mo><mi>b</mi></math> for", "is a=b for"),
    "KaTeX": (
        (
            '<p>is <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>'
            '<annotation encoding="application/x-tex">x_1</annotation></semantics></math></span>'
            '<span class="katex-html">x1</span></span> for'
        ),
        "is x_1 for",
    ),
    "MathJax": (
        '<p>is <span class="MathJax">a2</span><script type="math/tex">a^2</script> for',
        "is a^2 for",
    ),
    "no formula in another image": ('<p>is <img alt="a duck"> for', "is for"),
}  # fmt: skip
TABLES = {
    "infobox": (
        '<table class="infobox"><tr><th>Elevation</th><td>412 m</td></tr></table>',
        "Elevation: 412 m",
    ),
    "infobox with colon": ('<table class="infobox"><tr><th>Area:</th><td>4</td></tr></table>', "Area: 4"),
    "row header": ('<table><tr><th scope="row">Peak</th><td>5</td><td>6</td></table>', "Peak: 5 | 6"),
    "name and value": ("<table><tr><th>Born</th><td>1912</td></tr></table>", "Born 1912"),
    "number beside number": (
        "<table><tr><td>Billboard 200</td><td>51</td></tr></table>",
        "Billboard 200 | 51",
    ),
    "header row and rows": ("<table><tr><th>A<th>B<th>C<tr><td>1<td>2<td>3</table>", "A | B | C\n1 | 2 | 3"),
    "empty cells": ("<table><tr><td>a<td> <td>b</table>", "a b"),
    "list in a cell": (
        '<table class="infobox"><tr><th>Genres<td><ul><li>soul<li>blues</ul></table>',
        "Genres: soul, blues",
    ),
    "breaks in a cell": ("<table><tr><th>Born<td>Ada<br>London</table>", "Born Ada London"),
    "one cell is blocks": ("<table><tr><td><p>One<p>Two</table>", "One\nTwo"),
    "nested table once": ("<table><tr><td>A<table><tr><td>in1<td>in2</table><td>B</table>", "A in1 in2 B"),
    "caption first": ("<table><caption>Rivers</caption><tr><td>a<td>b</table>", "Rivers\na b"),
    "columns of a page": (f"<table><tr><td><p>{'x ' * 150}<p>{'y ' * 150}<td>menu</table>",
                          f"{('x ' * 150).strip()}\n{('y ' * 150).strip()}\nmenu"),
    "text before and after": ("a<table><tr><td>b<td>c</table>d", "a\nb c\nd"),
}  # fmt: skip
RULES = {"kept": KEPT, "dropped": DROPPED, "formula": FORMULAS, "table": TABLES}
CASES = [(f"{rule}: {name}", *case) for rule, table in RULES.items() for name, case in table.items()]


@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_text_of_a_page(html: str, expected: str) -> None:
    document = page(html).document
    assert document.text == expected
    check_invariants(document)


def test_headings_make_paths_and_are_not_text() -> None:
    html = (
        "<h1>Title</h1><p>lead<h2 id=A>A</h2><p>a<h3>B<span class=mw-editsection>[edit]</span></h3><p>b"
        '<h2><span class="mw-headline" id="C_x">C</span></h2><h4>D</h4><p>d<h3>E</h3><p>e'
    )
    assert headings(html) == [((), ""), (("A",), "A"), (("A", "B"), ""), (("C", "D"), ""), (("C", "E"), "")]
    assert text(html) == "lead\n\na\n\nb\n\nd\n\ne"


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<h2 id=x>A</h2>", "x"),
        ("<h2><span id=x>A</span></h2>", "x"),
        ("<h2><a name=x></a>A</h2>", "x"),
        ("<section id=x><h2>A</h2></section>", "x"),
        ('<div id="x"><h2>A</h2></div>', "x"),
        ('<div id="x"><p>lead</p><h2>A</h2></div>', ""),
        ('<div id="mw-content-text"><h2>A</h2><p>b</div>', ""),
        ("<h2>A</h2>", ""),
    ],
)
def test_anchor_of_a_section(html: str, anchor: str) -> None:
    assert page(html + "<p>text</p>").document.sections[-1].anchor == anchor


@pytest.mark.parametrize(
    ("html", "title", "paths"),
    [
        ("<title>T</title><h1>One</h1><p>a", "One", [()]),  # the archive's name
        ("<title>One - Site</title><h1>One</h1><p>a", "", [()]),  # <title>
        ("<h1>One</h1><p>a", "", [()]),  # neither: the first h1 is the title
        ("<h2>One</h2><p>a", "One", [()]),  # a title set as h2
        ("<p>x<h2>One</h2><p>a", "One", [(), ("One",)]),  # a section of that name
        ("<h1>One</h1><p>a<h1>Two</h1><p>b<h2>Sub</h2><p>c<h1>Three</h1><p>d", "One",
         [(), ("Two",), ("Two", "Sub"), ("Three",)]),  # books
        ("<h2>See</h2><p>a</p><h2>See</h2><p>b", "", [("See",)]),  # equal neighbours are one section
    ],
)  # fmt: skip
def test_which_headings_are_sections(html: str, title: str, paths: list[tuple[str, ...]]) -> None:
    assert [section.heading for section in page(html, title).document.sections] == paths


def test_a_first_heading_that_is_not_the_title_is_text() -> None:
    assert text("<h1>Hello<br/>World</h1><p>a", "Blocks") == "Hello World\na"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<body><svg><title>icon</title></svg><h1>T</h1>", "T"),
        ("<title>A &amp; B</title><h1>C</h1>", "A & B"),
        ("<h1>C <i>d</i></h1>", "C d"),
        ("<p>x", ""),
        ("", ""),
    ],
)
def test_title(html: str, title: str) -> None:
    assert page(html).title == title


def test_heading_inside_a_layout_table_opens_a_section() -> None:
    html = "<table><tr><td>lead<h2>Sec</h2><p>t1</p></td><td>t2</td></tr></table>after"
    assert [(s.heading, text(html)[s.start : s.end]) for s in page(html).document.sections] == [
        ((), "lead"),
        (("Sec",), "t1\nt2\nafter"),
    ]


@pytest.mark.parametrize(
    "html",
    [
        '<div id="sidebar">Menu</div><div id="mw-content-text"><p>Body</p></div>',
        '<h1>T</h1><div class="x">Menu</div><div class="mw-parser-output"><p>Body</p></div>',
        "<div>Menu</div><main><p>Body of the page</p></main>",
        "<div>Menu</div><article><p>Body of the page</p></article>",
    ],
)
def test_content_container_is_preferred(html: str) -> None:
    assert "Menu" not in text(html)
    assert "Body" in text(html)


@pytest.mark.parametrize(
    "html",
    [
        "<p>A long text of the page itself</p><main>hi</main>",  # less than half of the text
        "<article>one</article><article>two</article><p>page",  # not the only one
    ],
)
def test_a_container_that_does_not_hold_the_page_is_not_believed(html: str) -> None:
    assert "page" in text(html)


QUESTION = """<div class="question"><span class="vote-count-post">7</span><div class="body">
<p>My kettle has chalk.</p></div>
<div class="user-card">asked Feb 3 at 9:10 <a href="/users/5/x">x</a> 1,204</div>
<div class="comments"><div class="comment"><span class="comment-score">4</span> Which one? –
<a href="../user/13/ann.html">Ann</a> – <span class="date">2016</span></div></div></div>
<h2>2 Answers</h2><div class="answer"><span class=score>3</span><p>Buy a new one.</p></div>
<div class="answer accepted"><div class="votecell">42</div><p>Boil vinegar in it.</p></div>"""


@pytest.mark.parametrize(
    "vote",
    [
        "<div>42</div>",
        "<p>42 votes</p>",
        '<span class="upvotes">42</span>',
        '<b itemprop="upvoteCount">42</b>',
        "<div>answered Feb 3 at 9:10</div>",
        "<div>viewed 50 times</div>",
        "<div>✓</div>",
    ],
)
def test_tallies_of_a_forum(vote: str) -> None:
    assert text(f'<div class="answer">{vote}<p>Boil 42 eggs.</p></div>') == "Boil 42 eggs."
    assert text(f"<div>{vote}<p>Boil 42 eggs.</p></div>") != "Boil 42 eggs."  # elsewhere it says something


def test_questions_and_answers_without_votes_cards_and_dates() -> None:
    assert text(QUESTION) == "My kettle has chalk.\nWhich one?\n\nBuy a new one.\nBoil vinegar in it."


PLACEHOLDERS = [
    "<div id=root>Loading...</div><script src=app.js></script>",
    "<noscript>You need to enable JavaScript.</noscript><div id=root></div><script></script>",
    "<p>You need to enable JavaScript to run this app.</p><script></script>",
    "<p>Please wait…</p><p>This site requires JavaScript.</p><script></script>",
    "<p>Идёт загрузка…</p><script></script>",
    "<body></body>",
    "",
]


@pytest.mark.parametrize("html", PLACEHOLDERS)
def test_page_that_a_script_fills_has_no_text(html: str) -> None:
    assert page(html).document == Document("", ())


@pytest.mark.parametrize(
    "html",
    [
        "<p>A loading dock is a platform for lorries.</p><script></script>",
        "<p>NoScript lets readers disable JavaScript.</p><script></script>",
        "<p>Loading...</p>",  # no script: the text is the text
    ],
)
def test_short_page_with_text_is_not_taken_for_a_placeholder(html: str) -> None:
    assert text(html)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=Equals_sign#Not_equal", ("Equals_sign", "Not_equal")),
        ("0;URL='A%20b.html'", ("A b.html", "")),
        ("0; Foo", ("Foo", "")),
        (" 1 ; url = ../A/%D0%9F#x%20y ", ("../A/П", "x y")),
        ("300; url=Foo", None),  # reloads itself
        ("0; url=https://example.org/", None),
        ("0; url=#top", None),
        ("0", None),
        ("", None),
    ],
)
def test_refresh_stub(content: str, expected: tuple[str, str] | None) -> None:
    assert page(f'<meta http-equiv="Refresh" content="{content}"><p>See there').refresh == expected


def test_article_that_refreshes_is_no_stub() -> None:
    assert page(f'<meta http-equiv=refresh content="0; url=x"><p>{"word " * 200}').refresh is None
    assert page("<noscript><meta http-equiv=refresh content='0; url=x'></noscript><p>a").refresh is None


def test_links_are_the_internal_ones_of_the_kept_text() -> None:
    hrefs = ["Oak", "../A/Elm#x", "Talk:Ash", "//cdn.org/x", "https://x.org", "#top", "mailto:a@b",
             "javascript:f()", "data:x", "geo:1,2", "", "Oak"]  # fmt: skip
    html = "".join(f'<a href="{href}">x</a>' for href in hrefs) + "<nav><a href=Nav>n</a></nav><a>none</a>"
    assert page(html).links == ("Oak", "../A/Elm#x", "Talk:Ash", "Oak")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<div id="disambigbox">x</div>', True),
        ('<table class="metadata dmbox"><tr><td>x</table>', True),
        ('<div class="bksection">x</div>', True),
        ('<div class="metadata" id="disambigbox">x</div>', True),
        ('<meta property="mw:PageProp/disambiguation"><p>x', True),
        ('<link rel="mw:PageProp/Category" href="./Category:Disambiguation_pages"><p>x', True),
        ('<div id="catlinks"><a href="/wiki/Category:All_disambiguation_pages">x</a></div>', True),
        ('<p><a class="mw-disambig" href="Mercury_(disambiguation)">Mercury</a> may refer to:', False),
        ("<p>disambigbox", False),
    ],
)
def test_disambiguation_by_structure(html: str, expected: bool) -> None:
    assert page(f"<body>{html}").disambiguation is expected


@pytest.mark.parametrize(
    ("content", "mime", "expected"),
    [
        ("<meta charset=iso-8859-1><p>Constituição".encode("latin-1"), "text/html", "Constituição"),
        ("<meta charset=windows-1251><p>Погода".encode("cp1251"), "text/html", "Погода"),
        (
            '<meta http-equiv=Content-Type content="text/html; charset=Shift_JIS"><p>天気'.encode("cp932"),
            "text/html",
            "天気",
        ),
        ("<p>Żółw".encode("iso-8859-2"), "text/html; charset=ISO-8859-2", "Żółw"),
        ("<meta charset=gb2312><p>天气—".encode("gb18030"), "text/html", "天气—"),
        ("<meta charset=iso-2022-jp><p>天気".encode("iso-2022-jp"), "text/html", "天気"),
        (b"<meta charset=utf-8><p>caf\xe9 verrin", "text/html", "café verrin"),
        (
            "<p>naïve 中".encode() + b" caf\xe9",
            "text/html",
            "naïve 中 café",
        ),  # a stray byte spoils nothing else
        (b"<meta charset=klingon><p>caf\xe9", "text/html", "café"),
        (b"<meta charset=ascii><p>caf\xe9 \x93x\x94", "text/html", "café “x”"),
        ("<meta charset=iso-8859-1><p>Погода".encode(), "text/html", "Погода"),  # UTF-8 whatever it says
        ("\ufeff<p>Погода".encode(), "text/html", "Погода"),
        ("\ufeff<p>Погода".encode("utf-16-le"), "text/html", "Погода"),
        ("\ufeff<p>Погода".encode("utf-16-be"), "text/html", "Погода"),
        ("<p>Погода".encode("utf-16-le"), "text/html", "Погода"),
    ],
)
def test_charset(content: bytes, mime: str, expected: str) -> None:
    assert extract(content, mime).document.text == expected


def test_plain_text_is_paragraphs_with_their_lines_joined() -> None:
    content = b"CHAPTER I\r\n\r\n\r\nIt was a bright cold day\r\nin April. x < y & z\r\n \r\n  And the clocks"
    found = extract(content, "text/plain")
    assert found.document.text == "CHAPTER I\nIt was a bright cold day in April. x < y & z\nAnd the clocks"
    check_invariants(found.document)
    assert extract(b" \n ", "text/plain").document == Document("", ())


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10_000 + "deep",
        "<b>" * 10_000 + "deep",
        "<table><tr><td>" * 3_000 + "deep",
        "<ul><li>" * 5_000 + "deep",
        "<h2>" * 2_000 + "deep</h2><p>x",
    ],
    ids=["div", "b", "table", "list", "heading"],
)
def test_deep_nesting(html: str) -> None:
    check_invariants(page(html).document)


def test_large_page_in_bounded_time() -> None:
    html = ("<h2>Part</h2><p>" + "word <a href=x>link</a> (; " * 20 + "</p><table><tr><th>a<td>b</table>") * 9_000
    assert len(html) > 5_000_000
    start = time.process_time()
    check_invariants(page(html + " " * 100_000 + "[" * 50_000 + "(" * 50_000).document)
    assert time.process_time() - start < 20  # about 1; quadratic would be minutes


@pytest.mark.parametrize(
    "tag", ["<div>", "<sup>[1]", "<h2><div>", "<ul><li>", "<font>", "<div class=noprint>", "<span>"]
)
def test_nesting_beyond_reason_is_read_without_markup(tag: str) -> None:
    # The parser's time grows with the square of the depth: 200,000 took more than a minute.
    start = time.process_time()
    assert text(tag * 200_000 + "deep").endswith("deep")
    assert time.process_time() - start < 20


@pytest.mark.parametrize("markup", ["<table><tr><td>x<h2>y", "<sup>[1]", "<h2><div>", "<div class=noprint>", "<p><b>"])
def test_time_does_not_grow_with_the_square(markup: str) -> None:
    start = time.process_time()
    check_invariants(page(markup * 15_000).document)
    assert time.process_time() - start < 20


def test_option_markup_in_threads() -> None:
    # selectolax issue 217: removing such nodes and reading the text crashed the process.
    content = b"<form><select><option>a<option selected>b</select><div><option>stray</form>t"
    found: list[str] = []

    def loop() -> None:
        found.extend({extract(content, "text/html").document.text for _ in range(1_000)})

    threads = [threading.Thread(target=loop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["t"] * 4


SCRAPS = st.sampled_from(
    "<p> </p> <div <div> </div> <table> <tr> <td> </table> <th> <caption> <h1> <h2> </h2> <h3> <li> <ul> <br>"
    " <pre> </pre> <a <a> href=x class=reference> <select> <option> </select> <sup> </sup> <math>"
    " <svg> </svg>"
    " <template> <script> </script> <!-- --> <![CDATA[ &#0; &shy; &nbsp; &#xD800; &#x2028; &lt; ( )"
    " [ ] ; , - > <"
    " \x00 \x85 \r \r\n \u200c \u200d e\u0301"
    " word 1 中 א".split(" ")
)  # fmt: skip


@given(st.lists(st.one_of(SCRAPS, st.text(max_size=4)), max_size=40).map(" ".join))
@settings(max_examples=300)
def test_any_markup_gives_a_sound_document(html: str) -> None:
    found = extract(html.encode("utf-8", "surrogatepass"), "text/html", "word")
    check_invariants(found.document)
    assert "\r" not in found.title
    check_invariants(extract(html.encode("utf-8", "surrogatepass"), "text/plain").document)


@given(
    st.binary(max_size=200),
    st.sampled_from(["text/html", "text/plain", "text/html; charset=x", "application/xhtml+xml"]),
)
def test_any_bytes_give_a_sound_document(content: bytes, mime: str) -> None:
    check_invariants(extract(content, mime).document)


@needs_data
@pytest.mark.parametrize("listed", GOLDENS["pages"](), ids=lambda listed: listed["name"])
def test_golden(listed: dict[str, str]) -> None:
    found: Page = GOLDENS["read"](Path(DATA or "") / "zim/real", listed)
    check_invariants(found.document)
    golden: dict[str, Any] = json.loads((GOLDENS["GOLDENS"] / f"{listed['name']}.json").read_text(encoding="utf-8"))
    assert GOLDENS["summary"](found) == golden


@needs_data
def test_truncated_and_altered_pages_are_legal() -> None:
    path = Path(DATA or "") / "zim/real/wikipedia_en_ray_charles_maxi_2023-09.zim"
    content = bytes(Archive(path).get_entry_by_path("A/A_Fool_for_You").get_item().content)
    dice = random.Random(4)
    for _ in range(150):
        cut = dice.randrange(len(content))
        check_invariants(extract(content[:cut], "text/html").document)
        altered = bytearray(content)
        for _ in range(20):
            altered[dice.randrange(len(content))] = dice.randrange(256)
        check_invariants(extract(bytes(altered), "text/html").document)


@pytest.mark.parametrize(
    "container",
    [
        '<div id="mw-content-text">', "<div id=content>", "<div id = 'content'>", "<main>", "<ARTICLE>",
        '<div class="x mw-parser-output">', '<div id="bodyContent">', '<div id="&#99;ontent">',
    ],
)  # fmt: skip
def test_a_container_is_found_however_it_is_written(container: str) -> None:
    """The signs that are looked for before the tree is searched miss none."""
    end = f"</{re.sub('[^a-z]', '', container.lower().split()[0])}>"
    page = extract(f"<p>Menu.</p>{container}<p>{'The text of it. ' * 9}</p>{end}".encode(), "text/html")
    assert page.document.text.startswith("The text of it.")


@pytest.mark.parametrize("head", ["<title>Oak</title>", "<svg><title>x</title></svg><title>Oak</title>"])
def test_the_title_is_the_pages_own(head: str) -> None:
    assert extract(f"<head>{head}</head><p>Trees.</p>".encode(), "text/html").title == "Oak"
