"""Asks for planted quotes, bare and unquoted, and counts false phrase hits: `python -m bench.quotes --shards DIR`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aborist.text import function_words
from bench import options, record
from bench.arguments import positive
from bench.asking import Heard, Place, Target, ask_all, rank_of, times
from bench.groups import GROUPS, group_of
from bench.holders import holders
from bench.metrics import mean
from bench.published import published
from bench.questions import Question, load
from bench.spans import CHANGED, CHANGED_FUNCTIONAL, Span, changed, drawn
from bench.table import share_table
from bench.words import plain

__all__ = ["AskedSpan", "false_phrases", "main", "rows"]

SPANS = 2_000
QUESTIONS = 2_000
PHRASE = "phrase"  # the rule that takes a question for a quotation
DEEPEST_CHANGED = 5
SHOWN = 50
SHARES = {"right": "right", "first": "first", "in_five": "in 5"}


@dataclass(frozen=True, slots=True)
class AskedSpan:
    """A span asked; `rank` is that of the first listed article that holds the original, None beyond the tenth.

    `verbatim`: how many articles hold what was asked as it is; with a word changed, mostly none.
    """

    span: Span
    holders: frozenset[Place]
    verbatim: int
    heard: Heard
    rank: int | None

    @property
    def right(self) -> bool:
        """First; for a misquote, in the first five."""
        return self.rank is not None and self.rank <= (DEEPEST_CHANGED if self.is_changed else 1)

    @property
    def is_changed(self) -> bool:
        return self.span.kind in (CHANGED, CHANGED_FUNCTIONAL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the shares and the first failures, writes one result file; 1 when index or questions are bad."""
    return options.run(_measure, _parser(), arguments)


def _measure(given: argparse.Namespace, command: str) -> int:
    target = options.target_of(given)
    questions = _ordinary(given.questions, given.ordinary)
    with published(target.shards, target.archive) as index:
        articles, facts = list(index.articles()), index.facts()
        stop = function_words(index.manifest.language)
        spans = drawn(articles, index.text, stop, given.spans)
    spans += changed(spans)
    found = holders(target, articles, {form for span in spans for form in (span.original, plain(span.asked))})
    asked = _ask(target, spans, found)
    failures = [_failure(one) for one in asked if not one.right]
    content: dict[str, Any] = {
        "command": command,
        "corpus": [facts],
        "rows": rows(asked),
        "failures": failures,
    }
    print("\n".join((*share_table(content["rows"], SHARES), *_lines(failures[:SHOWN]))), flush=True)
    if questions:
        content["questions"] = [record.file_facts(path) for path in given.questions]
        content["ordinary"] = _judge_ordinary(target, questions)
    path = record.write(given.name or f"quotes-{facts['name']}", content, given.out)
    print(f"\nwritten: {path.name}")
    return 0


def _ask(target: Target, spans: Sequence[Span], found: Mapping[str, frozenset[Place]]) -> list[AskedSpan]:
    heard = ask_all(target, [span.asked for span in spans], "quotes")
    return [
        AskedSpan(span, found[span.original], len(found[plain(span.asked)]), one, rank_of(one, found[span.original]))
        for span, one in zip(spans, heard, strict=True)
    ]


def rows(asked: Iterable[AskedSpan]) -> dict[str, dict[str, Any]]:
    """n, share right, first, in the first five, and CPU time: of each kind, and each kind and length."""
    parts: dict[str, list[AskedSpan]] = {}
    for one in asked:
        whole = "all changed" if one.is_changed else "all verbatim"
        for part in (whole, one.span.kind, f"{one.span.kind}, {one.span.words} words"):
            parts.setdefault(part, []).append(one)
    return {part: _row(parts[part]) for part in sorted(parts)}


def _row(asked: Sequence[AskedSpan]) -> dict[str, Any]:
    return {
        "n": len(asked),
        "right": mean(one.right for one in asked),
        "first": mean(one.rank == 1 for one in asked),
        "in_five": mean(one.rank is not None and one.rank <= DEEPEST_CHANGED for one in asked),
        **times([one.heard for one in asked]),
    }


def _failure(asked: AskedSpan) -> dict[str, Any]:
    span, first = asked.span, asked.heard.first
    return {
        "asked": span.asked,
        "kind": span.kind,
        "words": span.words,
        "original": span.original,
        "source": span.source.title,
        "holders": len(asked.holders),
        "verbatim_holders": asked.verbatim,
        "rank": asked.rank,
        "first": first.title if first else None,
        "accepted_by": first.rule if first else None,
    }


def _ordinary(files: Sequence[Path], most: int) -> list[Question]:
    """Questions of the eight English groups with gold, spread evenly over the groups, at most so many in all."""
    questions = [q for file in files for q in load(file) if q.gold and q.answerable and group_of(q.set) in GROUPS]
    per_group = -(-most // len(GROUPS))
    by_group = [[q for q in questions if group_of(q.set) == group] for group in GROUPS]
    while sum(min(len(group), per_group) for group in by_group) < min(most, len(questions)):
        per_group += 1
    return [q for group in by_group for q in _spread(group, per_group)][:most]


def _spread(questions: Sequence[Question], most: int) -> list[Question]:
    step = max(len(questions) / most, 1.0)
    return [questions[int(n * step)] for n in range(min(most, len(questions)))]


def _judge_ordinary(target: Target, questions: Sequence[Question]) -> dict[str, Any]:
    heard = ask_all(target, [question.text for question in questions], "ordinary questions")
    wrong = false_phrases(questions, heard)
    groups = Counter(group_of(question.set) for question in questions)
    found = Counter(group_of(question.set) for question, _ in wrong)
    share = len(wrong) / len(questions)
    print(f"\nordinary questions: {len(questions):,}, false phrase hits {len(wrong)} ({share:.2%})")
    for question, title in wrong[:SHOWN]:
        print(f"  {question.text!r} ({question.set}): first {title!r}, right {'; '.join(sorted(question.gold))!r}")
    return {
        "n": len(questions),
        "false_phrase_hits": share,
        "by_group": {group: {"n": n, "false_phrase_hits": found[group] / n} for group, n in groups.items()},
        "failures": [
            {"id": q.id, "set": q.set, "question": q.text, "gold": sorted(q.gold), "first": title} for q, title in wrong
        ],
    }


def false_phrases(questions: Sequence[Question], heard: Sequence[Heard]) -> list[tuple[Question, str]]:
    """Questions whose first result was accepted as a quotation and is no gold article, with its title."""
    return [
        (question, one.first.title)
        for question, one in zip(questions, heard, strict=True)
        if one.first and one.first.rule == PHRASE and one.first.title not in question.gold
    ]


def _lines(failures: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for one in failures:
        held = f"in {one['holders']}, as asked in {one['verbatim_holders']}"
        found = f"rank {one['rank'] or '-'}, first {one['first']!r} by {one['accepted_by'] or 'nothing'}"
        yield f"  {one['asked']!r} ({one['kind']}, {one['source']!r}; {held}): {found}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.quotes", description=__doc__)
    options.index_options(parser)
    parser.add_argument(
        "--spans", type=positive, default=SPANS, metavar="N", help="planted quotes, the same every time"
    )
    parser.add_argument("--questions", type=Path, nargs="+", default=[], help="files with ordinary questions")
    parser.add_argument("--ordinary", type=positive, default=QUESTIONS, metavar="N", help="at most so many of them")
    return parser


if __name__ == "__main__":
    sys.exit(main())
