"""index() and remove() on real archives: what is in the shards, when they are built, what is told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from aborist import build
from aborist.engine import Engine
from aborist.errors import IndexStateError, StorageError
from aborist.ingest import zim
from aborist.shard import core
from aborist.shard import manifest as manifests
from aborist.shard.manifest import Manifest
from aborist.shard.read import Entry, Shard
from aborist.shard.schema import open_readonly, select
from aborist.text import analyzer_for
from aborist.types import Kind
from tests import zims
from tests.privileges import as_anybody

THEMES = "river bridge castle engine forest harbour island lantern mountain orchard palace quarry".split()


class Quiet:
    """Progress that only adds up what it is told."""

    def __init__(self) -> None:
        self.told = 0
        self.stages: list[str] = []

    def start(self, archive: str, articles: int) -> None:
        self.stages.append(f"{archive}: {articles}")

    def stage(self, archive: str, name: str) -> None:
        self.stages.append(f"{archive}: {name}")

    def advance(self, archive: str, articles: int) -> None:
        assert archive
        self.told += articles


def corpus(count: int) -> list[zims.Page]:
    """Articles with sections, shared and unique words, and links: forwards, through redirects, to itself."""
    pages = []
    for n in range(count):
        theme, other = THEMES[n % len(THEMES)], THEMES[n * 5 % 11]
        text = (
            f"<h1>{theme.title()} {n}</h1><p>The {theme} number {n} stands by the {other}. Its keeper is"
            f' named Keeper{n}. See <a href="{THEMES[(n + 1) % 12]}_{(n + 1) % count}">the next</a> and'
            f' <a href="r{n // 2}">another</a> and <a href="{theme}_{n}#x">itself</a>.</p>'
            f'<h2 id="x">History of {other}</h2>'
            f"<p>{f'In year {n} the {theme} was built of stone. ' * (n % 7 + 1)}</p>"
        )
        pages.append(zims.Page(f"{theme}_{n}", f"{theme.title()} {n}", text))
    return pages


def redirects(count: int) -> list[tuple[str, str, str]]:
    return [(f"r{n}", f"Alias {n}", f"{THEMES[n % 12]}_{n}") for n in range(0, count, 3)]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """240 articles in about 30 clusters, with 80 redirects."""
    file = tmp_path_factory.mktemp("zim") / "corpus.zim"
    return zims.build(file, corpus(240), redirects(240), main="river_0", cluster_bytes=4096)


@pytest.fixture(scope="module")
def built(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its index in three shards. Only read."""
    shards = tmp_path_factory.mktemp("shards")
    indexed([archive], shards, shard_count=3)
    return shards / "corpus"


def indexed(archives: Sequence[Path], shards: Path, **options: int) -> list[build.ArchiveReport]:
    return build.index(archives, shards, progress=Quiet(), **options)


def opened(folder: Path) -> Iterator[apsw.Connection]:
    for shard in manifests.load(folder).shards:
        with closing(open_readonly(folder / shard.name)) as db:
            yield db


