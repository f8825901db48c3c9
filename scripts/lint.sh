#!/usr/bin/env bash
# `make lint`: style, format and types; every tool runs even if the one before it complained.
set -uo pipefail
bin=${BIN:-.venv/bin}
failed=0
for tool in "ruff check" "ruff format --check" "mypy"; do
    echo "== $tool" >&2
    read -r -a command <<<"$tool"
    "$bin/${command[0]}" "${command[@]:1}" || failed=1
done
exit "$failed"
