# Two commands do everything on a fresh machine: `make demo` and `make test`.

CARGO ?= cargo
# Where rustup puts it, for shells that have not heard of it yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
RESIDUE := target/release/residue
WORKLOADS := build/workloads
# Seeds of every shape and length in `make verdicts`.
SEEDS ?= 20

.PHONY: all build demo test quick check bench verify verdicts readers symbols gauntlet gauntlet-slice kills clean

all: build

build: tools viewer
	$(CARGO) build --release

# Debian packages that building, testing or measuring need; only what is missing is installed.
.PHONY: tools test-tools
tools:
	@scripts/need gcc:gcc g++:g++ strip:binutils
	@scripts/need-rust

test-tools: tools
	@scripts/need musl-gcc:musl-tools python3:python3 strace:strace prlimit:util-linux jsonschema:python3-jsonschema c++filt:binutils gfortran:gfortran sqlite3:sqlite3 callgrind_annotate:valgrind heaptrack:heaptrack gdb:gdb dot:graphviz dwz:dwz llvm-symbolizer:llvm bash:bash zsh:zsh fish:fish cmake:cmake pkg-config:pkgconf objdump:binutils
	@scripts/need --library libjemalloc.so.2:libjemalloc2 libjemalloc_pic.a:libjemalloc-dev libtcmalloc_minimal.so.4:libtcmalloc-minimal4 libtcmalloc.so.4:libgoogle-perftools4 libmimalloc.so.2:libmimalloc2.0 libtbbmalloc.so.2:libtbbmalloc2

# The page of `residue view`, which the executable carries. Cargo takes what lies in viewer/dist.
VIEWER_MODULES := viewer/node_modules/.package-lock.json
VIEWER_SOURCES := $(shell find viewer/src -type f) viewer/index.html viewer/tsconfig.json viewer/vite.config.ts

.PHONY: viewer viewer-test
viewer: viewer/dist/index.html

$(VIEWER_MODULES): viewer/package.json viewer/package-lock.json
	@scripts/need-node
	cd viewer && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

viewer/dist/index.html: $(VIEWER_SOURCES) $(VIEWER_MODULES)
	@scripts/need-node
	cd viewer && npm run --silent build

viewer-test: $(VIEWER_MODULES)
	@scripts/need-node
	cd viewer && npx vitest run

# All tests are built with the same features, once. These add what TypeScript types and JSON
# Schemas are written from; nothing that users run has them.
ALL_OF_IT := --workspace --locked --features residue-query/typescript,residue/schema
TEST := $(CARGO) test $(ALL_OF_IT)
# All test programs at once where nextest is there: many tests wait for the programs they record.
RUN_TESTS := $(if $(shell command -v cargo-nextest),nextest run --test-threads 4,test) --no-fail-fast

# The TypeScript types of the page's answers are written from the Rust ones; a test compares them.
.PHONY: answers
answers: tools
	RESIDUE_WRITE=1 $(TEST) --quiet --test answers_typescript

# JSON Schemas of what --json writes, from the Rust types too.
.PHONY: schemas
schemas: tools
	RESIDUE_WRITE=1 $(TEST) --quiet --bin residue schema

# docs/COMMANDS.md is the text of --help; a test compares it.
.PHONY: reference
reference: tools
	RESIDUE_WRITE=1 $(TEST) --quiet --bin residue commands_md

# What README.md and docs show of commands is what they print; a test compares it.
.PHONY: transcripts
transcripts: test-tools
	RESIDUE_WRITE=1 $(TEST) --test end_to_end documents::

# The page in a real browser, beside what the command line says of the same recordings.
PAGE_TEST_MODULES := tests/browser/node_modules/.package-lock.json

$(PAGE_TEST_MODULES): tests/browser/package.json tests/browser/package-lock.json
	@scripts/need-node
	cd tests/browser && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: page-test page-shots
# With the executable that all other tests use: a plain `cargo build` has other features of
# some dependencies, and would build half of the workspace once more.
page-test: test-tools viewer $(WORKLOADS)/.built $(PAGE_TEST_MODULES)
	@scripts/need chromium-headless-shell:chromium-headless-shell firefox-esr:firefox-esr
	$(TEST) --test end_to_end --no-run
	node tests/browser/run.mjs target/debug/residue $(WORKLOADS)

# The same questions to text, JSON, CSV, the page's server and the self-contained file. Its
# answers come from the page's own sources, built for Node.
FILE_ANSWERS := build/agreement/page.js

$(FILE_ANSWERS): $(VIEWER_SOURCES) $(VIEWER_MODULES)
	@scripts/need-node
	cd viewer && npx vite build --ssr src/file/filesource.ts --outDir ../build/agreement --emptyOutDir --logLevel warn

.PHONY: agreement
agreement: test-tools viewer $(WORKLOADS)/.built $(FILE_ANSWERS)
	$(TEST) --test end_to_end --no-run
	node tests/agreement/run.mjs target/debug/residue $(WORKLOADS) $(FILE_ANSWERS)

