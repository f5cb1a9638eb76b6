# Two commands do everything: `make demo` shows the main job on real Kubernetes control planes on this machine, `make test`
# proves every part. They need Go, git, node and a C compiler (for the race detector); the rest is built here.

# Versions of every tool, in this one place. Libraries are pinned by go.mod and go.sum, of which the Helm command line
# (the tests' oracle) is built too.
GOLANGCI_VERSION := v2.15.0
FUZZTIME         := 20s

# The same flags everywhere: the two modules then share what is compiled.
BUILD := go build -trimpath -buildvcs=false
STRIP := -ldflags '-s -w'

export KUBEBOX_BIN := $(CURDIR)/bin/kubebox
export HELM_BIN    := $(CURDIR)/bin/helm
export SCENARIO_BIN := $(CURDIR)/bin/scenario
export STUCKBOT_BIN := $(CURDIR)/bin/stuckbot

.PHONY: demo test build check lint bench bench-sweep soak fuzz golden clean help bin/stuckbot bin/kubebox bin/scenario bin/helm node-modules

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## three real clusters with stuck releases, a local workspace, and the bot in it
	@echo 'The demo runs three real Kubernetes control planes on this machine. Their program is built first: 8 to 15 minutes'
	@echo 'on two idle cores the first time, seconds afterwards. The demo itself takes half a minute.'
	@$(MAKE) --no-print-directory bin/kubebox bin/stuckbot bin/scenario
	@bin/stuckbot demo

build: bin/stuckbot bin/kubebox ## build bin/stuckbot and bin/kubebox

bin/kubebox:
	@cd cmd/kubebox && ../../.ci/progress 'kubebox (Kubernetes itself)' $(BUILD) $(STRIP) -v -o ../../bin/kubebox .

bin/stuckbot:
	@.ci/progress 'stuckbot' $(BUILD) $(STRIP) -v -o bin/stuckbot ./cmd/stuckbot

bin/scenario:
	@.ci/progress 'the scenario loader (Helm)' $(BUILD) $(STRIP) -v -o bin/scenario ./cmd/scenario

bin/helm:
	@.ci/progress 'the Helm command line' $(BUILD) $(STRIP) -v -o bin/helm helm.sh/helm/v3/cmd/helm

test: bin/kubebox bin/stuckbot bin/scenario bin/helm node-modules ## pass all tests, on real control planes
	@cd cmd/kubebox && go test -trimpath -buildvcs=false $(STRIP) ./...
	@rm -rf .work/test && mkdir -p .work
	@bin/kubebox up --dir .work/test --clusters shared-a,shared-b --kubeconfig .work/test.kubeconfig -- \
		go test -trimpath -buildvcs=false -race -timeout 20m $(TESTFLAGS) ./...

# Slack's own clients and the browser's driver, for the tests of the local workspace; pinned by the lock file.
node-modules:
	@if command -v npm >/dev/null; then cd bot/sandbox/clienttest && { test node_modules/.package-lock.json -nt package-lock.json || npm ci --no-audit --no-fund --loglevel=error; }; \
	else echo 'npm is missing: the tests with the official Slack clients and a browser will be skipped'; fi

check: lint ## formatting, vet, linters, module files, golden files
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo 'run: gofmt -w on the files above'; exit 1; }
	@echo 'go vet'; go vet -trimpath ./...
	@echo 'module files and golden files'; go mod tidy -diff && (cd cmd/kubebox && go mod tidy -diff)
	@.ci/versions
	@mkdir -p .work && go test -trimpath -run 'Golden|Imports' ./... > .work/golden.log 2>&1 || { cat .work/golden.log; exit 1; }

lint: bin/golangci-lint-$(GOLANGCI_VERSION)
	@bin/golangci-lint-$(GOLANGCI_VERSION) run ./...

bin/golangci-lint-$(GOLANGCI_VERSION):
	@.ci/progress 'golangci-lint' env GOBIN=$(CURDIR)/bin go install -trimpath -v github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv bin/golangci-lint $@

golden: ## write the golden files anew
	@go test ./commands/present ./cmd/stuckbot ./bot/slack -run Golden -update

bench: ## benchmarks of the hot paths
	@go test -trimpath -run '^$$' -bench . -benchmem ./checks/source/helm ./storage/... ./bot/slack

bench-sweep: bin/kubebox bin/stuckbot bin/helm ## the sweep beside `helm list -A --pending` on 10,000 records, and over 1,000 contexts
	@rm -rf .work/bench && mkdir -p .work
	@bin/kubebox up --dir .work/bench --clusters bench-a,bench-b,bench-c --kubeconfig .work/bench.kubeconfig -- \
		go test -trimpath -timeout 60m -count 1 -run '^$$' -bench 'Fleet' -benchtime 1x -v ./checks/source/helm/benchsweep

soak: bin/kubebox bin/stuckbot bin/helm ## the tests that kill, cut and race, 20 times over
	@rm -rf .work/soak && mkdir -p .work
	@bin/kubebox up --dir .work/soak --clusters shared-a,shared-b --kubeconfig .work/soak.kubeconfig -- \
		go test -trimpath -race -timeout 60m -count 20 -run 'Killed|Envelopes|Storm|Whole|Model|Share' ./storage/... ./bot/... ./commands/... ./cmd/stuckbot

fuzz: ## fuzz every decoder of outside input, FUZZTIME each
	@for pkg in $$(grep -rl --include='*_test.go' 'func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for f in $$(grep -ho 'func Fuzz[A-Za-z0-9_]*' $$pkg/*_test.go | cut -c6-); do \
			go test $$pkg -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x || exit 1; done; done

clean: ## remove what was built here
	@rm -rf bin .work
