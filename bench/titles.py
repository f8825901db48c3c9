"""Asks for every title and unambiguous redirect of an archive by name: `python -m bench.titles --shards DIR`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import options, record
from bench.arguments import positive
from bench.asking import Heard, Target, ask_all, rank_of, times
from bench.metrics import mean
from bench.names import Name, names_of, sampled
from bench.published import Published, published
from bench.table import share_table

__all__ = ["AskedName", "ask_names", "main", "rows"]

FORMS: Mapping[str, str] = {"bare": "{}", "what is": "what is {}"}
RUSSIAN_FORMS: Mapping[str, str] = {"что такое": "что такое {}"}
RUSSIAN = ("rus", "ru")
SHOWN = 50  # failures printed; the result file has them all
SHARES = {"first": "first", "in_five": "in 5", "in_ten": "in 10"}


@dataclass(frozen=True, slots=True)
class AskedName:
    """A name asked in one form; `rank` is that of its article among the first ten, None beyond."""

    name: Name
    form: str
    question: str
    heard: Heard
    rank: int | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the shares and the first failures, writes one result file; 1 when there is no such index."""
    return options.run(_measure, _parser(), arguments)


def _measure(given: argparse.Namespace, command: str) -> int:
    target = options.target_of(given)
    with published(target.shards, target.archive) as index:
        names = names_of(index.articles())
        chosen = sampled(names, given.sample)
        forms = _forms(index)
        facts = index.facts()
    asked = ask_names(target, chosen, forms)
    found = rows(asked)
    failures = [_failure(one) for one in asked if one.rank != 1]
    print("\n".join((*share_table(found, SHARES), *_lines(failures[:SHOWN]))))
    content = {
        "command": command,
        "corpus": [facts],
        "names": Counter(name.kind for name in names),
        "asked": Counter(name.kind for name in chosen),
        "rows": found,
        "failures": failures,
    }
    path = record.write(given.name or f"titles-{facts['name']}", content, given.out)
    print(f"\nwritten: {path.name}, {len(failures)} failure(s)")
    return 0


def _forms(index: Published) -> dict[str, str]:
    return {**FORMS, **(RUSSIAN_FORMS if index.manifest.language in RUSSIAN else {})}


def ask_names(target: Target, names: Sequence[Name], forms: Mapping[str, str]) -> list[AskedName]:
    """Every name in every form, form by form."""
    wanted = [(name, form, pattern.format(name.text)) for form, pattern in forms.items() for name in names]
    heard = ask_all(target, [question for *_, question in wanted], "titles")
    return [
        AskedName(name, form, question, one, rank_of(one, name.gold))
        for (name, form, question), one in zip(wanted, heard, strict=True)
    ]


def rows(asked: Iterable[AskedName]) -> dict[str, dict[str, Any]]:
    """n, shares first, in the first five and ten, and CPU time: of each form, each form and kind, and all."""
    parts: dict[str, list[AskedName]] = {}
    for one in asked:
        for part in ("all", one.form, f"{one.form}: {one.name.kind}"):
            parts.setdefault(part, []).append(one)
    return {part: _row(parts[part]) for part in sorted(parts)}


def _row(asked: Sequence[AskedName]) -> dict[str, Any]:
    return {
        "n": len(asked),
        "first": mean(one.rank == 1 for one in asked),
        "in_five": mean(one.rank is not None and one.rank <= 5 for one in asked),
        "in_ten": mean(one.rank is not None for one in asked),
        **times([one.heard for one in asked]),
    }


def _failure(asked: AskedName) -> dict[str, Any]:
    first = asked.heard.first
    return {
        "question": asked.question,
        "kind": asked.name.kind,
        "form": asked.form,
        "title": asked.name.title,
        "paths": sorted(place.path for place in asked.name.gold),
        "rank": asked.rank,
        "first": first.title if first else None,
        "first_path": first.place.path if first else None,
        "accepted_by": first.rule if first else None,
    }


def _lines(failures: Iterable[Mapping[str, Any]]) -> list[str]:
    return [
        f"  {one['question']!r} ({one['kind']} of {one['title']!r}): rank {one['rank'] or '-'},"
        f" first {one['first']!r} by {one['accepted_by'] or 'nothing'}"
        for one in failures
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.titles", description=__doc__)
    options.index_options(parser)
    parser.add_argument("--sample", type=positive, metavar="N", help="so many names, always the same; all without it")
    return parser


if __name__ == "__main__":
    sys.exit(main())
