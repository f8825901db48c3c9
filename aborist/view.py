"""What a person sees in the terminal: progress of a build, the answer first, then its sources.

Reads the reply object, never the engine. Colours only on a terminal (rich decides), whose width is followed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from aborist.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from aborist.build import ArchiveReport, Progress
    from aborist.citations import Check
    from aborist.status import Building, Holding, Status
    from aborist.verify import ArchiveCheck, Tell

__all__ = [
    "progress_for",
    "show_answer",
    "show_article",
    "show_checks",
    "show_index",
    "show_passage",
    "show_status",
    "show_verified",
    "steps_for",
]

_PLAIN_SECONDS = 5.0  # between two lines of progress where there is no terminal
_SHOWN_PASSAGES = 3
_INDENT = 4
_ROLES = {
    "primary_reference_source": "source of the words",
    "literal_world_background": "the words taken literally",
}


class _Screen(Console):
    """A console that shows nothing which would steer it: titles, paths and quotes come from archives."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*map(_harmless, objects), **options)


def _harmless(shown: Any) -> Any:
    if isinstance(shown, Padding):
        return Padding(_harmless(shown.renderable), (shown.top, shown.right, shown.bottom, shown.left))
    if isinstance(shown, str):
        return printable(shown)
    if isinstance(shown, Text) and printable(shown.plain) != shown.plain:
        return Text(printable(shown.plain))
    return shown


# -- building ------------------------------------------------------------------------------------------------


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
    console = _Screen(file=stream)
    if not console.is_terminal:
        yield _Silent() if quiet else _Lines(console)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar)


def show_index(reports: Sequence[ArchiveReport]) -> None:
    """A line an archive, then what was skipped and what is odd."""
    console = _console()
    for report in reports:
        if report.status == "failed":
            continue  # told on stderr
        rate = report.articles / report.seconds if report.seconds else 0.0
        resumed = f", {report.resumed:,} of them from the interrupted run" if report.resumed else ""
        if report.status == "unchanged":
            console.print(f"{report.archive}: unchanged, {report.articles:,} articles", markup=False)
            continue
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


# -- answering -----------------------------------------------------------------------------------------------


def show_answer(reply: Mapping[str, Any], explain: Mapping[str, Any] | None) -> None:
    """The answer, the passages it rests on, the articles found, and how sure that is."""
    console = _console()
    for warning in reply["warnings"]:
        console.print(f"! {warning}", markup=False, style="yellow")
    if reply["answer"]:
        line = Text()
        for sentence in reply["answer"]["sentences"]:
            marks = "".join(f"[{name}]" for name in sentence["evidence"])
            line.append(" " if line else "").append(sentence["text"].strip(), style="bold")
            line.append(f" {marks}", style="cyan")
        console.print(line)
        if reply["frame"]["kind"] == "reference":
            console.print(f"Taken as a reference to {reply['frame']['work']}.", style="dim")
        console.print()
    else:
        console.print(f"No answer: {reply['reason']}", markup=False, style="bold")
        if reply["results"]:
            console.print("Try other words, a title, or a phrase in quotation marks.", style="dim")
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
        quote = Text()
        position = item["start"]
        for start, end in item["highlights"]:
            quote.append(item["quote"][position - item["start"] : start - item["start"]])
            quote.append(item["quote"][start - item["start"] : end - item["start"]], style="green")
            position = end
        quote.append(item["quote"][position - item["start"] :])
        source = Text(f"{item['root'][:8]} {item['start']}-{item['end']}  {item['url']}", style="dim")
        for part in (quote, source):
            _print_indented(console, part)
        console.print()


def _print_indented(console: Console, text: Text) -> None:
    """A hanging indent on a terminal; elsewhere lines are as long as they are, and a padded one would be cut."""
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, _INDENT)))
    else:
        indent = " " * _INDENT
        console.print(Text(indent).append_text(Text(f"\n{indent}").join(text.split("\n"))))


def _show_results(console: Console, reply: Mapping[str, Any]) -> None:
    if reply["results"]:
        console.print("Articles", style="bold")
    for result in reply["results"]:
        doubt = "" if result["accepted_by"] else "mentions it, does not answer"
        notes = "; ".join(filter(None, (_ROLES.get(result["role"], ""), doubt)))
        told = f"  [{result['archive']}]" + (f"  ({notes})" if notes else "")
        line = Text(f"{result['rank']}. {result['title']}").append(told, style="dim")
        _print_indented(console, line)
    if reply["results"]:
        console.print()


def _show_explanation(console: Console, explain: Mapping[str, Any]) -> None:
    console.print()
    console.print("How the question was read", style="bold")
    for name in ("topics", "content", "quotes", "saying", "asks", "probability"):
        console.print(f"  {name}: {explain[name]}", markup=False)
    frame = explain["frame"]
    console.print(f"  frame: {frame['kind'] or 'none'}, by the rule {frame['rule']!r}: {frame['why']}", markup=False)
    console.print("Why each result is where it is", style="bold")
    for result in explain["results"]:
        features = ", ".join(f"{name} {value:.2f}" for name, value in result["features"].items())
        console.print(f"  {result['score']:.3f} {result['title']}: {result['why']}", markup=False)
        console.print(
            f"        found by {', '.join(result['routes']) or 'no route'}; {features}", markup=False, style="dim"
        )
        role = result["role"]
        console.print(f"        {role['name']}, by the rule {role['rule']!r}: {role['why']}", markup=False, style="dim")


