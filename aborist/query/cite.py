"""Citations: evidence ids, links, and the check that a quote is what its root says."""

from __future__ import annotations

from urllib.parse import quote

__all__ = ["DEFAULT_LINK", "LINKS", "link"]

# How a source is linked; {archive} and {path} are percent-encoded, {anchor} is "" or "#id".
LINKS = {
    "zim": "zim://{archive}/{path}{anchor}",
    "kiwix-content": "{server}/content/{archive}/{path}{anchor}",
    "kiwix-viewer": "{server}/viewer#{archive}/{path}{anchor}",
}
DEFAULT_LINK = "zim"


def link(template: str, server: str, archive: str, path: str, anchor: str = "") -> str:
    """A URL that opens the article: in kiwix-serve (`server` is its base), or as a zim: URI."""
    return LINKS.get(template, template).format(
        server=server.rstrip("/"),
        archive=quote(archive, safe=""),
        path=quote(path, safe="/:@!$'()*,;=~"),
        anchor=f"#{quote(anchor, safe=':@!$()*,;=~/')}" if anchor else "",
    )
