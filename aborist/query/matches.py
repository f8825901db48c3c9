"""Where a question's words stand in the passages of all its candidates, as arrays with a row a passage.

The texts of all candidates are read at once (`query.forms`), so that what has to be counted is counted in C.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from aborist.query.forms import FormNumbers, Forms
from aborist.query.terms import Terms
from aborist.shard.read import Entry, Layout
from aborist.text import LEAD_TOKENS
from aborist.types import Candidate

__all__ = ["Matches", "Read"]

Counts: TypeAlias = npt.NDArray[np.float64]  # rows x content stems
Numbers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

_LEAD_CHARACTERS = 2_000  # in which the lead is looked for; longer words than twenty letters are no prose


class Read(NamedTuple):
    """A candidate as it was read: `matching` are the numbers of its passages whose text holds a telling stem."""

    candidate: Candidate
    entry: Entry
    layout: Layout
    matching: Sequence[int]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Rows are passages: first those whose text was read, then those that match in their prefix alone.

    Of the latter an article's first and each section's shortest are there: the others of a section score below it, so
    the best passage is exact; the second and third may be passed over. Columns are `terms.content`, in its order.
    Events are places where a content stem (a part of a compound, a word of its kin) stands, in the order of the text.
    """

    owners: Numbers  # rows: which candidate
    numbers: Numbers  # rows: the passage's number in its article
    lengths: Numbers  # rows: tokens of prefix and text
    head: Counts  # rows x stems: how often in the prefix "Title - Section"
    body: Counts  # rows x stems: how often in the text
    exact: Counts  # the same, in a form that was asked
    kin: Counts  # the same, words of its derivation
    article: Counts  # candidates x stems: in title and texts
    article_kin: Counts
    lead: Counts  # candidates x stems: in the title and the first tokens
    lead_kin: Counts
    places: Numbers  # events: token in all texts
    rows: Numbers  # events: row
    stems: Numbers  # events: column
    trigrams: Numbers  # candidates: how many different trigrams of the question

    def within(self, tokens: int) -> tuple[Numbers, Flags]:
        """For each event its row, and which stems stand in the `tokens` tokens that begin there."""
        last = np.searchsorted(self.rows, self.rows, side="right")
        end = np.minimum(np.searchsorted(self.places, self.places + tokens), last)
        seen = np.zeros((len(self.places) + 1, self.body.shape[1]), np.int32)
        seen[np.arange(1, len(self.places) + 1), self.stems] = 1
        seen = np.cumsum(seen, axis=0, dtype=np.int32)
        return self.rows, seen[end] > seen[:-1]

    @classmethod
    def of(cls, found: Sequence[Read], terms: Terms) -> Matches:
        """What stands in the candidates, whose texts are of the terms' collection."""
        reading = _Reading(found, terms)
        own, joined, akin = reading.own, reading.joined, reading.akin
        titles = reading.titles()
        body, kin, events = reading.rows(joined), reading.rows(akin), joined.merged(akin)
        return cls(
            owners=reading.owners, numbers=reading.numbers, lengths=reading.lengths(), head=reading.heads(), body=body,
            exact=reading.rows(own.where(reading.exactly(own))), kin=kin,
            article=titles + reading.articles(body), article_kin=reading.articles(kin),
            lead=titles + reading.articles(reading.rows(joined.where(reading.leading(joined)))),
            lead_kin=reading.articles(reading.rows(akin.where(reading.leading(akin)))),
            places=events.places, rows=reading.row_of[events.places], stems=events.stems,
            trigrams=reading.trigrams(),
        )  # fmt: skip


class _Row(NamedTuple):
    owner: int
    number: int


class _Events(NamedTuple):
    """Places, by token of all texts, and the columns of the stems that stand there."""

    places: Numbers
    stems: Numbers

    def where(self, chosen: Flags) -> _Events:
        return _Events(self.places[chosen], self.stems[chosen])

    def merged(self, other: _Events) -> _Events:
        if not len(other.places):
            return self
        places, stems = np.concatenate((self.places, other.places)), np.concatenate((self.stems, other.stems))
        order = np.lexsort((stems, places))
        return _Events(places[order], stems[order])


