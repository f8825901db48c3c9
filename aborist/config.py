"""Settings: the one place that reads TOML and the environment, and assembles an Engine from them.

Order: built-in default, then the file, then the environment, then the command line. The file is `aborist.toml` in
the working folder, else `~/.config/aborist/config.toml`, or what ABORIST_CONFIG names.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aborist.compose import Composer
from aborist.engine import Engine
from aborist.errors import UsageError
from aborist.memory import for_query, limit, parse_size, workers
from aborist.mount import mount
from aborist.query.cite import DEFAULT_LINK, is_template
from aborist.query.question import LONGEST
from aborist.shard.read import Layout
from aborist.shard.shelf import Shelf
from aborist.text import keep_words

__all__ = ["SETTINGS", "Setting", "Settings", "load_settings", "open_engine"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key in the file, its environment variable is ABORIST_ and the key in capitals."""

    key: str
    default: str | int
    help: str
    least: int = 0  # of a number

    @property
    def variable(self) -> str:
        return f"ABORIST_{self.key.upper()}"


SETTINGS = (
    Setting("shards", "shards", "folder of the index"),
    Setting("workers", 0, "processes that build an index; 0: one a core, as far as memory reaches"),
    Setting("memory", "", "memory a build, or asking, may use, such as 512M; empty: what the system allows"),
    Setting("k", 10, "articles listed for a question", least=1),
    Setting("link", DEFAULT_LINK, "how sources are linked: zim, kiwix-content, kiwix-viewer, or a template with"
            " {server}, {archive}, {path}, {anchor}"),
    Setting("server", "http://localhost:8080", "base address of kiwix-serve, for links"),
    Setting("longest_question", LONGEST, "characters of a question that are still looked up", least=1),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    shards: Path
    workers: int
    memory: int  # bytes; 0: not set
    k: int
    link: str
    server: str
    longest_question: int


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """All settings. Raises UsageError for an unreadable file, an unknown key or a value of the wrong type."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {setting.key: setting.default for setting in SETTINGS}
    values |= _from_file(environment)
    for setting in SETTINGS:
        if (text := environment.get(setting.variable)) is not None:
            values[setting.key] = _number(setting, text) if isinstance(setting.default, int) else text
    for setting in SETTINGS:
        _check(setting, values[setting.key])
    values["memory"] = parse_size(values["memory"]) if values["memory"] else 0
    values["workers"] = values["workers"] or workers(limit(values["memory"]), os.cpu_count() or 1)
    return Settings(**values | {"shards": Path(values["shards"])})


def _check(setting: Setting, value: object) -> None:
    wanted = "text" if isinstance(setting.default, str) else f"a whole number of at least {setting.least}"
    good = type(value) is type(setting.default) and (not isinstance(value, int) or value >= setting.least)
    if good and setting.key == "link":
        wanted = "zim, kiwix-content, kiwix-viewer or a template with {server}, {archive}, {path}, {anchor}"
        good = is_template(str(value))
    if not good:
        raise UsageError(
            expected=f"{wanted} for the setting {setting.key} ({setting.variable})",
            found=repr(value),
            next="correct the settings file or the variable",
        )


def _from_file(environment: Mapping[str, str]) -> dict[str, Any]:
    named = environment.get("ABORIST_CONFIG")
    home = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    paths = [Path(named)] if named else [Path("aborist.toml"), home / "aborist" / "config.toml"]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        if named:
            raise UsageError(expected="the settings file ABORIST_CONFIG names", found=f"no file {named}",
                             next="create it or unset ABORIST_CONFIG")  # fmt: skip
        return {}
    import tomllib  # 2026-11-30: a tenth of the time that `aborist query` takes to start

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(expected=f"TOML in {path}", found=str(error), next="correct the file") from error
    known = {setting.key for setting in SETTINGS}
    if unknown := values.keys() - known:
        raise UsageError(
            expected=f"settings among {', '.join(sorted(known))}", found=f"{', '.join(sorted(unknown))} in {path}",
            next="correct the file",
        )  # fmt: skip
    return values


def _number(setting: Setting, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(
            expected=f"a whole number in {setting.variable}", found=repr(text), next="correct it"
        ) from None


def open_engine(shards: Path, settings: Settings | None = None) -> Engine:
    """An Engine over an index folder with the user's settings."""
    settings = settings or load_settings()
    memory = for_query(limit(settings.memory))
    keep_words(memory.words)
    composer = Composer(link=settings.link, server=settings.server)
    shelf = Shelf[Layout](memory.open_shards, memory.pages_kib, memory.texts)
    return Engine(mount(shards, shelf=shelf), composer=composer, longest_question=settings.longest_question)
