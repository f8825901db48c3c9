"""tantivy as a baseline: Lucene's design in Rust, whose ranked OR skips postings that cannot win (block-max WAND)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tantivy

from bench.baselines import STOP_WORDS, WORD
from bench.rawzim import corpus_name, texts

__all__ = ["Tantivy", "build_tantivy"]

TOKENIZER = "en_stem"  # lower case, English snowball stems
HEAP_BYTES = 128 << 20  # its default


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    # One field for both: block-max WAND works on a flat union of terms, not on one of unions over fields.
    builder.add_text_field("title", stored=True, index_option="basic")
    builder.add_text_field("text", stored=False, tokenizer_name=TOKENIZER)
    return builder.build()


def build_tantivy(archives: Sequence[Path], folder: Path) -> None:
    """Title and text of each article as one text, by one thread; published by rename, so never half-built."""
    building = folder.with_suffix(".building")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    index = tantivy.Index(_schema(), path=str(building))
    writer = index.writer(HEAP_BYTES, 1)
    for title, text in texts(archives):
        writer.add_document(tantivy.Document(title=[title], text=[f"{title} {text}"]))
    writer.commit()
    writer.wait_merging_threads()
    building.rename(folder)


class Tantivy:
    """BM25 of tantivy with its defaults (k1 1.2, b .75), over the words that are no stop words."""

    name = "tantivy"

    def __init__(self, archives: Sequence[Path], cache: Path) -> None:
        folder = cache / f"tantivy-{corpus_name(archives)}"
        if not folder.exists():
            build_tantivy(archives, folder)
        self._index = tantivy.Index.open(str(folder))
        self._searcher = self._index.searcher()

    def titles(self, question: str, k: int) -> list[str]:
        """The best `k` titles, best first."""
        words = WORD.findall(question.encode(errors="replace").decode().lower())
        content = [word for word in words if word not in STOP_WORDS] or words
        if not content:
            return []
        query = self._index.parse_query(" ".join(f'"{word}"' for word in dict.fromkeys(content)), ["text"])
        found = self._searcher.search(query, k, count=False).hits
        return [str(self._searcher.doc(address)["title"][0]) for _, address in found]
