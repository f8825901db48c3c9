"""Fills one shard: parts of records, each committed whole, then one finishing pass.

What the finishing pass needs of each part beside the database (core keyword candidates, link targets, refresh stubs)
is spooled to a file per part, written before the part is committed; so a part is done or not done, never half.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw
import zstandard

from aborist.shard import core, schema
from aborist.text import Analyzer, fold, function_words, title_bag, title_key
from aborist.types import Alias, Document, Kind, Span

__all__ = ["Record", "ShardWriter", "Stub", "Totals", "alias_row", "set_facts"]

_TEXT_LEVEL = 3  # zstd; PERFORMANCE.md: level 1-3 with a dictionary .415 of the text
_SPOOL_LEVEL = 1
SHORT_TEXT = 200  # characters: equal bodies up to this length look like a broken scrape, longer ones like copies


class Record(NamedTuple):
    """An article ready to be stored: its text and the stems that are indexed."""

    path: str
    title: str
    kind: Kind
    root: bytes
    document: Document
    passages: tuple[Span, ...]
    heads: tuple[str, ...]  # stems of "Title - Section", one a passage
    bodies: tuple[str, ...]  # stems, one a passage
    title_stems: str
    lead: frozenset[str]  # stems of the title and the first tokens
    lead_tokens: int
    links: tuple[str, ...]  # paths this article links to
    aliases: tuple[Alias, ...]


class Stub(NamedTuple):
    """A page that only refreshes to another: an alias of a target that may stand in any shard."""

    title: str
    path: str
    target: str
    anchor: str


class Totals(NamedTuple):
    """What a shard adds to the collection's statistics."""

    articles: int
    passages: int
    article_tokens: int
    lead_tokens: int
    passage_tokens: int


class _Spool(NamedTuple):
    core: list[tuple[int, list[tuple[str, int]]]]  # article id, its most frequent stems
    links: dict[str, int]
    stubs: list[Stub]