class _Reading:
    """All texts of the candidates as one array: the passages that are read, then titles, then headings."""

    def __init__(self, found: Sequence[Read], terms: Terms) -> None:
        self._found = found
        self._width = len(terms.content)
        self._read = [_Row(n, number) for n, read in enumerate(found) for number in sorted(read.matching)]
        self._unread = [_Row(n, number) for n, read in enumerate(found) for number in _unread(read)]
        every = (*self._read, *self._unread)
        self.owners = np.array([row.owner for row in every], np.int64)
        self.numbers = np.array([row.number for row in every], np.int64)
        self._headed = _Headed(found, every, len(self._read))
        vocabulary = terms.collection.forms
        vocabulary.trim()
        self._forms, self._sizes = vocabulary.read([*_texts(found, self._read), *self._headed.texts])
        self.row_of = np.repeat(np.arange(len(self._sizes)), self._sizes)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._asked = _Asked(vocabulary, terms)
        everywhere = self._asked.events(self._forms)
        self._prefixes = self._counted(everywhere)  # of all texts, for titles and headings
        end = int(self._sizes[: len(self._read)].sum())
        self._in_passages = self._forms[:end]
        self.own = everywhere.where(everywhere.places < end)
        self.joined = self.own.merged(self._asked.parts(self._in_passages))
        self.akin = self._asked.akin(self._in_passages)
        self._before = np.array(list(_before(found, self._read)), np.int64)

    def _counted(self, events: _Events) -> Counts:
        """Texts x stems: how often each stands there."""
        cells = self.row_of[events.places] * self._width + events.stems
        shape = len(self._sizes), self._width
        return np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(np.float64)

    def rows(self, events: _Events) -> Counts:
        counted = np.zeros((len(self.owners), self._width))
        counted[: len(self._read)] = self._counted(events)[: len(self._read)]
        return counted

    def articles(self, rows: Counts) -> Counts:
        total = np.zeros((len(self._found), self._width))
        np.add.at(total, self.owners, rows)
        return total

    def titles(self) -> Counts:
        first = len(self._read)
        return self._prefixes[first : first + len(self._found)]

    def heads(self) -> Counts:
        counted, headings = self._prefixes, self._headed.headings
        return counted[self._headed.titles] + np.where(headings[:, None] >= 0, counted[headings], 0)

    def lengths(self) -> Numbers:
        headings = self._headed.headings
        prefix = self._sizes[self._headed.titles] + np.where(headings >= 0, self._sizes[headings], 0)
        stored = [self._found[owner].layout.lengths[number] for owner, number in self._unread]
        return prefix + np.concatenate((self._sizes[: len(self._read)], np.array(stored, np.int64)))

    def exactly(self, events: _Events) -> Flags:
        """Whether a form that was asked stands there."""
        return self._asked.exactly[self._forms[events.places]]

    def leading(self, events: _Events) -> Flags:
        """Whether the place is among the first tokens of its article."""
        row = self.row_of[events.places]
        return self._before[row] + events.places - self._starts[row] < LEAD_TOKENS

    def trigrams(self) -> Numbers:
        owners = self.owners[self.row_of[: len(self._in_passages)]]
        return self._asked.trigrams(self._in_passages, self.row_of, owners, len(self._found))


def _unread(read: Read) -> list[int]:
    """Of the passages that match in their prefix alone, the first and each section's shortest."""
    lengths, matching = read.layout.lengths, set(read.matching)
    shortest: dict[int, int] = {}
    for number, span in enumerate(read.layout.passages):
        if number not in matching:
            best = shortest.setdefault(span.section, number)
            if lengths[number] < lengths[best]:
                shortest[span.section] = number
    return sorted(set(shortest.values()) | ({0} - matching if lengths else set()))


def _texts(found: Sequence[Read], rows: Sequence[_Row]) -> Iterator[str]:
    for owner, number in rows:
        _, start, end = found[owner].layout.passages[number]
        yield found[owner].layout.document.text[start:end]


def _before(found: Sequence[Read], rows: Sequence[_Row]) -> Iterator[int]:
    """How many tokens of its article stand before each row, as far as the lead may reach."""
    lengths = [list(accumulate(read.layout.lengths, initial=0)) for read in found]
    for owner, number in rows:
        late = found[owner].layout.passages[number].start >= _LEAD_CHARACTERS
        yield LEAD_TOKENS if late else lengths[owner][number]


