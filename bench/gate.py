"""The gate: what it is fitted on, how well it tells right from wrong, what its levels mean.

`python -m bench.gate --shards DIR` measures each half of the questions by a fit on the other; with `--fit` it also
fits on all of them and writes `aborist/data/gate.json`. Never run it on a test split.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aborist.query.gate import FORMAT
from aborist.query.signals import SIGNALS_VERSION
from aborist.text import ANALYZER_VERSION
from bench import articles, gate_archives, gate_examples, record
from bench.arguments import positive
from bench.gate_examples import Example
from bench.gate_fit import Fitted, thresholds
from bench.gate_report import figures, lines
from bench.gate_train import (
    FOLDS,
    MIXTURES,
    SIGNS,
    WORTH,
    by_model,
    family,
    fitted,
    matrix,
    of_model,
    predicted,
    rule_precision,
)

__all__ = ["main"]

MODEL = record.ROOT / "aborist" / "data" / "gate.json"
ELSEWHERE = ("fixtures/fixture_gensim.zim", "sample_en/sample_en.zim")
ELSEWHERE_QUESTIONS = 300  # asked of each
SEEDED = ("en", "ru")
SHORT = {code: short for short, code in articles.CODES.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures and writes a result file, with --fit the model too; 1 without the data."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(arguments)
    if options.data is None:
        print("bench.gate: expected --data DIR or ABORIST_DATA; found neither; name the folder", file=sys.stderr)
        return 1
    examples = _examples(options)
    least, rules = thresholds(WORTH), rule_precision(examples)
    models = {language: fitted(examples, language) for language in MIXTURES}
    found = {language or "pooled": _figures(examples, language, models[language], least, rules) for language in models}
    print("\n".join(lines(found)))
    told = {"thresholds": least, "worth": WORTH, "rules": rules, "folds": FOLDS, "models": found}
    command = record.command("bench.gate", arguments)
    print("written:", record.write("gate", {"command": command, **told}, options.out).name)
    if options.fit:
        stored = {name: _stored(model, examples, name, found[name or "pooled"]) for name, model in models.items()}
        options.model.write_text(
            _json({"thresholds": least, "worth": WORTH, "rules": rules, "models": stored}), "utf-8"
        )
        print("written:", options.model.name)
    return 0


def _examples(options: argparse.Namespace) -> list[Example]:
    """Those of an earlier run, or all asked anew."""
    if options.examples and options.examples.exists():
        return gate_examples.read(options.examples)
    with tempfile.TemporaryDirectory() as scratch:
        examples = list(_asked(options, Path(scratch)))
    if options.examples:
        gate_examples.write(options.examples, examples)
    return examples


def _asked(options: argparse.Namespace, scratch: Path) -> Iterator[Example]:
    data: Path = options.data
    dev = data / "enwiki_medium" / "questions_dev.jsonl"
    yield from gate_examples.enwiki(options.shards, dev, options.per_group)
    for archive in ELSEWHERE:
        shards = gate_archives.indexed(data / archive, scratch / Path(archive).stem)
        yield from gate_examples.elsewhere(shards, dev, ELSEWHERE_QUESTIONS)
    for language in SEEDED:
        folder = data / f"seeds_{language}"
        shards = gate_archives.indexed(folder / f"seeds_{language}.zim", scratch / folder.name)
        yield from gate_examples.seeds(shards, folder / "questions.jsonl", language)
    for language in articles.CODES:
        units = 2 if language in SEEDED else 1  # the others only serve the pooled model
        yield from gate_examples.xquad_of(data / "xquad", language, units)


def _figures(
    examples: Sequence[Example], language: str, model: Fitted, least: Mapping[str, float], rules: Mapping[str, float]
) -> dict[str, Any]:
    """Of what the model is fitted on, each half by a fit on the other; of the seeds, which it never saw, by itself."""
    unseen = [one for one in examples if family(one) in MIXTURES[language]]
    told = figures(unseen, predicted(unseen, language), least, rules)
    tested = [one for one in examples if language and family(one) == f"seeds_{SHORT[language]}"]
    return told | figures(tested, by_model(model, tested), least, rules)


def _stored(model: Fitted, examples: Sequence[Example], language: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """A model as `aborist.query.gate.read` wants it, with what it was fitted on and how it did."""
    chosen = [one for one in of_model(examples, language) if one.features]
    x = matrix(chosen)
    names = list(SIGNS)
    weights = {
        names[n]: [float(f"{v:.6g}") for v in (mean, scale, x[:, n].min(), x[:, n].max(), weight)]
        for n, mean, scale, weight in zip(model.kept, model.mean, model.scale, model.weights, strict=True)
    }
    return {
        "bias": round(model.bias, 6),
        "weights": weights,
        "trained_on": {f"{name} {kind}": n for (name, kind), n in Counter((family(o), o.kind) for o in chosen).items()},
        "parts": MIXTURES[language],
        "unseen": {
            name: {"ece": round(told["ece"], 4), "auroc": {k: _rounded(v) for k, v in told["auroc"].items()}}
            for name, told in found.items()
        },
    }


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def _json(content: Mapping[str, Any]) -> str:
    """With versions and date; one line for each weight."""
    versions = {"format": FORMAT, "signals": SIGNALS_VERSION, "analyzer": ANALYZER_VERSION}
    weights_as = "mean, scale, least and greatest value seen, weight of the standardised value"
    full = {**versions, "date": datetime.now(UTC).date().isoformat(), "weights_are": weights_as, **content}
    return json.dumps(full, indent=1) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.gate", description=__doc__)
    add = parser.add_argument
    add("--shards", type=Path, required=True, help="an index of enwiki_medium")
    add("--data", type=Path, default=os.environ.get("ABORIST_DATA"), help="the folder of data (default ABORIST_DATA)")
    add("--per-group", type=positive, default=150, help="questions a group of enwiki_medium (default 150)")
    add("--examples", type=Path, help="file that keeps the features: read if it exists, else written")
    add("--fit", action="store_true", help="fit the models on everything and write them")
    add("--model", type=Path, default=MODEL, help="where --fit writes it")
    add("--out", type=Path, default=record.RESULTS, help="folder of the result file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
