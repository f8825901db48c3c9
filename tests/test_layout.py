"""The shape of the program: imports point down, every outside library has its place, --help is light.

A new module of the top level goes into `LAYERS`; everything else follows from it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "aborist"

# Bottom up. A module imports only from lines below its own, or from its own package.
LAYERS = (
    {"errors", "types"},
    {"text", "derivation", "sentence", "memory", "merkle", "printable", "processes"},
    {"vocabulary"},
    {"shard"},
    {"mount"},
    {"ingest", "query", "library"},
    {"render", "citations", "status", "compose"},
    {"engine", "build", "verify"},
    {"config", "view"},
    {"cli"},
    {"__main__"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# Outside library -> the modules that may know it ("cli" stands for cli.py or everything in cli/).
ONLY_IN = {
    "libzim": ("ingest.zim",),
    "selectolax": ("ingest.html",),
    "click": ("cli", "__main__"),
    "bench": (),
    "tests": (),
}
# Each takes longer to load than all of --help should.
HEAVY = {"libzim", "numpy", "ray", "rich.console", "rich.progress", "scipy", "selectolax", "torch"}


class Import(NamedTuple):
    module: str  # who imports, without the leading "aborist."
    target: str  # what, as a full dotted name
    line: int

    def __str__(self) -> str:
        return f"aborist.{self.module}:{self.line} imports {self.target}"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def top(name: str) -> str:
    return name.split(".", maxsplit=1)[0]


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports_of(module: str) -> Iterator[Import]:
    """Every import anywhere in the module, those inside functions and for annotations included."""
    path = MODULES[module]
    full = f"aborist.{module}".rstrip(".")
    package = full if path.name == "__init__.py" else full.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(module, name.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            for name in node.names:
                deeper = f"{base}.{name.name}"
                yield Import(module, deeper if deeper.removeprefix("aborist.") in MODULES else base, node.lineno)


IMPORTS = [found for module in MODULES for found in imports_of(module)]
INNER = [found for found in IMPORTS if top(found.target) == "aborist"]


def test_every_module_has_a_layer() -> None:
    assert {top(module) for module in MODULES if module} <= set(LEVEL)


def test_imports_point_down_or_stay_inside_their_package() -> None:
    def is_allowed(found: Import) -> bool:
        target = top(found.target.removeprefix("aborist."))
        return target == top(found.module) or LEVEL[target] < LEVEL[top(found.module)]

    inner = [found for found in INNER if found.module and found.target != "aborist"]
    assert not [str(found) for found in inner if not is_allowed(found)]


def test_nobody_imports_the_package_root() -> None:
    assert not [str(found) for found in INNER if found.target == "aborist"]


def test_imports_have_no_cycle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in INNER:
        graph[found.module].add(found.target.removeprefix("aborist."))
    # Raises CycleError, which names the cycle.
    assert set(TopologicalSorter(graph).static_order()) >= set(MODULES)


@pytest.mark.parametrize("library", ONLY_IN)
def test_outside_libraries_stay_in_their_place(library: str) -> None:
    def is_at_home(module: str) -> bool:
        return any(module == home or module.startswith(f"{home}.") for home in ONLY_IN[library])

    users = [found for found in IMPORTS if top(found.target) == library]
    assert not [str(found) for found in users if not is_at_home(found.module)]


IMPORT = "import sys, aborist.cli"
HELP = f"{IMPORT}\nsys.argv = ['aborist', '--help']\ntry: aborist.cli.main()\nexcept SystemExit: pass"
REPORT = "\nprint('\\n' + ' '.join(sys.modules))"


@pytest.mark.parametrize("code", [IMPORT, HELP], ids=["import", "help"])
def test_help_loads_nothing_heavy(code: str) -> None:
    command = [sys.executable, "-c", code + REPORT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not HEAVY & set(done.stdout.splitlines()[-1].split())
