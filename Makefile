# curvecast: two commands set everything up on a fresh machine, `make reproduce` and `make test`. Minutes are for two cores.

PYTHON ?= python3
scale  ?= laptop
venv   := .venv
python := $(venv)/bin/python
pip    := -m pip install --quiet --quiet --disable-pip-version-check # errors alone
uv      = $(1) -m uv pip install --quiet --python $(1)
torch  := torch==2.13.0
# Two processes, half of the tests each; who is done first takes over some of the other's. What files share is made once.
pytest := -m pytest -q --numprocesses 2 --dist worksteal

# What runs the live model in the page: ONNX Runtime for browsers, from npm. The version and its sha256 change together.
ort      := onnxruntime-web-1.30.0
ort_sha  := d2228df7e4616bc3348bf504ee888f3bec43789a273f0a63f3e68d203ce3bf71
ort_home := docs/assets/live/ort

export NO_MKDOCS_2_WARNING := 1
unexport PYTHONDONTWRITEBYTECODE # some images set it, and every process of the tests would compile all anew
# what pip is told of wheels at hand, uv is told as well
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)

.PHONY: help setup reproduce test quick check fresh serve site zip pdf bench adapters slurm-test hard dist clean runtime
.DEFAULT_GOAL := help

help: ## say what there is (this)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

setup: $(venv)/.ready runtime ## create .venv with all that is needed (1 min; at once if it is there)

reproduce: setup ## make the blog again and answer its questions here (13 min cold; page=SLUG for one page, cost=1 only says what it would take, again=1 also what stands, scale=paper on a GPU)
	@$(python) -m reproduce blog --scale $(scale) $(if $(page),--page $(page)) $(if $(all),--all) $(if $(every),--every) $(if $(again),--again) $(if $(cost),--cost)

test: setup ## run the tests (5 min; needs no root, no network, no GPU)
	@$(python) $(pytest) --junitxml runs/tests.xml

quick: setup ## run the tests that train nothing, start no process and take no second (1 min): what to run at each save
	@$(python) $(pytest) -m "not slow" --junitxml runs/quick.xml

check: setup ## format, lint, types, workflows, tests, strict site (8 min)
	$(python) -m ruff format --check .
	$(python) -m ruff check .
	$(python) -m mypy
	$(venv)/bin/zizmor --quiet --offline --persona pedantic .github
	$(python) $(pytest)
	$(MAKE) --no-print-directory site

# What a stranger gets: a clone of what is committed, its own environment, its own .ci/run. Sums come in another order on an
# older processor, and everything takes longer beside a busy core.
older := OPENBLAS_CORETYPE=Haswell ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2
fresh: ## run .ci/run in a clone of what is committed (10 min; as=older on an older processor, as=busy beside a busy core)
	@test -z "$$(git status --porcelain)" || echo "note: what is not committed is not tried"
	@folder=$$(mktemp -d); busy=; trap 'rm -rf "$$folder"; test -z "$$busy" || kill $$busy' EXIT; \
	git clone --quiet . "$$folder/curvecast" && cd "$$folder/curvecast" || exit 1; \
	if test "$(as)" = busy; then (while :; do :; done) & busy=$$!; fi; \
	env -u MAKEFLAGS -u MAKELEVEL CI=true $(if $(filter older,$(as)),$(older)) sh .ci/run </dev/null

site: setup ## build the pages into site/ from the answers that lie here (under 1 min)
	$(python) -m mkdocs build --strict

serve: setup ## read the blog at http://localhost:8000 (under 1 min; quick=1 builds a saved page alone anew, and no changed answers)
	$(python) -m mkdocs serve $(if $(quick),--dirty --no-strict)

zip: setup ## pack pages, search, live model, rows and sources into runs/curvecast.zip, which opens from disk (1 min)
	@$(python) -m reproduce build --zip

pdf: setup ## print all pages into runs/curvecast.pdf, with Chromium (3 min)
	@$(python) -m reproduce build --pdf

bench: setup .bench/.ready ## time sampling, training and forecasts beside the reference package (10 min)
	$(python) -m reproduce run speed --scale $(scale)

adapters: setup .adapters/.ready ## test callbacks and readers with Lightning, Ray Tune, MLflow, OptunaHub (10 min the first time)
	@.adapters/bin/python -m pytest -q tests/curvecast/while_training tests/curvecast/logs tests/packaging/test_optunahub_package.py