def rows(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    """The rows of all shards together."""
    return [row for db in opened(folder) for row in db.execute(statement).fetchall()]


def contents(folder: Path) -> dict[str, object]:
    """All that an index holds, apart from how it is spread over shards and rows."""
    aliases = (
        "SELECT article.path, a.title, a.path, anchor, key, bag, folded"
        " FROM alias AS a JOIN article ON article = article.id"
    )
    articles = "SELECT path, title, kind, root, passages, tokens, lead_tokens, links FROM article"
    return {
        "articles": sorted(rows(folder, articles)),
        "aliases": sorted(rows(folder, aliases), key=repr),
        "frequencies": frequencies(folder),
        "texts": sorted((entry.path, repr(shard.layout(entry.id))) for shard, entry in entries(folder)),
    }  # fmt: skip


def entries(folder: Path) -> Iterator[tuple[Shard, Entry]]:
    for file in manifests.load(folder).shards:
        with closing(Shard(folder / file.name)) as shard:
            for entry in shard.entries("id > :zero ORDER BY id", {"zero": 0}):
                yield shard, entry


def frequencies(folder: Path) -> dict[str, tuple[int, ...]]:
    summed: dict[str, list[int]] = {}
    for term, *counts in rows(folder, "SELECT term, articles, leads, passages FROM term"):
        known = summed.setdefault(str(term), [0, 0, 0])
        for level, count in enumerate(counts):
            known[level] += count
    return {term: tuple(counts) for term, counts in sorted(summed.items())}


# -- what is in the shards ---------------------------------------------------------------------------------


def test_every_database_is_sound(built: Path) -> None:
    for shard in manifests.load(built).shards:
        # A copy: FTS5's own check is written as an insert.
        with closing(apsw.Connection(":memory:")) as copy, closing(open_readonly(built / shard.name)) as db:
            with copy.backup("main", db, "main") as step:
                step.step()
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            for table in ("title_gram", "title_word", "passage"):
                copy.execute(f"INSERT INTO {table}({table}, rank) VALUES('integrity-check', 0)").fetchall()


def test_nothing_lies_beside_the_shards(built: Path) -> None:
    names = {shard.name for shard in manifests.load(built).shards}
    assert {file.name for file in built.iterdir()} == names | {"manifest.json"}
    assert {file.name for file in built.parent.iterdir()} == {"corpus", ".lock"}
    for db in opened(built):
        assert db.pragma("journal_mode") == "delete"
        assert db.pragma("freelist_count") < db.pragma("page_count") / 20


def test_the_manifest_tells_the_files_as_they_are(built: Path, archive: Path) -> None:
    manifest = manifests.load(built)
    for shard in manifest.shards:
        assert (built / shard.name).stat().st_size == shard.bytes
        assert manifests.file_sha256(built / shard.name) == shard.sha256
    assert (manifest.articles, manifest.aliases, manifest.complete) == (240, 80, True)
    assert manifest.source == str(archive)
    assert manifest.main_path == "river_0"
    assert sum(shard.articles for shard in manifest.shards) == 240


def test_passage_rows_follow_one_another_and_belong_to_their_article(built: Path) -> None:
    for db in opened(built):
        following = 1
        for article, passages in select(db, "SELECT id, passages FROM article ORDER BY id"):
            assert article == following
            assert passages >= 1
            following = article + passages
        numbers = [n for (n,) in select(db, "SELECT id FROM passage_docsize ORDER BY id")]
        assert numbers == list(range(1, following))


def test_frequencies_equal_a_recount_at_all_three_levels(built: Path) -> None:
    """From the stored text and headings, by the shortest code that can count them."""
    analyzer = analyzer_for("eng")
    expected: dict[str, list[int]] = {}

    def count(stems: set[str], level: int) -> None:
        for stem in stems:
            expected.setdefault(stem, [0, 0, 0])[level] += 1

    for shard, entry in entries(built):
        document, passages, lengths = shard.layout(entry.id)
        title = analyzer.stems(entry.title).split()
        bodies = [analyzer.stems(document.text[span.start : span.end]).split() for span in passages]
        assert [len(body) for body in bodies] == list(lengths)
        text = [stem for body in bodies for stem in body]
        assert entry.tokens == len(title) + len(text)
        count(set(title + text), 0)
        count(set(title + text[:100]), 1)
        for span, body in zip(passages, bodies, strict=True):
            heading = analyzer.stems(" ".join(document.sections[span.section].heading)).split()
            count(set(title + heading + body), 2)
    assert frequencies(built) == {term: tuple(counts) for term, counts in sorted(expected.items())}


def test_totals_add_up(built: Path) -> None:
    manifest = manifests.load(built)
    (summed,) = {
        tuple(map(sum, zip(*rows(built, f"SELECT count(*), {columns} FROM article"), strict=True)))
        for columns in ("sum(passages), sum(tokens), sum(lead_tokens)",)
    }
    told = [(s.articles, s.passages, s.article_tokens, s.lead_tokens) for s in manifest.shards]
    assert summed == tuple(map(sum, zip(*told, strict=True)))


def test_in_links_equal_a_naive_count_through_redirects(built: Path) -> None:
    names = {page.path: page.path for page in corpus(240)} | {path: target for path, _, target in redirects(240)}
    expected = Counter[str]()
    for n in range(240):
        for target in {f"{THEMES[(n + 1) % 12]}_{(n + 1) % 240}", f"r{n // 2}"}:
            if target in names and names[target] != f"{THEMES[n % 12]}_{n}":
                expected[names[target]] += 1
    found = dict(rows(built, "SELECT path, links FROM article WHERE links > 0"))
    # r0 leads from article 0 to itself by another name, which the page's own aliases tell.
    assert found == dict(expected)


def test_core_keywords_are_common_terms_of_their_articles(built: Path) -> None:
    for db in opened(built):
        ids = [article for (article,) in db.execute("SELECT id FROM article ORDER BY id").fetchall()]
        assert core.unpack_ids(select(db, "SELECT value FROM fact WHERE name = 'articles_at'")[0][0]).tolist() == ids
        kept = Counter[int]()
        for term, blob in select(db, "SELECT term, postings FROM core"):
            places, levels = core.unpack(blob)
            assert len(places) == len(levels)
            assert term not in {"the", "of"}
            kept.update(places.tolist())
        assert set(kept) == set(range(len(ids)))
        assert max(kept.values()) <= core.KEPT


@pytest.mark.parametrize("options", [{"shard_count": 1}, {"shard_count": 2}, {"shard_count": 7}, {"shard_count": 64}])
def test_shard_count_changes_the_files_and_nothing_else(
    archive: Path, built: Path, tmp_path: Path, options: dict[str, int]
) -> None:
    (report,) = indexed([archive], tmp_path, **options)
    found, expected = manifests.load(tmp_path / "corpus"), manifests.load(built)
    assert report.shards == len(found.shards) <= options["shard_count"]
    assert found.snapshot_root == expected.snapshot_root
    assert contents(tmp_path / "corpus") == contents(built)
    assert all(shard.articles for shard in found.shards)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_worker_processes_build_the_same_files(archive: Path, built: Path, tmp_path: Path, workers: int) -> None:
    """Byte for byte: nothing in a shard depends on when or where it was built."""
    indexed([archive], tmp_path, workers=workers, shard_count=3, part_articles=20)
    again = tmp_path / "again"
    indexed([archive], again, workers=1, shard_count=3, part_articles=20)
    found = manifests.load(tmp_path / "corpus")
    assert [s.sha256 for s in found.shards] == [s.sha256 for s in manifests.load(again / "corpus").shards]
    assert found.snapshot_root == manifests.load(built).snapshot_root


# -- odd archives ------------------------------------------------------------------------------------------


def test_an_archive_without_articles_is_indexed_and_told(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "none.zim", [zims.Page("a.css", "", "b{}", "text/css", None)])
    (report,) = indexed([file], tmp_path / "shards")
    assert (report.status, report.articles, report.shards) == ("indexed", 0, 1)
    assert "no articles" in report.warnings[0]
    with closing(Engine.open(tmp_path / "shards")) as engine:
        assert not engine.ask("anything").answered


def test_one_article_and_an_asset(tmp_path: Path) -> None:
    """Case Z08: only articles are indexed; the report counts what was skipped by type."""
    assets = [
        zims.Page("s.css", "", "b{}", "text/css", None),
        zims.Page("x.js", "", "1", "text/javascript", None),
    ]
    file = zims.build(tmp_path / "one.zim", [zims.page("Tea", "A drink."), *assets])
    (report,) = indexed([file], tmp_path / "shards", workers=2)
    assert report.articles == 1
    assert report.skipped == {"text/css": 1, "text/javascript": 1}


def test_equal_bodies_are_told_as_identical(tmp_path: Path) -> None:
    """Case H15: a scrape that went wrong is no plain success."""
    pages = [zims.page(name, "[object Object]") for name in ("Soup", "Bread", "Cake")]
    (report,) = indexed([zims.build(tmp_path / "soup.zim", pages)], tmp_path / "shards", shard_count=2)
    assert any("3 of 3 articles have the identical text '[object Object]'" in line for line in report.warnings)


def test_a_few_equal_bodies_among_many_are_no_warning(tmp_path: Path) -> None:
    pages = [*corpus(40), *(zims.page(name, "See the list.") for name in ("A", "B"))]
    (report,) = indexed([zims.build(tmp_path / "x.zim", pages)], tmp_path / "shards")
    assert report.warnings == []


def test_pages_without_text_are_counted(tmp_path: Path) -> None:
    """Case W04."""
    spinner = "<html><body><div id='app'></div><script>load()</script></body></html>"
    pages = [zims.page("Tea", "A drink."), *(zims.Page(f"app{n}", f"App {n}", spinner) for n in range(3))]
    (report,) = indexed([zims.build(tmp_path / "x.zim", pages)], tmp_path / "shards")
    assert any("3 of 4 pages have no text" in line for line in report.warnings)
    kinds = rows(tmp_path / "shards" / "x", "SELECT title, kind FROM article WHERE title LIKE 'App%'")
    assert kinds == [(f"App {n}", Kind.NO_TEXT) for n in range(3)]


def test_pdfs_are_findable_by_name_and_counted(tmp_path: Path) -> None:
    """Case W03."""
    pdf = zims.Page("docs/field_hygiene_manual.pdf", "", b"%PDF-1.4", "application/pdf", None)
    file = zims.build(tmp_path / "x.zim", [zims.page("Soap", "Soap cleans."), pdf])
    (report,) = indexed([file], tmp_path / "shards")
    assert report.skipped == {"application/pdf (text not read)": 1}
    with closing(Engine.open(tmp_path / "shards")) as engine:
        results = engine.ask("field hygiene manual").results
    assert results[0].path == "docs/field_hygiene_manual.pdf"


def test_redirect_loops_are_told_once_and_skipped(tmp_path: Path) -> None:
    """Case R07."""
    loops = [("A", "A", "Home"), ("B", "B", "Home"), ("S", "S", "Home")]
    file = zims.build(tmp_path / "x.zim", [zims.page("Home", "A home.")], loops)
    zims.point(file, "A", "B")
    zims.point(file, "B", "A")
    zims.point(file, "S", "S")
    (report,) = indexed([file], tmp_path / "shards")
    assert report.skipped == {"redirect loop": 3}
    assert any("3 x redirect loop" in line for line in report.warnings)
    with closing(Engine.open(tmp_path / "shards")) as engine:
        assert engine.ask("A").question.text == "A"


def refresh(path: str, target: str) -> zims.Page:
    head = f'<meta http-equiv="refresh" content="0; url={target}"><title>{path}</title>'
    return zims.Page(path, path.replace("_", " "), f"<html><head>{head}</head><body></body></html>")


@pytest.mark.parametrize("shard_count", [1, 5])
def test_stubs_become_names_of_their_target_in_any_shard(tmp_path: Path, shard_count: int) -> None:
    """Case R04, with a stub of a stub, a stub of a redirect, a redirect to a stub, and stubs of nothing."""
    stubs = [
        refresh("Not_equal", "river_0#x"),
        refresh("Unequal", "Not_equal"),
        refresh("By_alias", "r3#x"),
        refresh("Lost", "nowhere"),
        refresh("Turn", "Return"),
        refresh("Return", "Turn"),
    ]
    names = [*redirects(60), ("Zenith", "Zenith", "Not_equal")]
    file = zims.build(tmp_path / "x.zim", [*corpus(60), *stubs], names, cluster_bytes=2048)
    (report,) = indexed([file], tmp_path / "shards", shard_count=shard_count)
    folder = tmp_path / "shards" / "x"
    query = (
        "SELECT a.path, article.path, anchor FROM alias AS a JOIN article ON article.id = article"
        " WHERE a.path IS NOT NULL"
    )
    adopted = {row[0]: row[1:] for row in rows(folder, query) if not str(row[0]).startswith("r")}
    assert adopted == {
        "Not_equal": ("river_0", "x"),
        "Unequal": ("river_0", "x"),
        "Zenith": ("river_0", "x"),
        "By_alias": ("engine_3", "x"),
    }
    assert (report.articles, report.redirects) == (60, 20 + 4)
    assert report.skipped == {"refresh loop": 2, "refresh to a non-article": 1}


def test_boilerplate_is_in_no_passage_but_in_the_text(tmp_path: Path) -> None:
    line = "Support us by buying the yearbook."
    pages = [zims.Page(f"p{n}", f"Page {n}", f"<p>Fact number {n} is odd.</p><p>{line}</p>") for n in range(12)]
    indexed([zims.build(tmp_path / "x.zim", pages)], tmp_path / "shards")
    folder = tmp_path / "shards" / "x"
    for shard, entry in entries(folder):
        document, passages, _ = shard.layout(entry.id)
        assert line in document.text
        assert not any(line in document.text[span.start : span.end] for span in passages)
    assert "yearbook" not in frequencies(folder)


@pytest.mark.parametrize("path", ["../../../tmp/pwned", "/etc/passwd", "..", "a/../../b", "CON", "x" * 300])
def test_paths_of_entries_are_never_names_of_files(tmp_path: Path, path: str) -> None:
    """Case M01."""
    file = zims.build(tmp_path / "x.zim", [zims.page("Evil", "An evil page.", path), zims.page("Tea", "A drink.")])
    (report,) = indexed([file], tmp_path / "inner" / "shards")
    assert report.articles == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["inner", "x.zim"]
    assert sorted(p.name for p in (tmp_path / "inner" / "shards").iterdir()) == [".lock", "x"]
    assert (path,) in rows(tmp_path / "inner" / "shards" / "x", "SELECT path FROM article")


@pytest.mark.parametrize("title", ["word " * 40, "\u200b", "a'b\"c]]>--", "日本" * 500, "%s ? #", '"NEAR("'])
def test_odd_titles_are_stored_as_they_are(tmp_path: Path, title: str) -> None:
    file = zims.build(tmp_path / "x.zim", [zims.Page("p", title, "<p>Some body.</p>")])
    indexed([file], tmp_path / "shards")
    assert rows(tmp_path / "shards" / "x", "SELECT path FROM article") == [("p",)]
    with closing(Engine.open(tmp_path / "shards")) as engine:
        assert engine.ask(title[:200]).results is not None


def test_a_body_with_nul_bytes_is_indexed(tmp_path: Path) -> None:
    page = zims.Page("p", "Zero", b"<p>before\0after \xff\xfe verbatim</p>")
    indexed([zims.build(tmp_path / "x.zim", [page])], tmp_path / "shards")
    assert frequencies(tmp_path / "shards" / "x")["verbatim"] == (1, 1, 1)


@pytest.mark.slow
def test_an_article_of_5_mb_is_found_by_title_and_by_its_last_sentence(tmp_path: Path) -> None:
    """Case L09."""
    body = "".join(
        f"<p>Paragraph {n} of the long list tells of stones and rivers in valley {n}.</p>" for n in range(70_000)
    )
    page = zims.Page("Long", "Long country", f"<html><body>{body}<p>The verrin bell is silent.</p></body></html>")
    assert len(page.content) > 5_000_000
    indexed([zims.build(tmp_path / "x.zim", [page, zims.page("Bell", "A bell rings.")])], tmp_path / "shards")
    with closing(Engine.open(tmp_path / "shards")) as engine:
        assert engine.ask("Long country").results[0].path == "Long"
        found = engine.ask("verrin bell")
    assert found.results[0].path == "Long"
    assert "verrin bell is silent" in found.evidence[0].quote


# -- names, updates, removal -------------------------------------------------------------------------------


def test_an_unchanged_archive_is_left_alone(archive: Path, tmp_path: Path) -> None:
    indexed([archive], tmp_path)
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "corpus").iterdir()}
    progress = Quiet()
    (report,) = build.index([archive], tmp_path, workers=4, progress=progress)
    assert (report.status, report.articles, report.redirects) == ("unchanged", 240, 80)
    assert progress.stages == []
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "corpus").iterdir()} == before


