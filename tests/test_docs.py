"""The documents say what runs: README's output is the commands' own, every command, setting and route is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aborist.cli import cli
from aborist.config import SETTINGS
from aborist.query.accept import RULES
from aborist.query.routes import ROUTES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_what_readme_shows_is_what_the_commands_print() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", cli.commands)
def test_every_command_is_in_readme(command: str) -> None:
    assert f"aborist {command}" in README


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_is_in_readme(setting: object) -> None:
    assert f"| `{setting.key}` | `{setting.variable}` |" in README  # type: ignore[attr-defined]


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_is_in_architecture(route: str) -> None:
    assert route in ARCHITECTURE


def test_every_rule_says_what_it_accepts() -> None:
    assert all(rule.__doc__ for rule in RULES)


@pytest.mark.parametrize(
    "module", sorted(path.relative_to(ROOT / "aborist").as_posix() for path in (ROOT / "aborist").glob("*.py"))
)
def test_every_top_module_is_in_architecture(module: str) -> None:
    assert module == "__init__.py" or module in ARCHITECTURE
