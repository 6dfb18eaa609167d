# make run    solve the first example, predict the published tables, write the report
# make test   everything that must hold: style, types, tests, examples, documentation
# make bench  time and error of each kernel against a plain one and against other solvers

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test bench clean

run: $(READY)
	@$(BIN)/qnsolve solve examples/cics-cfdt.toml
	@echo
	@$(BIN)/qnsolve validate --out out

test: $(READY)
	@sh .ci/system-packages
	$(BIN)/ruff check .
	$(BIN)/mypy
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadfile

bench: $(READY)
	@$(BIN)/python -m benchmarks

$(READY): requirements.txt setup.cfg pyproject.toml
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); sh .ci/venv-package && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

clean:
	rm -rf $(VENV) out build *.egg-info .pytest_cache .mypy_cache .ruff_cache
