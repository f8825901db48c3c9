"""The characters of a page, whatever encoding it says it has and whatever bytes it holds."""

from __future__ import annotations

import codecs
import re

__all__ = ["decoded"]


def _stray_bytes(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: the bytes that are not UTF-8, read as windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    stray = error.object[error.start : error.end]
    return "".join(bytes([byte]).decode("cp1252", "ignore") for byte in stray), error.end


_STRAY_BYTES = "aborist-stray-bytes"
codecs.register_error(_STRAY_BYTES, _stray_bytes)

_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARED_WITHIN = 4096
# Names that stand for a wider encoding (https://encoding.spec.whatwg.org/#names-and-labels).
_WIDER = {
    name: wider
    for wider, names in {
        "cp1252": "iso-8859-1 latin1 latin-1 ascii us-ascii",
        "cp1254": "iso-8859-9 latin5",
        "cp874": "iso-8859-11 tis-620",
        "gb18030": "gb2312 gbk x-gbk",
        "cp932": "shift_jis shift-jis sjis x-sjis",
        "cp949": "euc-kr ks_c_5601-1987",
        "big5hkscs": "big5",
        "mac-roman": "x-mac-roman macintosh",
    }.items()
    for name in names.split()
}


def decoded(content: bytes, mime: str) -> str:
    """By byte order mark, as UTF-8, as declared, or at last as UTF-8 with windows-1252 for stray bytes."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace").replace("\0", "")
    if content[:2] in (b"<\0", b"\0<"):
        return content.decode("utf-16-le" if content[1] == 0 else "utf-16-be", "replace").replace("\0", "")
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"")
    try:
        if b"\x1b$" not in content:  # ISO 2022 is made of ASCII bytes
            return content.decode()
    except UnicodeDecodeError:
        pass
    declared = _DECLARED.search(mime.encode() + b" " + content[:_DECLARED_WITHIN])
    name = declared[1].decode("ascii", "replace").lower() if declared else "utf-8"
    try:
        # UTF-7 and the like decode to lone surrogates, which no index can store.
        return content.decode(_WIDER.get(name, name)).encode("utf-8", "replace").decode()
    except (LookupError, UnicodeError):
        return content.decode("utf-8", _STRAY_BYTES)
