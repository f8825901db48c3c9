"""What the gate is fitted and measured on: first hits with their features, each right or wrong.

Kinds: `own` (the question as it is), `removed` (the right articles left out of the ranking, margins taken again),
`paragraph` and `article` (an archive rebuilt without the answer's paragraph, or without all of its title), `absent`
(the article is there and the answer is not), `elsewhere` (asked of an archive on other things).
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from aborist.compose import Composer
from aborist.config import open_engine
from aborist.engine import Engine
from aborist.query.gate import LEVELS, Gate, Model
from aborist.query.signals import compared
from aborist.text import title_key
from bench import articles, gate_archives
from bench.groups import GROUPS, group_of
from bench.questions import Question, load

__all__ = ["Example", "elsewhere", "enwiki", "read", "seeds", "write", "xquad_of"]

LISTED = 25  # articles a question: what is left when the right ones are removed must hold rivals enough
# Accepts by rule alone: what is measured must not depend on the gate that comes out of it.
_NO_GATE = Gate({"": Model(0.0, {})}, dict.fromkeys(LEVELS, 2.0), {})


class Example(NamedTuple):
    """A first hit: `group` is what must not be torn between folds, `rule` what accepted it without the gate."""

    set: str
    kind: str
    language: str
    group: str
    question: str
    right: bool
    rule: str
    features: Mapping[str, float]


class _Hit(NamedTuple):
    name: str
    rule: str
    features: Mapping[str, float]


def _open(shards: Path) -> Engine:
    engine = open_engine(shards)
    engine.composer, engine.retries = Composer(gate=_NO_GATE), False
    return engine


def _ask(engine: Engine, question: str, name: Callable[[str, str], str]) -> list[_Hit]:
    """The listed articles, best first; `name` makes of title and path what the gold is called by."""
    results = engine.ask(question, LISTED).results
    return [_Hit(name(r.title, r.path), r.verdict.rule if r.verdict.accepted else "", r.features) for r in results]


def _title(title: str, _: str) -> str:
    return title


def _path(_: str, path: str) -> str:
    return path


class _Where(NamedTuple):
    set: str
    kind: str
    language: str


def _example(where: _Where, group: str, asked: str, hits: Sequence[_Hit], gold: Collection[str] = ()) -> Example:
    """The first of the hits, compared with the others as if nothing else had been found; without features if there is
    none."""
    if not hits:
        return Example(*where, group, asked, False, "", {})
    features = compared([hit.features for hit in hits])[0]
    return Example(*where, group, asked, hits[0].name in gold, hits[0].rule, features)


def _spread(questions: Sequence[Question], most: int) -> list[Question]:
    return sorted(questions, key=lambda asked: hashlib.sha256(asked.text.encode()).hexdigest())[:most]


def enwiki(shards: Path, questions: Path, per_group: int) -> Iterator[Example]:
    """own and removed of the eight groups, absent of squad2's questions without an answer; of those and of squad three
    times `per_group`."""
    by_group: dict[str, list[Question]] = defaultdict(list)
    for question in load(questions):
        if question.answerable is False or (question.gold and group_of(question.set) in GROUPS):
            by_group[group_of(question.set)].append(question)
    engine = _open(shards)
    for group, found in by_group.items():
        absent = group not in GROUPS
        for asked in _spread(found, per_group * (3 if absent or group == "squad" else 1)):
            hits = _ask(engine, asked.text, _title)
            key = "|".join(sorted(asked.gold))
            if absent:
                yield _example(_Where(f"enwiki/{group}", "absent", "eng"), key, asked.text, hits)
                continue
            left = [hit for hit in hits if hit.name not in asked.gold]
            yield _example(_Where(f"enwiki/{group}", "own", "eng"), key, asked.text, hits, asked.gold)
            yield _example(_Where(f"enwiki/{group}", "removed", "eng"), key, asked.text, left)
    engine.close()


def elsewhere(shards: Path, questions: Path, most: int) -> Iterator[Example]:
    """Questions whose articles another archive has, asked of this one; those with a gold title here are left out."""
    engine = _open(shards)
    name = engine.mounted[0].manifest.archive
    found = [q for q in load(questions) if q.gold and group_of(q.set) in GROUPS]
    for asked in _spread(found, most):
        if not engine.titled([title_key(title) for title in asked.gold]):
            hits = _ask(engine, asked.text, _title)
            yield _example(_Where(f"elsewhere/{name}", "elsewhere", "eng"), asked.text, asked.text, hits)
    engine.close()


def seeds(shards: Path, questions: Path, language: str) -> Iterator[Example]:
    """own and absent of a small corpus; never fitted on."""
    engine = _open(shards)
    for row in articles.rows(questions):
        gold = [*row["titles"], *row["also_answers"]]
        where = _Where(f"seeds_{language}", "own" if row["answerable"] else "absent", articles.CODES[language])
        yield _example(where, row["category"], row["question"], _ask(engine, row["question"], _title), gold)
    engine.close()


class _Unit(NamedTuple):
    """What is an article of an XQuAD archive: how it is made of paragraphs, and what answers a question."""

    set: str
    made: Callable[[list[gate_archives.Page]], list[gate_archives.Page]]
    gold: Callable[[gate_archives.AskedParagraph], str]


_UNITS = (
    _Unit("xquad", lambda paragraphs: paragraphs, lambda asked: f"{asked.title}_{asked.paragraph}"),
    _Unit("xquadtitles", gate_archives.joined, lambda asked: str(asked.title)),
)


def xquad_of(folder: Path, language: str, units: int) -> Iterator[Example]:
    """For paragraphs as articles and, with two units, titles too: own of the whole archive, what is left of its
    ranking without the answer's paragraph or title, and paragraph and article from archives that are built without."""
    pages, asked = gate_archives.pages(folder, language), gate_archives.questions(folder, language)
    for unit in _UNITS[:units]:
        with tempfile.TemporaryDirectory() as scratch:
            shards = gate_archives.index_of(unit.made(pages), language, Path(scratch, "whole"))
            yield from _whole(shards, asked, language, unit)
            for place in range(max(page.paragraph for page in pages) + 1):
                left = unit.made([page for page in pages if page.paragraph != place])
                shards = gate_archives.index_of(left, language, Path(scratch, f"p{place}"))
                lacking = [question for question in asked if question.paragraph == place]
                yield from _without(shards, lacking, _where(unit, "paragraph", language))
            for fold in range(gate_archives.TITLE_FOLDS):
                left = unit.made([page for page in pages if page.title % gate_archives.TITLE_FOLDS != fold])
                shards = gate_archives.index_of(left, language, Path(scratch, f"t{fold}"))
                lacking = [question for question in asked if question.title % gate_archives.TITLE_FOLDS == fold]
                yield from _without(shards, lacking, _where(unit, "article", language))