def test_another_shard_count_builds_again_and_more_than_there_can_be_does_not(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "x.zim", corpus(20), cluster_bytes=2048)
    assert [r.status for r in indexed([file], tmp_path / "s", shard_count=2)] == ["indexed"]
    assert [r.status for r in indexed([file], tmp_path / "s", shard_count=2)] == ["unchanged"]
    (more,) = indexed([file], tmp_path / "s", shard_count=500)
    assert (more.status, more.shards < 21) == ("indexed", True)
    assert [r.status for r in indexed([file], tmp_path / "s", shard_count=500)] == ["unchanged"]
    assert len(list((tmp_path / "s" / "x").glob("*.db"))) == more.shards


def test_a_replaced_archive_is_built_again_under_its_name(tmp_path: Path) -> None:
    """Case Z12: readers that opened the old files keep answering from them."""
    file = zims.build(tmp_path / "x.zim", [zims.page("Old town", "The old town has walls.")])
    indexed([file], tmp_path / "s")
    for round_ in range(3):
        with closing(Engine.open(tmp_path / "s")) as reader:
            file.unlink()
            zims.build(file, [zims.page(f"New town {round_}", f"The new town has {round_} towers.")])
            (report,) = indexed([file], tmp_path / "s")
            assert (report.status, report.archive) == ("indexed", "x")
            assert "town" in reader.ask("town walls towers").results[0].title.lower()
        with closing(Engine.open(tmp_path / "s")) as reader:
            assert [r.title for r in reader.ask("town towers").results] == [f"New town {round_}"]
        folder = tmp_path / "s" / "x"
        assert {f.name for f in folder.iterdir()} == {s.name for s in manifests.load(folder).shards} | {"manifest.json"}


