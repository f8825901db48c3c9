"""Result files: what was measured, with what, on what; named by the commit. No host names and no paths."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import apsw

from bench.rawzim import corpus_uuid

__all__ = ["MissingResultError", "command", "commit", "corpus", "file_facts", "machine", "newest", "write"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
FLOORS = ROOT / "bench" / "floors.json"
PLOTS = ROOT / "bench" / "plots"
# What measuring itself writes.
MADE = ("results", "plots", "RESULTS.md", "floors.json")
LIBRARIES = ("apsw", "libzim", "selectolax", "zstandard", "PyStemmer", "ir-measures", "bm25s", "tantivy")


def write(name: str, content: Mapping[str, Any], folder: Path = RESULTS) -> Path:
    """Writes `<name>-<commit>.json` into `folder`, with date, commit and machine added; returns its path."""
    sha, clean = commit()
    full = {
        "name": name,
        "commit": sha,
        "uncommitted_changes": not clean,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        **content,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{sha}.json"
    path.write_text(json.dumps(full, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


class MissingResultError(FileNotFoundError):
    """A result, or a file beside one, that has to be measured first; the message says how."""


def newest(name: str, folder: Path = RESULTS) -> Path:
    """The result of that name with the latest date. :raises MissingResultError: there is none."""
    dated = [(json.loads(path.read_text(encoding="utf-8")), path) for path in folder.glob(f"{name}-*.json")]
    mine = [(content["date"], path) for content, path in dated if content["name"] == name]
    if not mine:
        raise MissingResultError(f"expected a result named {name}; found none: run `make bench`, or name a file")
    return max(mine)[1]


def commit() -> tuple[str, bool]:
    """The first 12 digits of the commit, and whether the tree is as committed (what measuring writes aside)."""
    sha = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--", ".", *(f":!bench/{made}" for made in MADE))
    return (sha, not changed) if sha else ("uncommitted", False)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def command(module: str, arguments: Iterable[str]) -> str:
    """The command as it was typed, every path cut to its last two parts."""
    return " ".join(["python -m", module, *(_shortened(argument) for argument in arguments)])


def _shortened(argument: str) -> str:
    return "/".join(Path(argument).parts[-2:]) if "/" in argument else argument


def corpus(archives: Iterable[Path]) -> list[dict[str, Any]]:
    """Name, UUID and size of each archive."""
    return [{"name": a.name, "uuid": corpus_uuid(a), "bytes": a.stat().st_size} for a in archives]


def file_facts(path: Path) -> dict[str, str]:
    """The file's name under its folder and its sha256: the pinned revision of the data."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"name": "/".join(path.resolve().parts[-2:]), "sha256": digest}


def machine() -> dict[str, Any]:
    """What decides the speed: processor, cores, memory, versions."""
    return {
        "processor": _first_value("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "load": round(os.getloadavg()[0], 1),
    }


def _first_value(file: str, key: str) -> str:
    path = Path(file)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")
