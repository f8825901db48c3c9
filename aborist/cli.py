"""The `aborist` command: parses, calls, shows, and maps every error to one line and an exit status, once.

Exit: 0 answered or done, 3 no answer or not found, 2 wrong usage, 1 failure, 130 interrupted.
Heavy modules are imported inside the commands, so that `aborist --help` stays instant.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aborist.errors import AboristError, IndexStateError, UsageError

if TYPE_CHECKING:
    from aborist.config import Settings
    from aborist.engine import Engine
    from aborist.library import Found, Library

__all__ = ["cli", "main"]

_NO_ANSWER = 3
_NAMED = 5  # further articles a note names


class _Commands(click.Group):
    """Shows the commands in the order a newcomer needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="aborist")
def cli() -> None:
    """Ask an offline encyclopedia (a ZIM file) a question; get the article, the passage and a citation.

    \b
    aborist index wikipedia.zim
    aborist query "has oceania always been at war with east asia"
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    # numpy counts postings here, no matrices: one thread's buffers are enough, and a small machine has no more.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that lacks a letter shows its code instead
        sys.stdout.reconfigure(errors="backslashreplace")
    as_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    try:
        status = cli.main(args=arguments, prog_name="aborist", standalone_mode=False)
    except click.exceptions.Abort:
        status = _fail(130, "the command to finish", "an interruption", "run it again", as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "aborist"
        status = _fail(2, "a correct call", error.format_message(), f"see `{command} --help`", as_json)
    except AboristError as error:
        status = _fail(error.exit_status, error.expected, error.found, error.next, as_json)
    except MemoryError:
        from aborist.memory import shortage

        told = shortage()
        status = _fail(told.exit_status, told.expected, told.found, told.next, as_json)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away, as `head` does: nothing to report
        return 0
    except OSError as error:  # a folder that may not be read, a disk that fails: told by the system's own words
        named = f" {error.filename}" if error.filename else ""
        status = _fail(1, f"to read or write{named}", error.strerror or str(error), "check its permissions", as_json)
    return status if isinstance(status, int) else 0


def _fail(status: int, expected: str, found: str, next: str, as_json: bool) -> int:
    from aborist.printable import printable

    if as_json and status in (1, 2):
        with suppress(OSError):  # standard output itself may be what failed
            _print_json({"error": {"expected": expected, "found": found, "next": next}}, compact=True)
    line = f"aborist: expected {expected}; found {found}; {next}"
    click.echo(printable(" ".join(line.split())), err=True)
    return status


# -- shared options and small steps --------------------------------------------------------------------------

_shards_option = click.option(
    "--shards",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the index (default: ./shards).",
)
_memory_option = click.option(
    "--memory", metavar="SIZE", help="Memory to use at most, such as 512M (default: what the system allows)."
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
_archive_option = click.option("--archive", metavar="NAME", help="Look in this archive only.")


def _settings(shards: Path | None, memory: str | None = None) -> Settings:
    import os
    from dataclasses import replace

    from aborist.config import load_settings

    settings = load_settings({**os.environ, "ABORIST_MEMORY": memory} if memory is not None else None)
    return replace(settings, shards=shards) if shards else settings


@contextmanager
def _engine(settings: Settings) -> Iterator[Engine]:
    from aborist.config import open_engine

    engine = open_engine(settings.shards, settings)
    try:
        yield engine
    finally:
        engine.close()


def _print_json(value: object, *, compact: bool = False) -> None:
    """JSON with the text as it is; what UTF-8 or the terminal's encoding cannot carry is escaped."""
    carries_all = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not carries_all, indent=None if compact else 2)
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"))  # a lone surrogate as JSON's own escape


# -- index ---------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("archives", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="ARCHIVE...")
@_shards_option
@click.option("--workers", type=click.IntRange(min=1), help="Processes that build (default: one a core).")
@click.option("--shard-count", type=click.IntRange(min=1), help="Shards an archive is split into.")
@_memory_option
@_json_option
def index(
    archives: tuple[Path, ...],
    shards: Path | None,
    workers: int | None,
    shard_count: int | None,
    memory: str | None,
    as_json: bool,
) -> int:
    """Build or update the index of ZIM files, or of all ZIM files in a folder.

    An interrupted build continues where it stopped; an archive that has not changed is left alone.
    """
    from dataclasses import asdict

    from aborist import build
    from aborist.view import progress_for, show_index

    settings = _settings(shards, memory)
    with progress_for(sys.stderr, quiet=as_json) as progress:
        reports = build.index(
            archives,
            settings.shards,
            workers=workers or settings.workers,
            shard_count=shard_count,
            memory=settings.memory,
            progress=progress,
        )
    failed = [report for report in reports if report.status == "failed"]
    if as_json:
        _print_json({"shards": str(settings.shards), "archives": [asdict(report) for report in reports]})
    else:
        show_index(reports)
    for report in failed:
        told = report.error or {}
        click.echo(f"aborist: expected {told['expected']}; found {told['found']}; {told['next']}", err=True)
    return 1 if failed else 0


