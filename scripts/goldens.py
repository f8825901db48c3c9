"""Write the golden extractions anew, to be read by eye and compared before they are committed.

usage: ABORIST_DATA=DIR python scripts/goldens.py     (DIR holds zim/real with the archives of pages.json)
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from libzim.reader import Archive

from aborist.ingest.html import EXTRACTION, Page, extract

GOLDENS = Path(__file__).parent.parent / "tests/ingest/goldens"
SECTIONS_SHOWN = 12  # the first and the last half of them
BLOCKS_SHOWN = 6  # of a section, likewise
CHARACTERS_SHOWN = 240  # of a block, likewise

README = """# Golden extractions

What `aborist.ingest.html.extract` makes of pages of real archives (the archives themselves are not part of
the project; tests find them below `$ABORIST_DATA/zim/real`). Long texts are shown by head and tail; `sha256`
covers the whole. `python scripts/goldens.py` writes them anew: read the difference before committing it.

The texts keep the licence of their pages. Authors are named in the history of each page at its source.

| golden | archive | page | licence |
|---|---|---|---|
"""


def summary(page: Page) -> dict[str, Any]:
    """A page as JSON values, long parts cut out of the middle."""
    document = page.document
    sections = [
        {
            "heading": list(section.heading),
            "anchor": section.anchor,
            "blocks": _ends(
                [_cut(block) for block in document.text[section.start : section.end].split("\n")],
                BLOCKS_SHOWN,
            ),
        }
        for section in document.sections
    ]
    return {
        "extraction": EXTRACTION,
        "title": page.title,
        "characters": len(document.text),
        "sha256": sha256(document.text.encode()).hexdigest(),
        "links": _ends(list(page.links), BLOCKS_SHOWN),
        "disambiguation": page.disambiguation,
        "sections": _ends(sections, SECTIONS_SHOWN),
    }


def read(folder: Path, page: dict[str, str]) -> Page:
    """The page as it stands in its archive below `folder`."""
    entry = Archive(folder / page["archive"]).get_entry_by_path(page["path"])
    item = entry.get_item()
    return extract(bytes(item.content), item.mimetype, entry.title)


def pages() -> list[dict[str, str]]:
    listed: list[dict[str, str]] = json.loads((GOLDENS / "pages.json").read_text(encoding="utf-8"))
    return listed


def _ends(items: list[Any], shown: int) -> list[Any]:
    if len(items) <= shown:
        return items
    half = shown // 2
    return [*items[:half], f"... {len(items) - 2 * half} more ...", *items[-half:]]


def _cut(block: str) -> str:
    half = CHARACTERS_SHOWN // 2
    return block if len(block) <= CHARACTERS_SHOWN else f"{block[:half]} ... {block[-half:]}"


def main() -> None:
    folder = Path(os.environ["ABORIST_DATA"]) / "zim/real"
    lines = []
    for page in pages():
        golden = json.dumps(summary(read(folder, page)), ensure_ascii=False, indent=1)
        (GOLDENS / f"{page['name']}.json").write_text(golden + "\n", encoding="utf-8")
        lines.append(f"| {page['name']} | {page['archive']} | {page['title']} | {page['licence']} |\n")
    (GOLDENS / "README.md").write_text(README + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
