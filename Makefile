# Everything a newcomer needs; `make help` says what there is.
# All of it works from a fresh clone: missing Debian packages are installed first (scripts/setup).
MISSION ?= missions/pool.yaml
PREFIX  ?= /usr/local
JOBS    ?= $(shell nproc)
# most tests that take long wait for clocks and peers, not for a processor
TESTS   ?= $(shell expr $(JOBS) \* 3)

PINTLE := build/release/apps/pintle/pintle

# Ninja where there is one; a build folder keeps the generator that it began with
ifneq ($(shell command -v ninja 2>/dev/null),)
export CMAKE_GENERATOR ?= Ninja
endif

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev build run test sanitize soak bench check format install deb uninstall clean

help: ## this list
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14
	@echo "MISSION=$(MISSION)  PREFIX=$(PREFIX)  JOBS=$(JOBS)"

setup: ## install what is missing to build, run and test
	@scripts/setup

setup-dev:
	@scripts/setup --dev

# setup may have installed ninja and cmake only now: the recipe looks again
build/%/.configured: CMakePresets.json | setup
	@if command -v ninja >/dev/null; then export CMAKE_GENERATOR=$${CMAKE_GENERATOR:-Ninja}; fi; \
	cmake --preset $*
	@touch $@

build: setup build/release/.configured ## build everything, optimised, into build/release
	@cmake --build build/release -j $(JOBS)

run: setup build/release/.configured ## fly MISSION (missions/pool.yaml) against its simulated world
	@cmake --build build/release -j $(JOBS) --target pintle
	$(PINTLE) run $(MISSION)

test: build ## build and run all tests: deterministic, a few minutes
	ctest --test-dir build/release --output-on-failure -j $(TESTS)

sanitize: setup-dev build/asan-ubsan/.configured ## build and test the rooms under the address and undefined-behaviour sanitizers
	@cmake --build build/asan-ubsan -j $(JOBS)
	ctest --preset asan-ubsan -j $(shell expr $(JOBS) \* 2)

ifdef LIST
soak:
	@scripts/soak --list
else
soak: build setup-dev ## run the long campaigns whose docs/evidence/*.json is not current (JOB=name for one of them, LIST=1: how they stand)
	scripts/soak $(JOB)
endif

bench: build ## run the benchmarks
	scripts/bench build/release

check: build setup-dev build/tidy/.configured ## format of all files, clang-tidy on changed ones, the arrows between rooms
	scripts/check

format: setup-dev ## bring all C++ files into the house's format
	scripts/check --fix-format

install: build ## install into PREFIX (/usr/local)
	cmake --install build/release --prefix $(PREFIX)
	@cp build/release/install_manifest.txt build/release/installed.txt

deb: build ## make Debian packages of what was built: build/release/packages
	@cd build/release && cpack

uninstall: ## take out what the last install brought
	@scripts/uninstall

clean: ## remove build/
	rm -rf build
