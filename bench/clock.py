"""CPU time by stage, taken from outside: functions of a program are wrapped where it looks them up, and put back.

What is not found is named instead of measured, so that a program that changed is still measured for the rest.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Clock", "Made", "Stage"]


class Made(NamedTuple):
    """For a class or factory: the stage of one method of what it makes."""

    method: str
    stage: str


# A name, what names it by the call's arguments, or a method of what is made.
Stage = str | Callable[..., str] | Made


@dataclass
class Clock:
    """Seconds of CPU by stage. A call within a call counts for the inner stage only, except within those of `whole`.

    `seconds` and `calls` are by stage. One thread.
    """

    whole: frozenset[str] = frozenset()
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _open: list[str] = field(default_factory=list)
    _last: float = 0.0

    def enter(self, stage: str) -> None:
        now = time.process_time()
        if self._open:
            outer = self._open[-1]
            self.seconds[outer] += now - self._last
            stage = outer if outer in self.whole else stage
        self._open.append(stage)
        self.calls[stage] += 1
        self._last = now

    def leave(self) -> None:
        now = time.process_time()
        self.seconds[self._open.pop()] += now - self._last
        self._last = now

    def wrapped(self, function: Callable[..., Any], stage: Stage) -> Callable[..., Any]:
        """The function, its time counted; of a generator the time of each step."""
        if isinstance(stage, Made):
            return self._maker(function, stage)
        named = stage if callable(stage) else lambda *_, **__: stage
        if inspect.isgeneratorfunction(function):
            return self._steps(function, named)

        @functools.wraps(function)
        def timed(*arguments: Any, **options: Any) -> Any:
            self.enter(named(*arguments, **options))
            try:
                return function(*arguments, **options)
            finally:
                self.leave()

        return timed

    def _steps(self, function: Callable[..., Iterator[Any]], named: Callable[..., str]) -> Callable[..., Any]:
        @functools.wraps(function)
        def stepped(*arguments: Any, **options: Any) -> Iterator[Any]:
            step = self.wrapped(functools.partial(next, function(*arguments, **options), _END), named)
            while (item := step()) is not _END:
                yield item

        return stepped

    def _maker(self, make: Callable[..., Any], stage: Made) -> Callable[..., Any]:
        return lambda *arguments, **options: _Proxy(self, make(*arguments, **options), stage)

    @contextmanager
    def watching(self, stages: Mapping[str, Stage]) -> Iterator[list[str]]:
        """Wraps the functions of these dotted names until the block is left; yields the names there are none of."""
        missing, kept = [], []
        for name, stage in stages.items():
            try:
                owner, attribute = _found(name)
            except LookupError:
                missing.append(name)
                continue
            function = getattr(owner, attribute)
            kept.append((owner, attribute, function))
            setattr(owner, attribute, self.wrapped(function, stage))
        try:
            yield missing
        finally:
            for owner, attribute, function in reversed(kept):
                setattr(owner, attribute, function)


_END = object()


class _Proxy:
    """An object whose one method is timed."""

    def __init__(self, clock: Clock, inner: Any, stage: Made) -> None:
        self._inner = inner
        setattr(self, stage.method, clock.wrapped(getattr(inner, stage.method), stage.stage))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _found(name: str) -> tuple[Any, str]:
    """The module or class that has the last part of a dotted name. :raises LookupError: nothing has."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:-1]:
            owner = getattr(owner, part, None)
        if hasattr(owner, parts[-1]):
            return owner, parts[-1]
        break
    raise LookupError(name)
