# Everything from a fresh checkout: `make demo` shows it, `make test` checks it.
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find native src -type f -not -name '*.pyc' -not -name '_core.pyi')
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
NATIVE_TESTS := build/native-tests
DEMO_EXTRAS := cli
JOBS := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

.PHONY: demo test lint types layers native-test pytest bench stubs clean

# --- what a newcomer runs ---------------------------------------------------------------------------------------------

demo: $(VENV)/.installed
	$(BIN)/coterie demo

test: lint types layers native-test pytest

# --- the parts --------------------------------------------------------------------------------------------------------

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs/*.py
	$(BIN)/python docs/make_tables.py --check

types: $(VENV)/.installed-dev
	$(BIN)/python native/bindings/make_stub.py --check
	$(BIN)/mypy

layers: $(VENV)/.installed-dev
	$(BIN)/lint-imports

# the engine against obvious oracles, under AddressSanitizer and UndefinedBehaviorSanitizer
native-test: $(VENV)/.installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(NATIVE_TESTS) -G Ninja -DCOTERIE_PYTHON=OFF -DCOTERIE_TESTS=ON -DCOTERIE_SANITIZE=ON -DCOTERIE_ISA_LEVELS=host -DCMAKE_BUILD_TYPE=Debug > /dev/null
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(NATIVE_TESTS)
	PATH="$(CURDIR)/$(BIN):$$PATH" ctest --test-dir $(NATIVE_TESTS) --output-on-failure

pytest: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# ROWS=kmeans,seeding runs some families only
bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python -m benchmarks $(if $(ROWS),--rows $(ROWS))

# what is made from the code and kept in the tree: the typed outline of the native module, the tables of docs/
stubs: $(VENV)/.installed-dev
	$(BIN)/python native/bindings/make_stub.py
	$(BIN)/python docs/make_tables.py

clean:
	rm -rf build dist $(VENV) $(BENCH_VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

# --- environments -----------------------------------------------------------------------------------------------------

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# What one extra of pyproject.toml asks for, without the project itself.
REQUIREMENTS = $$($(PYTHON) -c 'import sys, tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*p["dependencies"], *(r for e in sys.argv[1:] for r in p["optional-dependencies"][e]))' $(1))

# Libraries are installed while the compiler runs. To look at it, one instruction set is enough: a third of the time to build.
$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	$(MAKE) --no-print-directory --jobs=2 .demo-libraries .demo-wheel
	$(BIN)/python $(PIP_INSTALL) --no-deps --force-reinstall build/wheel/coterie-*.whl
	touch $@

.PHONY: .demo-libraries .demo-wheel
.demo-libraries:
	$(BIN)/python $(PIP_INSTALL) $(call REQUIREMENTS,$(DEMO_EXTRAS))

.demo-wheel:
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel --config-settings=cmake.define.COTERIE_ISA_LEVELS=host .

# as released: every instruction set
$(VENV)/.installed-dev: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python $(PIP_INSTALL) --config-settings=cmake.define.COTERIE_ISA_LEVELS=all ".[dev]"
	touch $@ $(VENV)/.installed

$(BENCH_VENV)/.installed: $(SOURCES)
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python $(PIP_INSTALL) --upgrade pip
	$(BENCH_VENV)/bin/python $(PIP_INSTALL) --config-settings=cmake.define.COTERIE_ISA_LEVELS=host ".[cli,bench]"
	touch $@