class ShardWriter:
    """One shard file under construction in the build folder `folder`."""

    def __init__(self, folder: Path, number: int, analyzer: Analyzer, dictionary: bytes) -> None:
        self.path = folder / f"{number:03}.db"
        self._analyzer = analyzer
        self.db, fresh = schema.open_build(self.path)
        self._dictionary = dictionary
        trained = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._pack = zstandard.ZstdCompressor(level=_TEXT_LEVEL, dict_data=trained)
        self._common = set(analyzer.stems(" ".join(function_words(analyzer.language))).split())
        if fresh:
            set_facts(self.db, {"dictionary": dictionary})

    def close(self) -> None:
        self.db.close()

    def done_parts(self) -> set[int]:
        """Numbers of the parts that an earlier run committed."""
        return {number for (number,) in self.db.execute("SELECT number FROM part")}

    def write_part(self, number: int, records: Iterable[Record | Stub]) -> int:
        """Store all records of a part and commit; returns how many articles. Interrupted, nothing of it stays."""
        spool = _Spool([], {}, [])
        links, terms, leads = Counter[str](), Counter[str](), Counter[str]()
        written = passage_tokens = 0
        with self.db:
            next_id = self.db.execute("SELECT coalesce(max(id + passages), 1) FROM article").fetchone()[0]
            for record in records:
                if isinstance(record, Stub):
                    spool.stubs.append(record)
                    continue
                counts = self._insert(next_id, record)
                terms.update(counts.keys())
                leads.update(record.lead)
                links.update(record.links)
                spool.core.append((next_id, self._frequent(counts)))
                passage_tokens += sum(map(_length, record.heads)) + sum(map(_length, record.bodies))
                next_id += max(1, len(record.passages))
                written += 1
            self.db.executemany(
                "INSERT INTO term VALUES(:term, :articles, :leads, 0) ON CONFLICT(term) DO UPDATE"
                " SET articles = articles + excluded.articles, leads = leads + excluded.leads",
                ({"term": term, "articles": n, "leads": leads[term]} for term, n in sorted(terms.items())),
            )
            self.db.execute(
                "INSERT INTO part VALUES(:number, :articles, :passage_tokens)",
                {"number": number, "articles": written, "passage_tokens": passage_tokens},
            )
            spooled = json.dumps(spool._replace(links=links)).encode()
            self._spool_path(number).write_bytes(zstandard.compress(spooled, _SPOOL_LEVEL))
            sync(self._spool_path(number))
        return written

    def _insert(self, article_id: int, record: Record) -> Counter[str]:
        """Insert one article; returns its term frequencies (title and text)."""
        document, passages = record.document, record.passages
        lengths = [_length(stems) for stems in record.bodies]
        counts = Counter(record.title_stems.split())
        for stems in record.bodies:
            counts.update(stems.split())
        self.db.execute(
            "INSERT INTO article VALUES(:id, :path, :title, :kind, :root, :passages, :tokens, :lead_tokens, 0)",
            {
                "id": article_id, "path": record.path, "title": record.title, "kind": int(record.kind),
                "root": record.root, "passages": max(1, len(passages)), "tokens": counts.total(),
                "lead_tokens": record.lead_tokens,
            },
        )  # fmt: skip
        layout = {
            "sections": [(s.heading, s.anchor, s.start, s.end) for s in document.sections],
            "passages": [(*span, tokens) for span, tokens in zip(passages, lengths, strict=True)],
        }
        self.db.execute(
            "INSERT INTO text VALUES(:id, :body, :layout)",
            {
                "id": article_id,
                "body": self._pack.compress(document.text.encode()),
                "layout": self._pack.compress(json.dumps(layout, separators=(",", ":")).encode()),
            },
        )
        rows = zip(record.heads, record.bodies, strict=True) if passages else ((record.title_stems, ""),)
        self.db.executemany(
            "INSERT INTO passage(rowid, head, body) VALUES(?, ?, ?)",
            ((article_id + n, head, body) for n, (head, body) in enumerate(rows)),
        )
        own = Alias(record.title, record.path)
        self.db.executemany(
            _INSERT_ALIAS,
            [alias_row(article_id, own, self._analyzer) | {"path": None}]
            + [alias_row(article_id, alias, self._analyzer) for alias in record.aliases],
        )
        return counts

    def spools(self) -> Iterator[tuple[dict[str, int], list[Stub]]]:
        """Link counts by target path and refresh stubs of each part, for the pass over all shards."""
        for spool in self._spools():
            yield spool.links, [Stub(*stub) for stub in spool.stubs]

    def finish(self, links: Path, stubs: Sequence[Stub]) -> Totals:
        """The pass after all parts of all shards: statistics, keywords, in-links, indexes. Can be run again.

        `links` is the database that `LinkCounter` filled.
        """
        self.db.execute("ATTACH :links AS links", {"links": str(links)})
        with self.db:
            _run(self.db, "INSERT INTO passage(passage) VALUES('optimize')")
            self._count_passages()
            self._distil()
            for statement in schema.INDEXES.strip().split(";"):
                _run(self.db, statement.replace(" INDEX ", " INDEX IF NOT EXISTS "))
            for stub in stubs:
                self._adopt(stub)
            _run(
                self.db,
                "UPDATE article SET links = (SELECT coalesce(sum(n), 0) FROM links.link WHERE path = article.path"
                " OR path IN (SELECT a.path FROM alias AS a WHERE a.article = article.id))",
            )
            _run(self.db, "INSERT INTO title_gram(title_gram) VALUES('rebuild')")
            _run(self.db, "INSERT INTO title_gram(title_gram) VALUES('optimize')")
            _run(self.db, "INSERT INTO title_word(title_word) VALUES('delete-all')")
            _run(self.db, "INSERT INTO title_word(rowid, stems) SELECT id, bag FROM alias")
            _run(self.db, "INSERT INTO title_word(title_word) VALUES('optimize')")
            totals = self._totals()
            set_facts(self.db, totals._asdict())
        self.db.execute("DETACH links")
        _run(self.db, "PRAGMA journal_mode=delete")
        return totals

    def suspects(self) -> tuple[list[tuple[str, int]], int]:
        """Short texts that several articles share, commonest first, and how many pages have no text at all."""
        dictionary = zstandard.ZstdCompressionDict(self._dictionary) if self._dictionary else None
        unpack = zstandard.ZstdDecompressor(dict_data=dictionary)
        rows = self.db.execute(
            "SELECT body, n FROM text JOIN (SELECT min(id) AS id, count(*) AS n FROM article WHERE kind IN (0, 1)"
            " GROUP BY root HAVING n > 1 ORDER BY n DESC, id LIMIT 20) USING (id)"
        ).fetchall()
        texts = [(unpack.decompress(body).decode(), n) for body, n in rows]
        (empty,) = self.db.execute(
            "SELECT count(*) FROM article WHERE kind = :kind", {"kind": int(Kind.NO_TEXT)}
        ).fetchone()
        return [(text, n) for text, n in texts if len(text) <= SHORT_TEXT], empty

    def _adopt(self, stub: Stub) -> None:
        """Give the article a stub refreshes to the stub's name, if the article is in this shard."""
        found = self.db.execute(
            "SELECT id FROM article WHERE path = :path AND NOT EXISTS(SELECT 1 FROM alias WHERE path = :stub)",
            {"path": stub.target, "stub": stub.path},
        ).fetchone()
        if found:
            alias = Alias(stub.title, stub.path, stub.anchor)
            self.db.execute(_INSERT_ALIAS, alias_row(found[0], alias, self._analyzer))

    def _count_passages(self) -> None:
        # The index itself knows in how many rows a term stands: counting while building would cost a set a passage.
        # https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
        _run(self.db, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, passage, row)")
        _run(
            self.db,
            "INSERT INTO term SELECT term, 0, 0, doc FROM vocabulary WHERE true"
            " ON CONFLICT(term) DO UPDATE SET passages = excluded.passages",
        )
        _run(self.db, "DROP TABLE temp.vocabulary")

    def _distil(self) -> None:
        """Fill the core table: each article's best terms by tf-idf, grouped by term, in descending impact."""
        (articles,) = self.db.execute("SELECT count(*) FROM article").fetchone()
        _run(self.db, "DELETE FROM core; CREATE TEMP TABLE keyword(term, impact, article)")
        ceiling = math.log(1 + articles)
        rarity: dict[str, float] = {}
        for spool in self._spools():
            wanted = {term for _, counts in spool.core for term, _ in counts} - rarity.keys()
            for term in wanted:
                row = self.db.execute("SELECT articles FROM term WHERE term = :term", {"term": term}).fetchone()
                rarity[term] = math.log(1 + articles / row[0])
            self.db.executemany(
                "INSERT INTO keyword VALUES(?, ?, ?)",
                (
                    (term, impact, article)
                    for article, counts in spool.core
                    for term, impact in _core_terms(counts, rarity, ceiling)
                ),
            )
            if len(rarity) > _RARITY_LIMIT:
                rarity.clear()
        rows = self.db.execute("SELECT term, article, impact FROM keyword ORDER BY term, impact DESC, article")
        self.db.executemany("INSERT INTO core VALUES(?, ?)", _grouped(rows))
        _run(self.db, "DROP TABLE keyword")

    def _totals(self) -> Totals:
        row = self.db.execute(
            "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(tokens), 0), coalesce(sum(lead_tokens), 0),"
            " (SELECT coalesce(sum(passage_tokens), 0) FROM part) FROM article"
        ).fetchone()
        return Totals(*row)

    def _spools(self) -> Iterator[_Spool]:
        for number in sorted(self.done_parts()):
            yield _Spool(*json.loads(zstandard.decompress(self._spool_path(number).read_bytes())))

    def _frequent(self, counts: Counter[str]) -> list[tuple[str, int]]:
        """The stems that may become core keywords; ties by term, so that the same text gives the same keywords."""
        content = ((term, n) for term, n in counts.items() if term not in self._common)
        return sorted(content, key=lambda item: (-item[1], item[0]))[: core.SPOOLED]

    def _spool_path(self, number: int) -> Path:
        return self.path.with_suffix(f".{number:05}.spool")