slurm-test: setup ## run a page on a Slurm cluster of one node, with a job cancelled and the node drained (5 min; needs root and Debian's slurmctld)
	@$(python) $(pip) --constraint constraints.txt --editable . --group slurm
	@$(python) -m tests.hard_use.cluster

hard: setup ## kill runs of the blog a hundred times and compare their rows with undisturbed ones (30 min)
	@$(python) -m tests.hard_use.kills

dist: ## build the wheels of curvecast and presswork and try them, away from the repository (2 min)
	@sh .ci/dist

clean: ## remove what can be made again; .venv, weights, checkpoints and answers made here stay (at once)
	find runs -mindepth 1 -maxdepth 1 ! -name checkpoints ! -name here ! -name lock -exec rm -rf {} + 2>/dev/null || true
	rm -rf site dist .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis

# uv takes a tenth of pip's time; where there is none, pip does the same.
# Without a GPU the CPU build of torch: from the index at hand, else from torch's own; else the exact pin, whatever it brings.
cpu_or_pin = test -e /dev/nvidia0 && $(1) $(pip) "$(torch)" \
	|| $(uv) "$(torch)+cpu" 2>/dev/null \
	|| $(1) $(pip) "$(torch)+cpu" 2>/dev/null \
	|| $(1) $(pip) --retries 1 --timeout 20 --index-url https://download.pytorch.org/whl/cpu "$(torch)" 2>/dev/null \
	|| $(1) $(pip) "$(torch)"

wanted := --constraint constraints.txt --editable '.[tensorboard]' --editable ./presswork --group reproduce --group export --group site --group test

$(venv)/.ready: pyproject.toml presswork/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("curvecast needs Python 3.11.5 or newer: make setup PYTHON=python3.12" if sys.version_info < (3, 11, 5) else 0)'
	@echo "setting up $(venv) (under a minute the first time; 3 minutes where there is no uv)"
	@test -x $(python) || $(PYTHON) -m venv $(venv)
	@$(python) $(pip) --constraint constraints.txt pip uv 2>/dev/null || $(python) $(pip) --constraint constraints.txt pip
	@$(call cpu_or_pin,$(python))
	@$(call uv,$(python)) $(wanted) 2>/dev/null || $(python) $(pip) $(wanted)
	@touch $@

# 33 MB are fetched and two files kept. Whatever goes wrong, all else works: the page then shows the fallback picture.
sha256 = $(PYTHON) -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())'
ort_files := package/dist/ort.wasm.bundle.min.mjs package/dist/ort-wasm-simd-threaded.wasm

runtime: $(ort_home)/.$(ort) # alone: where a site is built without the rest

$(ort_home)/.$(ort):
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT; \
	note() { echo "no runtime for the live model ($$1): without npm the page shows the fallback picture"; exit 0; }; \
	command -v npm >/dev/null || note "npm is not installed"; \
	echo "fetching the runtime of the live model (33 MB, once)"; \
	npm pack --silent --fetch-retries=0 --pack-destination "$$folder" $(subst web-,web@,$(ort)) >/dev/null 2>&1 \
		|| note "it could not be fetched"; \
	test "$$($(sha256) "$$folder/$(ort).tgz")" = $(ort_sha) || note "its sha256 is not the one in the Makefile"; \
	rm -rf $(ort_home) && mkdir -p $(ort_home) \
		&& tar -xzf "$$folder/$(ort).tgz" -C $(ort_home) --strip-components=2 $(ort_files) && touch $@

# The reference package asks for a torch of 2022: it is installed without its dependencies, beside today's torch.
.bench/.ready: constraints.txt
	@test -x .bench/bin/python || $(PYTHON) -m venv .bench
	@$(call cpu_or_pin,.bench/bin/python)
	@.bench/bin/python $(pip) --constraint constraints.txt numpy
	@.bench/bin/python $(pip) --no-deps lcpfn==0.1.3
	@touch $@

# Beside the packages of .venv, which it sees, those that are too large for every test run. They agree with each other
# and need not with constraints.txt, whose versions of two or three packages MLflow refuses.
.adapters/.ready: pyproject.toml constraints.txt
	@test -x .adapters/bin/python || $(PYTHON) -m venv .adapters
	@$(python) -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$(.adapters/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/beside.pth"
	@.adapters/bin/python $(pip) --constraint constraints.txt pip
	@.adapters/bin/python $(pip) --group adapters
	@touch $@
