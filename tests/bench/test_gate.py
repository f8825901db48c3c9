"""The gate's fit and measures, against data whose weights are known and sums done by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from aborist.query.gate import read
from bench import gate
from bench.gate_examples import Example, write
from bench.gate_fit import auroc, calibration_error, fit, reliability, signed_fit, thresholds
from bench.gate_train import KINDS, MIXTURES, SIGNS, weigh


def test_the_fit_finds_the_weights_that_made_the_labels() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(20_000, 2))
    y = (random.random(20_000) < 1 / (1 + np.exp(-(-0.5 + 2.0 * x[:, 0] - 1.0 * x[:, 1])))).astype(float)
    bias, weights = fit(x, y, np.ones(len(x)))
    assert np.allclose([bias, *weights], [-0.5, 2.0, -1.0], atol=0.1)


def test_an_example_of_weight_two_counts_as_two() -> None:
    x, y = np.array([[0.0], [1.0], [1.0], [0.3], [0.6]]), np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    once = fit(x[[0, 1, 3, 4]], y[[0, 1, 3, 4]], np.array([1.0, 2.0, 1.0, 1.0]), penalty=0.001)
    twice = fit(x, y, np.ones(5), penalty=0.001)
    assert np.allclose([once[0], *once[1]], [twice[0], *twice[1]])


def test_no_feature_speaks_against_its_sign() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=(2_000, 3)) * [1.0, 5.0, 0.1] + [0.0, 3.0, -1.0]
    y = (random.random(2_000) < 1 / (1 + np.exp(-(x[:, 0] - x[:, 1] + 3.0)))).astype(float)
    free = signed_fit(x, y, np.ones(len(x)), [0, 0, 0])
    held = signed_fit(x, y, np.ones(len(x)), [1, 1, 0])
    assert free.weights[1] < 0 < free.weights[0]
    assert 1 not in held.kept
    assert held.weights[held.kept.index(0)] > 0
    z = free.bias + ((x[:, free.kept] - free.mean) / free.scale) @ free.weights
    assert np.allclose(free.probability(x), 1 / (1 + np.exp(-z)))


def test_auroc_is_the_share_of_pairs_in_order() -> None:
    random = np.random.default_rng(3)
    scores, labels = random.integers(0, 12, 200) / 12, (random.random(200) < 0.4).astype(float)
    positive, negative = scores[labels == 1], scores[labels == 0]
    pairs = [1.0 if p > n else 0.5 if p == n else 0.0 for p in positive for n in negative]
    assert auroc(scores, labels) == pytest.approx(sum(pairs) / len(pairs))
    assert auroc(np.array([0.9, 0.4, 0.4, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])) == (1 + 1 + 0.5 + 1) / 4


def test_calibration_error_is_the_weighted_distance_of_each_tenth() -> None:
    p, y, w = np.array([0.05, 0.02, 0.95, 0.91, 1.0]), np.array([0.0, 1.0, 1.0, 1.0, 0.0]), np.array([1.0, 1, 2, 1, 1])
    low, high = abs((0.05 + 0.02) / 2 - 0.5), abs((2 * 0.95 + 0.91 + 1.0) / 4 - 3 / 4)
    assert calibration_error(p, y, w) == pytest.approx(low * 2 / 6 + high * 4 / 6)
    assert [one.weight for one in reliability(p, y, w)] == pytest.approx([2 / 6, 4 / 6])


def test_thresholds_are_where_the_next_level_is_worth_more() -> None:
    worth = {"weak": (0.6, 0.3), "partial": (0.85, 0.65), "strong": (1.0, 1.4)}
    least = thresholds(worth)
    for p in np.linspace(0.005, 0.995, 199):
        value = {name: p * brings - (1 - p) * costs for name, (brings, costs) in worth.items()}
        best = max({"refused": 0.0, **value}.items(), key=lambda pair: pair[1])[0]
        assert best == ([name for name, of in least.items() if p >= of] or ["refused"])[-1]


def examples(random: np.random.Generator) -> list[Example]:
    """Made-up first hits of every family; `title` says what is right."""
    names = {name for parts in MIXTURES.values() for name in parts} | {"seeds_en", "seeds_ru"}
    by_rules = {"window", "akin", "trigrams", "functional", "quoted", "unknown_names"}
    names_used = sorted(by_rules | {part for name in SIGNS for part in name.split("*")})
    found = []
    for name in sorted(names):
        for number in range(120):
            held = random.random()
            features = {feature: random.random() for feature in names_used} | {"title": held}
            kind = ("own", "own", "removed")[number % 3]
            right = kind == "own" and random.random() < 1 / (1 + np.exp(-8 * (held - 0.4)))
            rule = ("title", "phrase", "", "")[number % 4]
            found.append(Example(f"{name}/x", kind, "eng", f"{number % 40}", f"q{number}", bool(right), rule, features))
        found.append(Example(f"{name}/x", "own", "eng", "none", "nothing found", False, "", {}))
    return found


def test_kinds_weigh_what_is_stated_however_many_there_are() -> None:
    chosen = [one for one in examples(np.random.default_rng(4)) if one.set.startswith("enwiki")]
    weights = weigh(chosen, "eng")
    of = {
        kind: sum(w for w, one in zip(weights, chosen, strict=True) if one.kind == kind) for kind in ("own", "removed")
    }
    assert of["own"] / of["removed"] == pytest.approx(KINDS["own"] / KINDS["removed"])


def test_a_fit_writes_a_model_that_the_program_reads_and_a_result_file(tmp_path: Path) -> None:
    kept, model = tmp_path / "examples.jsonl", tmp_path / "gate.json"
    made = examples(np.random.default_rng(5))
    write(kept, made)
    options = ["--shards", "none", "--data", "none", "--examples", str(kept), "--out", str(tmp_path), "--fit"]
    assert gate.main([*options, "--model", str(model)]) == 0
    found = read(model.read_text(encoding="utf-8"))
    assert set(found.models) == set(MIXTURES)
    some = made[1].features
    assert found.probability({**some, "title": 1.0}, "eng") > found.probability({**some, "title": 0.0}, "eng")
    (result,) = tmp_path.glob("gate-*.json")
    told = json.loads(result.read_text(encoding="utf-8"))["models"]["eng"]["enwiki"]
    assert 0.5 < told["auroc"]["removed"]["right"] <= 1
    assert told["ece"] < 0.3
    shares = [at["share"] for at in told["levels"]["enwiki/x own"].values()]
    assert sum(shares) == pytest.approx(1)
