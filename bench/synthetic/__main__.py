"""Writes an archive shaped like Wikipedia and questions about it: `python -m bench.synthetic --articles N --out ZIM`.

The same number and seed give the same bytes, with any number of processes. Disambiguation pages and a main page come
on top of the articles.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.arguments import positive
from bench.synthetic.pages import Page, Writer
from bench.synthetic.questions import Source, questions, sources_text, write
from bench.synthetic.titles import Titles, path_of
from bench.synthetic.words import learn
from bench.synthetic.zim import ZimFile, packed

SEED = 1
SOURCES = 400  # articles that questions are made of
MAIN = "Main_Page"
LICENCE = "CC BY-SA 3.0: sentence frames and common words from the English Wikipedia, see samples/ATTRIBUTION.tsv"

_writer: Writer  # set before the processes fork, so that they share the titles


class Written(NamedTuple):
    """A block, compressed; its pages' paths and titles in order; bytes of HTML; what questions are made of."""

    clusters: list[tuple[int, bytes]]
    names: list[tuple[str, str]]
    html_bytes: int
    sources: list[Source]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what was written as one JSON object."""
    options = _parser().parse_args(arguments)
    start = time.perf_counter()
    report = generate(options.articles, options.out, options.seed, options.questions)
    print(json.dumps({**report, "wall_s": round(time.perf_counter() - start, 1)}))
    return 0


def generate(articles: int, out: Path, seed: int = SEED, questions_file: Path | None = None) -> dict[str, int]:
    """Writes archive and questions (beside it, unless a file is named); returns counts and bytes."""
    global _writer  # noqa: PLW0603  # what forked processes share
    vocabulary = learn()
    titles = Titles.drawn(vocabulary, articles, seed)
    _writer = Writer(vocabulary, titles, seed)
    sources: list[Source] = []
    html_bytes = 0
    with ZimFile(out) as zim:
        for written in _blocks():
            zim.add_pages(written.names, written.clusters)
            html_bytes += written.html_bytes
            sources += written.sources
        extra = [*_writer.parting_pages(), _main_page(articles)]
        zim.add_pages([(page.path, page.title) for page in extra], packed(page.html for page in extra))
        zim.add_redirects((path_of(t), t, path_of(titles.names[n])) for t, n in titles.redirects.items())
        zim.finish(_metadata(articles + len(extra), seed), MAIN)
    asked = write(questions_file or out.with_suffix(".questions.jsonl"), questions(sources, seed))
    return {
        "articles": articles, "disambiguation_pages": len(extra) - 1, "redirects": len(titles.redirects),
        "html_bytes": html_bytes, "zim_bytes": out.stat().st_size, "questions": asked,
    }  # fmt: skip


def _blocks() -> Iterator[Written]:
    _writer.warm()
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        yield from pool.imap(_block, _writer.blocks())


def _block(start: int) -> Written:
    pages = list(_writer.block(start))
    every = max(1, len(_writer.titles.names) // SOURCES)
    sources = [_source(start + i, page) for i, page in enumerate(pages) if (start + i) % every == 0]
    names = [(page.path, page.title) for page in pages]
    return Written(packed(page.html for page in pages), names, sum(len(page.html) for page in pages), sources)


def _source(article: int, page: Page) -> Source:
    return Source(
        page.title, _writer.topic_words(article), _writer.own_words(article), sources_text(page.html.decode())
    )


def _main_page(articles: int) -> Page:
    html = f"<!DOCTYPE html><html><head><title>Main Page</title></head><body><p>{articles} articles.</p></body></html>"
    return Page(MAIN, "Main Page", html.encode())


def _metadata(pages: int, seed: int) -> dict[str, str]:
    return {
        "Counter": f"text/html={pages}", "Creator": "the aborist authors; Wikipedia contributors", "Date": "2026-11-30",
        "Description": "Made-up text in the shape of Wikipedia", "Language": "eng", "License": LICENCE,
        "Name": f"synthetic_{pages}_{seed}", "Publisher": "aborist", "Title": f"Synthetic {pages}",
    }  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.synthetic", description=__doc__)
    add = parser.add_argument
    add("--articles", type=positive, required=True, metavar="N")
    add("--out", type=Path, required=True, metavar="ZIM")
    add("--seed", type=int, default=SEED)
    add("--questions", type=Path, metavar="FILE", help="default: beside the archive, .questions.jsonl")
    return parser


if __name__ == "__main__":
    sys.exit(main())
