"""Links: each template, any path, and nothing that breaks out of its place."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aborist.query.cite import DEFAULT_LINK, LINKS, link

SERVER = "http://localhost:8080"


@pytest.mark.parametrize(
    ("template", "path", "anchor", "url"),
    [
        ("zim", "Tea", "", "zim://wiki/Tea"),
        ("zim", "A/Tea", "History", "zim://wiki/A/Tea#History"),
        ("kiwix-content", "Tea", "", f"{SERVER}/content/wiki/Tea"),
        ("kiwix-viewer", "Tea", "Use", f"{SERVER}/viewer#wiki/Tea#Use"),
        ("kiwix-content", "AC/DC", "", f"{SERVER}/content/wiki/AC/DC"),
        ("kiwix-content", "C#", "", f"{SERVER}/content/wiki/C%23"),
        ("kiwix-content", "What?", "", f"{SERVER}/content/wiki/What%3F"),
        ("kiwix-content", "100%", "", f"{SERVER}/content/wiki/100%25"),
        ("kiwix-content", "R&D+x", "", f"{SERVER}/content/wiki/R%26D%2Bx"),
        ("kiwix-content", "Ёж", "Виды", f"{SERVER}/content/wiki/%D0%81%D0%B6#%D0%92%D0%B8%D0%B4%D1%8B"),
        ("kiwix-content", "a b", "c d", f"{SERVER}/content/wiki/a%20b#c%20d"),
        ("{server}/x/{path}", "Tea", "", f"{SERVER}/x/Tea"),
        ("https://example.org/", "Tea", "", "https://example.org/"),
    ],
)
def test_links(template: str, path: str, anchor: str, url: str) -> None:
    assert link(template, SERVER, "wiki", path, anchor) == url


def test_a_slash_at_the_end_of_the_server_is_no_matter() -> None:
    assert link("kiwix-content", f"{SERVER}/", "w", "Tea") == link("kiwix-content", SERVER, "w", "Tea")


def test_the_default_is_one_of_the_templates() -> None:
    assert DEFAULT_LINK in LINKS


@pytest.mark.parametrize("template", LINKS)
@given(
    path=st.text(st.characters(codec="utf-8"), min_size=1),
    anchor=st.text("aé #?%&\"'<>{}", max_size=8),
)
def test_any_path_and_anchor_can_be_read_back(template: str, path: str, anchor: str) -> None:
    url = link(template, SERVER, "wiki", path, anchor)
    assert url.isascii()
    assert not set(url) & set(' <>"\n{}')
    if template == "kiwix-content":
        parts = urlsplit(url)
        assert unquote(parts.path) == f"/content/wiki/{path}"
        assert unquote(parts.fragment) == anchor
        assert not parts.query
