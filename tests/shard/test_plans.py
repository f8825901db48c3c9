"""The schema as it stands, and that no look-up reads a whole table."""

from __future__ import annotations

from pathlib import Path

import pytest

from aborist.query.routes import title, title_like
from aborist.shard.read import Shard
from aborist.shard.schema import SCHEMA_VERSION, open_readonly

TABLES = {
    "alias": "id article title path anchor key bag folded",
    "article": "id path title kind root passages tokens lead_tokens stored_at stored_bytes links",
    "core": "term postings",
    "fact": "name value",
    "part": "number articles passage_tokens",
    "passage": "body head",
    "term": "term articles leads passages",
    "text": "id piece",
    "title_gram": "folded",
    "title_word": "stems",
}
INDEXES = {"alias_article", "alias_bag", "alias_key", "alias_path", "article_path", "article_root"}
# Statement -> an index or table that its plan must name.
LOOK_UPS = {
    title._BY_NAME: "USING INDEX alias_key",
    title_like._BY_SPAN: "USING INDEX alias_bag",
    title_like._CONTAINING: "USING INTEGER PRIMARY KEY",
    "SELECT postings FROM core WHERE term = :term": "USING PRIMARY KEY",
    "SELECT articles, leads, passages FROM term WHERE term = :term": "USING PRIMARY KEY",
    "SELECT id FROM article WHERE path = :path": "article_path",
    "SELECT id FROM article WHERE substr(root, 1, 4) = :start": "article_root",
}


@pytest.fixture(scope="module")
def shard(shards: Path) -> Path:
    return shards / "other" / "000.db"


def test_a_change_of_the_tables_is_a_change_of_the_schema_version(shard: Path) -> None:
    """Whoever changes one of these raises SCHEMA_VERSION and this test's."""
    db = open_readonly(shard)
    own = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\'"
    names = {name for (name,) in db.execute(own)} | {"title_gram", "title_word"}
    found = {
        table: " ".join(name for (name,) in db.execute(f"SELECT name FROM pragma_table_info('{table}')"))
        for table in names
    }
    indexes = {n for (n,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")}
    assert (SCHEMA_VERSION, found, indexes) == (3, TABLES, INDEXES)


@pytest.mark.parametrize("statement", LOOK_UPS, ids=range(len(LOOK_UPS)))
def test_a_look_up_reads_no_whole_table(shard: Path, statement: str) -> None:
    db = Shard(shard).db
    names = "key bag keys bags topic most term path start".split()
    plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", dict.fromkeys(names, "x"))]
    assert any(LOOK_UPS[statement] in step for step in plan), plan
    tables = ("article", "alias", "core", "term", "text")
    assert not [step for step in plan if step in {f"SCAN {table}" for table in tables}]
