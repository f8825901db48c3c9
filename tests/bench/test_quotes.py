"""Planted quotes: what is drawn, who holds it, and the whole command on a small real index."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import quotes
from bench.asking import Heard, Place, Result, Target
from bench.holders import anchored, held, holders
from bench.published import Known, published
from bench.questions import Question
from bench.spans import CHANGED, CHANGED_FUNCTIONAL, FUNCTIONAL, LENGTHS, ORDINARY, Span, changed, drawn
from bench.words import plain

STOP = frozenset("the of and to in a is that it was for on as with his he".split())
TEXTS = {
    "one": "Winston keeps a diary. That it was for the good of his he never says, and nobody asks.\nA line of two.",
    "two": "It is in the nature of tea to cool. To cool is to wait, and that it was for tea to decide is plain.",
    "three": "Forty-two lines follow here without a single stop between them, as with the others before it.",
}
ARTICLES = [Known(Place("a", path), path, (), len(text.split()), 0, 1) for path, text in TEXTS.items()]


def read(article: Known) -> str:
    return TEXTS[article.place.path]


def test_spans_are_the_same_every_time_whatever_the_order_of_the_articles() -> None:
    assert drawn(ARTICLES, read, STOP, 42) == drawn(ARTICLES[::-1], read, STOP, 42)


def test_every_length_has_its_share_and_spans_stand_in_one_line_of_their_text() -> None:
    spans = drawn(ARTICLES, read, STOP, 42)
    assert Counter(span.words for span in spans) == dict.fromkeys(LENGTHS, 6)
    assert len({span.original for span in spans}) == len(spans)
    for span in spans:
        assert any(span.asked in line for line in read(span.source).split("\n"))
        assert f" {span.original} " in f" {plain(read(span.source))} "


def test_some_spans_are_stop_words_only() -> None:
    functional = [span for span in drawn(ARTICLES, read, STOP, 42) if span.kind == FUNCTIONAL]
    assert functional
    assert all(set(span.original.split()) <= STOP for span in functional)


def test_a_misquote_differs_in_one_word_and_remembers_the_original() -> None:
    spans = drawn(ARTICLES, read, STOP, 42)
    misquotes = changed(spans)
    assert len(misquotes) == sum(span.words >= 6 for span in spans)
    for span in misquotes:
        before, after = span.original.split(), plain(span.asked).split()
        # A hyphenated or elided word may be several folded ones.
        assert before != after
        assert span.kind in (CHANGED, CHANGED_FUNCTIONAL)
    same = [s for s in misquotes if len(s.original.split()) == len(plain(s.asked).split()) == s.words]
    assert same
    for span in same:
        pairs = zip(span.original.split(), plain(span.asked).split(), strict=True)
        assert sum(a != b for a, b in pairs) == 1


def test_a_misquote_needs_another_word() -> None:
    source = ARTICLES[0]
    same = Span("tea Tea téa tea tea tea", "tea tea tea tea tea tea", 6, ORDINARY, source)
    assert changed([same]) == []
    functional = Span("that it was for the good", "that it was for the good", 6, FUNCTIONAL, source)
    assert changed([functional]) == []
    (misquote,) = changed([functional, Span("tea", "tea", 3, ORDINARY, source)])
    assert "tea" in misquote.asked.split()


WORD = st.sampled_from("the tea of old men and kings".split())


@given(st.lists(WORD, max_size=12), st.lists(st.lists(WORD, min_size=1, max_size=4), max_size=5))
def test_holders_are_found_as_by_comparing_every_place(words: list[str], sequences: list[list[str]]) -> None:
    wanted = {" ".join(sequence) for sequence in sequences}
    expected = {
        sequence
        for sequence in wanted
        if any(words[n : n + len(sequence.split())] == sequence.split() for n in range(len(words)))
    }
    assert set(held(", ".join(words).upper(), anchored(wanted))) == expected


def test_holders_are_named_by_path_from_the_texts_of_an_index(shards: Path) -> None:
    target = Target(shards, "small", 1)
    with published(shards, "small") as index:
        articles = list(index.articles())
    found = holders(target, articles, {"that stands under two names", "is a drink brewed", "no such words"})
    assert found == {
        "that stands under two names": {Place("small", "Copy_one"), Place("small", "Copy_two")},
        "is a drink brewed": {Place("small", "Coffee")},
        "no such words": frozenset(),
    }


def test_a_span_is_right_first_and_a_misquote_within_five() -> None:
    span, misquote = (
        quotes.AskedSpan(span, frozenset(), 0, Heard((), (), 1.0), 5)
        for span in (drawn(ARTICLES, read, STOP, 7)[-1], changed(drawn(ARTICLES, read, STOP, 7))[-1])
    )
    assert span.span.kind == ORDINARY
    assert (span.right, misquote.right) == (False, True)


def heard(title: str, rule: str) -> Heard:
    return Heard((Result(Place("a", title), title, rule),), (), 1.0)


def test_only_a_phrase_hit_outside_the_gold_is_a_false_one() -> None:
    asked = [Question(str(n), "q", frozenset({"Right"}), (), True, "s", "s") for n in range(4)]
    replies = [heard("Right", "phrase"), heard("Wrong", "phrase"), heard("Wrong", "body"), Heard((), (), 1.0)]
    assert quotes.false_phrases(asked, replies) == [(asked[1], "Wrong")]


@pytest.mark.parametrize("option", ["--spans", "--ordinary", "--processes"])
def test_asking_nothing_or_by_nobody_is_wrong_usage(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        quotes.main(["--shards", "absent", option, "0"])
    assert left.value.code == 2
    assert f"argument {option}: expected a whole number from 1; found '0'" in capsys.readouterr().err


def test_the_quotes_of_an_index_are_asked_beside_ordinary_questions(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "few.jsonl"
    file.write_text(json.dumps({"question": "who wrote nineteen eighty-four", "titles": ["Nineteen Eighty-Four"],
                                "set": "triviaqa", "answerable": True}), encoding="utf-8")  # fmt: skip
    options = ["--archive", "small", "--out", str(tmp_path / "out"), "--processes", "1", "--questions", str(file)]
    assert quotes.main(["--shards", str(shards), "--spans", "14", *options]) == 0
    (written,) = (tmp_path / "out").iterdir()
    result = json.loads(written.read_text(encoding="utf-8"))
    assert result["rows"]["all verbatim"]["n"] == 14
    assert result["rows"]["all verbatim"]["right"] >= 0.8
    assert result["rows"]["all changed"]["n"] == 8
    assert result["ordinary"]["n"] == 1
    assert "false phrase hits 0" in capsys.readouterr().out
