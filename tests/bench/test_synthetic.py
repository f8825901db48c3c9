"""Archives shaped like Wikipedia: libzim and aborist accept them, the bytes repeat, the proportions are real text's."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libzim.reader import Archive

from bench.index import COMMAND, index_of
from bench.questions import Question, load
from bench.rawzim import texts
from bench.synthetic.__main__ import generate, main
from bench.synthetic.questions import FUNCTION_WORDS, KINDS
from bench.synthetic.words import pseudo_word
from bench.words import plain

ARTICLES = 1_200  # two blocks


class Made(NamedTuple):
    zim: Path
    report: dict[str, int]

    @property
    def questions(self) -> list[Question]:
        return load(self.zim.with_suffix(".questions.jsonl"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    zim = tmp_path_factory.mktemp("synthetic") / "made.zim"
    return Made(zim, generate(ARTICLES, zim))


@pytest.fixture(scope="module")
def words(made: Made) -> list[list[str]]:
    return [plain(text).split() for _, text in texts([made.zim])]


def test_libzim_finds_nothing_wrong_with_the_archive(made: Made) -> None:
    archive = Archive(made.zim)
    assert archive.check()
    assert archive.has_new_namespace_scheme
    pages = made.report["articles"] + made.report["disambiguation_pages"] + 1
    assert archive.entry_count == pages + made.report["redirects"]
    assert archive.main_entry.get_item().title == "Main Page"


def test_aborist_indexes_and_verifies_the_archive(made: Made, cache: Path) -> None:
    shards = index_of([made.zim], cache)
    done = subprocess.run([*COMMAND, "verify", "--deep", "--shards", str(shards)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_same_number_and_seed_give_the_same_bytes_and_another_seed_gives_others(made: Made, tmp_path: Path) -> None:
    again, other = tmp_path / "again.zim", tmp_path / "other.zim"
    assert main(["--articles", str(ARTICLES), "--out", str(again)]) == 0
    assert main(["--articles", str(ARTICLES), "--out", str(other), "--seed", "2"]) == 0
    assert again.read_bytes() == made.zim.read_bytes()
    assert other.read_bytes() != made.zim.read_bytes()


def test_function_words_are_as_common_as_in_english(words: list[list[str]]) -> None:
    used = Counter(word for text in words for word in text)
    # "the" and "of" on enwiki_medium: 7.1 % and 3.7 % of all words.
    assert 0.05 < used["the"] / used.total() < 0.08
    assert 0.025 < used["of"] / used.total() < 0.045


def test_new_words_go_on_appearing(words: list[list[str]]) -> None:
    half = {word for text in words[::2] for word in text}
    whole = half.union(*words[1::2])
    # Heaps: twice the text has 2^.5 to 2^.7 times the words; enwiki_medium's exponent is .55 to .6.
    assert 2**0.45 < len(whole) / len(half) < 2**0.75


def test_terms_of_a_topic_stand_together(made: Made) -> None:
    with_topic, without = Counter[bool](), Counter[bool]()
    texts_of = {title: set(plain(text).split()) for title, text in texts([made.zim])}
    natural = [one for one in made.questions if one.set == "described"]
    for question in natural:
        own = set(plain(question.text).split()) - FUNCTION_WORDS
        gold = next(iter(question.gold))
        with_topic[len(own & texts_of[gold]) >= 2] += 1
        without[len(own & texts_of["Main Page"]) >= 2] += 1
    assert with_topic[True] > 0.5 * len(natural)
    assert without[True] == 0


def test_every_kind_of_question_is_asked_and_gold_is_in_the_archive(made: Made) -> None:
    assert {question.set for question in made.questions} == set(KINDS)
    archive = Archive(made.zim)
    assert all(archive.has_entry_by_title(title) for one in made.questions for title in one.gold)


def test_quotes_stand_word_for_word_in_their_article(made: Made) -> None:
    text_of = {title: plain(text) for title, text in texts([made.zim])}
    quotes = [one for one in made.questions if one.set == "quote"]
    assert len(quotes) > 100
    for quote in quotes:
        assert any(plain(quote.text) in text_of[title] for title in quote.gold), quote.text


@given(st.sets(st.integers(0, 2**44), min_size=2, max_size=40))
def test_no_two_ranks_share_a_word(ranks: set[int]) -> None:
    assert len({pseudo_word(rank) for rank in ranks}) == len(ranks)