class _Headed:
    """The titles and headings that stand before the rows, each once, as texts that follow those of the rows."""

    def __init__(self, found: Sequence[Read], rows: Sequence[_Row], first: int) -> None:
        sections = [found[owner].layout.passages[number].section for owner, number in rows]
        places = {(row.owner, section) for row, section in zip(rows, sections, strict=True)}
        headed = sorted(key for key in places if found[key[0]].layout.document.sections[key[1]].heading)
        place = {key: first + len(found) + n for n, key in enumerate(headed)}
        headings = (" ".join(found[owner].layout.document.sections[number].heading) for owner, number in headed)
        self.texts = [*(read.entry.title for read in found), *headings]
        self.titles = np.array([first + row.owner for row in rows], np.int64)
        self.headings = np.array(
            [place.get((row.owner, section), -1) for row, section in zip(rows, sections, strict=True)], np.int64
        )


class _Asked:
    """What each number of a vocabulary means to a question. Made after its texts were read."""

    def __init__(self, vocabulary: Forms, terms: Terms) -> None:
        self._terms = terms
        self._vocabulary = vocabulary
        self._columns = {stem: column for column, stem in enumerate(terms.content)}
        self.exactly = np.zeros(len(vocabulary), np.bool_)
        self._column = np.full(len(vocabulary), -1, np.int64)
        self._order = {stem: n for n, stem in enumerate(terms.exact)}
        self._asked = np.full(len(vocabulary), -1, np.int64)
        for stem, forms in terms.exact.items():
            for number, form in vocabulary.of(stem):
                self._asked[number] = self._order[stem]
                self._column[number] = self._columns.get(stem, -1)
                self.exactly[number] = form in forms

    def events(self, forms: FormNumbers) -> _Events:
        """Where the content stems stand themselves."""
        return _events(forms, self._column)

    def parts(self, forms: FormNumbers) -> _Events:
        """Where a joined word (Eastasia) stands for the two that were asked (east asia)."""
        found = _Events(np.zeros(0, np.int64), np.zeros(0, np.int64))
        for stem, pair in self._terms.compounds.items():
            for part in pair:
                if part in self._columns:
                    found = found.merged(self._as(forms, {stem: part}))
        return found

    def akin(self, forms: FormNumbers) -> _Events:
        """Where a word stands that is derived as one that was asked is."""
        return self._as(forms, self._terms.kin)

    def _as(self, forms: FormNumbers, stems: dict[str, str]) -> _Events:
        column = np.full(len(self._column), -1, np.int64)
        known = False
        for stem, stands_for in stems.items():
            for number, _ in self._vocabulary.of(stem):
                column[number], known = self._columns[stands_for], True
        return _events(forms if known else forms[:0], column)

    def trigrams(self, forms: FormNumbers, rows: Numbers, owners: Numbers, candidates: int) -> Numbers:
        """How many different trigrams of the question, function words included, each candidate's texts hold; `rows`
        and `owners` say of each form in which text and candidate it stands."""
        base = len(self._order)
        coded = ([self._order[stem] for stem in trigram] for trigram in self._terms.trigrams)
        wanted = np.array(sorted((a * base + b) * base + c for a, b, c in coded), np.int64)
        asked = self._asked[forms]
        rows = rows[: len(forms)]
        first = np.flatnonzero((asked[:-2] >= 0) & (asked[1:-1] >= 0) & (asked[2:] >= 0) & (rows[:-2] == rows[2:]))
        if not len(wanted) or not len(first):
            return np.zeros(candidates, np.int64)
        keys = (asked[first] * base + asked[first + 1]) * base + asked[first + 2]
        place = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
        stands = wanted[place] == keys
        different = np.unique(owners[first[stands]] * len(wanted) + place[stands])
        return np.bincount(different // len(wanted), minlength=candidates)


def _events(forms: FormNumbers, column: Numbers) -> _Events:
    columns = column[forms]
    places = np.flatnonzero(columns >= 0)
    return _Events(places, columns[places])
