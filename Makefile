# Where everything is built; `make test SCRATCH=/tmp/moya` builds elsewhere.
SCRATCH ?= $(CURDIR)/.build
export SCRATCH

.DEFAULT_GOAL := help
.PHONY: help apple-check attack bench bench-check bench-plot cache-tests check conformance demo docs docs-check docs-serve format fuzz lint sanitize \
    simulate soak test test-adapters test-curl trust

help: ## Show this list
	@echo "These install missing tools (Debian, Ubuntu) or list them, except bench-plot and format; cache-tests also needs node:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Start a local API and run the example through the usual kinds of task
	@Scripts/demo

simulate: ## Print the figures of retries, budgets and deadlines in virtual time; fail if one is wrong
	@Scripts/simulate

bench: ## Measure every client against libcurl in C, in under three minutes; FULL=1 for every load
	@Scripts/bench run

bench-check: ## Compare a run with Benchmarks/thresholds.json; fail if a threshold is exceeded
	@Scripts/bench check

bench-plot: ## Plot the cost of a request from the last run, or from RESULTS=FILE
	@Scripts/bench plot $(RESULTS)

cache-tests: ## Run the public suite for HTTP caches, from the copy CACHE_TESTS=FOLDER
	@Scripts/cache-tests

check: ## Run the checks that take under two minutes: the package's own tests and the layout of files
	@Scripts/check

test: ## Run every test of the default build, including those against nginx and httpbin
	@Scripts/test

trust: ## Test every bad certificate with every evaluator, and print the results
	@Scripts/trust

conformance: ## Test every transport for the required behaviours, and print the tables; fail if one is missing
	@Scripts/conformance

test-adapters: ## Run the tests of the adapters and bridges behind traits, if their libraries can be fetched
	@Scripts/test-adapters

test-curl: ## Run the tests of the libcurl transport, of conformance and against servers with the newest libcurl of Debian's backports
	@Scripts/test-curl

sanitize: ## Run the package's tests under the thread and the address sanitizer
	@Scripts/sanitize

soak: ## Make a million calls over TLS, and fail if one is lost, doubled or leaked
	@Scripts/soak

attack: ## Run misbehaving servers against the package, one process per case; ATTACK=short for a sample
	@Scripts/attack

fuzz: ## Run every fuzz target for a minute (FUZZ_SECONDS); fail on a finding, and save it
	@Scripts/fuzz

docs: ## Build the documentation site of every public module
	@Scripts/docs build

docs-serve: ## Build the documentation site and serve it on a loopback port
	@Scripts/docs serve

docs-check: ## Compare every sample with its compiled source and the languages with each other, and render the site in Chromium
	@Scripts/docs check

apple-check: ## Type-check the code for Apple's systems, and the test targets as iOS, which takes minutes; lint checks three of them
	@Scripts/install-prerequisites tests
	@Scripts/apple/typecheck --tests "$(SCRATCH)/apple"

format: ## Format every Swift file by .swift-format
	@find . -name '.?*' -prune -o -name '*.swift' -print0 | xargs -0 swift format --in-place --parallel

lint: ## Check the layout of Swift files, scripts and workflows, the comments of public symbols, and the API since the last tag
	@Scripts/lint
