"""Questions about a synthetic archive, of every kind whose cost differs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.synthetic.words import pseudo_word

__all__ = ["FUNCTION_WORDS", "KINDS", "Source", "questions", "sources_text", "write"]

FUNCTION_WORDS = frozenset(
    "a an and are as at be been but by for from had has have he her his i in into is it its may more no not of on or "
    "other she so some such than that the their them then there these they this to was were what when where which who "
    "will with would".split()
)
STOP_ONLY = (
    "to be or not to be", "what is it that it is", "who is he and what was she", "is it that they were not there",
    "what was it for", "where were they then", "which of these is it", "who was that with her", "it is what it is",
    "what have they been", "the one and the other", "this and that",
)  # fmt: skip
NATURAL = (
    "what {t0} {t1} is known for the {t2} of {own}?", "when did {own} become a {t0} of the {t1}?",
    "who made the first {t0} {t1} in {own}?", "why was the {t0} of {own} used for {t1} and {t2}?",
    "which {t0} has the most {t1} in {own}?", "how many {t0} were there during the {t1} of {own}?",
    "where is the {t0} between {own} and the {t1}?",
)  # fmt: skip
DESCRIBED = (
    "which {t0} {t1} uses {r0} for {t2}?", "what is the {t0} with {r0} and {r1} called?",
    "who first found {r0} in the {t0} of the {t1}?", "how does {r0} change the {t0} {t1}?",
)  # fmt: skip
TITLE = ("{title}", "what is {title}?", "who was {title}?", "tell me about {title}")
RARE_WORDS = 60
FEWEST, MOST = 3, 9  # words of a quote


class Source(NamedTuple):
    """An article to ask about: its title, the words of its topic and its own, commonest first, and its sentences."""

    title: str
    topical: list[str]
    own: list[str]
    sentences: list[list[str]]


_TAGS = re.compile(r"<sup.*?</sup>|<[^>]+>", re.DOTALL)
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)


def sources_text(html: str) -> list[list[str]]:
    """The words, with their punctuation, of every sentence in a page's paragraphs."""
    plain = (unescape(_TAGS.sub("", paragraph)) for paragraph in _PARAGRAPH.findall(html))
    return [sentence.split() for paragraph in plain for sentence in paragraph.split(". ") if sentence.split()]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question; `title` empty: no article is the right one."""

    kind: str
    text: str
    title: str = ""

    def row(self, number: int) -> str:
        """The JSON line that `bench.questions` reads; `set` is the kind."""
        gold = [self.title] if self.title else []
        row = {"id": f"{self.kind}-{number}", "question": self.text, "set": self.kind, "gold_in_archive": gold}
        return json.dumps(row if gold else {**row, "answerable": None}, ensure_ascii=False)


def _natural(source: Source, random: Random) -> str:
    words = random.sample(source.topical[:12], 3)
    return random.choice(NATURAL).format(t0=words[0], t1=words[1], t2=words[2], own=random.choice(source.own[:3]))


def _described(source: Source, random: Random) -> str:
    words, rare = random.sample(source.topical[:12], 3), random.sample(source.own[4:], 2)
    return random.choice(DESCRIBED).format(t0=words[0], t1=words[1], t2=words[2], r0=rare[0], r1=rare[1])


def _title(source: Source, random: Random) -> str:
    return random.choice(TITLE).format(title=source.title)


def _quote(source: Source, random: Random) -> str:
    long = [sentence for sentence in source.sentences if len(sentence) >= MOST]
    if not long:
        return ""
    sentence, length = random.choice(long), random.randint(FEWEST, MOST)
    start = random.randrange(len(sentence) - length + 1)
    return " ".join(sentence[start : start + length]).strip(".,;: ")


def _stop_quote(source: Source, random: Random) -> str:
    runs = [run for sentence in source.sentences for run in _stop_runs(sentence)]
    return " ".join(random.choice(runs)) if runs else ""


def _stop_runs(sentence: list[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for word in [*sentence, ""]:
        if word.lower() in FUNCTION_WORDS:
            run.append(word.lower())
            continue
        if len(run) >= FEWEST:
            yield run[:MOST]
        run = []


def _rare(_: Source, random: Random) -> str:
    # Half are in the archive a few times at most, half nowhere.
    return " ".join(pseudo_word(int(10 ** random.uniform(4.5, 9))) for _ in range(RARE_WORDS))


def _letter(_: Source, random: Random) -> str:
    return random.choice("abcdefghijklmnopqrstuvwxyz")


def _stop_only(_: Source, random: Random) -> str:
    # Half are what people ask, of which there are few; the others any function words in a row.
    if random.random() < 0.5:
        return random.choice(STOP_ONLY)
    return " ".join(random.choices(sorted(FUNCTION_WORDS), k=random.randint(FEWEST, MOST)))


# Kind -> its maker, and whether the source is the gold. A quote may stand elsewhere as well.
KINDS: dict[str, tuple[Callable[[Source, Random], str], bool]] = {
    "natural": (_natural, True),
    "described": (_described, True),
    "title": (_title, True),
    "quote": (_quote, True),
    "stop_quote": (_stop_quote, False),
    "stop_words": (_stop_only, False),
    "rare_60": (_rare, False),
    "letter": (_letter, False),
}


def questions(sources: Iterable[Source], seed: int) -> Iterator[Asked]:
    """One question of each kind for each source, no text twice; a source without a fitting sentence makes no quote."""
    random, seen = Random(seed), set[str]()
    for source in sources:
        for kind, (make, is_gold) in KINDS.items():
            text = make(source, random)
            if text and text not in seen:
                seen.add(text)
                yield Asked(kind, text, source.title if is_gold else "")


def write(path: Path, asked: Iterable[Asked]) -> int:
    """Writes the questions as JSON lines; returns how many."""
    rows = [one.row(number) for number, one in enumerate(asked, 1)]
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    return len(rows)
