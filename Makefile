# The project's front door: each target installs what it needs, configures with CMake and builds
# with Ninja.
#   make help    these lines
#   make demo    analyse a tiled SGEMM kernel
#   make build   release build in build/
#   make test    every test, then under sanitizers those of what reads bytes and a quarter of the
#                others, which the commit chooses
#   make lint    formatting, clang-tidy (CHANGED=1: of what changed in a day)
#   make docs    the pages as a site with a search, in build/site
#   make without-wing [WING=makespan]  build and test a copy that lacks a wing (src/wings/);
#                without WING one a day in turn
#   make coverage   which functions, lines and branches the tests of the gate reach, by gcov:
#                docs/data/coverage.csv, and the largest functions that none enters
#   make bench   speed figures of this machine
#   make fuzz    fuzz every reader for FUZZ_SECONDS each
#   make nightly what the gate has no time for: nightly-rounds (all rounds of all tests),
#                nightly-sanitizers (all tests under them), nightly-lint (clang-tidy of all files),
#                nightly-wings (each left out), and the site; tests/nightly says when each passed
#   make proofs  have Coq check the proofs of the bounds, say what each theorem rests on, compare
#                the library with what the definitions say of random blocks, and say which first
#                numbers follow
#   make proofs-campaign   the same of more schedules and certificates
#   make qualify [SANITIZED=1] [QUALIFY="--only REQ-CERT"]   validate the tool on this machine,
#                requirement by requirement, for those who have to qualify it:
#                build/qualification/report.md (docs/qualification/how-to.md)
#   make bench-tightness [TIGHTNESS="--machines ampere-sm80 --sms 2"]   how far bounds of kernels
#                are above slow executions, and why: tables, build/tightness.csv and .json; some 25
#                minutes of processor time for all
#   make bench-machine-code   bounds of machine code of all kernels and architectures, into
#                docs/data/machine-code.csv and the page that summarises it,
#                docs/machine-code-tables.md
#   make campaign [SEEDS=1000000]   all rounds of the random tests, of which `make test` has a
#                third, then bounds against all schedules of random blocks; goes on where it was
#                stopped
#   make campaign-caches [SEEDS=1000000] [FIRST=1]   bounds of kernels for all data against
#                executions, on random machines with caches
#   make campaign-machine-code [SEEDS=1000000] [FIRST=1]   bounds of machine code against all
#                executions of small grids
#   make campaign-sub-cores [SEEDS=1000000] [FIRST=1]   climbs towards the worst case of small grids
#                on several sub-cores over the proven bounds of kernels, until one is exceeded
#   Each campaign takes SHARD=I/N: a part of the seeds (docs/sweep-cluster.md); then
#   make campaign-combine [CAMPAIGN=campaign-caches]
#   make reproduce-ecrts2012 reproduce-etfa2013 reproduce-wcet2014 reproduce-jcse2017
#   make reproduce-ecrts2025   the experiments of papers, into docs/reproduction/
#   make install [PREFIX=/usr/local] [DESTDIR=]
#   make uninstall [PREFIX=/usr/local]
#   make deb     Debian packages, in build-deb/ (docs/installing.md)
#   make clean

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SEEDS ?= 1000000
FIRST ?= 1
JOBS ?= $(shell nproc)
WERROR ?= OFF
SHARD ?=
CAMPAIGN ?= campaign

comma := ,

CMAKE = cmake -G Ninja -S .
SANITIZE = CC=clang $(CMAKE) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWB_SANITIZE=ON -DWB_FUZZ=ON
NINJA = ninja -j $(JOBS)
QUIET = $(shell ninja --quiet --version >/dev/null 2>&1 && echo --quiet) # ninja 1.11

.DEFAULT_GOAL := build
.PHONY: help demo build test nightly nightly-rounds nightly-sanitizers nightly-lint \
	nightly-wings lint docs without-wing proofs proofs-campaign qualify coverage \
	bench bench-tightness bench-machine-code fuzz campaign campaign-caches \
	campaign-machine-code campaign-sub-cores campaign-programs campaign-shard campaign-combine \
	install uninstall deb clean packages-%

