# Two commands on a fresh machine with Python 3.10-3.12 and make:  make demo   make test
VENV   := .venv
BIN    := $(VENV)/bin
# The first Python on the path that accucheck and MindSpore 2.10 run on.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.10 python3 python; do \
	$$p -c 'import sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] < (3, 13))' 2>/dev/null && echo $$p && break; done)
# For the tests of .pth files; without it those are skipped. Example: make test TORCH=torch==2.13.0
TORCH  ?=
# Where the demo works: the examples themselves stay as they are.
DEMO   := build/demo

.PHONY: demo test check unit coverage docs reports bench quality clean

demo: $(VENV)/demo.stamp
	@rm -rf $(DEMO) && mkdir -p $(dir $(DEMO))
	@$(BIN)/accucheck demo --folder $(DEMO)

test: check unit

check: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check
	$(BIN)/python benchmarks/pages.py --check
	$(BIN)/python reports/generate.py --check

# On all cores, at most four: many tests train, or wait for a time-out. Files in the order of tests/conftest.py.
unit: $(VENV)/test.stamp
	$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

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
