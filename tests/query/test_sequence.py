"""Sequences found by their rarest words are those that stand in the text, whatever way was chosen."""

from __future__ import annotations

import random

import pytest

from aborist.engine import Engine
from aborist.query.routes import sequence
from aborist.query.routes.sequence import found, misquoted, verbatim
from aborist.shard.read import Shard
from tests import zims
from tests.query.conftest import Make, Site, asking

WORDS = "red green blue heron kestrel of the in and a was to kiln river".split()


@pytest.fixture(scope="module")
def corpus(make: Make) -> Engine:
    rng = random.Random(5)
    pages = [
        zims.page(f"P{number}", " ".join(rng.choice(WORDS) for _ in range(rng.randint(5, 60))) + ".")
        for number in range(60)
    ]
    return Engine.open(make(Site(pages, name="sequences")))


def texts(engine: Engine) -> dict[tuple[int, int], list[str]]:
    """The stems of every passage, by article and row."""
    shard, analyzer = engine.mounted[0].shard, engine.mounted[0].analyzer
    held = {}
    for entry in shard.entries("1", {}):
        layout = shard.layout(entry.id)
        for number, span in enumerate(layout.passages):
            stems = analyzer.stems(layout.document.text[span.start : span.end]).split()
            held[entry.id, entry.id + number] = stems
    return held


def holds(stems: list[str], sought: list[str]) -> bool:
    return any(stems[n : n + len(sought)] == sought for n in range(len(stems)))


def shard_of(engine: Engine) -> Shard:
    return engine.mounted[0].shard


@pytest.mark.parametrize("compared", [0.0, 1e9], ids=["positions compared", "phrases of FTS5"])
def test_a_sequence_is_found_where_it_stands(corpus: Engine, monkeypatch: pytest.MonkeyPatch, compared: float) -> None:
    monkeypatch.setattr(sequence, "_COMPARED", compared)
    monkeypatch.setattr(sequence, "_WALKED", 0.0)
    rng, held = random.Random(6), texts(corpus)
    ways = set()
    for _ in range(80):
        length = rng.randint(2, 6)
        stems = rng.choice([one for one in held.values() if len(one) > length])
        start = rng.randrange(len(stems) - length)
        sought = stems[start : start + length] if rng.random() < 0.7 else [rng.choice(stems) for _ in range(length)]
        search = verbatim(sought, asking(corpus, " ".join(sought)).terms)
        assert search is not None
        ways.add(bool(search.pattern))
        expected = {place for place, own in held.items() if holds(own, sought)}
        assert set(found(shard_of(corpus), search, 1_000)) == expected
    assert (compared == 0.0) in ways


def test_a_misquote_is_found_with_any_one_word_changed_or_left_out(corpus: Engine) -> None:
    rng, held = random.Random(7), texts(corpus)
    for _ in range(60):
        stems = rng.choice([one for one in held.values() if len(one) > 8])
        start = rng.randrange(len(stems) - 7)
        original = stems[start : start + 7]
        gap = rng.randrange(7)
        asked = [*original[:gap], rng.choice(["zebra", "heron"]), *original[gap + 1 :]]
        terms = asking(corpus, " ".join(asked)).terms
        search = misquoted(asked, [range(n, n + 1) for n in range(7)], terms, 1e9)
        if search is None:
            assert len(set(asked) - {"zebra"}) < 2
            continue
        places = set(found(shard_of(corpus), search, 1_000))
        near = {
            place for place, own in held.items()
            if any(_replaced(own, asked, n, between) for n in range(7) for between in range(3))
        }  # fmt: skip
        assert places <= near
        if len(set(original) - {original[gap]}) > 1:
            assert places & {place for place, own in held.items() if holds(own, original)}


def _replaced(own: list[str], asked: list[str], gap: int, between: int) -> bool:
    left, right = asked[:gap], asked[gap + 1 :]
    return any(
        own[n : n + len(left)] == left and own[n + len(left) + between :][: len(right)] == right
        for n in range(len(own))
    )


def test_what_is_longer_than_any_passage_or_stands_nowhere_is_not_sought(corpus: Engine) -> None:
    terms = asking(corpus, "red heron").terms
    assert verbatim(["red"] * (sequence.LONGEST + 1), terms) is None
    assert verbatim(["red", "unicorn"], terms) is None
    assert verbatim([], terms) is None


def test_a_share_of_the_passages_is_looked_through(corpus: Engine) -> None:
    search = verbatim(["the"], asking(corpus, "the").terms)
    assert search is not None
    every, half = (found(shard_of(corpus), search, 1_000, share) for share in (1.0, 0.5))
    assert half == every[: len(half)]
    assert 0 < len(half) < len(every)
