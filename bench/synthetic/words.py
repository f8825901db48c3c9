"""Words of an encyclopedia: real English for the commonest, made-up ones for the tail that goes on with size.

The words, and the sentences they stand in, are learnt from samples/sample_en.zim (CC BY-SA 3.0 and CC0; authors in
samples/ATTRIBUTION.tsv). How often each rank is used is what was counted on enwiki_medium.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser

from bench.rawzim import RawZim, pages
from bench.record import ROOT

__all__ = ["FIRST_SLOT", "HEAD", "NUMBER", "Ints", "Skeletons", "Vocabulary", "learn", "pseudo_word"]

SAMPLE = ROOT / "samples" / "sample_en.zim"
Ints = npt.NDArray[np.int64]

# The words that stand in most articles keep their places in every sentence: function words and what goes with them.
FIXED = 220
FIRST_SLOT = 256  # ranks below are those of the fixed words
# Rank and uses among a million words, counted on enwiki_medium (28,437 articles, 14,478,692 words, 262,036 different;
# 2026-11-30). Between the ranks the curve is straight in log-log; beyond them it goes on at the last slope.
USES = (
    (100, 748.0), (1_000, 116.9), (5_000, 20.6), (10_000, 8.15), (30_000, 1.45), (50_000, 0.62), (100_000, 0.21),
    (200_000, 0.07),
)  # fmt: skip
HEAD = 200_000
TAIL = 0.6  # P(rank > r) falls as r^-.6: the slope from 10,000 on is -1.6, so vocabulary grows as words^.62
LAST_RANK = 2**40

# Token codes of a skeleton below 0; others are fixed words.
SLOT, CAPITAL, NUMBER = -1, -2, -3
MIN_WORDS, MAX_WORDS = 4, 60  # of a sentence that is learnt: 5 % and 99 % of enwiki_medium's

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_SEPARATORS = (" ", ", ", "; ", ": ", " (", ") ", "-", " – ", '" ', ' "')

ONSETS = (
    "b c d f g h j k l m n p r s t v w z br ch cl cr dr fl fr gl gr kl kr pl pr sc sh sl sp st str th tr vl".split()
)
VOWELS = "a e i o u ai au ea ia oo".split()
CODAS = ("", "n", "r", "l", "m", "k", "t", "x")
SYLLABLES = len(ONSETS) * len(VOWELS)
MIXER = 2_654_435_761  # Knuth's multiplicative hash, a prime: words next in rank do not look alike


@dataclass(frozen=True, slots=True)
class Skeletons:
    """Real sentences with places for words: codes and separators of all sentences end to end, `starts` has one more."""

    codes: Ints
    separators: Ints
    starts: Ints


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What is learnt: `fixed` surface forms by code, `real` words by rank - FIRST_SLOT, the sentences' skeletons."""

    fixed: tuple[str, ...]
    real: tuple[str, ...]
    skeletons: Skeletons
    separators: tuple[str, ...] = _SEPARATORS

    def word(self, rank: int) -> str:
        """The word of a rank from FIRST_SLOT; names begin with a capital."""
        place = rank - FIRST_SLOT
        return self.real[place] if place < len(self.real) else pseudo_word(rank)

    def draw(self, random: np.random.Generator, size: int) -> Ints:
        """Ranks as often as a text of the language uses them, from FIRST_SLOT, without an end to the rare ones."""
        cumulative = _cumulative()
        ranks = np.searchsorted(cumulative, random.random(size)) + FIRST_SLOT
        beyond = np.flatnonzero(ranks >= HEAD)
        ranks[beyond] = pareto(random, beyond.size, HEAD, TAIL)
        return ranks


def pareto(random: np.random.Generator, size: int, first: int, slope: float) -> Ints:
    """Ranks from `first` with P(rank > r) = (first / r)^slope."""
    return np.minimum(first * (1 - random.random(size)) ** (-1 / slope), LAST_RANK).astype(np.int64)


@cache
def _cumulative() -> npt.NDArray[np.float64]:
    # One entry for each rank of the head; what is missing to 1 is the tail's.
    ranks, uses = np.log(np.array(USES)).T
    weights = np.exp(np.interp(np.log(np.arange(FIRST_SLOT, HEAD)), ranks, uses))
    tail = weights[-1] * HEAD / TAIL
    return np.asarray(np.cumsum(weights) / (weights.sum() + tail))


def pseudo_word(rank: int) -> str:
    """The made-up word of a rank: no two ranks share one, for consonants and vowels take turns in known pieces."""
    count, room = 2, SYLLABLES**2 * len(CODAS)
    while rank >= room:
        rank, count, room = rank - room, count + 1, room * SYLLABLES
    number, coda = divmod(rank * MIXER % room, len(CODAS))
    syllables = []
    for _ in range(count):
        number, syllable = divmod(number, SYLLABLES)
        onset, vowel = divmod(syllable, len(VOWELS))
        syllables.append(ONSETS[onset] + VOWELS[vowel])
    return "".join(syllables) + CODAS[coda]


def learn(sample: Path = SAMPLE) -> Vocabulary:
    """Words and sentences of an archive, words by the number of articles that hold them and then by use."""
    articles = [list(_sentences(page)) for page in _paragraphs(sample)]
    holders, uses, forms = Counter[str](), Counter[str](), Counter[str]()
    for sentences in articles:
        tokens = [token for sentence in sentences for token in _words(sentence)]
        uses.update(token.lower() for token in tokens)
        forms.update(tokens)
        holders.update({token.lower() for token in tokens})
    ranked = sorted(holders, key=lambda word: (-holders[word], -uses[word], word))
    fixed = frozenset(ranked[:FIXED])
    real = tuple(max(word, word.capitalize(), key=lambda form: forms[form]) for word in ranked[FIXED:])
    codes: dict[str, int] = {}
    skeletons = _skeletons((sentence for sentences in articles for sentence in sentences), fixed, codes)
    return Vocabulary(tuple(codes), real, skeletons)


def _paragraphs(sample: Path) -> Iterator[list[str]]:
    with RawZim(sample) as zim:
        for page in pages(zim):
            yield [node.text() for node in LexborHTMLParser(page.content).css("p")]


def _sentences(paragraphs: Sequence[str]) -> Iterator[str]:
    return (sentence for paragraph in paragraphs for sentence in _SENTENCE_END.split(paragraph))


def _words(sentence: str) -> list[str]:
    return [token for token in _TOKEN.findall(sentence) if not token[0].isdigit()]


def _skeletons(sentences: Iterator[str], fixed: frozenset[str], codes: dict[str, int]) -> Skeletons:
    tokens, separators, starts = list[int](), list[int](), [0]
    for sentence in sentences:
        found = list(_TOKEN.finditer(sentence))
        if not MIN_WORDS <= len(found) <= MAX_WORDS:
            continue
        tokens += [_code(match.group(), fixed, codes) for match in found]
        separators += [_separator(sentence[a.end() : b.start()]) for a, b in pairwise(found)]
        separators.append(0)  # the sentence's end is the page's affair
        starts.append(len(tokens))
    return Skeletons(*(np.array(part, dtype=np.int64) for part in (tokens, separators, starts)))


def _code(token: str, fixed: frozenset[str], codes: dict[str, int]) -> int:
    if token[0].isdigit():
        return NUMBER
    if token.lower() in fixed:
        return codes.setdefault(token, len(codes))
    return CAPITAL if token[0].isupper() else SLOT


def _separator(text: str) -> int:
    return _SEPARATORS.index(text) if text in _SEPARATORS else 0
