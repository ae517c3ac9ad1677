# Kolam's targets for people: each is a script of scripts/. `make help` lists them.
.PHONY: help setup build demo test test-engines bench bench-peers bench-programs bench-kernels bench-drawn sanitize wheel package-test docs format lint tidy mutants clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## install what is missing: Debian packages, the Python parts in .venv
	@scripts/bootstrap

build: setup ## build the library, the tools, the tests and the Python module
	@scripts/build

demo: setup ## classify and learn handwritten digits; run a grid RNN over pairs of sentences; plan programs; builds no tests
	@scripts/build default --target _kolam digits derivatives_digits_mlp derivatives_languages
	@scripts/demo

test: build ## run every test; FAST=1 leaves out the slow ones
	@scripts/test $(if $(FAST),--fast)

test-engines: build ## run plans on Ray and Dask, in a venv of their own, while workers are killed and stopped
	@scripts/test_engines

bench: setup ## measure beside oneDNN, OpenBLAS, NumPy and copies; scripts/bench --help
	@scripts/bench

bench-peers: setup ## measure beside PyTorch, JAX, ONNX Runtime and numba, in a venv of their own
	@scripts/bench_peers

bench-programs: setup ## measure whole programs beside numba, JAX, PyTorch, pythran and Mojo
	@scripts/bench_programs

bench-drawn: build ## measure expressions drawn at random beside NumPy and JAX; scripts/bench_drawn --help
	@scripts/bench_drawn

bench-kernels: setup ## measure block kernels beside array functions, loops by hand, PyTorch, numba and JAX's Pallas
	@scripts/bench_kernels

sanitize: setup ## run the C++ and lit tests under address, undefined and thread sanitizers
	@scripts/sanitize

wheel: build ## make dist/kolam-*.whl, which carries MLIR and LLVM
	@scripts/wheel

package-test: build ## try the installed CMake package and the wheel as strangers would
	@scripts/package_test

docs: build ## write the reference pages to build/docs
	@scripts/docs

format: setup ## format the C++ files
	@scripts/format

lint: setup ## check format, layers, sizes, names, mirror, errors and README
	@scripts/lint

tidy: build ## run clang-tidy over the files changed since main; ALL=1 over all
	@scripts/tidy $(if $(ALL),--all)

mutants: build ## apply deliberate mistakes one by one; the tests must catch each
	@scripts/mutants

clean: ## remove what was built; .venv stays
	rm -rf build build-*
