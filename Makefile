# `make demo` and `make test` are all a fresh machine with Python and git needs.
PYTHON ?= python3
# How many random examples `test-all` tries; `many` before a release (tests/support/profile.py).
PROFILE ?= full
VENV ?= .venv
BIN := $(VENV)/bin

# Quick tests that start the hooks, the commands and git, and need nothing else.
SMOKE := tests/commands/demo_test.py tests/hooks/commit_msg_test.py tests/hooks/open_summary_test.py \
	tests/message/header_test.py tests/git/run_test.py tests/packaging_test.py tests/imports_test.py

.PHONY: demo smoke test test-all lint docs dist install dev clean

demo: install
	$(BIN)/smartcommit demo

test: dev
	$(BIN)/python -m pytest -n auto -m "not components and not slow"

# Whether a machine has what all the other tests need.
smoke: dev
	$(BIN)/python -m pytest -n auto --hypothesis-profile=full $(SMOKE)

# Needs the programs that .ci/components builds, and says which tests it skips for want of one. `PASSED` are left out.
test-all: dev
	$(BIN)/python -m pytest -n auto -r s --hypothesis-profile=$(PROFILE) $(addprefix --ignore=,$(PASSED))

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What is generated in docs/: the reference, the manual pages and the pictures.
docs: dev
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_manual.py
	$(BIN)/python docs/make_picture.py

# The wheel and the source distribution, as a release has them.
dist: dev
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -c "from setuptools.build_meta import build_sdist; build_sdist('dist')"
	$(BIN)/twine check --strict dist/*

# A plain installation, as a user has it. A left-over build/ would bring back modules that were deleted.
install: $(BIN)/python
	@echo "Installing into $(VENV): this checkout, click, pre-commit, pydantic and requests. A first time takes a minute."
	rm -rf build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check .

dev: $(BIN)/python
	rm -rf build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ".[dev]"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

clean:
	rm -rf $(VENV) build dist *.egg-info
