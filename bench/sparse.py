"""bm25s as a baseline: Lucene's BM25 in sparse matrices, a published implementation that owes nothing to FTS5.

Pure Python on numpy, which is here already, and eager scores that its authors checked against other BM25s (Lù 2024,
arXiv:2407.03618).
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import bm25s
import Stemmer

from bench.baselines import STOP_WORDS
from bench.rawzim import corpus_name, texts

__all__ = ["Bm25s", "build_bm25s"]


def _tokens(texts: list[str], *, ids: bool = True) -> object:
    stemmer = Stemmer.Stemmer("english")
    return bm25s.tokenize(
        texts, stopwords=list(STOP_WORDS), stemmer=stemmer, return_ids=ids, show_progress=False
    )  # fmt: skip


def build_bm25s(archives: Sequence[Path], folder: Path) -> None:
    """Title and text of each article as one text, English stems, defaults; published by rename, so never half-built."""
    found = list(texts(archives))
    index = bm25s.BM25()
    index.index(_tokens([f"{title} {text}" for title, text in found]), show_progress=False)
    building = folder.with_suffix(".building")
    shutil.rmtree(building, ignore_errors=True)
    index.save(building, corpus=[title for title, _ in found])
    building.rename(folder)


class Bm25s:
    """BM25 of bm25s with its defaults (Lucene's variant, k1 1.5, b .75), over the words that are no stop words."""

    name = "bm25s"

    def __init__(self, archives: Sequence[Path], cache: Path) -> None:
        folder = cache / f"bm25s-{corpus_name(archives)}"
        if not folder.exists():
            build_bm25s(archives, folder)
        self._index = bm25s.BM25.load(folder, load_corpus=True)

    def titles(self, question: str, k: int) -> list[str]:
        """The best `k` titles that share a word with the question, best first."""
        words = _tokens([question.encode(errors="replace").decode()], ids=False)
        k = min(k, len(self._index.corpus))
        found, scores = self._index.retrieve(words, k=k, show_progress=False)
        return [row["text"] for row, score in zip(found[0], scores[0], strict=True) if score > 0]