def test_two_archives_with_one_stem_stay_apart(tmp_path: Path) -> None:
    """Case Z11."""
    for folder, text in (("a", "Alpha text."), ("b", "Beta text.")):
        (tmp_path / folder).mkdir()
        zims.build(tmp_path / folder / "wiki.zim", [zims.page("Page", text)])
    files = [tmp_path / "a" / "wiki.zim", tmp_path / "b" / "wiki.zim"]
    first, second = indexed(files, tmp_path / "s")
    with zim.open_archive(files[1]) as opened_archive:
        assert (first.archive, second.archive) == ("wiki", f"wiki-{opened_archive.uuid[:6]}")
    assert [r.status for r in indexed(files, tmp_path / "s")] == ["unchanged", "unchanged"]
    files[1].unlink()
    zims.build(files[1], [zims.page("Page", "Gamma text.")])
    assert [r.archive for r in indexed(files, tmp_path / "s")] == [first.archive, second.archive]
    assert len(manifests.archives_in(tmp_path / "s")) == 2


def test_one_file_named_twice_is_indexed_once(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "link.zim").symlink_to(archive)
    reports = indexed([archive, archive, tmp_path / "link.zim"], tmp_path / "s")
    assert len(reports) == 1


def test_a_moved_file_keeps_its_name_and_is_told(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    shutil.copy(archive, tmp_path / "a" / "m.zim")
    indexed([tmp_path / "a" / "m.zim"], tmp_path / "s")
    (tmp_path / "a" / "m.zim").rename(tmp_path / "b" / "m.zim")
    (report,) = indexed([tmp_path / "b" / "m.zim"], tmp_path / "s")
    assert (report.status, report.archive) == ("unchanged", "m")
    assert manifests.load(tmp_path / "s" / "m").source == str(tmp_path / "b" / "m.zim")


def test_good_files_of_a_folder_are_indexed_and_bad_ones_named(tmp_path: Path) -> None:
    """Case Z06."""
    folder = tmp_path / "zims"
    folder.mkdir()
    good = zims.build(folder / "good.zim", corpus(20))
    (folder / "zero.zim").touch()
    (folder / "garbage.zim").write_bytes(b"not a zim" * 100)
    shutil.copy(good, folder / "cut.zim")
    zims.truncate(folder / "cut.zim", good.stat().st_size // 2)
    reports = {Path(report.file).name: report for report in indexed([folder], tmp_path / "s")}
    assert {name: report.status for name, report in reports.items()} == {
        "good.zim": "indexed", "zero.zim": "failed", "garbage.zim": "failed", "cut.zim": "failed",
    }  # fmt: skip
    for name in ("zero.zim", "garbage.zim", "cut.zim"):
        error = reports[name].error
        assert error is not None
        assert name in error["expected"]
    assert [f.name for f in manifests.archives_in(tmp_path / "s")] == ["good"]


def test_a_split_archive_goes_by_the_name_of_the_whole(tmp_path: Path) -> None:
    """Case Z03."""
    file = zims.build(tmp_path / "big.zim", corpus(30))
    parts = zims.split(file, file.stat().st_size // 3 + 1)
    (report,) = indexed([tmp_path], tmp_path / "s")
    assert (report.archive, report.articles) == ("big", 30)
    parts[1].unlink()
    (report,) = indexed([file], tmp_path / "t")
    assert report.status == "failed"
    assert parts[1].name in str(report.error)


def test_damaged_clusters_cost_their_articles_and_are_told(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "x.zim", corpus(60), cluster_bytes=4096)
    zims.smash_cluster(file, "castle_2")
    (report,) = indexed([file], tmp_path / "s")
    lost = sum(count for reason, count in report.skipped.items() if reason.startswith("unreadable"))
    assert lost
    assert report.articles + lost == 60
    assert any(f"{lost} entries could not be read" in line for line in report.warnings)


def test_remove_takes_an_archive_and_what_was_begun_of_it(archive: Path, tmp_path: Path) -> None:
    indexed([archive], tmp_path)
    (tmp_path / ".building-corpus").mkdir()
    build.remove(tmp_path, "corpus")
    assert [file.name for file in tmp_path.iterdir()] == [".lock"]


@pytest.mark.parametrize("name", ["nothing", "../other", ".lock", "", "."])
def test_remove_of_what_is_not_there_names_what_is(archive: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "other").mkdir()
    indexed([archive], tmp_path / "s")
    with pytest.raises(IndexStateError, match="there are: corpus"):
        build.remove(tmp_path / "s", name)
    assert (tmp_path / "other").is_dir()


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: "",
        lambda text: text[:50],
        lambda text: text.replace('"schema": ', '"schema": 9'),
        lambda _: "[]",
    ],
    ids=["empty", "torn", "schema", "list"],
)
def test_an_index_that_cannot_be_read_is_built_again(
    archive: Path, tmp_path: Path, damage: Callable[[str], str]
) -> None:
    indexed([archive], tmp_path)
    path = tmp_path / "corpus" / "manifest.json"
    path.write_text(damage(path.read_text()))
    (report,) = indexed([archive], tmp_path)
    assert report.status == "indexed"
    assert len(list((tmp_path / "corpus").glob("*.db"))) == report.shards


def test_a_shard_that_lost_bytes_is_built_again(archive: Path, tmp_path: Path) -> None:
    indexed([archive], tmp_path)
    shard = tmp_path / "corpus" / "000.db"
    shard.write_bytes(shard.read_bytes()[:-100])
    assert [r.status for r in indexed([archive], tmp_path)] == ["indexed"]


# -- where it is written -----------------------------------------------------------------------------------


def test_a_published_index_on_read_only_media_answers_and_stays_as_it_is(archive: Path, tmp_path: Path) -> None:
    """Case L07."""
    indexed([archive], tmp_path, shard_count=2)
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    before = sorted(tmp_path.rglob("*"))
    try:
        with closing(Engine.open(tmp_path)) as engine:
            assert engine.ask("keeper of river number 0").results
        assert sorted(tmp_path.rglob("*")) == before
    finally:
        for path in (tmp_path, *tmp_path.rglob("*")):
            path.chmod(0o755)


def test_a_folder_that_cannot_be_written_is_named(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="file/shards"):
        indexed([archive], tmp_path / "file" / "shards")


def test_a_read_only_folder_is_named(archive: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with as_anybody(), pytest.raises(StorageError, match=str(tmp_path)):
        indexed([archive], tmp_path / "shards")


LIMITED = """
import json, resource, sys
from aborist import cli
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(cli.main(sys.argv[2:]))
"""


def test_a_full_disk_is_one_clear_line_and_the_next_run_resumes(archive: Path, built: Path, tmp_path: Path) -> None:
    """Case L04, by a limit on the size of files, which needs no rights: every write beyond it fails."""
    command = [
        sys.executable,
        "-c",
        LIMITED,
        "100000",
        "index",
        str(archive),
        "--shards",
        str(tmp_path / "s"),
    ]
    # The measuring of coverage would fail on the full disk too, and say so at length.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    full = subprocess.run([*command, "--workers", "2"], capture_output=True, text=True, check=False, env=environment)
    assert full.returncode == 1, full.stderr
    (line,) = [line for line in full.stderr.splitlines() if line.startswith("aborist:")]
    assert str(tmp_path / "s") in line
    assert "Traceback" not in full.stderr
    assert manifests.archives_in(tmp_path / "s") == []
    (report,) = indexed([archive], tmp_path / "s", shard_count=3)
    assert report.status == "indexed"
    assert manifests.load(tmp_path / "s" / "corpus").snapshot_root == manifests.load(built).snapshot_root


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "aborist-test", str(disk)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command here")
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("full", ["index", "temporary"])
def test_a_disk_without_room_is_named(archive: Path, tmp_path: Path, small_disk: Path, full: str) -> None:
    """Case L04."""
    (small_disk / "filler").write_bytes(bytes(900_000))
    shards = small_disk if full == "index" else tmp_path / "s"
    environment = os.environ | ({"SQLITE_TMPDIR": str(small_disk)} if full == "temporary" else {})
    command = [sys.executable, "-m", "aborist", "index", str(archive), "--shards", str(shards), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if full == "temporary" and done.returncode == 0:
        return  # this archive's sorts fit into memory
    assert done.returncode == 1
    assert str(small_disk) in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert set(json.loads(done.stdout)["error"]) == {"expected", "found", "next"}
    assert manifests.archives_in(shards) == []
    (small_disk / "filler").unlink()
    indexed([archive], tmp_path / "elsewhere")


def test_manifests_differ_in_nothing_but_files(archive: Path, built: Path, tmp_path: Path) -> None:
    indexed([archive], tmp_path, shard_count=1)

    def told(manifest: Manifest) -> list[object]:
        return [manifest.uuid, manifest.articles, manifest.aliases, manifest.skipped, manifest.warnings]

    assert told(manifests.load(tmp_path / "corpus")) == told(manifests.load(built))