class LinkCounter:
    """Adds up in-links by target path over all shards, on disk, so that memory stays flat."""

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path))
        _run(self._db, "PRAGMA journal_mode=off; PRAGMA synchronous=off")
        _run(self._db, "CREATE TABLE IF NOT EXISTS link(path TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID")
        _run(self._db, "DELETE FROM link")

    def add(self, links: Mapping[str, int]) -> None:
        with self._db:
            self._db.executemany(
                "INSERT INTO link VALUES(?, ?) ON CONFLICT(path) DO UPDATE SET n = n + excluded.n",
                sorted(links.items()),
            )

    def close(self) -> None:
        self._db.close()


_INSERT_ALIAS = (
    "INSERT INTO alias(article, title, path, anchor, key, bag, folded)"
    " VALUES(:article, :title, :path, :anchor, :key, :bag, :folded)"
)
_RARITY_LIMIT = 2_000_000  # entries of the idf cache, about 200 MB, before it is emptied


def alias_row(article: int, alias: Alias, analyzer: Analyzer) -> dict[str, str | int | None]:
    """The alias table's columns for one name of an article."""
    return {
        "article": article,
        "title": alias.title,
        "path": alias.path,
        "anchor": alias.anchor or None,
        "key": title_key(alias.title),
        "bag": title_bag(analyzer.stems(alias.title)),
        "folded": fold(alias.title),
    }


def _length(stems: str) -> int:
    return stems.count(" ") + 1 if stems else 0


def set_facts(db: apsw.Connection, facts: Mapping[str, str | int | bytes]) -> None:
    """Record named values of a shard."""
    db.executemany("INSERT OR REPLACE INTO fact VALUES(?, ?)", facts.items())


def _core_terms(
    counts: Sequence[tuple[str, int]], rarity: Mapping[str, float], ceiling: float
) -> list[tuple[str, int]]:
    """The KEPT best terms by saturated tf times idf, with an impact of 1..255 relative to the ceiling."""
    scored = ((count / (count + 2.0) * rarity[term], term) for term, count in counts)
    best = sorted(scored, key=lambda item: (-item[0], item[1]))[: core.KEPT]
    return [(term, max(1, min(255, round(255 * weight / ceiling)))) for weight, term in best]


def _grouped(rows: Iterable[tuple[str, int, int]]) -> Iterator[tuple[str, bytes]]:
    term, postings = None, []
    for name, article, impact in rows:
        if name != term:
            if term is not None:
                yield term, core.pack(postings)
            term, postings = name, []
        if len(postings) < core.LONGEST:
            postings.append((article, impact))
    if term is not None:
        yield term, core.pack(postings)


def sync(path: Path) -> None:
    """Force a file or folder to the disk, so that what names it may be written next."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _run(db: apsw.Connection, statements: str) -> None:
    db.execute(statements).fetchall()
