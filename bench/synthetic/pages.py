"""Pages in the shape of Wikipedia's, a block of articles at a time: the same block is the same bytes in any process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench.synthetic.titles import OWN_WORDS, Titles, path_of
from bench.synthetic.words import FIRST_SLOT, NUMBER, Ints, Vocabulary

__all__ = ["BLOCK", "Page", "Writer"]

BLOCK = 1_000  # articles drawn at once

# Text of an article: log-normal, sigma as enwiki_medium's log length (1.35; 2026-11-30); 6.1 bytes a word and blank.
MEAN_WORDS = 3_000 / 6.1
SIGMA = 1.35
MOST_WORDS = 20_000
# 8.7 paragraphs and 3.0 headings below the title an article, 19.7 words a sentence (the same count).
PARAGRAPH_ENDS = 0.34  # of sentences
HEADED = 0.35  # of paragraphs
SUBHEADED = 0.3  # of headings
LISTS = 0.05  # of paragraphs
# Marks, links and tables: between enwiki_medium, which has none, and the 100 articles of wikipedia_en_ray_charles
# (105 links, 12 marks, a table on 96 of 100, in 17 kB of text).
MARKED = 0.2  # of sentences
LINKED = 0.15  # of the words with a capital that are no fixed ones
NEAR = 0.5  # of links that stay within the topic
LINK_SHIFT = 20  # the most linked article has one link in 20 ln(N / 20)
TABLES = 0.4
SEE_ALSO = 0.3

# A topic is a thousandth of the articles, whatever the size, so that its words stay as common as they were.
TOPICS = 1_000
TOPIC_WORDS = 60
TOPICAL, OWN = 0.22, 0.10  # of the places for words
COMMON_LAST = 20_000

HEADINGS = (
    "History", "Early life", "Career", "Geography", "Background", "Reception", "Legacy", "Plot", "Demographics",
    "Design", "Production", "Etymology", "Climate", "Personal life", "Taxonomy", "Works", "Government", "Economy",
    "Release", "Description", "Distribution", "Education", "Culture", "Transport", "Notable people",
)  # fmt: skip
SUBHEADINGS = (
    "Origins",
    "Later years",
    "20th century",
    "Awards",
    "Census",
    "Analysis",
    "Structure",
    "Variants",
    "Uses",
)
LABELS = ("Born", "Location", "Country", "Type", "Founded", "Area", "Owner", "Genre", "Language", "Height", "Opened")
OPEN, CLOSE = ("<p>", "<ul><li>"), ("</p>\n", "</li></ul>\n")
NEXT_ITEM = "</li>\n<li>"
YEARS = (1700, 2026)
NUMBERS = 3_000
MOST_MARKS = 999

HEAD = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{0}</title>'
    '<link href="./-/mw/style.css" rel="stylesheet" type="text/css"></head><body class="mw-body mediawiki">'
    '<div id="content" class="mw-body"><h1 id="firstHeading" class="firstHeading">{0}</h1>'
    '<div id="mw-content-text" class="mw-body-content mw-parser-output">\n'
)
FOOT = "</div></div></body></html>"


class Page(NamedTuple):
    path: str
    title: str
    html: bytes


class Block(NamedTuple):
    """What is drawn for a block: `items` words and separators in turn, `bounds` of each article in it."""

    items: list[str]
    bounds: list[int]
    marks: list[int]


class Sentences(NamedTuple):
    """`article` of each sentence, its last token's place, and whether the paragraph ends there."""

    article: Ints
    last: Ints
    ends: npt.NDArray[np.bool_]


