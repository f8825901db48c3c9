# Everything a newcomer or a maintainer runs. `make` alone lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# What the user types reaches the recipes through the environment and is never expanded by make or
# parsed by a shell: $(value ...) keeps $, quotes and backticks as they were typed.
override Q := $(value Q)
override K := $(if $(value K),$(value K),10)
override ZIM := $(value ZIM)
override SHARDS := $(if $(value SHARDS),$(value SHARDS),./shards)
export Q K ZIM SHARDS

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# An installation is repeated only when what it was made from changes.
BASE := $(VENV)/.installed-base
BENCH := $(VENV)/.installed-bench
DEV := $(VENV)/.installed-dev

.PHONY: help
help: ## list the targets
	@echo 'aborist: usage: make TARGET'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: query
query: $(BASE) ## answer a question: Q="..." [K=10]; indexes the bundled samples first if ./shards is empty
	@BIN=$(BIN) scripts/query.sh

.PHONY: index
index: $(BASE) ## index archives: ZIM="a.zim b.zim" [SHARDS=./shards]
	@BIN=$(BIN) scripts/index.sh

.PHONY: test
test: $(DEV) ## install what the tests need and run the whole suite with branch coverage
	@BIN=$(BIN) scripts/test.sh

.PHONY: quick
quick: $(DEV) ## the tests that take less than a second each, without coverage
	@BIN=$(BIN) scripts/test.sh quick

.PHONY: lint
lint: $(DEV) ## ruff check, ruff format --check, mypy --strict
	@BIN=$(BIN) scripts/lint.sh

.PHONY: check
check: lint test ## lint and test

.PHONY: bench
bench: $(BENCH) ## measure: the sweep over the samples, and the real questions where ABORIST_DATA is set
	@BIN=$(BIN) scripts/bench.sh

.PHONY: bench-check
bench-check: $(BENCH) ## hold small question sets to the floors in bench/floors.json; less than a minute
	@$(BIN)/python -m bench.check

.PHONY: clean
clean: ## remove the virtualenv and the caches; ./shards stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* htmlcov

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "aborist needs Python 3.11 or newer; run make with PYTHON=/path/to/a/newer/python3")'
	@echo 'creating $(VENV) ...' >&2
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo 'the venv module is incomplete; on Debian: apt-get install python3-venv' >&2; exit 1; }

$(BASE): pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'installing aborist ...' >&2
	@$(PIP) --editable .
	@touch $@

$(BENCH): pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'installing aborist with what measuring needs ...' >&2
	@$(PIP) --editable '.[bench]'
	@touch $(BASE) $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'installing aborist with what tests and linters need ...' >&2
	@$(PIP) --editable '.[dev]'
	@touch $(BASE) $(BENCH) $@
