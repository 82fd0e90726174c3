# fst: build, run, test. See tests/conformance/README.md for the test cases.

GO ?= go
FST := bin/fst
# What "make run" shows: the system calls of three seconds; any kernel can do it.
DEMO ?= syscount -d 3

.PHONY: build install uninstall packages module run test check fuzz hostile kill soak campaign bench clean

build:
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w' -o $(FST) ./cmd/fst

PREFIX ?= /usr/local
# DESTDIR is put before PREFIX by who makes packages.

# Run make as yourself before: root needs no Go then.
install:
	@[ -x $(FST) ] || $(MAKE) build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man
	install -m 755 $(FST) $(DESTDIR)$(PREFIX)/bin/fst
	$(FST) man $(DESTDIR)$(PREFIX)/share/man
	install -d $(DESTDIR)$(KERNELS)
	install -m 644 compiler/target/fixture/testdata/*.zip $(DESTDIR)$(KERNELS)
	install -d $(DESTDIR)$(BASH) $(DESTDIR)$(ZSH) $(DESTDIR)$(FISH)
	$(FST) completion bash > $(DESTDIR)$(BASH)/fst
	$(FST) completion zsh > $(DESTDIR)$(ZSH)/_fst
	$(FST) completion fish > $(DESTDIR)$(FISH)/fst.fish

# Where fst looks for recorded kernels: fst check --kernel 6.1.
KERNELS := $(PREFIX)/share/fst/kernels
# Where the shells look for completions.
BASH := $(PREFIX)/share/bash-completion/completions
ZSH := $(PREFIX)/share/zsh/site-functions
FISH := $(PREFIX)/share/fish/vendor_completions.d

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/fst $(DESTDIR)$(BASH)/fst $(DESTDIR)$(ZSH)/_fst $(DESTDIR)$(FISH)/fst.fish
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/fst.1 $(DESTDIR)$(PREFIX)/share/man/man1/fst-*.1 $(DESTDIR)$(PREFIX)/share/man/man7/fst.7
	rm -rf $(DESTDIR)$(PREFIX)/share/fst

# A .deb, an .rpm and an OCI image (podman load, docker load) with what "make install" puts
# below /usr. The same source makes the same bytes: files have the time of the last commit.
PACKAGES := bin/packages
packages: build
	rm -rf $(PACKAGES)
	$(MAKE) install DESTDIR=$(PACKAGES)/root PREFIX=/usr
	export SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} VERSION=$$($(FST) version | sed 's/.* v//') && \
	for type in deb rpm; do ROOT=$(PACKAGES)/root $(GO) tool -modfile=cmd/packages/nfpm.mod nfpm package -f cmd/packages/nfpm.yaml -p $$type -t $(PACKAGES) || exit; done && \
	$(GO) run ./cmd/packages/image -root $(PACKAGES)/root -tag fst:$$VERSION -o $(PACKAGES)/fst_$${VERSION}_oci.tar
	rm -rf $(PACKAGES)/root

# "make module PATH=example.org/fst" gives the Go module another path. The recipe still needs
# the PATH that make was started with.
ifeq ($(origin PATH),command line)
MODULE := $(PATH)
override PATH := $(shell /usr/bin/tr '\0' '\n' < /proc/$$PPID/environ | /usr/bin/sed -n 's/^PATH=//p')
endif
module:
	@[ -n '$(MODULE)' ] || { echo 'usage: make module PATH=example.org/fst'; exit 1; }
	old=$$($(GO) list -m) && $(GO) mod edit -module='$(MODULE)' && find . -name '*.go' -exec sed -Ei \
	    's#^((import )?\s*([A-Za-z_.]+ )?)"'"$$old"'(/[^"]*)?"$$#\1"$(MODULE)\4"#' {} + && gofmt -w .

run: build
	@if [ "$$(id -u)" = 0 ]; then $(FST) $(DEMO); else sudo $(FST) $(DEMO); fi

# Everything: make check, unit tests, conformance here and under each kernel of the
# matrix, the tools' oracles. TESTFLAGS='-layers unit,conformance' for less,
# '-layers kernels -kernels 6.1 -run probes/' for some.
test: build
	$(GO) run ./tests/cmd/testall -fst $(FST) $(TESTFLAGS)

# What a change must pass before review; minutes, no root. The race detector runs the packages
# that start goroutines or share state among them.
check:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "gofmt: $$bad"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) test -race -short -vet=off $$(grep -rlE '\bgo (func|[a-zA-Z.]+\()|"sync|t\.Parallel' --include='*.go' . | xargs -n1 dirname | sort -u)

# Random programs, judged by the interpreter, the kernel and an installed
# bpftrace (or FST_REFERENCE), and mutated scripts. FUZZFLAGS='-seed 17 -programs 1 -v'.
FUZZFLAGS ?= -for 10m
fuzz:
	$(GO) run ./tests/fuzz $(FUZZFLAGS)

# Inputs that try to take all time and memory, and damaged files: a table of what became
# of each. HOSTILEFLAGS='-run define -share 16' for some, and shorter ones.
hostile: build
	$(GO) run ./tests/hostile/campaign -fst $(FST) $(HOSTILEFLAGS)

# Runs that are ended at random moments in all ways, and a table of what was left of them.
# KILLFLAGS='-n 100 -seed 3' for fewer, and the same moments again.
kill: build
	$(GO) run ./tests/kill -fst $(FST) $(KILLFLAGS)

# Ten minutes at full rate, readers that sleep or never read and 30 instances at once among them,
# and a table of what each held in memory and descriptors. SOAKFLAGS='-for 3m' for less.
soak: build
	$(GO) run ./tests/soak -fst $(FST) $(SOAKFLAGS)

# 1,000 changes at random to what runs at the prompt, under load: each call is counted once.
# CAMPAIGNFLAGS='-edits 100 -seed 3' for fewer, and the same changes again.
campaign:
	$(GO) test ./tests/prompt -count 1 -run Campaign -v -timeout 30m -args -edits 1000 $(CAMPAIGNFLAGS)

# What tracing costs, against hand-written programs and the peers in PATH.
bench: build
	$(GO) run ./tests/bench -fst $(FST)

clean:
	rm -rf bin
	$(GO) clean -testcache
