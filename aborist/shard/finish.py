"""The pass over a shard after all parts of all shards: statistics, keywords, names and in-links, indexes.

It can be run again from the start: a kill leaves the shard as the last part left it, or finished.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt
import zstandard

from aborist.shard import core, layout, manifest, schema, spool, stream
from aborist.shard.schema import run, select
from aborist.shard.spool import Keywords, Stub
from aborist.shard.write import ShardWriter, insert_aliases, set_facts
from aborist.text import Analyzer
from aborist.types import Alias, Kind

__all__ = ["SHORT_TEXT", "Totals", "alias_count", "finish", "snapshot", "suspects"]

SHORT_TEXT = 200  # characters: equal texts up to this length look like a broken scrape, longer ones like copies
_POSTINGS_HELD = 4_000_000  # of core keywords: about 100 MB while they are sorted
_TERMS_HELD = 500_000  # terms added up in memory before they go to the table: about 120 MB
_COMMONEST = 20  # groups of equal articles looked at


class Totals(NamedTuple):
    """What a shard adds to the collection's statistics."""

    articles: int
    passages: int
    article_tokens: int
    lead_tokens: int
    passage_tokens: int


def finish(writer: ShardWriter, analyzer: Analyzer, links: Path, stubs: Sequence[Stub]) -> tuple[Totals, int]:
    """Finish the shard; returns its totals and how many of the stubs lead to an article of it.

    `links` is the database that `spool.LinkCounter` filled; `stubs` are those of all shards, resolved.
    """
    db = writer.db
    db.execute("ATTACH :links AS links", {"links": str(links)})
    with db:
        run(db, "INSERT INTO passage(passage) VALUES('optimize')")
        _count_terms(db, _spooled(writer))
        _count_passages(db)
        _distil(db, writer)
        for statement in schema.INDEXES.strip().split(";"):
            run(db, statement.replace(" INDEX ", " INDEX IF NOT EXISTS "))
        adopted = sum(_adopt(db, stub, analyzer) for stub in stubs)
        run(db, _COUNT_LINKS)
        run(db, "INSERT INTO title_gram(title_gram) VALUES('rebuild')")
        run(db, "INSERT INTO title_gram(title_gram) VALUES('optimize')")
        run(db, "INSERT INTO title_word(title_word) VALUES('delete-all')")
        run(db, "INSERT INTO title_word(rowid, stems) SELECT id, bag FROM alias")
        run(db, "INSERT INTO title_word(title_word) VALUES('optimize')")
        totals = _totals(db)
        ids = [article for (article,) in select(db, "SELECT id FROM article ORDER BY id")]
        set_facts(db, {**totals._asdict(), "articles_at": core.pack_ids(ids)})
    db.execute("DETACH links")
    run(db, "PRAGMA journal_mode=delete")
    return totals, adopted


_COUNT_LINKS = """
UPDATE article SET links = 0 WHERE links <> 0;
UPDATE article SET links = counted.n FROM (
    SELECT id, sum(n) AS n FROM (
        SELECT article.id, link.n FROM article JOIN links.link USING (path)
        UNION ALL SELECT alias.article, link.n FROM alias JOIN links.link USING (path)
    ) GROUP BY id
) AS counted WHERE article.id = counted.id
"""


def suspects(db: apsw.Connection) -> tuple[list[tuple[str, int]], int]:
    """Short texts that several articles of a shard share, commonest first; how many pages have no text."""
    ((dictionary,),) = select(db, "SELECT value FROM fact WHERE name = 'dictionary'")
    trained = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    decompress = zstandard.ZstdDecompressor(dict_data=trained).decompress
    groups = select(
        db,
        "SELECT stored_at, stored_bytes, n FROM article JOIN"
        " (SELECT min(id) AS id, count(*) AS n FROM article WHERE kind IN (?, ?)"
        " GROUP BY root HAVING n > 1 ORDER BY n DESC, id LIMIT ?) USING (id) ORDER BY n DESC, id",
        (int(Kind.ARTICLE), int(Kind.DISAMBIGUATION), _COMMONEST),
    )
    texts = [(layout.unpack(decompress(stream.read(db, at, size)))[0].text, n) for at, size, n in groups]
    ((empty,),) = select(db, "SELECT count(*) FROM article WHERE kind = ?", (int(Kind.NO_TEXT),))
    return [(text, n) for text, n in texts if len(text) <= SHORT_TEXT], empty


