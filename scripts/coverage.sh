#!/usr/bin/env bash
# Runs the suite (arguments go to pytest) and writes the lines and branches it misses to htmlcov/.
set -euo pipefail
bin=${BIN:-.venv/bin}
exec "$bin/python" -m pytest --cov --cov-report=term-missing --cov-report=html "$@"