help:
	@sed -n 's/^#//p;/^$$/q' Makefile

packages-%:
	@scripts/install-packages $(subst +, ,$*)

build: packages-build
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >/dev/null
	@$(NINJA) -C build $(QUIET)

demo: build
	./build/warpbound analyze kernels/cubin/sgemm_tiled.sm_87.cubin -l kernels/sgemm_tiled.yaml \
		-m jetson-agx-orin --set clock_mhz=1300 --deadline 120us --report build/demo.html

# The commit chooses the kernels of tests that run half of them, and the tests under sanitizers
# (tests/CMakeLists.txt).
export WB_PART := $(shell echo $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) % 4)))

test: packages-build+test
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON -DWB_WERROR=$(WERROR) >/dev/null
	@$(NINJA) -C build $(QUIET)
	ctest --test-dir build --output-on-failure -j $(JOBS)
	@$(SANITIZE) -B build-sanitize -DWB_WERROR=$(WERROR) >/dev/null
	@$(NINJA) -C build-sanitize $(QUIET) fuzz/all bytes part-$(WB_PART)
	ctest --test-dir build-sanitize --output-on-failure -j $(JOBS) \
		-L '^(bytes|part-$(WB_PART))$$'
	@scripts/slowest-tests build build-sanitize

# Each part notes in tests/nightly when it passed. Whoever ran it commits that; the gate checks how
# long ago it was.
nightly: nightly-rounds nightly-sanitizers nightly-lint nightly-wings docs

nightly-rounds: packages-build+test
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >/dev/null
	@$(NINJA) -C build $(QUIET)
	WB_ROUNDS=all ctest --test-dir build --output-on-failure -j $(JOBS)
	@scripts/nightly passed rounds

nightly-sanitizers: packages-build+test
	@$(SANITIZE) -B build-sanitize >/dev/null
	@$(NINJA) -C build-sanitize $(QUIET)
	ctest --test-dir build-sanitize --output-on-failure -j $(JOBS)
	@scripts/nightly passed sanitizers

nightly-lint: lint
	@scripts/nightly passed lint

nightly-wings: packages-build+test
	for wing in $$(ls src/wings); do scripts/without-wing $$wing || exit 1; done
	@scripts/nightly passed wings

lint: packages-build+test+lint
	@$(SANITIZE) -B build-sanitize >/dev/null
	scripts/lint $(if $(CHANGED),--changed)

