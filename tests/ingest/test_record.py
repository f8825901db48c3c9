"""From an entry to what is stored of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.ingest.record import to_record
from aborist.shard.write import Record, Stub
from aborist.text import LEAD_TOKENS, analyzer_for
from aborist.types import Alias, Article, Kind
from aborist.vocabulary import Vocabulary

ENGLISH = Vocabulary(analyzer_for("eng"))


def article(body: str, path: str = "Home", title: str = "Home", mime: str = "text/html") -> Article:
    return Article(path, title, mime, f"<html><body>{body}</body></html>".encode())


def record(body: str, path: str = "Home", title: str = "Home") -> Record:
    found = to_record(article(body, path, title), ENGLISH)
    assert isinstance(found, Record)
    return found


LINKS = [
    ("Home", "Earth", "Earth"),
    ("Home", "Earth#Orbit", "Earth"),
    ("Home", "./Earth", "Earth"),
    ("Home", "50%2525_rule", "50%25_rule"),  # decoded once
    ("Home", "What%27s_My_Name%3F", "What's_My_Name?"),
    ("Home", ".NET", ".NET"),
    ("Home", "AC/DC", "AC/DC"),
    ("AC/DC", "../Earth", "Earth"),
    ("A/Home", "Earth", "A/Earth"),
    ("A/Home", "../I/pic.html", "I/pic.html"),
    ("A/Home", ".//dev/zero", "A//dev/zero"),
    ("A/b/c", "../../../../../etc/passwd", "etc/passwd"),  # a name like any other: nothing is opened by it
    ("Home", "/Earth", "Earth"),
]


@pytest.mark.parametrize(("path", "href", "target"), LINKS)
def test_links_are_named_by_path_in_the_archive(path: str, href: str, target: str) -> None:
    assert record(f'<p>See <a href="{href}">this</a>.</p>', path).links == (target,)


def test_links_count_once_and_not_to_the_page_itself() -> None:
    body = '<p><a href="Earth">a</a> <a href="Earth#x">b</a> <a href="#top">c</a> <a href="House">d</a></p>'
    page = article(body)._replace(aliases=(Alias("House", "House"),))
    found = to_record(page, ENGLISH)
    assert isinstance(found, Record)
    assert found.links == ("Earth",)


def test_a_page_that_only_refreshes_is_a_stub_with_its_redirects() -> None:
    head = '<html><head><meta http-equiv="refresh" content="0;url=../Sun%20day#Noon"></head><body></body></html>'
    page = Article("a/b", "Midday", "text/html", head.encode(), (Alias("Zenith", "z"),))
    assert to_record(page, ENGLISH) == Stub("Midday", "a/b", "Sun day", "Noon", (Alias("Zenith", "z"),))


KINDS = [
    ("<p>Water is wet.</p>", "Water", Kind.ARTICLE),
    ("<p>Mercury may refer to:</p><ul><li>a planet</li></ul>", "Mercury", Kind.DISAMBIGUATION),
    ("<p>Замок может означать:</p><ul><li>здание</li></ul>", "Замок", Kind.DISAMBIGUATION),
    ("<p>A list.</p>", "Mercury (disambiguation)", Kind.DISAMBIGUATION),
    (f"<p>{'Long text. ' * 40} Terms may refer to things.</p>", "Reference", Kind.ARTICLE),
    ("<script>load()</script>", "App", Kind.NO_TEXT),
    ("<p>Welcome.</p>", "Main", Kind.MAIN_PAGE),
]


@pytest.mark.parametrize(("body", "title", "kind"), KINDS)
def test_kinds_of_pages(body: str, title: str, kind: Kind) -> None:
    found = to_record(article(body, title, title), ENGLISH, main_path="Main")
    assert isinstance(found, Record)
    assert found.kind == kind


def test_a_pdf_has_a_title_and_no_text() -> None:
    found = to_record(Article("docs/x.pdf", "x", "application/pdf", b"%PDF"), ENGLISH)
    assert isinstance(found, Record)
    assert (found.kind, found.document.text, found.passages) == (Kind.UNREAD_FILE, "", ())


def test_the_lead_is_the_title_and_the_first_tokens() -> None:
    words = " ".join(f"w{n}x" for n in range(300))
    found = record(f"<p>{words}.</p>", title="Long page")
    assert found.lead_tokens == 2 + LEAD_TOKENS
    assert ENGLISH.text(found.words[: found.lead_tokens]).split()[-1] == "w99x"


def test_every_passage_has_the_title_and_its_heading_before_it() -> None:
    found = record(f"<p>{'Lead words here. ' * 20}</p><h2>Early history</h2><p>{'Old times. ' * 20}</p>", title="Rome")
    assert found.heads[0] == "rome"
    assert found.heads[-1] == "rome earli histori"


def test_blocks_of_the_template_are_in_no_passage() -> None:
    from aborist.ingest.chunk import block_key

    found = to_record(
        article("<p>Buy our book today.</p><p>Water is wet.</p>"),
        ENGLISH,
        boilerplate=frozenset({block_key("Buy our book today.")}),
    )
    assert isinstance(found, Record)
    assert [found.document.text[span.start : span.end] for span in found.passages] == ["Water is wet."]


@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.builds(
            lambda charset, body: b"<meta charset=%s>" % charset + body,
            st.sampled_from([b"utf-7", b"utf-16", b"iso-2022-jp", b"hz", b"punycode", b"rot13", b"nonsense", b""]),
            st.binary(max_size=120),
        ),
        st.builds(
            lambda seconds, rest: b"<meta http-equiv=refresh content='" + seconds + rest + b"'>",
            st.sampled_from([b"9" * 5000, b"0;" + b" " * 5000, b"1." + b"1" * 5000, b""]),
            st.binary(max_size=60),
        ),
    ),
    mime=st.sampled_from(["text/html", "Text/HTML;charset=utf-7", "text/plain", "TEXT/PLAIN", "Application/PDF"]),
)
def test_no_page_stops_the_build(content: bytes, mime: str) -> None:
    """Whatever bytes an entry holds, a record or a stub comes of it, whose text can be stored."""
    record = to_record(Article("path", "Title", mime, content), ENGLISH)
    if not isinstance(record, Stub):
        record.document.text.encode()  # raises for what UTF-8 cannot carry
        assert len(record.passages) == len(record.bodies) == len(record.heads)
