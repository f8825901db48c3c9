"""Archives and questions that are legal and extreme: nothing crashes, and every one of them is told or answered."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from aborist.engine import Engine
from tests import zims
from tests.conftest import Run, build_index


@pytest.fixture(scope="module")
def extreme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of one article, one of 1,000 equal titles, and one of 20,000 redirects to one article."""
    folder = tmp_path_factory.mktemp("extreme")
    tea, coffee = zims.page("Tea", "Tea is a drink made of leaves."), zims.page("Coffee", "Coffee is a drink.")
    same = [
        zims.page("Mercury", f"Mercury number {n} is a thing with word{n % 50} and item{n}.", path=f"m{n}")
        for n in range(1_000)
    ]
    files = [
        zims.build(folder / "one.zim", [tea]),
        zims.build(folder / "same.zim", same),
        zims.build(
            folder / "redirects.zim", [tea, coffee], [(f"r{n}", f"Name {n} of tea", "Tea") for n in range(20_000)]
        ),
    ]
    return build_index(files, folder / "shards")


def long_questions() -> dict[str, str]:
    dice = random.Random(5)
    words = ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(2, 9))) for _ in range(900)]
    return {
        "commonest words": "the and of to in is it a that was",
        "60 rare words": " ".join(f"item{n * 16}" for n in range(60)),
        "one letter": "a",
        "one sign": "?",
        "4,096 characters of random words": " ".join(words)[:4096],
        "4,096 characters without a blank": "x" * 4096,
        "4,096 ideographs": "".join(chr(0x4E00 + dice.randrange(3_000)) for _ in range(4096)),
        "a quotation of 4,096 characters": f'"{" ".join(words)[:4094]}"',
        "many quotations": '"made of leaves" ' * 240,
    }


@pytest.mark.parametrize("kind", long_questions())
def test_an_extreme_question_is_answered_or_refused_with_a_reason(extreme: Path, kind: str) -> None:
    engine = Engine.open(extreme)
    answer = engine.ask(long_questions()[kind])
    assert answer.answered or answer.reason
    assert answer.coverage.shards_answered == answer.coverage.shards_total == len(engine.mounted)
    engine.close()


def test_one_article_equal_titles_and_many_redirects_are_all_found(extreme: Path) -> None:
    engine = Engine.open(extreme)
    assert engine.ask("what is tea", archive="one").results[0].title == "Tea"
    assert engine.ask("mercury item77", archive="same").results[0].path == "m77"
    assert len(engine.ask("mercury", k=10, archive="same").results) == 10
    assert engine.ask("name 19999 of tea", archive="redirects").results[0].title == "Tea"
    engine.close()


@pytest.mark.parametrize("count", [2, 1_000, 10**30])
def test_more_shards_than_articles_become_as_many_as_there_can_be(run: Run, archives: dict[str, Path], tmp_path: Path,
                                                                  count: int) -> None:  # fmt: skip
    done = run("index", archives["other"], "--shards", tmp_path / "shards", "--shard-count", count, "--json")
    assert done.status == 0, done.err
    assert 1 <= done.json["archives"][0]["shards"] <= 3
    assert run("query", "mate", "--shards", tmp_path / "shards").status == 0


@pytest.mark.parametrize("count", ["0", "-1", "many", "1.5"])
def test_a_shard_count_that_is_none_is_wrong_usage(run: Run, archives: dict[str, Path], count: str) -> None:
    done = run("index", archives["other"], "--shard-count", count)
    assert (done.status, done.err.count("\n")) == (2, 1)


ENORMOUS = {
    "one paragraph": lambda: "<p>" + "A sentence of six words here. " * 200_000 + "</p>",
    "many paragraphs": lambda: "<p>A sentence of six words here.</p>" * 160_000,
    "one word": lambda: "<p>" + "abcdefghij" * 5_000_000 + "</p>",  # 50 MB
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENORMOUS)
def test_an_enormous_page_is_indexed_and_found(run: Run, tmp_path: Path, kind: str) -> None:
    page = zims.Page("Enormous", "Enormous", f"<html><body><h1>Enormous</h1>{ENORMOUS[kind]()}</body></html>")
    file = zims.build(tmp_path / "enormous.zim", [page, zims.page("Tea", "A drink.")])
    shards = tmp_path / "shards"
    done = run("index", file, "--shards", shards, "--workers", 1, "--memory", "4G", "--json")
    assert (done.status, done.json["archives"][0]["articles"]) == (0, 2), done.err
    assert run("query", "enormous", "--shards", shards, "--json").json["results"][0]["title"] == "Enormous"
    assert run("query", "tea", "--shards", shards, "--json").json["results"][0]["title"] == "Tea"