# The pages, and what they link to.
documented = *.md LICENSE docs include/*.h kernels/README.md proofs/statements proofs/theorems

# The page of a data table is made anew from the table.
docs: packages-docs
	@rm -rf build/pages build/site && mkdir -p build/pages
	@cp -r --parents $(documented) build/pages
	@bench/machine_code_tables --summarise --page build/pages/docs/machine-code-tables.md
	@mkdocs build --strict

without-wing: packages-build+test
	scripts/without-wing $(WING)

proofs: packages-build+test+proofs
	@scripts/proofs
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >/dev/null
	@$(NINJA) -C build $(QUIET) extracted_cases extracted_certificates \
		extracted_code warpbound warpbound-check
	@scripts/proofs-extracted
	@scripts/proofs-first-numbers $(if $(EVERY),--every $(EVERY))

proofs-campaign: proofs
	@scripts/proofs-extracted 10000 3334 10000 13400 10000 1000000

# Without Coq the report says that no theorem was checked.
qualify: packages-build+test
	@scripts/install-packages proofs || true
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >/dev/null
	@$(NINJA) -C build $(QUIET)
	@$(if $(SANITIZED),$(SANITIZE) -B build-sanitize >/dev/null && \
		$(NINJA) -C build-sanitize $(QUIET))
	@python3 -B scripts/qualification/qualify.py --jobs $(JOBS) \
		$(if $(SANITIZED),--sanitized build-sanitize) $(QUALIFY)

# Optimised no further than what keeps lines apart.
coverage: packages-build+test
	@$(CMAKE) -B build-coverage -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON \
		"-DCMAKE_C_FLAGS_RELEASE=-Og --coverage" >/dev/null
	@$(NINJA) -C build-coverage $(QUIET)
	@WB_PART=0 scripts/coverage build-coverage -j $(JOBS) --timeout 10000

bench: packages-build+bench
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >/dev/null
	@$(NINJA) -C build $(QUIET)
	@scripts/bench

bench-tightness: packages-build+bench
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >/dev/null
	@$(NINJA) -C build $(QUIET) tightness
	@build/bench/tightness --jobs $(JOBS) --csv build/tightness.csv \
		--json build/tightness.json $(TIGHTNESS)

bench-machine-code: build
	@bench/machine_code_tables --jobs $(JOBS)

fuzz: packages-build+test
	@$(SANITIZE) -B build-fuzz -DWB_FUZZ_COVERAGE=ON >/dev/null
	@$(NINJA) -C build-fuzz $(QUIET) fuzz/all
	@scripts/fuzz $(FUZZ_SECONDS)

# A campaign, or with SHARD=I/N a part of it: the same seeds, divided, with the counts in
# build/campaigns for `make campaign-combine`. Shards build nothing, since many of them may run in
# one folder: `make campaign-programs` before.
seeds = $(or $(shell scripts/campaign seeds $(FIRST) $(SEEDS) $(SHARD)),\
	$(error FIRST, SEEDS or SHARD is wrong))
shard_of = $(subst /,-of-,$(SHARD))
shard_counts = $(if $(SHARD),WB_COUNTS=build/campaigns/$@.$(shard_of).counts)
campaign_programs = campaign steered_campaign sass_campaign exact_campaign

campaign-programs: packages-build+test
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >/dev/null
	@$(NINJA) -C build $(QUIET)

campaign campaign-caches campaign-machine-code campaign-sub-cores: \
	$(if $(SHARD),campaign-shard,campaign-programs)

campaign-shard:
	@ls $(campaign_programs:%=build/tests/%) >/dev/null || \
		{ echo "first: make campaign-programs"; exit 1; }
	@mkdir -p build/campaigns

campaign:
	WB_ROUNDS=all ctest --test-dir build --output-on-failure -j $(JOBS) \
		$(if $(SHARD),-I $(subst /,$(comma)$(comma),$(SHARD)))
	$(shard_counts) ./build/tests/campaign build/campaign.seed$(if $(SHARD),.$(shard_of) \
		$(lastword $(seeds)) $(firstword $(seeds)), $(SEEDS))

campaign-caches:
	@mkdir -p build/violation$(SHARD:%=.$(shard_of))
	$(shard_counts) ./build/tests/steered_campaign build/violation$(SHARD:%=.$(shard_of)) \
		$(lastword $(seeds)) $(firstword $(seeds))

campaign-machine-code:
	$(shard_counts) ./build/tests/sass_campaign $(seeds)

campaign-sub-cores:
	$(shard_counts) ./build/tests/exact_campaign $(seeds)

# CAMPAIGN=campaign-caches: what its shards have counted; fails where seeds are missing.
campaign-combine:
	@scripts/campaign combine build/campaigns/$(CAMPAIGN).*.counts

reproduce-%: packages-build+bench
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >/dev/null
	@$(NINJA) -C build $(QUIET) reproduce_$*
	./build/reproduce/reproduce_$*

# Installs no packages: what is missing is named.
install:
	@$(CMAKE) -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >/dev/null
	@$(NINJA) -C build $(QUIET)
	cmake --install build --prefix $(PREFIX)
	@# The loader learns of the library.
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig 2>/dev/null || true

uninstall:
	@cmake -D PREFIX=$(PREFIX) -P cmake/uninstall.cmake

# The time of the newest commit in place of today's: the same sources make the same bytes.
deb: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
deb: packages-build+deb
	@$(CMAKE) -B build-deb -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
		-DCMAKE_INSTALL_PREFIX=/usr -DWB_DEB=ON \
		$(if $(MAINTAINER),-DWB_MAINTAINER="$(MAINTAINER)") >/dev/null
	@$(NINJA) -C build-deb $(QUIET)
	@cd build-deb && cpack

clean:
	rm -rf build build-*
