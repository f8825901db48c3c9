from __future__ import annotations

import os
import pickle
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libzim.reader import Archive as LibzimArchive

from aborist.errors import ArchiveError
from aborist.ingest.zim import (
    Archive,
    Unreadable,
    find_archives,
    open_archive,
    read,
    read_one,
    scan,
    title_of,
)
from aborist.types import Alias, Article
from tests import zims
from tests.privileges import as_anybody

DATA = os.environ.get("ABORIST_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="ABORIST_DATA is unset: no real archives to read")
ZIMS = Path(DATA or "absent") / "zim"
REAL = sorted(ZIMS.glob("real/*.zim"))
SUITE = sorted(ZIMS.glob("testing-suite/*/*.zim*"))


def articles(archive: Archive, shard_count: int = 1) -> list[Article]:
    found = everything(archive, shard_count)
    assert not [item for item in found if isinstance(item, Unreadable)]
    return [item for item in found if isinstance(item, Article)]


def everything(archive: Archive, shard_count: int = 1, part_articles: int = 2000) -> list[Article | Unreadable]:
    catalog = scan(archive)
    return [
        item
        for shard in range(shard_count)
        for part in catalog.parts(shard, shard_count, part_articles)
        for item in read(archive, part)
    ]


def names(article: Article) -> set[str]:
    return {alias.path for alias in article.aliases}


# Opening


def _make_fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def test_an_archive_tells_what_it_is(tmp_path: Path) -> None:
    metadata = {
        "Title": "My wiki",
        "Language": "eng,fra",
        "Date": "2026-11-30",
        "Name": "my_wiki",
        "Flavour": "maxi",
    }
    pages = [zims.page("Home page"), zims.page("Other")]
    file = zims.build(
        tmp_path / "my.wiki.zim", pages, [("Start", "Start", "Home_page")], main="Start", metadata=metadata
    )
    with open_archive(file) as archive:
        assert (archive.file, archive.stem, archive.size) == (file, "my.wiki", file.stat().st_size)
        assert (archive.title, archive.date, archive.name) == ("My wiki", "2026-11-30", "my_wiki")
        assert (archive.flavour, archive.language, archive.languages) == ("maxi", "eng", ("eng", "fra"))
        assert archive.new_scheme
        assert archive.main_path == "Home_page"
        assert archive.checksum == file.read_bytes()[-16:].hex()
        assert archive.uuid == LibzimArchive(file).uuid.hex
        assert archive.verify() == (True, "")


def test_absent_metadata_is_empty(tmp_path: Path) -> None:
    with open_archive(str(zims.build(tmp_path / "x.zim", [zims.page("A")], metadata={}))) as archive:
        assert (archive.title, archive.language, archive.languages, archive.main_path) == ("", "", (), None)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda file: file.unlink(), "no such file"),
        (lambda file: (file.unlink(), file.mkdir()), "a folder"),
        (lambda file: file.write_bytes(b""), "an empty file"),
        (lambda file: file.write_bytes(b"ZIM"), "not a ZIM archive"),
        (lambda file: file.write_bytes(b"<html>404 Not Found</html>" * 100), "not a ZIM archive"),
        (lambda file: zims.truncate(file, 40), "not a ZIM archive"),
        (lambda file: zims.truncate(file, 80), "cut short"),
        (lambda file: zims.truncate(file, -1), "cut short"),
        (lambda file: file.write_bytes(file.read_bytes() + b"x"), "bad size"),
        (_make_fifo, "no ordinary file"),
    ],
)
def test_what_is_no_whole_archive_is_named_in_one_line(tmp_path: Path, make: object, found: str) -> None:
    file = zims.build(tmp_path / "x.zim", [zims.page("A")])
    assert callable(make)
    make(file)
    with pytest.raises(ArchiveError) as caught:
        open_archive(file)
    assert found in caught.value.found
    assert str(file) in caught.value.expected
    assert "\n" not in str(caught.value)


def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "x.zim", [zims.page("A")])
    file.chmod(0)
    with as_anybody(), pytest.raises(ArchiveError, match="Permission denied"):
        open_archive(file)


