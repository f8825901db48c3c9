"""A crew of worker processes whose members die at a bad moment."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from aborist.errors import AboristError
from aborist.processes import Crew


def own_number(_job: int, _tell: Callable[[object], None]) -> int:
    return os.getpid()


def run_often(crew: Crew) -> None:
    """The pool may notice before the next call, or in it."""
    for _ in range(200):
        crew.run(own_number, [1])


def test_a_worker_that_died_between_two_calls_is_told_in_one_line() -> None:
    with Crew(1) as crew:
        (number,) = crew.run(own_number, [1])
        os.kill(number, signal.SIGKILL)
        with pytest.raises(AboristError, match="killed"):
            run_often(crew)
        with pytest.raises(AboristError, match="killed"):  # the jobs cannot even be handed out
            crew.run(own_number, [1])


def test_a_crew_gives_the_results_in_the_order_of_the_jobs() -> None:
    with Crew(2) as crew:
        assert len(crew.run(own_number, [1, 2, 3])) == 3
