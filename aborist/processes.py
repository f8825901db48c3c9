"""Worker processes that end when they should, and interruptions told once.

A worker dies with its parent, however that dies, and never sees the terminal's Ctrl-C: the parent decides.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait as wait_for
from multiprocessing.queues import SimpleQueue
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

from aborist.errors import AboristError, Interrupted

__all__ = ["Crew", "Interruptions", "Tell", "interruptible"]

Job = TypeVar("Job")
Result = TypeVar("Result")
Tell = Callable[[Any], None]  # passes a small picklable value to the parent while a task runs

_POLL_SECONDS = 0.2  # between two looks for news: what a progress bar needs
_GRACE_SECONDS = 0.2  # a signal to the whole group kills workers too: ours comes first, not "a worker died"


class Crew:
    """Processes that run one task after the other on many jobs; with 0 workers all runs in this process."""

    def __init__(self, workers: int) -> None:
        self._pool: ProcessPoolExecutor | None = None
        if workers:
            context = multiprocessing.get_context("spawn")
            self._news: SimpleQueue[Any] = context.SimpleQueue()
            self._pool = ProcessPoolExecutor(
                workers, mp_context=context, initializer=_start_worker, initargs=(self._news,)
            )

    def run(
        self, task: Callable[[Job, Tell], Result], jobs: Sequence[Job], tell: Tell = lambda _: None
    ) -> list[Result]:
        """`task(job, tell)` of every job, in order; raises the first error, and the crew is of no more use.

        `task` is a function of a module. What it tells arrives at `tell` here before the results do.
        """
        if self._pool is None:
            return [task(job, tell) for job in jobs]
        # Workers inherit the mask: Ctrl-C reaches the whole group, and theirs must not end in a traceback.
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            futures = [self._pool.submit(_run_task, task, job) for job in jobs]
        except BrokenProcessPool as error:  # a worker died between two calls, or while the jobs were handed out
            raise _killed() from error
        except RuntimeError as error:  # the thread that waits for the workers cannot be started: no room for its stack
            raise MemoryError from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        waiting: set[Future[Result]] = set(futures)
        while waiting:
            done, waiting = wait(waiting, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                _raise_failure(future)
            while not self._news.empty():
                tell(self._news.get())
        return [future.result() for future in futures]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is None:
            return
        if kind is not None:
            for process in list((self._pool._processes or {}).values()):  # noqa: SLF001  no public way before 3.14
                process.terminate()
        with suppress(RuntimeError):  # of a pool that could not start
            self._pool.shutdown(wait=True, cancel_futures=True)


def _raise_failure(future: Future[Result]) -> None:
    try:
        future.result()
    except BrokenProcessPool as error:
        time.sleep(_GRACE_SECONDS)
        raise _killed() from error


def _killed() -> AboristError:
    return AboristError(
        expected="every worker process to finish",
        found="one that was killed (out of memory?)",
        next="run the same command again, it resumes; set --workers 1 or a smaller --memory if it happens again",
    )


_parents_news: SimpleQueue[Any] | None = None


def _start_worker(news: SimpleQueue[Any]) -> None:
    global _parents_news  # noqa: PLW0603  queues reach a worker only when it starts
    _parents_news = news
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """An orphan would write on to files that the next run believes its own; SQLite lets go of the GIL."""
    if parent := multiprocessing.parent_process():
        wait_for([parent.sentinel])
        os._exit(1)


def _run_task(task: Callable[[Job, Tell], Result], job: Job) -> Result:
    assert _parents_news is not None  # noqa: S101  set before any task
    return task(job, _parents_news.put)


class Interruptions:
    """SIGINT and SIGTERM as one `Interrupted`, raised where the main thread is, or later if held."""

    def __init__(self) -> None:
        self._received = self._raised = self._held = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        self._received = True
        if not self._held:
            self.check()

    def check(self) -> None:
        """Raise Interrupted if a signal came and was not told yet: once, or cleaning up would be cut off."""
        if self._received and not self._raised:
            self._raised = True
            raise Interrupted(
                expected="to finish the index",
                found="an interruption; nothing of the archive under way was published",
                next="run the same command again: it continues after the last finished part",
            )

    @contextmanager
    def held(self) -> Iterator[None]:
        """A signal that comes inside the block waits for the next `check`."""
        self._held = True
        try:
            yield
        finally:
            self._held = False


@contextmanager
def interruptible() -> Iterator[Interruptions]:
    """Inside the block SIGINT and SIGTERM raise Interrupted; outside the main thread nothing changes."""
    interruptions = Interruptions()
    previous = {}
    with suppress(ValueError):  # signals belong to the main thread: elsewhere the caller's handling stands
        for number in (signal.SIGINT, signal.SIGTERM):
            previous[number] = signal.signal(number, interruptions)
    try:
        yield interruptions
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
