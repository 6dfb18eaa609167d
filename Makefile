PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# compiled files are kept: each worker of pytest and each process that a test starts begins sooner
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-slow coverage bench clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

run: $(READY) ## solve the first example, predict the published tables, write the report to out/
	@$(BIN)/qnsolve solve examples/cics-cfdt.toml
	@echo
	@$(BIN)/qnsolve validate --out out

test: $(READY) ## style, types and all that a change must hold: 18 minutes on two cores
	@sh .ci/system-packages
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST) -m "not slow"

test-slow: $(READY) ## error tables, families, simulations, every worksheet example in LibreOffice and Chromium: 12 minutes
	@sh .ci/system-packages
	$(PYTEST) -m slow

coverage: $(READY) ## lines and branches of the solver that the tests of `make test` reach; HTML in out/coverage
	@sh .ci/system-packages
	@mkdir -p out
	@$(BIN)/coverage erase
	OPENBLAS_NUM_THREADS=1 $(BIN)/coverage run -m pytest --numprocesses auto --dist worksteal -m "not slow"
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet
	@$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --include='*/numerics/*,*/methods/*/*' --omit='*/method.py' --fail-under=99

bench: $(READY) ## time and error of each kernel beside a plain one and beside other solvers
	@$(BIN)/python -m benchmarks

clean: ## remove the virtual environment, output and caches
	rm -rf $(VENV) out build *.egg-info .pytest_cache .mypy_cache .ruff_cache .coverage*

$(READY): requirements.txt setup.cfg pyproject.toml
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); sh .ci/venv-package && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
