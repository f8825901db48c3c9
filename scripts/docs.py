"""Fills the generated blocks of README.md (output of the commands, the table of settings, figures) and writes
bench/RESULTS.md from the result files.

usage: python scripts/docs.py [--check]      (--check: exit 1 and name the first line that is not current)

A block stands between `<!-- run: COMMAND -->`, `<!-- settings -->` or `<!-- figures -->` and `<!-- end -->`.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path

from aborist.config import SETTINGS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "bench" / "RESULTS.md"
_BLOCK = re.compile(r"(<!-- (run: .*?|settings|figures) -->\n).*?(<!-- end -->)", re.DOTALL)
_MILLISECONDS = re.compile(r"\d+\.\d ms")


def filled(text: str) -> str:
    """The text with every block made anew."""
    with tempfile.TemporaryDirectory() as shards:
        _run(["index", "samples", "--shards", shards, "--shard-count", "1"])

        def block(match: re.Match[str]) -> str:
            kind = match.group(2)
            if kind == "settings":
                return f"{match.group(1)}{_settings()}{match.group(3)}"
            if kind == "figures":
                return f"{match.group(1)}{_figures()}{match.group(3)}"
            arguments = shlex.split(kind.removeprefix("run: "))[1:]
            options = ["--shards", shards] if arguments[0] == "query" else []
            output = "\n".join(line.rstrip() for line in _run([*arguments, *options]).splitlines())
            return f"{match.group(1)}```\n{_MILLISECONDS.sub('… ms', output)}\n```\n{match.group(3)}"

        return _BLOCK.sub(block, text)


def _results() -> str:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "RESULTS.md")
        _run(["--out", str(page)], module="bench.report")
        return page.read_text(encoding="utf-8")


def _run(arguments: list[str], module: str = "aborist") -> str:
    command = [sys.executable, "-m", module, *arguments]
    environment = {"COLUMNS": "118", "PATH": "", "LANG": "C.UTF-8", "HOME": tempfile.gettempdir()}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def _settings() -> str:
    rows = [f"| `{s.key}` | `{s.variable}` | `{s.default}` | {s.help} |" for s in SETTINGS]
    return "\n".join(["| key | environment | default | meaning |", "|---|---|---|---|", *rows, ""])


def _figures() -> str:
    """The macro figures of the newest results on real questions, dev and test."""
    lines = ["| questions | system | hit@1 | hit@5 | MRR@10 | CPU ms p50 / p95 |", "|---|---|---|---|---|---|"]
    for name in ("dev", "test"):
        found = [json.loads(path.read_text()) for path in (ROOT / "bench/results").glob(f"{name}-*.json")]
        result = max(found, key=lambda one: str(one["date"]))
        for system, measured in result["systems"].items():
            macro, every = measured["macro"], measured["all"]
            cells = " | ".join(f"{macro[key]:.3f}" for key in ("hit1", "hit5", "mrr10"))
            lines.append(f"| {name} | {system} | {cells} | {every['cpu_ms_p50']:.1f} / {every['cpu_ms_p95']:.1f} |")
    return "\n".join([*lines, ""])


def main() -> int:
    pages = {README: filled(README.read_text(encoding="utf-8")), RESULTS: _results()}
    if "--check" not in sys.argv:
        for path, text in pages.items():
            path.write_text(text, encoding="utf-8")
        return 0
    return int(not all(_is_current(path, text) for path, text in pages.items()))


def _is_current(path: Path, new: str) -> bool:
    text = path.read_text(encoding="utf-8")
    for number, (old, line) in enumerate(zip_longest(text.splitlines(), new.splitlines(), fillvalue=""), 1):
        if old != line:
            name = path.relative_to(ROOT)
            sys.stderr.write(f"{name}:{number} is not current: run `python scripts/docs.py`\n- {old}\n+ {line}\n")
            return False
    return text == new


if __name__ == "__main__":
    sys.exit(main())
