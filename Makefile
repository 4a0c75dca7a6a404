# SPDX-License-Identifier: Apache-2.0
# `make` lists the targets. Each installs what it needs (Debian packages by name), builds, and runs.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
SWIFT ?= swift
STRICT := --explicit-target-dependency-import-check error
# CI builds once and debugs nothing: without debug information that takes minutes less.
ifdef CI
STRICT += -debug-info-format none
endif
FUZZ_SECONDS ?= 20
FUZZ_CORPUS := Tests/FuzzCorpus
# A seeded random set of cases is the same in every run; the vectors stand beside the checkout when there are any.
export COUNTERTOP_PYTHON := $(CURDIR)/.venv/bin/python
ifneq ($(wildcard ../shared/vectors),)
export COUNTERTOP_VECTORS ?= $(abspath ../shared/vectors)
endif

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: install-build install-tests
install-build:
	@.ci/install build
install-tests:
	@.ci/install tests

.PHONY: build
build: install-build ## build everything (debug)
	$(SWIFT) build $(STRICT)

.PHONY: release
release: install-build ## build the tool optimised: .build/release/countertop
	$(SWIFT) build $(STRICT) -c release --product countertop

.PHONY: demo
demo: install-build ## the main job on an embedded default: an emulated tap, decrypted, recorded, replayed
	$(SWIFT) build $(STRICT) --product countertop
	@.ci/demo "$$($(SWIFT) build --show-bin-path)/countertop"

.PHONY: install-fleet
install-fleet:
	@.ci/install fleet

.PHONY: fleet-demo
fleet-demo: install-fleet ## from a counter's tap through NATS JetStream into PostgreSQL, both servers started privately
	$(SWIFT) build $(STRICT) --product countertop
	@.ci/fleet-demo "$$($(SWIFT) build --show-bin-path)/countertop"

.PHONY: test
test: install-tests ## all tests, with a private pcscd each where they need one, under the secrets gate
	$(SWIFT) build $(STRICT) --build-tests
	@packaging/check "$$($(SWIFT) build --show-bin-path)"
	@Tests/Chaos/chaos.py "$$($(SWIFT) build --show-bin-path)/countertop" --kills 10 --taps 4 --seed 1
	@.ci/gate .build/gate .ci/tests "$$($(SWIFT) build --show-bin-path)/countertopPackageTests.xctest"

CHAOS ?=
# What is killed inside the tests: readers and pcscd, brokers and databases, and power at every byte of the log.
CHAOS_TESTS := CounterReaderTests|UnpluggedReaderTests|PowerLossTests|NATS|Ledger|Postgre
.PHONY: chaos
chaos: install-tests release ## the long form: 1,000 kill -9 and all else that fails; nothing lost, nothing twice (an hour)
	$(SWIFT) build $(STRICT) --build-tests
	@Tests/Chaos/chaos.py "$$($(SWIFT) build -c release --show-bin-path)/countertop" $(CHAOS)
	COUNTERTOP_CHAOS=1 COUNTERTOP_EVERY_PREFIX=1 \
		$(SWIFT) test --skip-build --no-parallel --filter '$(CHAOS_TESTS)'

PREFIX ?= /usr/local
DESTDIR ?=
.PHONY: install
install: release ## install the tool, man pages, completions and the service below DESTDIR and PREFIX (/usr/local)
	@packaging/install "$$($(SWIFT) build -c release --show-bin-path)" "$(PREFIX)" "$(DESTDIR)"

.PHONY: package-check
package-check: install-tests release ## install into a folder for the time of the check, and look at it as a packager would
	@packaging/check "$$($(SWIFT) build -c release --show-bin-path)"

.PHONY: lint
lint: ## swift-format, strict
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

.PHONY: format
format: ## rewrite the sources as swift-format wants them
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

.PHONY: asan
asan: install-tests ## the tests under AddressSanitizer
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build-asan

.PHONY: tsan
tsan: install-tests ## the tests under ThreadSanitizer
	TSAN_OPTIONS=suppressions=$(CURDIR)/.ci/tsan.suppressions $(SWIFT) test --sanitize=thread --scratch-path .build-tsan

FUZZER_RUNTIME = $(shell echo $(dir $(shell command -v $(SWIFT)))../lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-$$(uname -m).a)

.PHONY: fuzz
fuzz: install-build ## every fuzz target for FUZZ_SECONDS (20) each; `make fuzz FUZZ_SECONDS=600` for the long run
	COUNTERTOP_FUZZER_RUNTIME=$(FUZZER_RUNTIME) $(SWIFT) build --scratch-path .build-fuzz --product countertop-fuzz
	@.ci/fuzz .build-fuzz/debug/countertop-fuzz $(FUZZ_CORPUS) $(FUZZ_SECONDS)

.PHONY: bench
bench: install-tests release ## the benchmarks; prints a table of ratios (BENCH=--quick for the short one)
	$(SWIFT) build --package-path Benchmarks -c release
	@COUNTERTOP_TOOL=$$($(SWIFT) build -c release --show-bin-path)/countertop \
		$$($(SWIFT) build --package-path Benchmarks -c release --show-bin-path)/Benchmarks $(BENCH)

DOCUMENTED := BERTLV HostSystem ISO7816 WalletCrypto PCSC APDUTrace EmulatedWallet AppleVAS EMVContactless InAppProvisioning \
	ProximityReader PassKit LoyaltyFeed CounterServer CardTesting ProvisioningTesting CountertopCommands

.PHONY: docs
docs: install-build ## the DocC pages of each module, warnings as errors, under .build-docs
	COUNTERTOP_DOCS=1 $(SWIFT) package --scratch-path .build-docs generate-documentation --warnings-as-errors \
		$(DOCUMENTED:%=--target %)

.PHONY: clean
clean: ## remove what was built
	rm -rf .build .build-* Benchmarks/.build .venv
