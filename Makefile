# Two commands on a fresh machine with Python 3.10-3.12 and make:  make demo   make test
# While working: make quick.  Before a release: make full.
VENV   := .venv
BIN    := $(VENV)/bin
# The first Python on the path that accucheck and MindSpore 2.10 run on.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.10 python3 python; do \
	$$p -c 'import sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] < (3, 13))' 2>/dev/null && echo $$p && break; done)
# For the tests of .pth files; without it those are skipped. Example: make test TORCH=torch==2.13.0
TORCH  ?=
# Where the demo works: the examples themselves stay as they are.
DEMO   := build/demo

# Which of the 40 parts of the long families make test runs; the commit chooses it where this is empty. Example: make test PART=3
PART   ?=
# On all cores, at most four: many tests train, or wait for a time-out. Files in the order of tests/conftest.py.
PYTEST := $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: demo quick test full check lint types contracts fresh unit-quick unit unit-full compiled coverage docs reports bench quality clean

demo: $(VENV)/demo.stamp
	@rm -rf $(DEMO) && mkdir -p $(dir $(DEMO))
	@$(BIN)/accucheck demo --folder $(DEMO)

# Within two minutes: all checks, and the tests of what reads scripts and files, without MindSpore.
quick: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory --jobs 2 --output-sync --keep-going check unit-quick

# What CI runs: every test, but of each long family one part. The checks run side by side.
test: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory --jobs 2 --output-sync check
	@$(MAKE) --no-print-directory unit

# Every case of every test; before a release.
full: check unit-full

check: lint types contracts fresh

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.stamp
	$(BIN)/mypy

contracts: $(VENV)/test.stamp
	$(BIN)/lint-imports

# Whether what is generated is as the generators would write it now.
fresh: $(VENV)/test.stamp
	$(BIN)/python docs/generate.py --check
	$(BIN)/python benchmarks/pages.py --check
	$(BIN)/python reports/generate.py --check

unit-quick: compiled
	$(PYTEST) -m "not mindspore and not slow" $(if $(PART),--part $(PART)) tests/architecture tests/knowledge tests/readers tests/script

unit: compiled
	$(PYTEST) $(if $(PART),--part $(PART))

unit-full: compiled
	$(PYTEST) --whole

# Compiled once: tests start hundreds of processes, and those that run a project's code write no bytecode.
compiled: $(VENV)/test.stamp
	@$(BIN)/python -m compileall -q src

# Which branches of src no test takes, those of all child processes counted too. Left out is what counting itself disturbs: what the
# guard of the fuzzing sees, and what is imported.
coverage: export COVERAGE_FILE = $(CURDIR)/build/coverage/data
coverage: $(VENV)/test.stamp
	@rm -rf $(dir $(COVERAGE_FILE)) && mkdir -p $(dir $(COVERAGE_FILE))
	-$(BIN)/coverage run -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder \
		--whole --unwatched --deselect tests/fuzz/test_fuzz.py::test_the_guard_sees_what_is_not_allowed \
		--deselect tests/probes/test_dataset_digest.py::test_importing_it_loads_nothing_heavy \
		--deselect tests/test_recorder.py::test_importing_accucheck_stays_cheap
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

docs: $(VENV)/test.stamp
	$(BIN)/python docs/generate.py
	$(BIN)/python benchmarks/pages.py

reports: $(VENV)/test.stamp
	$(BIN)/python reports/generate.py

# Every benchmark, one after another, on a machine that does nothing else; writes docs/benchmarks.md and docs/quality.md.
bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/run.py

# What is found of known faults, and the false alarms; writes docs/quality.md. For the labelled projects:
# make quality GROUNDTRUTH=folder-of-labels REPOS=folder-of-bare-repositories (benchmarks/labelled.py).
quality: $(VENV)/test.stamp
	$(BIN)/python benchmarks/quality.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "accucheck needs Python 3.10, 3.11 or 3.12 with venv on the path; or: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mindspore]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@if [ -n "$(TORCH)" ]; then $(BIN)/python -m pip install --quiet --disable-pip-version-check '$(TORCH)' 'numpy>=1.26,<2' || echo "no $(TORCH) here: tests of .pth files are skipped"; fi
	@touch $@