# -- query ---------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("words", nargs=-1, metavar="QUESTION")
@_shards_option
@click.option("-k", "k", type=click.IntRange(min=1, max=1000), help="How many articles to list (default: 10).")
@_json_option
@click.option("--explain", is_flag=True, help="Show how the question was read, and why each result is where it is.")
@_archive_option
@click.option("--mode", type=click.Choice(["hybrid", "lexical", "dense"]), default="hybrid", show_default=True)
@click.option("--questions", type=click.Path(path_type=Path), metavar="FILE",
              help="Ask every question of a file; one JSON line each.")  # fmt: skip
@_memory_option
def query(  # noqa: PLR0913, PLR0917  click passes each option by name
    words: tuple[str, ...],
    shards: Path | None,
    k: int | None,
    as_json: bool,
    explain: bool,
    archive: str | None,
    mode: str,
    questions: Path | None,
    memory: str | None,
) -> int:
    """Ask a question in plain words.

    Exit status 0: answered; 3: no answer (what was found nearest is still shown).
    """
    from aborist.render import explanation, reply

    settings = _settings(shards, memory)
    if bool(words) == (questions is not None):
        raise UsageError(
            expected="either a QUESTION or --questions FILE",
            found="both" if words else "neither",
            next="see `aborist query --help`",
        )
    limit = k or settings.k
    if questions is not None:
        if explain:
            raise UsageError(expected="--explain with one QUESTION", found="--questions", next="leave one of them away")
        asked = _read_questions(questions)
        with _engine(settings) as engine:
            for text in asked:
                _print_json(reply(engine.ask(text, limit, archive=_named(engine, archive), mode=mode)), compact=True)
        return 0
    with _engine(settings) as engine:
        answer = engine.ask(" ".join(words), limit, archive=_named(engine, archive), mode=mode)
    if as_json:
        extra: dict[str, Any] = {"explain": explanation(answer)} if explain else {}
        _print_json(reply(answer) | extra)
    else:
        from aborist.view import show_answer

        show_answer(reply(answer), explanation(answer) if explain else None)
    return 0 if answer.answered else _NO_ANSWER


def _named(engine: Engine, name: str | None) -> str | None:
    """The archive that is meant by its name in the index, its file's name or its title."""
    from aborist.text import title_key

    if name is None:
        return None
    manifests = engine.index.manifests
    for manifest in manifests:
        known = (manifest.archive, Path(manifest.source).stem, manifest.title)
        if name == manifest.archive or title_key(name) in map(title_key, filter(None, known)):
            return manifest.archive
    raise UsageError(
        expected=f"an archive of the index ({', '.join(manifest.archive for manifest in manifests)})",
        found=repr(name),
        next="name one of them, or leave --archive away",
    )


def _text_of(question: dict[str, object]) -> str:
    text = question["question"]
    if not isinstance(text, str):
        raise TypeError(f'"question" is {text!r}')
    return text


