#!/usr/bin/env bash
# `make test`: the whole suite under branch coverage; `scripts/test.sh quick`: no slow tests, no coverage.
# Further arguments go to pytest.
set -euo pipefail
bin=${BIN:-.venv/bin}
if [[ ${1:-} == quick ]]; then
    shift
    exec "$bin/python" -m pytest -m 'not slow' "$@"
fi
# The threshold and what is measured stand in pyproject.toml.
exec "$bin/python" -m pytest --cov --cov-report=term "$@"