def _where(unit: _Unit, kind: str, language: str) -> _Where:
    return _Where(f"{unit.set}_{language}", kind, articles.CODES[language])


def _whole(
    shards: Path, asked: Sequence[gate_archives.AskedParagraph], language: str, unit: _Unit
) -> Iterator[Example]:
    engine = _open(shards)
    for question in asked:
        hits, gold = _ask(engine, question.text, _path), unit.gold(question)
        key = str(question.title)
        yield _example(_where(unit, "own", language), key, question.text, hits, {gold})
        left = [hit for hit in hits if hit.name != gold]
        yield _example(_where(unit, "paragraph removed", language), key, question.text, left)
        left = [hit for hit in hits if hit.name.partition("_")[0] != key]
        yield _example(_where(unit, "article removed", language), key, question.text, left)
    engine.close()


def _without(shards: Path, asked: Sequence[gate_archives.AskedParagraph], where: _Where) -> Iterator[Example]:
    engine = _open(shards)
    for question in asked:
        yield _example(where, str(question.title), question.text, _ask(engine, question.text, _path))
    engine.close()


def write(file: Path, examples: Sequence[Example]) -> None:
    """One JSON list a line."""
    file.write_text("".join(json.dumps(list(one), ensure_ascii=False) + "\n" for one in examples), encoding="utf-8")


def read(file: Path) -> list[Example]:
    """What `write` wrote."""
    lines = file.read_text(encoding="utf-8").split("\n")  # splitlines() would also end one at U+2028 in a question
    return [Example(*json.loads(line)) for line in lines if line]
