# `make` alone prints the targets. The logic is in tools/*.py; this file only names it.
.DEFAULT_GOAL := help
.PHONY: help setup demo run test prove lint bench shell lock secrets clean

# The first Python that is new enough. Locks are compiled on 3.11, so that one is asked first.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV_PYTHON := .venv/bin/python

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## make .venv with everything for development (quick when nothing changed)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -m tools.install

demo: setup  ## try it: own data, made-up GitHub deliveries, no configuration (FRESH=1 starts anew, PORT=8000)
	@$(VENV_PYTHON) -m tools.demo $(if $(FRESH),--fresh)

run: setup  ## serve web and worker with the environment given (PORT=8000); Ctrl-C stops both
	@$(VENV_PYTHON) -m tools.launch

test: setup  ## lint, then the suite on SQLite and on MariaDB (ARGS="-k idle" for a part)
	@$(VENV_PYTHON) -m tools.check test $(ARGS)

prove: setup  ## the long proofs, on both databases
	@$(VENV_PYTHON) -m tools.check prove $(ARGS)

lint: setup  ## ruff, mypy, import contracts, missing migrations
	@$(VENV_PYTHON) -m tools.check lint

bench: setup  ## figures against floors measured in the same run
	@$(VENV_PYTHON) -m benchmarks $(ARGS)

shell: setup  ## Django's shell with the environment given
	@$(VENV_PYTHON) manage.py shell

lock: setup  ## write requirements/*.txt from pyproject.toml (UPGRADE=1 for newer versions)
	@$(VENV_PYTHON) -m tools.lock $(if $(UPGRADE),--upgrade)

secrets:  ## make the secret files that compose.yaml mounts (existing ones stay)
	@$(PYTHON) -m tools.secret_files

clean:  ## remove caches and the demo's data; .venv and your own data stay
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache var/demo
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