# -- articles and citations ----------------------------------------------------------------------------------


def show_article(item: Mapping[str, Any], others: Sequence[Mapping[str, str]] = ()) -> None:
    """Title, root and other names, then the text by sections; paged where it is longer than the screen."""
    console = _console()
    page = _head(item)
    if item["aliases"]:
        page.append(f"also: {'; '.join(item['aliases'])}\n", style="dim")
    _append_others(page, others)
    for section in item["sections"]:
        page.append("\n")
        if section["heading"]:
            page.append(" - ".join(section["heading"]) + "\n", style="bold")
        page.append(section["text"] + "\n")
    if console.is_terminal and len(page.wrap(console, console.width)) > console.height:
        os.environ.setdefault("LESS", "FRX")  # as git does: less keeps the colours
        with console.pager(styles=True):
            console.print(page, end="")
    else:
        console.print(page, end="")


def show_passage(item: Mapping[str, Any], others: Sequence[Mapping[str, str]] = ()) -> None:
    """The passage behind a citation, with where it stands."""
    page = _head(item)
    _append_others(page, others)
    page.append("\n")
    if item["heading"]:
        page.append(" - ".join(item["heading"]) + "\n", style="bold")
    page.append(item["quote"] + "\n")
    _console().print(page, end="")


def _head(item: Mapping[str, Any]) -> Text:
    page = Text(f"{item['title']}\n", style="")
    page.stylize("bold")
    span = f"  {item['start']}-{item['end']}" if "start" in item else ""
    return page.append(f"root {item['root']}{span}\n{item['archive']}: {item['path']}\n", style="dim")


def _append_others(page: Text, others: Sequence[Mapping[str, str]]) -> None:
    for other in others:
        page.append(f"the same text: {other['title']} ({other['archive']}: {other['path']})\n", style="dim")


def _console() -> Console:
    """Text as it is; wrapped on a terminal, while in a pipe lines stay lines."""
    console = _Screen(highlight=False, markup=False, emoji=False)
    console.soft_wrap = not console.is_terminal
    return console


def show_checks(checks: Sequence[Check]) -> None:
    """A line for each citation; what is wrong with it stands on stderr."""
    console = _console()
    for one in checks:
        verdict = ("fails", "red") if one.failures else ("holds", "green")
        console.print(Text(f"{one.id} {one.root[:8]} {one.title}: ").append(*verdict))
        for note in one.notes:
            console.print(Text(f"  note: {note}", style="yellow"))


# -- the index -----------------------------------------------------------------------------------------------


def show_status(status: Status) -> None:
    """The archives, the builds, and who changes the index; what to do next where there is nothing."""
    console = _console()
    if not status.archives:
        console.print(f"no archive in {status.shards}: run `aborist index ARCHIVE.zim --shards {status.shards}`")
    for held in status.archives:
        _show_holding(console, held)
    for build in status.building:
        _show_building(console, build)
    if status.lock:
        console.print(f"being changed by {status.lock}")


def _show_holding(console: Console, held: Holding) -> None:
    console.print(Text(held.archive, style="bold").append(f"  {held.title}", style="not bold"))
    if held.shards:
        whole = "" if held.complete else ", incomplete"
        console.print(
            f"  {held.articles:,} articles, {held.redirects:,} redirects, {held.shards} shard(s),"
            f" {held.bytes / 1e6:,.1f} MB; language {held.language or '?'}, of {held.date or '?'};"
            f" vectors: {', '.join(held.vectors) or 'none'}{whole}"
        )
        why = "" if held.source.state == "same" else f": {held.source.why}"
        console.print(f"  from {held.source.file} ({held.source.state}{why})")
    if held.source.state == "changed":
        console.print(Text("  stale: run `aborist index` on the archive again", style="yellow"))
    for line in (*held.warnings, *held.faults):
        console.print(Text(f"  warning: {line}", style="yellow"))


def _show_building(console: Console, build: Building) -> None:
    advice = "" if build.state == "under way" else "; run `aborist index` on the archive again, it continues"
    console.print(f"{build.archive}: a build is {build.state}, {build.parts_done} part(s) done{advice}")


@contextmanager
def steps_for(stream: IO[str]) -> Iterator[Tell]:
    """Progress of a check: a live line on a terminal, elsewhere a line every few seconds."""
    console = _Screen(file=stream, highlight=False, markup=False, soft_wrap=True)
    last = time.monotonic()

    def told(archive: str, step: str, done: int, of: int) -> str:
        return f"{archive}: {step}" + (f", {done:,} of {of:,}" if of else "")

    def tell_in_lines(archive: str, step: str, done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _PLAIN_SECONDS:
            last = time.monotonic()
            console.print(told(archive, step, done, of))

    if not console.is_terminal:
        yield tell_in_lines
        return
    with console.status("") as live:
        yield lambda archive, step, done, of: live.update(Text(told(archive, step, done, of)))


def show_verified(checked: Sequence[ArchiveCheck]) -> None:
    """A line for each archive, and its notes; faults stand on stderr."""
    console = _console()
    for one in checked:
        verdict = (f"{len(one.faults)} fault(s)", "red") if one.faults else ("sound", "green")
        counts = f", {one.articles:,} articles, {one.shards} shard(s)"
        console.print(Text(f"{one.archive}: ").append(*verdict).append(counts))
        for note in one.notes:
            console.print(f"  note: {note}")
