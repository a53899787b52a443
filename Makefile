# Every target installs what it needs into .venv, pinned by hash.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 4
# The tests start the program many times: without its bytecode kept, each start compiles it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo install test check tests bench performance-page calibration-table chaos soak audit fuzz lock clean

demo: $(VENV)/.runtime
	$(BIN)/python -m bot demo

# The pinned packages and `recalibrate`, in .venv/bin.
install: $(VENV)/.runtime

test: check tests

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

tests: $(VENV)/.dev
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -ra

bench: $(VENV)/.dev
	$(BIN)/python -m tests.bench

# Renew docs/performance.md and its pictures from what the last `make bench` found.
performance-page: $(VENV)/.dev
	$(BIN)/python -m tests.bench.page bench.json .

# Renew docs/calibration.md and docs/nights.md; needs the shared data's durations and nightlies.
calibration-table: $(VENV)/.dev
	@test -n "$(RECALIBRATE_DATA)" || { echo "RECALIBRATE_DATA: not set; it names the folder with durations/" >&2; exit 2; }
	$(BIN)/python -m tests.bench.calibration_page "$(RECALIBRATE_DATA)/durations" docs/calibration.md
	$(BIN)/python -m tests.bench.nights_page "$(RECALIBRATE_DATA)/nightlies" docs/nights.md

# Kills the service at every point and walks every call through every fault; up to an hour.
# CHAOS="--resume FILE" keeps the verdicts and goes on with them.
chaos: $(VENV)/.dev
	$(BIN)/python -m tests.chaos $(CHAOS)

# Two thousand deliveries at once while a nightly is worked, on both databases; a few minutes.
soak: $(VENV)/.dev
	$(BIN)/python -m tests.soak

# Known vulnerabilities of everything that is pinned. Without a reachable advisory source it says so and fails only
# with AUDIT_STRICT=1.
audit: $(VENV)/.audit
	$(VENV)/audit/bin/python deploy/audit.py $(VENV)/audit/bin/pip-audit deploy/requirements.txt deploy/requirements-dev.txt deploy/requirements-audit.txt

# Generated input for each reader of foreign text, FUZZ_S seconds each.
FUZZ_S ?= 600
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz $(FUZZ_S)

$(VENV)/.audit: $(VENV)/.python deploy/requirements-audit.txt
	$(PYTHON) -m venv $(VENV)/audit
	$(VENV)/audit/bin/pip install --quiet --disable-pip-version-check --require-hashes -r deploy/requirements-audit.txt
	touch $@

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	touch $@

# Nothing is imported from the folder where `recalibrate` is typed: that may be a clone of anybody's.
$(VENV)/.runtime: $(VENV)/.python deploy/requirements.txt
	@echo "installing what deploy/requirements.txt pins into $(VENV); half a minute, once"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r deploy/requirements.txt
	@printf '#!/bin/sh\nPYTHONPATH="%s" exec "%s/python" -P -m bot "$$@"\n' "$(CURDIR)" "$(CURDIR)/$(BIN)" >$(BIN)/recalibrate
	@chmod +x $(BIN)/recalibrate
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime deploy/requirements-dev.txt pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r deploy/requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@

# Renew the pinned files; needs uv.
lock:
	for f in requirements requirements-plot requirements-dev requirements-audit; do \
	  uv pip compile --universal --no-strip-extras --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-header --no-annotate deploy/$$f.in -o deploy/$$f.txt; done

clean:
	rm -rf $(VENV) demo-out bench.json