# How fluent the page is on a million stacks by a thousand events, and what it needs.
.PHONY: page-bench
page-bench: build $(PAGE_TEST_MODULES)
	@scripts/need chromium:chromium
	$(CARGO) run --release -p residue-testkit -- build/million.residue
	node benches/page.mjs $(RESIDUE) build/million.residue

# The pictures of the page in the documents.
page-shots: build $(WORKLOADS)/.built $(PAGE_TEST_MODULES)
	@scripts/need chromium-headless-shell:chromium-headless-shell
	node tests/browser/run.mjs $(RESIDUE) $(WORKLOADS) --shots docs/images

$(WORKLOADS)/.built: $(wildcard workloads/* include/* python/src/residue/*.py)
	$(MAKE) -C workloads OUT=$(abspath $(WORKLOADS))
	touch $@

workloads: $(WORKLOADS)/.built

# The command, its manual pages, completions and documents. DESTDIR is for packagers.
PREFIX ?= /usr/local
INSTALLED := $(DESTDIR)$(PREFIX)

.PHONY: install
install: build
	@scripts/install $(RESIDUE) $(INSTALLED)

# The command for every glibc from 2.17 on, and the packages made of it.
PORTABLE := build/portable/residue
PACKAGES := build/packages

.PHONY: portable package
portable: tools viewer
	@scripts/need objdump:binutils
	scripts/portable

package: portable
	@scripts/need dpkg-deb:dpkg git:git
	packaging/build $(PORTABLE) $(PACKAGES)
	cd $(PACKAGES) && sha256sum --check --quiet SHA256SUMS
	$(CARGO) publish --dry-run --allow-dirty --quiet --package residue-marks --package residue-profile

# The same tests on other Debian releases, as root: about half an hour.
.PHONY: platforms older-kernels
platforms: package
	@scripts/need debootstrap:debootstrap unshare:util-linux qemu-system-x86_64:qemu-system-x86 cpio:cpio
	scripts/portable --tests
	python3 benches/platforms.py --residue $(PORTABLE) --packages $(PACKAGES) --tests build/portable/end_to_end --json build/platforms.json --markdown docs/PLATFORMS.md

# What the recorder's own list of modules costs, where glibc has no `_dl_find_object`.
.PHONY: modules
modules: build test-tools $(WORKLOADS)/.built
	python3 benches/modules.py --residue $(RESIDUE) --workloads $(WORKLOADS)

# With every call that is newer than Linux 3.10 refused in turn: forks, full disks, 200 kills each.
older-kernels: test-tools
	$(TEST) --release --test end_to_end -- --ignored --nocapture two_hundred_kills_without_each

# Builds, records a small event loop that leaks, and says what leaked where.
demo: build $(WORKLOADS)/.built
	$(RESIDUE) run -o build/demo.residue -- $(WORKLOADS)/leaky_events
	$(RESIDUE) leaks build/demo.residue

# Everything is built first; then two of the parts run at any time, the longest first. Most of
# them wait much, for the programs they record or for the browser.
test: test-tools viewer $(WORKLOADS)/.built $(FILE_ANSWERS) $(PAGE_TEST_MODULES)
	@scripts/need chromium-headless-shell:chromium-headless-shell firefox-esr:firefox-esr
	$(TEST) --no-run
	$(MAKE) -j2 rust-test page-test torture-slice agreement viewer-test script-test

.PHONY: rust-test script-test
rust-test:
	$(CARGO) $(RUN_TESTS) $(ALL_OF_IT)

script-test:
	cd benches && python3 test_overhead.py
	cd benches && python3 test_verdicts.py
	cd benches && python3 test_gauntlet.py
	cd benches && python3 test_breaks.py
	cd python && python3 -m unittest -q

# For the inner loop: format, lints, and every test that records nothing.
CRATE_TESTS = $(notdir $(basename $(wildcard crates/*/tests/*.rs)) $(patsubst %/main.rs,%,$(wildcard crates/*/tests/*/main.rs)))

quick: test-tools check
	$(CARGO) $(RUN_TESTS) $(ALL_OF_IT) --lib --bins $(CRATE_TESTS:%=--test %)

# What CI adds to the tests.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(ALL_OF_IT) --all-targets -- -D warnings
	$(CARGO) clippy --release --package residue-recorder --features interpose --locked -- -D warnings

# Long runs, each with its own command.
bench: build test-tools $(WORKLOADS)/.built
	python3 benches/overhead.py --residue $(RESIDUE) --workloads $(WORKLOADS) --json build/overhead.json --markdown docs/OVERHEAD.md --update-readme README.md

# Samples of CPU time beside what the kernel says was used; their cost beside perf's and gperftools'.
.PHONY: cpu-bench
cpu-bench: build test-tools $(WORKLOADS)/.built
	@scripts/need perf:linux-perf
	@scripts/need --library libprofiler.so.0:libgoogle-perftools4
	python3 benches/cpu.py --residue $(RESIDUE) --workloads $(WORKLOADS)

# How often `residue slow` is right: hundreds of recorded programs that know what they do, about an hour.
.PHONY: slow-bench
slow-bench: build test-tools $(WORKLOADS)/.built
	python3 benches/slow.py --residue $(RESIDUE) --workloads $(WORKLOADS)

# What is called lost beside what LeakSanitizer calls leaked, and what a thousand programs know that move their pointers.
.PHONY: holders-bench
RUNS ?= 1000
holders-bench: build
	@scripts/need g++:g++ --library liblsan.so.0:liblsan0 libjemalloc.so.2:libjemalloc2
	python3 benches/holders.py --residue $(RESIDUE) --runs $(RUNS)

# A million stacks each, compared with libgcc's unwinder, on five programs.
verify: build test-tools $(WORKLOADS)/.built
	benches/verify_stacks $(RESIDUE) $(WORKLOADS)

# How many stacks reach their root through the generated code of Node.js and Java.
.PHONY: roots
roots: build test-tools $(WORKLOADS)/.built
	@scripts/need node:nodejs java:default-jdk-headless
	benches/stack_roots $(RESIDUE) $(WORKLOADS)

# Random programs in random circumstances: same output and status, counts that add up, nothing
# left behind. A failure names the seed that repeats it.
.PHONY: torture
MINUTES ?= 15
torture: build test-tools $(WORKLOADS)/.built
	python3 benches/torture.py --residue $(RESIDUE) --workloads $(WORKLOADS) --minutes $(MINUTES)

# Twenty seconds of it: the same seeds every time, then others, which are printed.
.PHONY: torture-slice
torture-slice: test-tools viewer $(WORKLOADS)/.built
	$(TEST) --test end_to_end --no-run
	python3 benches/torture.py --residue target/debug/residue --workloads $(WORKLOADS) --seed 1 --minutes 0.17
	python3 benches/torture.py --residue target/debug/residue --workloads $(WORKLOADS) --minutes 0.17

# An event loop for as long as asked: the recorder's memory stays as it is, all counts are exact.
.PHONY: soak
soak: build test-tools $(WORKLOADS)/.built
	python3 benches/soak.py --residue $(RESIDUE) --workloads $(WORKLOADS) --minutes $(MINUTES) --json build/soak.json

.PHONY: soak-slice
soak-slice: test-tools viewer $(WORKLOADS)/.built
	$(TEST) --test end_to_end --no-run
	python3 benches/soak.py --residue target/debug/residue --workloads $(WORKLOADS) --minutes 0.5 --short

# Seven breaks of the recorder, made on purpose: does torture find each?
.PHONY: breaks
breaks: test-tools viewer $(WORKLOADS)/.built
	python3 benches/breaks.py --workloads $(WORKLOADS)

# Anything, given to everything that reads what somebody else wrote: all targets of fuzz/ share
# the time. SEED=n repeats a run; SANITIZER=address also watches the memory of C code.
.PHONY: fuzz fuzz-slice fuzz-seeds
FUZZ := nice -n 10 fuzz/run $(if $(SEED),--seed $(SEED)) $(if $(SANITIZER),--sanitizer $(SANITIZER))
fuzz: tools
	$(FUZZ) --minutes $(MINUTES) $(TARGETS)

# A minute of it, and every input that is committed, as CI does.
fuzz-slice: tools
	$(FUZZ) --slice $(TARGETS)

# The committed inputs that fuzzing starts from, made anew by the tools they come from.
fuzz-seeds: build test-tools
	@scripts/need dwz:dwz xz:xz-utils zstd:zstd
	fuzz/make-seeds $(RESIDUE)

# Real programs of twenty shapes: what the verdict says of each, and how often its
# intervals hold the true rate.
verdicts: build test-tools $(WORKLOADS)/.built
	python3 benches/verdicts.py --residue $(RESIDUE) --workloads $(WORKLOADS) --events 30,300,1000,3000 --seeds $(SEEDS) --json build/verdicts.json --markdown docs/VERDICTS.md

# Functions and lines beside those of addr2line, on tens of thousands of addresses; how
# long both take; a million addresses in 300 modules; thousands of damaged files.
symbols: test-tools
	benches/symbols_vs_addr2line

# Every form that `residue export` writes, read by the programs it is for.
readers: build test-tools $(WORKLOADS)/.built
	@scripts/need node:nodejs npm:npm go:golang-go
	tests/readers/check $(RESIDUE) $(WORKLOADS)

# Real programs from Debian, recorded and not, beside heaptrack.
gauntlet: build test-tools
	@mkdir -p build
	python3 benches/gauntlet.py --install --residue $(RESIDUE) --json build/gauntlet.json --markdown docs/GAUNTLET.md

# Those of them that are fast and on every machine, with the executable that all other tests use.
gauntlet-slice: test-tools viewer
	@scripts/need git:git perl:perl strace:strace
	$(TEST) --test end_to_end --no-run
	python3 benches/gauntlet.py --slice --residue target/debug/residue

kills: test-tools
	$(CARGO) test --release --test end_to_end -- --ignored five_hundred_kills

clean:
	$(CARGO) clean
	rm -rf build viewer/dist viewer/node_modules tests/browser/node_modules
