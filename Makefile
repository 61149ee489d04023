# One target a job. Set-up goes into .venv, or into an active conda environment named wirelab, and is repeated only
# after pyproject.toml or constraints.txt has changed; what one target installs stays there for the others.

PYTHON ?= python3
ifeq ($(CONDA_DEFAULT_ENV),wirelab)
ENV := $(CONDA_PREFIX)
# What conda has installed stays as it is; pip only adds what is missing.
PINS :=
else
ENV := .venv
PINS := --constraint constraints.txt
endif
BIN := $(ENV)/bin
WORKERS ?= 2
NOTEBOOKS ?=

# uv where the package index has it, else pip: at least 25.1, since older ones know no --group.
install = { test -x $(BIN)/uv && $(BIN)/uv pip install --quiet --python $(BIN)/python $(PINS) $(1); } || \
	{ $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINS) $(1); }

.DEFAULT_GOAL := help
.PHONY: help run test lab notebooks bench permutations live coverage clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

run: $(ENV)/.wirelab-run ## Run the offline notebooks and survey all captures: one page says what was found
	@$(BIN)/wirelab run

test: $(ENV)/.wirelab-test ## Run all tests, the committed notebooks among them
	@$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadscope --no-loadscope-reorder --nbval \
		--nbval-sanitize-with tests/notebooks/sanitize.cfg --ignore-glob 'notebooks/9*' tests $(wildcard notebooks)

lab: $(ENV)/.wirelab-lab ## Open JupyterLab on the first notebook
	@$(BIN)/jupyter lab $(firstword $(wildcard notebooks/00_*.ipynb) notebooks)

notebooks: $(ENV)/.wirelab-run ## Execute the offline notebooks in place and print which verdicts changed
	@$(BIN)/python -m wirelab.rerun.regenerate $(NOTEBOOKS)

bench: $(ENV)/.wirelab-bench ## Measure against the floor and against other clients
	@$(BIN)/python -m bench

permutations: $(ENV)/.wirelab-test ## Settle every small history there is (a million) and hold it to the rules
	@$(BIN)/python tests/property/history_permutations.py

live: $(ENV)/.wirelab-run ## Build a real llama-server in an environment of its own and record it
	@$(BIN)/python -m bench.live

coverage: $(ENV)/.wirelab-test ## Hold framing, protocols, calls and history at full branch coverage
	@$(BIN)/coverage run -m pytest $(wildcard tests/unit tests/property tests/cases)
	@$(BIN)/coverage report --show-missing --fail-under 100 \
		--include 'lib/wirelab/framing/*,lib/wirelab/protocols/*,lib/wirelab/calls/*,lib/wirelab/history/*'

clean: ## Remove what runs, tests and builds left behind (the environment stays)
	@rm -rf runs build dist .coverage .coverage.* .mypy_cache .ruff_cache .hypothesis
	@find lib tests bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(ENV)/.wirelab-env:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
		{ echo "Wirelab needs Python 3.11, 3.12 or 3.13: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "Setting up $(ENV)"
ifeq ($(ENV),.venv)
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv || true
endif
	@touch $@

$(ENV)/.wirelab-run: $(ENV)/.wirelab-env pyproject.toml constraints.txt
	@echo "Installing what the notebooks need"
	@$(call install,--editable '.[notebook$(,)live]')
	@touch $@

$(ENV)/.wirelab-test: $(ENV)/.wirelab-run
	@echo "Installing what the tests need"
	@$(call install,--editable '.[notebook$(,)live$(,)keyring]' --group test)
	@touch $@

$(ENV)/.wirelab-lab: $(ENV)/.wirelab-run
	@echo "Installing JupyterLab"
	@$(call install,--editable '.[notebook$(,)live$(,)lab]')
	@touch $@

$(ENV)/.wirelab-bench: $(ENV)/.wirelab-run
	@echo "Installing the clients that are measured"
	@$(call install,--editable '.[notebook$(,)live]' --group bench)
	@touch $@

, := ,
