"""CPU time by stage: what is inside counts inside, what was wrapped is put back, what is not there is named."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from bench.clock import Clock, Made
from bench.metrics import mean, percentile

SPUN = 0.02  # CPU seconds: twice the coarsest clock tick


def spin(seconds: float = SPUN) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_stages_share_the_time_without_counting_any_twice() -> None:
    clock = Clock()
    inner = clock.wrapped(spin, "inner")

    def both() -> None:
        spin()
        inner()

    begun = time.process_time()
    clock.wrapped(both, "outer")()
    spent = time.process_time() - begun
    assert clock.calls == {"outer": 1, "inner": 1}
    assert min(clock.seconds["outer"], clock.seconds["inner"]) >= SPUN
    assert sum(clock.seconds.values()) <= spent


def test_a_whole_stage_keeps_what_is_called_within_it() -> None:
    clock = Clock(whole=frozenset({"route"}))
    read = clock.wrapped(spin, "read")
    clock.wrapped(read, "route")()
    assert clock.seconds["read"] == 0
    assert clock.seconds["route"] >= SPUN


def test_of_a_generator_only_its_own_steps_count() -> None:
    clock = Clock()

    def steps() -> Iterator[int]:
        for number in range(3):
            spin()
            yield number

    found = []
    for number in clock.wrapped(steps, "steps")():
        spin()
        found.append(number)
    assert found == [0, 1, 2]
    assert 3 * SPUN <= clock.seconds["steps"] < 5 * SPUN


def test_an_error_ends_its_stage() -> None:
    clock = Clock()

    def fail() -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  no message is meant
        clock.wrapped(fail, "fail")()
    clock.wrapped(spin, "after")()
    assert clock.seconds["after"] >= SPUN


def test_methods_of_what_a_factory_makes_can_be_a_stage() -> None:
    clock = Clock()
    text = clock.wrapped(str, Made("upper", "upper"))("abc")
    assert text.upper() == "ABC"
    assert text.title() == "Abc"
    assert clock.calls == {"upper": 1}


def test_functions_are_found_by_name_and_put_back_and_absent_ones_are_named() -> None:
    clock = Clock()
    import bench.metrics

    stages = {"bench.metrics.mean": "mean", "bench.metrics.nothing": "-", "bench.no_module.f": "-", "nowhere.f": "-"}
    with clock.watching(stages) as missing:
        assert bench.metrics.mean([1, 3]) == 2
    assert missing == ["bench.metrics.nothing", "bench.no_module.f", "nowhere.f"]
    assert bench.metrics.mean is mean
    assert bench.metrics.percentile is percentile
    assert clock.calls == {"mean": 1}