@dataclass
class Writer:
    """Writes the articles of drawn titles; what it draws depends on the seed and the number of the block alone."""

    vocabulary: Vocabulary
    titles: Titles
    seed: int
    _topics: Ints = field(init=False)

    def __post_init__(self) -> None:
        random = np.random.default_rng([self.seed, 1])
        spread = random.random((TOPICS, TOPIC_WORDS))
        self._topics = (FIRST_SLOT * (COMMON_LAST / FIRST_SLOT) ** spread).astype(np.int64)

    def warm(self) -> None:
        """Spells the common words out once, before processes fork."""
        _ = self._table

    def blocks(self) -> range:
        return range(0, len(self.titles.names), BLOCK)

    def topic_words(self, article: int) -> list[str]:
        """The words of the article's topic, the ones it uses most first."""
        return [self.vocabulary.word(rank) for rank in self._topics[article % TOPICS].tolist()]

    def own_words(self, article: int) -> list[str]:
        """The rare words the article uses again and again, its title's first."""
        return [self.vocabulary.word(rank) for rank in self.titles.own[article].tolist()]

    def block(self, start: int) -> Iterator[Page]:
        """The pages of the articles from `start`, at most BLOCK."""
        random = np.random.default_rng([self.seed, 2, start])
        articles = np.arange(start, min(start + BLOCK, len(self.titles.names)))
        drawn = self._drawn(random, articles)
        for place, article in enumerate(articles.tolist()):
            body = "".join(drawn.items[drawn.bounds[place] : drawn.bounds[place + 1]])
            yield self._page(random, article, body, drawn.marks[place])

    def parting_pages(self) -> Iterator[Page]:
        """The disambiguation pages."""
        for title, articles in self.titles.parted.items():
            items = (f"<li>{self._link(number)}, {self.topic_words(number)[0]}</li>" for number in articles)
            html = f"{HEAD.format(title)}<p><b>{title}</b> may refer to:</p>\n<ul>{''.join(items)}</ul>{FOOT}"
            yield Page(path_of(title), title, html.encode())

    def _drawn(self, random: np.random.Generator, articles: Ints) -> Block:
        skeletons = self.vocabulary.skeletons
        sentences_of = _sentence_counts(random, len(articles), len(skeletons.codes) / (len(skeletons.starts) - 1))
        chosen = random.integers(len(skeletons.starts) - 1, size=sentences_of.sum())
        starts, lengths = skeletons.starts[chosen], np.diff(skeletons.starts)[chosen]
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(starts - (ends - lengths), lengths)
        of_sentence = np.repeat(np.arange(len(articles)), sentences_of)
        last_sentences = np.cumsum(sentences_of) - 1
        paragraph_ends = random.random(len(chosen)) < PARAGRAPH_ENDS
        paragraph_ends[last_sentences] = True
        sentences = Sentences(of_sentence, ends - 1, paragraph_ends)
        items = np.empty(2 * len(places), dtype=object)
        items[0::2] = self._words(random, skeletons.codes[places], articles[np.repeat(of_sentence, lengths)])
        separators = np.array(self.vocabulary.separators, dtype=object)[skeletons.separators[places]]
        marks = _end_sentences(random, separators, sentences)
        items[1::2] = separators
        bounds = np.concatenate(([0], 2 * ends[last_sentences]))
        return Block(items.tolist(), bounds.tolist(), marks.tolist())

    def _words(self, random: np.random.Generator, codes: Ints, articles: Ints) -> npt.NDArray[np.object_]:
        table, numbers_at, words_at, known = self._table
        indexes = codes.copy()
        numbers = np.flatnonzero(codes == NUMBER)
        indexes[numbers] = numbers_at + _numbers(random, numbers.size)
        slots = np.flatnonzero((codes < 0) & (codes != NUMBER))
        ranks = self._ranks(random, articles[slots])
        capital = np.where(codes[slots] < -1, 1, 0)
        common = ranks < known
        indexes[slots] = words_at + 2 * np.where(common, ranks - FIRST_SLOT, 0) + capital
        words = table[indexes]
        rare = np.flatnonzero(~common)
        for place, rank, upper in zip(slots[rare].tolist(), ranks[rare].tolist(), capital[rare].tolist(), strict=True):
            word = self.vocabulary.word(rank)
            words[place] = word.capitalize() if upper else word
        linked = slots[(capital == 1) & (random.random(slots.size) < LINKED)]
        targets = self._targets(random, articles[linked])
        for place, target in zip(linked.tolist(), targets.tolist(), strict=True):
            words[place] = self._link(target)
        return words

    @cached_property
    def _table(self) -> tuple[npt.NDArray[np.object_], int, int, int]:
        """Strings by index: fixed words, numbers, then each rank small and with a capital; where the latter two begin,
        and the first rank that has to be spelt out."""
        known = 400_000
        table = [*self.vocabulary.fixed, *map(str, range(NUMBERS))]
        numbers_at, words_at = len(self.vocabulary.fixed), len(table)
        for rank in range(FIRST_SLOT, known):
            word = self.vocabulary.word(rank)
            table += (word, word[:1].upper() + word[1:])
        return np.array(table, dtype=object), numbers_at, words_at, known

    def _ranks(self, random: np.random.Generator, articles: Ints) -> Ints:
        kind, place = random.random(articles.size), random.random(articles.size)
        ranks = self.vocabulary.draw(random, articles.size)
        topical = kind < TOPICAL
        # place^2: a topic's first words are used most.
        ranks[topical] = self._topics[articles[topical] % TOPICS, (TOPIC_WORDS * place[topical] ** 2).astype(np.int64)]
        own = (kind >= TOPICAL) & (kind < TOPICAL + OWN)
        ranks[own] = self.titles.own[articles[own], (OWN_WORDS * place[own] ** 1.5).astype(np.int64)]
        return ranks

    def _targets(self, random: np.random.Generator, articles: Ints) -> Ints:
        """Linked articles: Zipfian from a shifted rank, half of them within the topic."""
        count = len(self.titles.names)
        reach, depth = random.random(articles.size), random.random(articles.size)
        anywhere = (LINK_SHIFT * ((count / LINK_SHIFT + 1) ** depth - 1)).astype(np.int64)
        within = articles % TOPICS + TOPICS * ((count // TOPICS + 1) ** depth - 1).astype(np.int64)
        return np.minimum(np.where(reach < NEAR, within, anywhere), count - 1)

    def _link(self, article: int) -> str:
        title = self.titles.names[article]
        return f'<a href="{path_of(title)}" title="{title}">{title.partition(" (")[0]}</a>'

    def _page(self, random: np.random.Generator, article: int, body: str, marks: int) -> Page:
        title = self.titles.names[article]
        topical = self.topic_words(article)
        first = random.integers(YEARS[0], YEARS[1])
        parts = [HEAD.format(title)]
        if random.random() < TABLES:
            parts.append(self._infobox(random, article))
        bare, _, kind = title.partition(" (")
        what = kind.partition(",")[0].rstrip(")") or topical[1]
        parts.append(f"<p><b>{bare}</b> is a {topical[0]} {what} of {self._link(article // 2)} ({first}). {body}")
        if random.random() < SEE_ALSO:
            parts.append(self._see_also(random, article))
        parts += (_references(random, marks), FOOT)
        return Page(path_of(title), title, "".join(parts).encode())

    def _infobox(self, random: np.random.Generator, article: int) -> str:
        labels = random.permutation(len(LABELS))[: random.integers(3, 9)].tolist()
        words = self.topic_words(article)
        rows = (
            f'<tr><th scope="row" class="infobox-label">{LABELS[label]}</th>'
            f'<td class="infobox-data">{words[3 + 2 * i].capitalize()}, {words[4 + 2 * i]}</td></tr>'
            for i, label in enumerate(labels)
        )
        return f'<table class="infobox vcard"><tbody>{"".join(rows)}</tbody></table>\n'

    def _see_also(self, random: np.random.Generator, article: int) -> str:
        targets = self._targets(random, np.full(random.integers(2, 9), article))
        items = "".join(f"<li>{self._link(target)}</li>" for target in targets.tolist())
        return f'<h2 id="See_also">See also</h2>\n<ul>{items}</ul>\n'


def _sentence_counts(random: np.random.Generator, articles: int, words_a_sentence: float) -> Ints:
    drawn = random.lognormal(np.log(MEAN_WORDS) - SIGMA**2 / 2, SIGMA, articles)
    return np.maximum(1, np.minimum(drawn, MOST_WORDS) / words_a_sentence).astype(np.int64)


def _numbers(random: np.random.Generator, size: int) -> Ints:
    """Years and other numbers, as many of each; small ones more often."""
    years = random.integers(*YEARS, size=size)
    others = (NUMBERS ** random.random(size)).astype(np.int64)
    return np.where(random.random(size) < 0.5, years, others)


def _joints() -> list[str]:
    """What stands between two paragraphs: [kind of the first, heading or none, kind of the second], flat."""
    headings = [f'<h2 id="{h.replace(" ", "_")}">{h}</h2>\n' for h in HEADINGS]
    headings += [f'<h3 id="{h.replace(" ", "_")}">{h}</h3>\n' for h in SUBHEADINGS]
    return ["." + a + b + c for a, b, c in product(CLOSE, ["", *headings], OPEN)]


def _sentence_ends() -> list[str]:
    """What ends a sentence within a paragraph: in a list, without a mark, with the first, the second, ..."""
    marks = (
        f'.<sup class="reference" id="cite_ref-{n}"><a href="#cite_note-{n}">[{n}]</a></sup> '
        for n in range(1, MOST_MARKS + 1)
    )
    return ["." + NEXT_ITEM, ". ", *marks]


JOINTS, SENTENCE_ENDS = np.array(_joints(), dtype=object), np.array(_sentence_ends(), dtype=object)


def _end_sentences(random: np.random.Generator, separators: npt.NDArray[np.object_], sentences: Sentences) -> Ints:
    """Puts what ends sentences and paragraphs into `separators`; returns the number of marks of each article."""
    article, last, ends = sentences
    in_list = _paragraph_kinds(random, sentences)
    marked = (random.random(len(last)) < MARKED) & ~ends & (in_list == 0)
    first = np.searchsorted(article, np.arange(article[-1] + 1))
    before = np.concatenate(([0], np.cumsum(marked)))
    numbers = np.minimum(np.cumsum(marked) - before[first][article], MOST_MARKS)
    separators[last] = SENTENCE_ENDS[np.where(in_list == 1, 0, np.where(marked, numbers + 1, 1))]
    headed = random.random(len(last)) < HEADED
    below = random.random(len(last)) < SUBHEADED
    heading = np.where(
        below,
        random.integers(len(SUBHEADINGS), size=len(last)) + len(HEADINGS),
        random.integers(len(HEADINGS), size=len(last)),
    )
    kinds_after = np.concatenate((in_list[1:], [0]))
    joint = (in_list * (len(HEADINGS) + len(SUBHEADINGS) + 1) + np.where(headed, heading + 1, 0)) * 2 + kinds_after
    separators[last[ends]] = JOINTS[joint[ends]]
    final = np.concatenate((first[1:], [len(last)])) - 1
    closing = np.array(["." + close for close in CLOSE], dtype=object)
    separators[last[final]] = closing[in_list[final]]
    counts: Ints = np.add.reduceat(marked.astype(np.int64), first)
    return counts


def _paragraph_kinds(random: np.random.Generator, sentences: Sentences) -> Ints:
    """For each sentence 1 when its paragraph is a list; an article's first never is."""
    begins = np.concatenate(([True], sentences.ends[:-1]))
    paragraph = np.cumsum(begins) - 1
    is_list = random.random(paragraph[-1] + 1) < LISTS
    opens_article = np.flatnonzero(np.diff(sentences.article, prepend=-1))
    is_list[paragraph[opens_article]] = False
    kinds: Ints = is_list[paragraph].astype(np.int64)
    return kinds


def _references(random: np.random.Generator, marks: int) -> str:
    if not marks:
        return ""
    years = random.integers(1950, 2026, size=marks).tolist()
    notes = (
        f'<li id="cite_note-{n}"><a href="#cite_ref-{n}">↑</a> <cite class="citation web">Retrieved {year}.</cite></li>'
        for n, year in enumerate(years, 1)
    )
    return f'<h2 id="References">References</h2>\n<ol class="references">{"".join(notes)}</ol>\n'