@pytest.mark.parametrize("name", ["a\0b.zim", "x" * 5000 + ".zim", "\udcff.zim"])
def test_an_impossible_name_is_an_archive_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArchiveError):
        open_archive(tmp_path / name)


def test_altered_content_fails_verification_with_a_reason(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = zims.build(tmp_path / "x.zim", [zims.page("A", "word " * 500)])
    zims.smash_cluster(file, "A")
    with open_archive(file) as archive:
        good, reason = archive.verify()
    assert not good
    assert reason


# Split archives


@pytest.fixture
def split(tmp_path: Path) -> list[Path]:
    file = zims.build(tmp_path / "x.zim", [zims.page(f"Page {n}", f"{n} " * 400) for n in range(40)])
    parts = zims.split(file, file.stat().st_size // 4 - 7)
    assert len(parts) == 5
    return parts


@pytest.mark.parametrize("name", ["x.zim", "x.zimaa"])
def test_a_split_archive_reads_like_a_whole_one(split: list[Path], name: str) -> None:
    with open_archive(split[0].with_name(name)) as archive:
        assert (archive.stem, archive.file) == ("x", split[0])
        assert archive.size == sum(part.stat().st_size for part in split)
        assert sorted(article.title for article in articles(archive)) == sorted(f"Page {n}" for n in range(40))


def test_entries_that_straddle_two_parts_are_read(tmp_path: Path) -> None:
    whole = zims.build(tmp_path / "x.zim", [zims.page(f"Page {n}") for n in range(9)])
    with open_archive(whole) as archive:
        expected = articles(archive)
    zims.split(whole, whole.stat().st_size // 300)
    with open_archive(whole) as archive:
        assert len(archive.directory.source.parts) > 299
        assert list(archive.directory.records())
        assert [archive.directory.name(n).title for n in range(9)] == [article.title for article in expected]


@pytest.mark.parametrize("lost", range(5))
@pytest.mark.parametrize("name", ["x.zim", "x.zimaa"])
def test_a_missing_part_is_named(split: list[Path], lost: int, name: str) -> None:
    split[lost].unlink()
    with pytest.raises(ArchiveError) as caught:
        open_archive(split[0].with_name(name))
    assert split[lost].name in caught.value.found
    assert split[lost].name in caught.value.next


def test_a_later_part_alone_points_to_the_first(split: list[Path]) -> None:
    with pytest.raises(ArchiveError, match=r"name x\.zimaa or x\.zim instead"):
        open_archive(split[1])


# Finding


def test_a_folder_lists_its_archives_once_and_nothing_else(split: list[Path]) -> None:
    folder = split[0].parent
    zims.build(folder / "b.zim", [zims.page("B")])
    zims.build(folder / "a.ZIM", [zims.page("A")])
    for name in ("notes.txt", "._b.zim", "b.zim.part"):
        (folder / name).write_text("x")
    (folder / "deeper.zim").mkdir()
    (folder / "link.zim").symlink_to("b.zim")
    found, errors = find_archives([folder, folder / "b.zim", folder / "x.zim", folder / "x.zimaa"])
    assert [file.name for file in found] == ["a.ZIM", "b.zim", "x.zimaa"]
    assert errors == []


def test_what_is_missing_is_told_and_the_rest_found(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "a.zim", [zims.page("A")])
    (tmp_path / "empty").mkdir()
    (tmp_path / "orphan").mkdir()
    (tmp_path / "orphan" / "y.zimab").write_bytes(b"x")
    found, errors = find_archives([tmp_path / "no.zim", file, tmp_path / "empty", tmp_path / "orphan"])
    assert found == [file]
    assert [error.found for error in errors] == [
        "no such file",
        "a folder without one",
        "part y.zimaa missing",
    ]


# What is indexed


def test_pages_and_plain_text_are_indexed_and_the_rest_counted(tmp_path: Path) -> None:
    pages = [
        zims.page("Karst"),
        zims.Page("raw", "Raw", "<p>raw</p>", "text/html;raw=true"),
        zims.Page("notes", "Notes", "plain", "text/plain", front=False),
        zims.Page("word", "word", "plain", "text/plain; charset=utf-8", front=False),  # no title is stored
        zims.Page("doc/readme.txt", "", "plain", "text/plain", front=False),
        zims.Page("load.php", "", "var k", "text/plain", front=False),
        zims.Page("robots.txt", "robots", "User-agent: *", "text/plain", front=False),
        zims.Page("-/licence", "Licence", "MIT", "text/plain", front=False),
        zims.Page("frame.html", "Frame", "<p>frame</p>", front=False),
        zims.Page("k.css", "k", "k{}", "text/css", front=False),
        zims.Page("k.png", "k", b"\x89PNG", "image/png", front=False),
        zims.Page("l.png", "l", b"\x89PNG", "image/png", front=False),
        zims.Page("docs/field_hygiene-manual.pdf", "", b"%PDF", "application/pdf", front=False),
        zims.Page("b.epub", "A book", b"PK", "application/epub+zip", front=False),
    ]
    redirects = [
        ("pic", "Picture", "k.png"),
        ("limestone", "Limestone", "Karst"),
        ("manual", "The manual", pages[12].path),
    ]
    with open_archive(zims.build(tmp_path / "x.zim", pages, redirects)) as archive:
        catalog = scan(archive)
        found = {article.path: article for article in articles(archive)}
    assert set(found) == {"Karst", "raw", "notes", "word", "doc/readme.txt", pages[12].path, "b.epub"}
    assert catalog.articles == len(found)
    assert found[pages[12].path].title == "field hygiene manual"
    assert found[pages[12].path].aliases == (Alias("The manual", "manual"),)
    assert (found["b.epub"].title, found["b.epub"].content, found["b.epub"].mime) == (
        "A book",
        b"",
        "application/epub+zip",
    )
    assert found["raw"].mime == "text/html;raw=true"
    assert found["notes"].content == b"plain"
    assert dict(catalog.skipped) == {
        "text/plain (not a page)": 3,
        "not a front article": 1,
        "text/css": 1,
        "image/png": 2,
        "application/pdf (text not read)": 1,
        "application/epub+zip (text not read)": 1,
        "redirect to a non-article": 1,
    }
    assert catalog.examples["image/png"] == "k.png"
    assert catalog.examples["redirect to a non-article"] == "pic"
    assert set(catalog.examples) == set(catalog.skipped)


def test_without_front_articles_every_page_is_indexed(tmp_path: Path) -> None:
    pages = [zims.Page(name, name, f"<p>{name}</p>", front=False) for name in ("one", "two")]
    with open_archive(zims.build(tmp_path / "x.zim", pages)) as archive:
        assert {article.path for article in articles(archive)} == {"one", "two"}


def test_a_page_is_a_front_article_when_only_its_redirect_is_listed(tmp_path: Path) -> None:
    pages = [zims.Page(name, name, f"<p>{name}</p>", front=False) for name in ("one", "two")]
    file = zims.build(tmp_path / "x.zim", pages, [("start", "Start", "hop"), ("hop", "Hop", "one")])
    with open_archive(file) as archive:
        (only,) = articles(archive)
    assert (only.path, names(only)) == ("one", {"start", "hop"})


def test_an_archive_without_articles_has_no_parts(tmp_path: Path) -> None:
    pages = [zims.Page("k.css", "k", "k{}", "text/css", front=False)]
    with open_archive(zims.build(tmp_path / "x.zim", pages)) as archive:
        catalog = scan(archive)
        assert (catalog.articles, catalog.aliases, catalog.parts(0, 1)) == (0, 0, [])


ODD_PATHS = [
    "What is it?",
    "C#",
    "100%",
    "100%25_percent",
    "a/b/c+d&e=f",
    "l'été",
    "Война_и_мир",
    "東京",
    "AC/DC",
    ".htaccess",
    "emoji_😀",
    "e\u0301",  # decomposed: paths are bytes, not normalised
    " leading and trailing ",
    'quote"<b>',
]


def test_odd_paths_come_back_verbatim(tmp_path: Path) -> None:
    pages = [zims.Page(path, f"T {number}", f"<p>{path}</p>") for number, path in enumerate(ODD_PATHS)]
    redirects = [(f"to/{path}", f"R {number}", path) for number, path in enumerate(ODD_PATHS)]
    with open_archive(zims.build(tmp_path / "odd #&% é.zim", pages, redirects)) as archive:
        found = {article.path: article for article in articles(archive)}
        assert set(found) == set(ODD_PATHS)
        for number, path in enumerate(ODD_PATHS):
            assert found[path].content.decode() == f"<p>{path}</p>"
            assert found[path].aliases == (Alias(f"R {number}", f"to/{path}"),)
            assert read_one(archive, path) == found[path]._replace(aliases=())
            assert read_one(archive, f"to/{path}") == found[path]._replace(aliases=())


@pytest.mark.parametrize(
    ("path", "stored", "title"),
    [
        ("Kelp", "Kelp counter", "Kelp counter"),  # a stored title always wins
        ("a.html", "  ", "a"),
        # no title stored: by the format it equals the path
        ("Animal", "", "Animal"),
        ("AC/DC", "", "AC/DC"),
        ("Spider-Man", "", "Spider-Man"),
        ("Node.js", "", "Node.js"),
        ("St._Petersburg", "", "St. Petersburg"),
        ("100%25", "", "100%25"),
        # or there was none: a file name or an address
        ("docs/field_hygiene-manual.pdf", "", "field hygiene manual"),
        ("Boeing-747.html", "", "Boeing 747"),
        ("example.org/how-to/", "", "how to"),
        ("example.org/how-to", "", "how to"),
        ("example.org/", "", "example.org"),
        ("/", "", "/"),
        ("-.html", "", "-.html"),
        ("", "", ""),
    ],
)
def test_the_title_is_the_stored_one_or_read_off_the_path(path: str, stored: str, title: str) -> None:
    assert title_of(path, stored) == title


@given(st.text(), st.text())
def test_a_title_is_never_lost(path: str, stored: str) -> None:
    title = title_of(path, stored)
    shown = "".join(letter for letter in stored if unicodedata.category(letter) != "Cc")
    assert title.strip() or not shown.strip() or not path.strip(" _-\t\n") or unicodedata.category(path[0])[0] in "CZ"
    assert not any(unicodedata.category(letter) == "Cc" for letter in title) or not stored.strip()


# Redirects


def test_chains_end_at_the_article(tmp_path: Path) -> None:
    redirects = [(f"R{n}", f"R{n}", f"R{n + 1}") for n in range(120)] + [("R120", "R120", "Home")]
    with open_archive(zims.build(tmp_path / "x.zim", [zims.page("Home")], redirects)) as archive:
        catalog = scan(archive)
        (home,) = articles(archive)
        assert names(home) == {f"R{n}" for n in range(121)}
        assert (catalog.aliases, dict(catalog.skipped)) == (121, {})


@pytest.mark.parametrize(
    ("patches", "reason", "count"),
    [
        ([("B", "A")], "redirect loop", 3),  # A -> B -> A, and C -> B
        ([("A", "A")], "redirect loop", 1),
        ([("C", "C"), ("B", "C")], "redirect loop", 3),
        ([("B", 2**32 - 1)], "dangling redirect", 3),
        ([("B", 2**32 - 2)], "dangling redirect", 3),
        ([("B", 999)], "dangling redirect", 3),
    ],
)
def test_redirects_that_lead_nowhere_are_counted_once(
    tmp_path: Path, patches: list[tuple[str, str | int]], reason: str, count: int
) -> None:
    redirects = [("A", "A", "B"), ("B", "B", "Home"), ("C", "C", "B"), ("D", "D", "Home")]
    file = zims.build(tmp_path / "x.zim", [zims.page("Home")], redirects, main="Home")
    for source, target in patches:
        zims.point(file, source, target)
    with open_archive(file) as archive:
        catalog = scan(archive)
        (home,) = articles(archive)
        assert dict(catalog.skipped) == {reason: count}
        assert catalog.examples == {reason: "A"}
        assert names(home) == {"A", "B", "C", "D"} - ({"A", "B", "C"} if count == 3 else {"A"})
        assert read_one(archive, "A") is None


def test_a_main_page_in_a_loop_is_none(tmp_path: Path) -> None:
    file = zims.build(tmp_path / "x.zim", [zims.page("Home")], [("A", "A", "Home")], main="A")
    zims.point(file, "A", "A")
    with open_archive(file) as archive:
        assert archive.main_path is None


def test_entries_that_share_their_content_are_one_article(tmp_path: Path) -> None:
    file = zims.build(
        tmp_path / "x.zim",
        [zims.page("Karst"), zims.page("Other")],
        [("R", "Redirected", "Same")],
        aliases=[("Same", "Same page", "Karst")],
    )
    with open_archive(file) as archive:
        found = {article.path: article for article in articles(archive)}
    assert set(found) == {"Karst", "Other"}
    assert set(found["Karst"].aliases) == {Alias("Same page", "Same"), Alias("Redirected", "R")}


def test_equal_titles_stay_apart(tmp_path: Path) -> None:
    pages = [zims.page("Mercury", "planet", "a"), zims.page("Mercury", "metal", "b")]
    with open_archive(zims.build(tmp_path / "x.zim", pages)) as archive:
        assert sorted(article.path for article in articles(archive)) == ["a", "b"]


# Parts


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = [zims.page(f"Page {n}", f"{n} " * (n % 50)) for n in range(300)]
    redirects = [(f"R{n}", f"R{n}", f"Page_{n % 37}") for n in range(200)]
    return zims.build(tmp_path_factory.mktemp("many") / "x.zim", pages, redirects, cluster_bytes=2000)


@pytest.mark.parametrize("part_articles", [1, 10, 2000])
@pytest.mark.parametrize("shard_count", [1, 2, 7, 64])
def test_every_article_is_in_exactly_one_part(many: Path, shard_count: int, part_articles: int) -> None:
    with open_archive(many) as archive:
        catalog = scan(archive)
        shards = [catalog.parts(shard, shard_count, part_articles) for shard in range(shard_count)]
        assert shards == [scan(archive).parts(shard, shard_count, part_articles) for shard in range(shard_count)]
        found = everything(archive, shard_count, part_articles)
    assert Counter(item.path for item in found) == Counter(f"Page_{n}" for n in range(300))
    aliases = Counter(path for item in found if isinstance(item, Article) for path in names(item))
    assert aliases == Counter(f"R{n}" for n in range(200))
    for shard, parts in enumerate(shards):
        assert [(part.shard, part.number) for part in parts] == [(shard, n) for n in range(len(parts))]
        clusters = [cluster for part in parts for cluster in part.clusters]
        assert clusters == sorted(clusters)
        assert all(len(part.entries) >= part_articles for part in parts[:-1])
        assert all(pickle.loads(pickle.dumps(part)) == part for part in parts)  # noqa: S301
    sizes = [sum(len(part.entries) for part in parts) for parts in shards]
    assert max(sizes) - min(sizes) <= 2 * max(Counter(_clusters(many)).values())


def test_articles_come_in_the_order_of_cluster_and_blob(many: Path) -> None:
    with open_archive(many) as archive:
        records = list(archive.directory.records())
        for part in scan(archive).parts(0, 2, 50):
            places = [records[entry][2:] for entry in part.entries]
            assert places == sorted(places)
            assert (places[0][0], places[-1][0]) == part.clusters


def _clusters(file: Path) -> list[int]:
    with open_archive(file) as archive:
        return [target for mime, space, target, _ in archive.directory.records() if chr(space) == "C" and mime < 9]


# Damage


def test_a_damaged_cluster_costs_its_own_articles_only(tmp_path: Path) -> None:
    pages = [zims.page(f"Page {n}", f"{n} words of it " * 100) for n in range(60)]
    file = zims.build(tmp_path / "x.zim", pages, cluster_bytes=8000)
    zims.smash_cluster(file, "Page_7")
    with open_archive(file) as archive:
        found = everything(archive)
        bad = {item.path for item in found if isinstance(item, Unreadable)}
        assert "Page_7" in bad
        assert 1 <= len(bad) < 20
        assert all(item.reason for item in found if isinstance(item, Unreadable))
        assert {item.path for item in found} == {entry.path for entry in pages}
        with pytest.raises(ArchiveError, match="Page_7"):
            read_one(archive, "Page_7")


@pytest.mark.parametrize("path", ["absent", "", "k.png", "A/../x", "\udcff"])
def test_reading_what_is_no_article_gives_none(tmp_path: Path, path: str) -> None:
    pages = [zims.page("Home"), zims.Page("k.png", "k", b"\x89PNG", "image/png", front=False)]
    with open_archive(zims.build(tmp_path / "x.zim", pages)) as archive:
        assert read_one(archive, path) is None


# Real archives


@needs_data
@pytest.mark.parametrize("file", REAL + SUITE, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_real_archives_agree_with_libzim_or_are_refused(file: Path) -> None:
    later_part = file.suffix in {".zimab", ".zimac"}
    try:
        archive = open_archive(file)
    except ArchiveError as error:
        assert later_part or "damaged" in file.name or "invalid" in file.name or "embedded" in file.name
        assert "\n" not in str(error)  # noqa: PT017  both outcomes are checked
        return
    with archive:
        catalog, found = scan(archive), everything(archive)
        expected, redirects = by_libzim(file)
        assert [item.path for item in found if isinstance(item, Unreadable)] == (
            [] if "outofbounds_first_clusterptr" not in file.name else [item.path for item in found]
        )
        assert len(found) == catalog.articles
        if "invalid" in file.name:
            assert not archive.verify()[0]
            return
        # What libzim says of each entry, one by one, is the reference.
        assert {item.path: item.title for item in found if isinstance(item, Article)} == expected
        assert {
            alias.path: item.path for item in found if isinstance(item, Article) for alias in item.aliases
        } == redirects
        assert sum(len(names(item)) for item in found if isinstance(item, Article)) == catalog.aliases
        for item in found[::7]:
            assert read_one(archive, item.path) == item._replace(aliases=())  # type: ignore[call-arg]  # never Unreadable here


def by_libzim(file: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Titles by path of the pages, and targets by path of the redirects, from libzim's entries one by one."""
    zim = LibzimArchive(file)
    spaces = "C" if zim.has_new_namespace_scheme else "AI"
    titles, redirects = {}, {}
    with open_archive(file) as archive:
        spaces_of = [chr(space) for _, space, _, _ in archive.directory.records()]
    for number in range(zim.all_entry_count):
        entry = zim._get_entry_by_id(number)
        if spaces_of[number] not in spaces:
            continue
        if entry.is_redirect:
            end, seen = entry, {number}
            while end.is_redirect and (end := end.get_redirect_entry())._index not in seen:
                seen.add(end._index)
            if not end.is_redirect:
                redirects[entry.path] = end.path
        else:
            try:
                mime = entry.get_item().mimetype
            except RuntimeError:
                continue
            page = spaces_of[number] in "CA" and mime.startswith(("text/html", "text/plain"))
            script = mime == "text/plain" and entry.path.endswith(".php")
            if (page and not script) or mime == "application/epub+zip":
                bare = entry.path if zim.has_new_namespace_scheme else entry.path[2:]
                titles[entry.path] = title_of(bare, "" if entry.title == bare else entry.title)
    return titles, {path: end for path, end in redirects.items() if end in titles}


@needs_data
@pytest.mark.parametrize("folder", ["noTitleListingV0", "nons", "withns"])
def test_the_split_copies_equal_the_whole_ones(folder: str) -> None:
    name = "wikibooks_be_all_nopic_2017-02"
    with (
        open_archive(ZIMS / "testing-suite" / folder / f"{name}.zim") as whole,
        open_archive(ZIMS / "testing-suite" / folder / f"{name}_splitted.zim") as split,
    ):
        assert articles(whole) == articles(split)
        assert (whole.uuid, whole.checksum, whole.size) == (split.uuid, split.checksum, split.size)