def _adopt(db: apsw.Connection, stub: Stub, analyzer: Analyzer) -> bool:
    """Give the article a stub refreshes to the stub's names; whether the article is in this shard."""
    found = select(
        db,
        "SELECT id FROM article WHERE path = :target UNION ALL SELECT article FROM alias WHERE path = :target LIMIT 1",
        {"target": stub.target},
    )
    if found and not select(db, "SELECT 1 FROM alias WHERE path = ?", (stub.path,)):
        names = (Alias(stub.title, stub.path), *stub.aliases)
        insert_aliases(db, found[0][0], (name._replace(anchor=stub.anchor) for name in names), analyzer)
    return bool(found)


def _count_terms(db: apsw.Connection, spooled: Iterable[Keywords]) -> None:
    """Fill the term table with the sums of all parts; passages come after."""
    run(db, "DELETE FROM term")
    articles, leads = Counter[str](), Counter[str]()
    for keywords in spooled:
        articles.update(dict(zip(keywords.terms, keywords.in_articles, strict=True)))
        leads.update(dict(zip(keywords.terms, keywords.in_leads, strict=True)))
        if len(articles) > _TERMS_HELD:
            _add_terms(db, articles, leads)
    _add_terms(db, articles, leads)


def _add_terms(db: apsw.Connection, articles: Counter[str], leads: Counter[str]) -> None:
    """Add the counts to the table and begin anew, so that memory stays flat."""
    db.executemany(
        "INSERT INTO term VALUES(?, ?, ?, 0) ON CONFLICT(term) DO UPDATE"
        " SET articles = articles + excluded.articles, leads = leads + excluded.leads",
        ((term, n, leads[term]) for term, n in sorted(articles.items())),
    )
    articles.clear()
    leads.clear()


def _count_passages(db: apsw.Connection) -> None:
    # The index itself knows in how many rows a term stands: counting here would cost a set a passage.
    # https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
    run(db, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, passage, row)")
    run(
        db,
        "INSERT INTO term SELECT term, 0, 0, doc FROM vocabulary WHERE true"
        " ON CONFLICT(term) DO UPDATE SET passages = excluded.passages",
    )
    run(db, "DROP TABLE temp.vocabulary")


def _distil(db: apsw.Connection, writer: ShardWriter) -> None:
    """Fill the core table: the postings of each common term, none left out, that a reader knows which are common."""
    terms = [*writer.common.idf]
    postings = np.zeros(len(terms), np.int64)
    for keywords in _spooled(writer):
        postings += np.bincount(np.frombuffer(keywords.common, np.uint32), minlength=len(terms))
    run(db, "DELETE FROM core")
    # As many terms at a time as fit into memory: the parts are read again for each lot.
    lots = np.cumsum(postings) // _POSTINGS_HELD
    for lot in np.unique(lots):
        first, end = np.searchsorted(lots, [lot, lot + 1])
        found = [_between(keywords, first, end) for keywords in _spooled(writer)]
        numbers, ordinals, levels = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.argsort(numbers, kind="stable")  # parts are in the order of their articles
        bounds = np.searchsorted(numbers[order], np.arange(first, end + 1))
        ordinals, levels = ordinals[order].astype(np.int64), levels[order]
        rows = ((terms[first + n], core.pack(ordinals[a:b], levels[a:b])) for n, (a, b) in enumerate(pairwise(bounds)))
        db.executemany("INSERT INTO core VALUES(?, ?)", rows)


def _between(keywords: Keywords, first: int, end: int) -> tuple[npt.NDArray[Any], ...]:
    """Of a part, the postings of the terms `first .. end - 1`: term, ordinal, level."""
    numbers = np.frombuffer(keywords.common, np.uint32)
    start, stop = np.searchsorted(numbers, [first, end])
    columns = numbers, np.frombuffer(keywords.articles, np.uint32), np.frombuffer(keywords.levels, np.uint8)
    return tuple(column[start:stop] for column in columns)


def _spooled(writer: ShardWriter) -> Iterator[Keywords]:
    return (spool.load_keywords(writer.spool_path(number)) for number in writer.done_parts())


def _totals(db: apsw.Connection) -> Totals:
    (row,) = select(
        db,
        "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(tokens), 0),"
        " coalesce(sum(lead_tokens), 0), (SELECT coalesce(sum(passage_tokens), 0) FROM part) FROM article",
    )
    return Totals(*row)


def snapshot(files: Sequence[Path]) -> str:
    """The snapshot root over finished shards."""
    with ExitStack() as stack:
        opened = [stack.enter_context(closing(schema.open_readonly(file))) for file in files]
        rows = [db.execute("SELECT path, root FROM article ORDER BY path") for db in opened]
        return manifest.snapshot_root(heapq.merge(*rows))


def alias_count(file: Path) -> int:
    """How many redirects and adopted stubs a finished shard holds."""
    with closing(schema.open_readonly(file)) as db:
        ((count,),) = select(db, "SELECT count(*) FROM alias WHERE path IS NOT NULL")
    return int(count)
