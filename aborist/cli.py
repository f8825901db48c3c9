"""The `aborist` command: parses, calls, shows, and maps every error to one line and an exit status, once.

Exit: 0 answered or done, 3 no answer or not found, 2 wrong usage, 1 failure, 130 interrupted.
Heavy modules are imported inside the commands, so that `aborist --help` stays instant.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aborist.errors import AboristError, UsageError

if TYPE_CHECKING:
    from aborist.config import Settings
    from aborist.engine import Engine

__all__ = ["cli", "main"]

_NO_ANSWER = 3


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
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    try:
        status = cli.main(args=arguments, prog_name="aborist", standalone_mode=False)
    except click.exceptions.Abort:
        status = _fail(130, "the command to finish", "an interruption", "run it again", as_json)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "aborist"
        status = _fail(2, "a correct call", error.format_message(), f"see `{command} --help`", as_json)
    except AboristError as error:
        status = _fail(error.exit_status, error.expected, error.found, error.next, as_json)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away, as `head` does: nothing to report
        return 0
    return status if isinstance(status, int) else 0


def _fail(status: int, expected: str, found: str, next: str, as_json: bool) -> int:
    if as_json and status in (1, 2):
        click.echo(json.dumps({"error": {"expected": expected, "found": found, "next": next}}, ensure_ascii=False))
    line = f"aborist: expected {expected}; found {found}; {next}"
    click.echo(" ".join(line.split()), err=True)
    return status


# -- shared options and small steps --------------------------------------------------------------------------------------

_shards_option = click.option(
    "--shards", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the index (default: ./shards)."
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
_archive_option = click.option("--archive", metavar="NAME", help="Look in this archive only.")


def _settings(shards: Path | None) -> Settings:
    from dataclasses import replace

    from aborist.config import load_settings

    settings = load_settings()
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
    """JSON with the text as it is; what UTF-8 cannot carry (lone surrogates) is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=None if compact else 2)
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"))


# -- index ---------------------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("archives", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="ARCHIVE...")
@_shards_option
@click.option("--workers", type=click.IntRange(min=1), help="Processes that build (default: one a core).")
@click.option("--shard-count", type=click.IntRange(min=1), help="Shards an archive is split into.")
@_json_option
def index(
    archives: tuple[Path, ...], shards: Path | None, workers: int | None, shard_count: int | None, as_json: bool
) -> int:
    """Build or update the index of ZIM files, or of all ZIM files in a folder.

    An interrupted build continues where it stopped; an archive that has not changed is left alone.
    """
    from dataclasses import asdict

    from aborist import build
    from aborist.view import progress_for, show_index

    settings = _settings(shards)
    with progress_for(sys.stderr, quiet=as_json) as progress:
        reports = build.index(
            archives, settings.shards, workers=workers or settings.workers, shard_count=shard_count, progress=progress
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


# -- query ---------------------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("question", required=False)
@_shards_option
@click.option("-k", "k", type=click.IntRange(min=1, max=1000), help="How many articles to list (default: 10).")
@_json_option
@click.option("--explain", is_flag=True, help="Show how the question was read, and why each result is where it is.")
@_archive_option
@click.option("--mode", type=click.Choice(["hybrid", "lexical", "dense"]), default="hybrid", show_default=True)
@click.option("--questions", type=click.Path(path_type=Path), metavar="FILE",
              help="Ask every question of a file; one JSON line each.")  # fmt: skip
def query(
    question: str | None, shards: Path | None, k: int | None, as_json: bool, explain: bool, archive: str | None,
    mode: str, questions: Path | None,
) -> int:  # fmt: skip
    """Ask a question in plain words.

    Exit status 0: answered; 3: no answer (what was found nearest is still shown).
    """
    from aborist.render import explanation, reply
    from aborist.view import show_answer

    settings = _settings(shards)
    if (question is None) == (questions is None):
        raise UsageError(expected="either a QUESTION or --questions FILE", found="both" if questions else "neither",
                         next="see `aborist query --help`")  # fmt: skip
    limit = k or settings.k
    if questions is not None:
        asked = _read_questions(questions)
        with _engine(settings) as engine:
            for text in asked:
                _print_json(reply(engine.ask(text, limit, archive=archive, mode=mode)), compact=True)
        return 0
    with _engine(settings) as engine:
        answer = engine.ask(question or "", limit, archive=archive, mode=mode)
    if as_json:
        extra: dict[str, Any] = {"explain": explanation(answer)} if explain else {}
        _print_json(reply(answer) | extra)
    else:
        show_answer(reply(answer), explanation(answer) if explain else None)
    return 0 if answer.answered else _NO_ANSWER


def _read_questions(path: Path) -> list[str]:
    """Questions of a file: text lines (`# category` and blank lines skipped, gold titles after a tab), or JSON lines."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(expected=f"a file of questions at {path}", found=str(error), next="check its name") from error
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("{"):
            try:
                questions.append(str(json.loads(line)["question"]))
            except (ValueError, KeyError, TypeError) as error:
                raise UsageError(
                    expected='a JSON object with "question"', found=f"line {number} of {path} ({error})",
                    next="correct the line",
                ) from error  # fmt: skip
        else:
            questions.append(line.partition("\t")[0])
    return questions
