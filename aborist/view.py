"""What a person sees in the terminal: progress of a build, the answer first, then its sources.

Reads the reply object, never the engine. Colours only on a terminal (rich decides); widths follow the terminal.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from aborist.build import ArchiveReport, Progress

__all__ = ["progress_for", "show_answer", "show_index"]

_PLAIN_SECONDS = 5.0  # between two lines of progress where there is no terminal
_SHOWN_PASSAGES = 3


# -- building --------------------------------------------------------------------------------------------------------


class _Lines:
    """Progress as plain lines: a start, one every few seconds, stages."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._done = self._total = 0
        self._begun = self._last = 0.0

    def stage(self, archive: str, name: str) -> None:
        self._console.print(f"{archive}: {name}", highlight=False, markup=False)

    def start(self, archive: str, articles: int) -> None:
        self._done, self._total = 0, articles
        self._begun = self._last = time.monotonic()
        self._console.print(f"{archive}: indexing {articles:,} articles", highlight=False, markup=False)

    def advance(self, archive: str, articles: int) -> None:
        self._done += articles
        now = time.monotonic()
        if now - self._last >= _PLAIN_SECONDS:
            self._last = now
            rate = self._done / (now - self._begun)
            left = (self._total - self._done) / rate if rate else 0.0
            self._console.print(
                f"{archive}: {self._done:,} of {self._total:,} articles, {rate:,.0f}/s, {left:,.0f} s left",
                highlight=False, markup=False,
            )  # fmt: skip


class _Silent:
    def stage(self, archive: str, name: str) -> None: ...
    def start(self, archive: str, articles: int) -> None: ...
    def advance(self, archive: str, articles: int) -> None: ...


class _Bar:
    """Progress as a bar with rate and time left."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None, rate="")
        self._begun = time.monotonic()

    def stage(self, archive: str, name: str) -> None:
        self._bar.update(self._task, description=f"{archive}: {name}", total=None, rate="")

    def start(self, archive: str, articles: int) -> None:
        self._begun = time.monotonic()
        self._bar.reset(self._task, description=f"{archive}: indexing", total=articles, rate="")

    def advance(self, archive: str, articles: int) -> None:
        self._bar.advance(self._task, articles)
        done = self._bar.tasks[0].completed
        rate = done / max(1e-9, time.monotonic() - self._begun)
        self._bar.update(self._task, rate=f"{rate:,.0f} articles/s")


@contextmanager
def progress_for(stream: IO[str], *, quiet: bool) -> Iterator[Progress]:
    """A bar on a terminal, lines elsewhere, nothing when `quiet` and not on a terminal."""
    console = Console(file=stream)
    if not console.is_terminal:
        yield _Silent() if quiet else _Lines(console)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar)


def show_index(reports: Sequence[ArchiveReport]) -> None:
    """A line an archive, then what was skipped and what is odd."""
    console = Console(highlight=False)
    for report in reports:
        if report.status == "failed":
            continue  # told on stderr
        rate = report.articles / report.seconds if report.seconds else 0.0
        resumed = f", {report.resumed:,} of them from the interrupted run" if report.resumed else ""
        if report.status == "unchanged":
            console.print(f"{report.archive}: unchanged, {report.articles:,} articles", markup=False)
        else:
            console.print(
                f"{report.archive}: {report.articles:,} articles{resumed}, {report.redirects:,} redirects,"
                f" {report.bytes / 1e6:,.1f} MB in {report.shards} shard(s), {report.seconds:,.1f} s"
                f" ({rate:,.0f} articles/s)",
                markup=False,
            )
        skipped = ", ".join(f"{count:,} {reason}" for reason, count in sorted(report.skipped.items()))
        if skipped:
            console.print(f"  skipped: {skipped}", markup=False)
        for warning in report.warnings:
            console.print(f"  warning: {warning}", markup=False, style="yellow")


# -- answering -------------------------------------------------------------------------------------------------------


def show_answer(reply: Mapping[str, Any], explain: Mapping[str, Any] | None) -> None:
    """The answer, the passages it rests on, the articles found, and how sure that is."""
    console = Console(highlight=False)
    for warning in reply["warnings"]:
        console.print(f"! {warning}", markup=False, style="yellow")
    if reply["answer"]:
        line = Text()
        for sentence in reply["answer"]["sentences"]:
            marks = "".join(f"[{name}]" for name in sentence["evidence"])
            line.append(sentence["text"].strip() + " ", style="bold").append(marks + " ", style="cyan")
        console.print(line)
        console.print()
    else:
        console.print(f"No answer: {reply['reason']}", markup=False, style="bold")
        console.print()
    _show_evidence(console, reply)
    _show_results(console, reply)
    coverage = reply["coverage"]
    missing = f", not found: {', '.join(coverage['missingTerms'])}" if coverage["missingTerms"] else ""
    shards = f"{coverage['shardsAnswered']} of {coverage['shardsTotal']} shards"
    console.print(
        f"confidence {coverage['confidence']}{missing}; {shards}, {reply['timings']['total_ms']} ms",
        markup=False, style="dim",
    )  # fmt: skip
    if explain:
        _show_explanation(console, explain)


def _show_evidence(console: Console, reply: Mapping[str, Any]) -> None:
    accepted = {(r["archive"], r["path"]): r for r in reply["results"]}
    for item in reply["evidence"][:_SHOWN_PASSAGES]:
        head = " - ".join([item["title"], *item["heading"]])
        result = accepted.get((item["archive"], item["path"]), {})
        why = f"accepted by {result['accepted_by']}" if result.get("accepted_by") else "not accepted"
        console.print(Text(f"[{item['id']}] ", style="cyan").append(head, style="bold"), Text(f"({why})", style="dim"))
        quote = Text("    ")
        position = item["start"]
        for start, end in item["highlights"]:
            quote.append(item["quote"][position - item["start"] : start - item["start"]])
            quote.append(item["quote"][start - item["start"] : end - item["start"]], style="green")
            position = end
        quote.append(item["quote"][position - item["start"] :])
        console.print(quote)
        console.print(f"    {item['root'][:8]} {item['start']}-{item['end']}  {item['url']}", markup=False, style="dim")
        console.print()


def _show_results(console: Console, reply: Mapping[str, Any]) -> None:
    if reply["results"]:
        console.print("Articles", style="bold")
    for result in reply["results"]:
        by = result["accepted_by"] or "-"
        found = ", ".join(result["routes"])
        console.print(
            f"{result['rank']:>3}. {result['title']}  [{result['archive']}]  {by}  ({found})", markup=False
        )
    if reply["results"]:
        console.print()


def _show_explanation(console: Console, explain: Mapping[str, Any]) -> None:
    console.print()
    console.print("How the question was read", style="bold")
    for name in ("topics", "content", "quotes", "saying", "asks", "probability"):
        console.print(f"  {name}: {explain[name]}", markup=False)
    console.print("Why each result is where it is", style="bold")
    for result in explain["results"]:
        features = ", ".join(f"{name} {value:.2f}" for name, value in result["features"].items())
        console.print(f"  {result['score']:.3f} {result['title']}: {result['why']}", markup=False)
        console.print(f"        {features}", markup=False, style="dim")
