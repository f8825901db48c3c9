"""Runs a command and writes what it used to a file: `python -I launched.py FILE COMMAND...`; ends with its status.

A process begins with the memory peak of the one it was forked from (exec keeps the larger: Linux's exec_mmap), so a
command is started from this small one: 2026-11-30, FTS5's build was told 200 MB, the size of the measuring process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main(arguments: list[str]) -> int:
    """The command's status; FILE gets a JSON object of cpu_s, wall_s, max_rss_mb."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments[1:])
    # wait4: this one command and its children; RUSAGE_CHILDREN would give the largest of all so far.
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    cost = {"cpu_s": used.ru_utime + used.ru_stime, "wall_s": wall, "max_rss_mb": used.ru_maxrss / 1024}
    Path(arguments[0]).write_text(json.dumps(cost), encoding="utf-8")
    return abs(process.returncode)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
