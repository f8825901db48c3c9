"""Links from a citation to its source."""

from __future__ import annotations

from string import Formatter
from urllib.parse import quote

__all__ = ["DEFAULT_LINK", "LINKS", "is_template", "link"]

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


def is_template(template: str) -> bool:
    """Whether `link` can fill it: a name of LINKS, or a format string of its four fields alone."""
    if template in LINKS:
        return True
    try:
        parts = [part for part in Formatter().parse(template) if part[1] is not None]
    except ValueError:
        return False
    plain = not any(form or conversion for _, _, form, conversion in parts)
    fields = {name for _, name, _, _ in parts}
    return plain and "path" in fields and fields <= {"server", "archive", "path", "anchor"}