def _read_questions(path: Path) -> list[str]:
    """Questions of a file: JSON lines, or text without `# category`, blank lines and what follows a tab."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # no other separator: a question may hold it
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(expected=f"a file of questions at {path}", found=found, next="check its name") from error
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("{"):
            try:
                questions.append(_text_of(json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise UsageError(
                    expected='a JSON object with "question"', found=f"line {number} of {path} ({error})",
                    next="correct the line",
                ) from error  # fmt: skip
        else:
            questions.append(line.partition("\t")[0])
    return questions


# -- articles and citations ----------------------------------------------------------------------------------


@contextmanager
def _library(settings: Settings, archive: str | None = None) -> Iterator[Library]:
    """The open archives; what of them could not be read is said at the end, on stderr."""
    from aborist.library import Library

    with Library.open(settings.shards, archive) as library:
        yield library
        for fault in library.faults:
            _note(fault)


def _note(text: str) -> None:
    click.echo(f"aborist: note: {' '.join(text.split())}", err=True)


@cli.command()
@click.argument("name", metavar="TITLE_OR_PATH")
@_shards_option
@_archive_option
@_json_option
def article(name: str, shards: Path | None, archive: str | None, as_json: bool) -> int:
    """Show an article's text by sections, with its root and its other names.

    Looked up by exact path, then title, then redirect. Exit status 3: there is none.
    """
    from aborist.render import article_item
    from aborist.view import show_article

    with _library(_settings(shards), archive) as library:
        found = library.article(name)
        item = article_item(found[0])
        if as_json:
            _print_json(item)
        else:
            show_article(item)
        if others := [f"{one.entry.path} in {one.archive}" for one in found[1:]]:
            _note(f"shown from {found[0].archive}; also {'; '.join(others[:_NAMED])} (see --archive)")
        if why := _why_empty(found[0]):
            _note(why)
    return 0


def _why_empty(found: Found) -> str:
    from aborist.types import Kind

    reasons = {
        Kind.UNREAD_FILE: "a PDF or e-book: it is found by its title, its text is not read",
        Kind.NO_TEXT: "the page has no text of its own (filled by a script?)",
    }
    return reasons.get(found.entry.kind, "")


@cli.command()
@click.argument("root")
@click.option("--span", metavar="START-END", help="Show this passage of the text only.")
@_shards_option
@_json_option
def cite(root: str, span: str | None, shards: Path | None, as_json: bool) -> int:
    """Show the article or the passage behind a root (in full, or its first 8 or more hex digits).

    Exit status 3: no article of the index has that root.
    """
    from aborist.render import article_item, passage_item
    from aborist.view import show_article, show_passage

    bounds = _span(span) if span is not None else None
    with _library(_settings(shards)) as library:
        cited = library.cited(root)
        item = passage_item(cited[0], *bounds) if bounds else article_item(cited[0])
        others = [{"title": o.entry.title, "path": o.entry.path, "archive": o.archive} for o in cited[1:]]
        if as_json:
            _print_json(item | {"others": others})
        else:
            (show_passage if bounds else show_article)(item, others)
    return 0


def _span(text: str) -> tuple[int, int]:
    start, dash, end = text.partition("-")
    if not (dash and start.isascii() and start.isdigit() and end.isascii() and end.isdigit()):
        raise UsageError(expected="--span START-END, two numbers of characters", found=repr(text),
                         next="copy them from a citation, for instance --span 1200-1456")  # fmt: skip
    try:
        return int(start), int(end)
    except ValueError as error:  # more digits than Python converts
        raise UsageError(expected="--span START-END", found=str(error), next="copy it from a citation") from error


@cli.command("check-citation")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@_shards_option
@_json_option
def check_citation(file: Path, shards: Path | None, as_json: bool) -> int:
    """Check saved citations: a reply, one evidence item, or a list of them ("-": stdin).

    Exit status 0: every root and every quote is as cited; 1: some are not; 2: the file cites nothing.
    """
    from dataclasses import asdict

    from aborist.citations import check, read_claims
    from aborist.view import show_checks

    claims = read_claims(_read_text(file), "stdin" if str(file) == "-" else str(file))
    with _library(_settings(shards)) as library:
        checks = check(library, claims)
    failed = sum(1 for one in checks if one.failures)
    if as_json:
        _print_json({"ok": not failed, "checked": len(checks), "failed": failed, "citations": [
            {"ok": not one.failures} | asdict(one) for one in checks]})  # fmt: skip
    else:
        show_checks(checks)
    for one in checks:
        for failure in one.failures:
            click.echo(f"aborist: {one.id}: {' '.join(failure.split())}", err=True)
    return 1 if failed else 0


def _read_text(file: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(
            expected=f"a readable UTF-8 file at {file}", found=why, next="check its name and encoding"
        ) from error


# -- the index -----------------------------------------------------------------------------------------------


@cli.command()
@_shards_option
@_json_option
def status(shards: Path | None, as_json: bool) -> int:
    """Show what the index holds, whether its ZIM files changed, and what is being built."""
    from dataclasses import asdict

    from aborist.status import status as look
    from aborist.view import show_status

    found = look(_settings(shards).shards)
    if as_json:
        _print_json(asdict(found))
    else:
        show_status(found)
    return 0


@cli.command()
@click.option("--deep", is_flag=True, help="Read every article too, and compare a sample with the ZIM.")
@_shards_option
@_json_option
def verify(deep: bool, shards: Path | None, as_json: bool) -> int:
    """Check the integrity of the index: manifests, shards, counts, roots, and the ZIM files."""
    from dataclasses import asdict

    from aborist.verify import verify as look
    from aborist.view import show_verified, steps_for

    settings = _settings(shards)
    with steps_for(sys.stderr) as tell:
        checked = look(settings.shards, deep=deep, tell=tell)
    ok = not any(one.faults for one in checked)
    if as_json:
        listed = [{"ok": not one.faults} | asdict(one) for one in checked]
        _print_json({"shards": str(settings.shards), "ok": ok, "deep": deep, "archives": listed})
    else:
        show_verified(checked)
    for one in checked:
        for fault in one.faults:
            line = f"{one.archive}/{fault.where}: expected {fault.expected}; found {fault.found}; {fault.next}"
            click.echo(f"aborist: {' '.join(line.split())}", err=True)
    return 0 if ok else 1


@cli.command()
@click.argument("archive")
@_shards_option
@_json_option
def remove(archive: str, shards: Path | None, as_json: bool) -> int:
    """Take an archive out of the index. Its ZIM file is not touched."""
    from aborist import build
    from aborist.status import status as look

    folder = _settings(shards).shards
    held = look(folder)
    if not folder.is_dir():
        raise IndexStateError(expected=f"an index in {folder}", found="no such folder", next="see --shards")
    build.remove(folder, archive)
    gone = next((one for one in held.archives if one.archive == archive), None)
    articles, size = (gone.articles, gone.bytes) if gone else (0, 0)
    if as_json:
        _print_json({"shards": str(folder), "removed": archive, "articles": articles, "bytes": size})
    else:
        what = f"{articles:,} articles, {size / 1e6:,.1f} MB" if gone else "an unfinished build"
        click.echo(f"removed {archive}: {what}; its ZIM file was not touched")
    return 0
