#!/usr/bin/env bash
# Tests the scripts of the action's steps, with the variables that a runner sets and without a network:
# with a stub in place of meshlint, and with the real one once it is built. `action/test.sh [MESHLINT]`
# shellcheck disable=SC2016  # the hostile inputs must not expand
set -euo pipefail

action="$(cd "$(dirname "$0")" && pwd)"
root="$(dirname "$action")"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# ---- what a runner sets

export GITHUB_ACTION_PATH="$root" GITHUB_WORKSPACE="$scratch/work space" RUNNER_TEMP="$scratch/temp"
export GITHUB_OUTPUT="$scratch/output" GITHUB_STEP_SUMMARY="$scratch/summary"
export RUNNER_OS=Linux RUNNER_ARCH=X64 STUB_LOG="$scratch/calls"

# The defaults of action.yml, an empty workspace.
fresh() {
  rm -rf "$GITHUB_WORKSPACE" "$RUNNER_TEMP"
  mkdir -p "$GITHUB_WORKSPACE" "$RUNNER_TEMP"
  git init -q "$GITHUB_WORKSPACE"
  : >"$GITHUB_OUTPUT" && : >"$GITHUB_STEP_SUMMARY" && : >"$STUB_LOG"
  export INPUT_PATHS=. INPUT_ARGS='' INPUT_FAIL_ON=error INPUT_SARIF_FILE=meshlint.sarif INPUT_ANNOTATIONS=true
  export INPUT_WORKING_DIRECTORY=. INPUT_VERSION=latest INPUT_BINARY='' INPUT_DOWNLOAD_URL="file://$scratch/releases"
  export MESHLINT="$scratch/stub" STUB=clean
}

step() {
  status=0
  log="$(cd "$GITHUB_WORKSPACE" && bash "$action/$1.sh" </dev/null 2>&1)" || status=$?
}

value() { sed -n "s/^$1=//p" "$GITHUB_OUTPUT"; }

finish() {
  EXIT_CODE="$(value exit-code)"
  export EXIT_CODE
  step finish
}

# ---- assertions

ok() {
  local name="$1"
  shift
  if "$@" >/dev/null 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'failed: %s\n  %s\n' "$name" "$*"
    printf '%s\n' "$log" | sed 's/^/  | /'
  fi
}

is() { [ "$1" = "$2" ]; }
has() { [[ "$1" == *"$2"* ]]; }
lacks() { [[ "$1" != *"$2"* ]]; }
called_with() { grep -qxF -- "$1" "$STUB_LOG"; }
sarif_uri() { jq -er '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' "$GITHUB_WORKSPACE/meshlint.sarif"; }

# ---- the stub: logs its arguments, one per line, and answers as $STUB says

cat >"$scratch/stub" <<'STUB'
#!/usr/bin/env bash
printf '%s\n' "$@" "cwd $PWD" >>"$STUB_LOG"
format=text output=/dev/stdout
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case "$1" in
    --version) echo "meshlint 0.0.0"; exit 0 ;;
    --format) format="$2"; shift ;;
    --output) output="$2"; shift ;;
  esac
  shift
done
result='{"ruleId": "r", "message": {"text": "m"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.yaml"}}}]}'
case "$STUB" in
  clean) count=0 result='' code=0 ;;
  findings) count=2 code=1 ;;
  internal) count=2 code=3 ;;
  usage) echo "error: unexpected argument" >&2; exit 2 ;;
esac
case "$format" in
  text) [ "$count" -eq 0 ] || printf '%s\n' "error[r]: m" "::error::from a manifest" ;;
  github) [ "$count" -eq 0 ] || echo "::error title=r,file=a.yaml,line=1::m: x,file=b" ;;
  json) echo "{\"findings\": [${result:+{\},{\}}], \"summary\": {\"files\": 7, \"errors\": $count, \"warnings\": 0, \"notes\": 0, \"suppressed\": 0}}" ;;
  sarif) echo "{\"runs\": [{\"tool\": {\"driver\": {\"informationUri\": \"https://x\"}}, \"results\": [$result]}]}" ;;
esac >"$output"
exit "$code"
STUB
chmod +x "$scratch/stub"

# ---- run and finish, with the stub

fresh
step run
ok "a clean run passes" is "$status" 0
ok "a clean run has code 0" is "$(value exit-code)" 0
ok "a clean run has no findings" is "$(value findings)" 0
ok "the report's place is handed on" is "$(value sarif-file)" meshlint.sarif
ok "the report is written" test -s "$GITHUB_WORKSPACE/meshlint.sarif"
ok "the summary has the counts" grep -q '| 0 | 0 | 0 | 0 | 7 |' "$GITHUB_STEP_SUMMARY"
ok "nothing of the run is left" is "$(ls "$RUNNER_TEMP")" ""
finish
ok "a clean run ends well" is "$status" 0

fresh
STUB=findings step run
ok "findings do not stop the run" is "$status" 0
ok "findings have code 1" is "$(value exit-code)" 1
ok "findings are counted" is "$(value findings)" 2
ok "findings are annotated" has "$log" "::error title=r,file=a.yaml,line=1::m: x,file=b"
ok "a finding of the root keeps its path" is "$(sarif_uri)" a.yaml
finish
ok "findings fail the job" is "$status" 1
ok "the threshold is named" has "$log" "severity 'error'"

fresh
INPUT_ANNOTATIONS=false STUB=findings step run
ok "without annotations the log is text" has "$log" "error[r]: m"
ok "manifests cannot speak to the runner" is "$(sed -n '1s/[0-9]*$//p' <<<"$log")" "::stop-commands::"
ok "the runner listens again" is "$(tail -n 1 <<<"$log")" "::$(sed -n '1s/.*:://p' <<<"$log")::"
ok "text keeps the code" is "$(value exit-code)" 1

fresh
STUB=usage step run
ok "wrong usage ends the run" is "$(value exit-code)" 2
ok "wrong usage has no report" is "$(value sarif-file)" ""
ok "the message is seen" has "$log" "unexpected argument"
finish
ok "wrong usage fails the job" is "$status" 2

fresh
STUB=internal step run
ok "an internal error is handed on" is "$(value exit-code)" 3
ok "an internal error still has a report" is "$(value sarif-file)" meshlint.sarif
finish
ok "an internal error fails the job" is "$status" 3

fresh
INPUT_SARIF_FILE='' step run
ok "no report is asked for" is "$(value sarif-file)" ""
ok "no report is made" lacks "$(cat "$STUB_LOG")" sarif

fresh
INPUT_SARIF_FILE='out/my report.sarif' step run
ok "a report in a new folder" test -s "$GITHUB_WORKSPACE/out/my report.sarif"

for place in /tmp/x.sarif $'a\nexit-code=0'; do
  fresh
  INPUT_SARIF_FILE="$place" step run
  ok "a bad place for the report is refused" is "$status" 2
  ok "and hands nothing on" is "$(cat "$GITHUB_OUTPUT")" ""
done

fresh
mkdir -p "$GITHUB_WORKSPACE/my deploy,100%"
INPUT_WORKING_DIRECTORY='my deploy,100%' STUB=findings step run
ok "the folder of the run" called_with "cwd $GITHUB_WORKSPACE/my deploy,100%"
ok "a report names files from the root" is "$(sarif_uri)" "my%20deploy%2C100%25/a.yaml"
ok "annotations name files from the root" has "$log" "::error title=r,file=my deploy%2C100%25/a.yaml,line=1::m: x,file=b"

fresh
INPUT_WORKING_DIRECTORY=nowhere step run
ok "a missing folder is refused" is "$status" 2

# ---- inputs arrive as they are

fresh
INPUT_PATHS=$'\nmy manifests/a b.yaml\r\n--write-baseline\n\n*\n' INPUT_ARGS=$'--complete\n--config=my file.yaml' step run
ok "a path with spaces is one path" called_with "my manifests/a b.yaml"
ok "a path is never an option" is "$(grep -A 9 -xF -- -- "$STUB_LOG" | sed -n 3p)" "--write-baseline"
ok "a path is not a pattern" called_with '*'
ok "each argument is one line" called_with "--config=my file.yaml"
ok "empty lines are no paths" lacks "$(grep -n '^$' "$STUB_LOG" || true)" ":"

for hostile in '$(touch pwned)' '`touch pwned`' '; touch pwned' '" ; touch pwned; "' "' ; touch pwned; '" '&& touch pwned #'; do
  fresh
  INPUT_PATHS="$hostile" INPUT_ARGS="$hostile" INPUT_FAIL_ON="$hostile" INPUT_SARIF_FILE="$hostile" step run
  ok "hostile path and argument: $hostile" called_with "$hostile"
  ok "hostile threshold: $hostile" called_with "--fail-on=$hostile"
  INPUT_WORKING_DIRECTORY="$hostile" INPUT_ANNOTATIONS="$hostile" step run
  INPUT_VERSION="$hostile" step install
  ok "hostile version: $hostile" is "$status" 2
  INPUT_BINARY="$hostile" step install
  ok "hostile binary: $hostile" test "$status" -ne 0
  ok "nothing was run: $hostile" is "$(find "$scratch" -name pwned)" ""
done

fresh
INPUT_ARGS='--config my.yaml' step run
ok "two arguments on one line are refused" is "$status" 2
fresh
INPUT_PATHS=$'\n' step run
ok "no path at all is refused" is "$status" 2

log="$(grep 'inputs\.' "$root/action.yml" | grep -vE '^ +INPUT_[A-Z_]+: \$\{\{ inputs\.[a-z-]+ \}\}$' || true)"
ok "inputs reach the scripts through the environment alone" is "$log" ""

# ---- install

# release DIRECTORY TARGET: what the release workflow uploads.
release() {
  mkdir -p "$scratch/releases/$1" "$scratch/unpacked"
  cp "$scratch/stub" "$scratch/unpacked/meshlint"
  cp "$scratch/stub" "$scratch/unpacked/meshlint.exe"
  tar -czf "$scratch/releases/$1/meshlint-$2.tar.gz" -C "$scratch/unpacked" meshlint meshlint.exe
  (cd "$scratch/releases/$1" && shasum -a 256 "meshlint-$2.tar.gz" >"meshlint-$2.tar.gz.sha256")
}

while read -r system processor target; do
  fresh
  release latest/download "$target"
  RUNNER_OS="$system" RUNNER_ARCH="$processor" step install
  ok "the latest release for $system on $processor" is "$status" 0
  ok "it starts on $system on $processor" "$(value binary)" --version
done <<'TARGETS'
Linux X64 x86_64-unknown-linux-musl
Linux ARM64 aarch64-unknown-linux-musl
macOS X64 x86_64-apple-darwin
macOS ARM64 aarch64-apple-darwin
Windows X64 x86_64-pc-windows-msvc
TARGETS

release download/v1.2.3 x86_64-unknown-linux-musl
for version in 1.2.3 v1.2.3; do
  fresh
  INPUT_VERSION="$version" step install
  ok "release $version" is "$status" 0
done

fresh
INPUT_VERSION=9.9.9 step install
ok "a missing release is an error" is "$status" 2
fresh
INPUT_VERSION=../../1.2.3 step install
ok "a version is no path" is "$status" 2
fresh
RUNNER_ARCH=RISCV step install
ok "an unknown processor is an error" is "$status" 2
ok "and is named" has "$log" "Linux on RISCV"

echo tampered >>"$scratch/releases/download/v1.2.3/meshlint-x86_64-unknown-linux-musl.tar.gz"
fresh
INPUT_VERSION=1.2.3 step install
ok "a wrong checksum is an error" is "$status" 2
ok "and hands no binary on" is "$(value binary)" ""

fresh
INPUT_BINARY="$scratch/stub" step install
ok "an absolute binary" is "$(value binary)" "$scratch/stub"
fresh
mkdir "$GITHUB_WORKSPACE/bin" && cp "$scratch/stub" "$GITHUB_WORKSPACE/bin/meshlint"
INPUT_BINARY=bin/meshlint step install
ok "a binary of the workspace" is "$(value binary)" "$GITHUB_WORKSPACE/bin/meshlint"
PATH="$GITHUB_WORKSPACE/bin:$PATH" INPUT_BINARY=meshlint step install
ok "a binary of the PATH" is "$(value binary | tail -n 1)" "$GITHUB_WORKSPACE/bin/meshlint"
fresh
INPUT_BINARY=/nowhere/meshlint step install
ok "a binary that does not start is an error" is "$status" 2

# ---- the real meshlint

real="${1:+$(realpath "$1")}"
for built in "$root/target/release/meshlint" "$root/target/debug/meshlint"; do
  if [ -z "$real" ] && [ -x "$built" ]; then real="$built"; fi
done

good='{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
  "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80}]}}'
bad='{"apiVersion": "networking.istio.io/v1", "kind": "DestinationRule", "metadata": {"name": "web", "namespace": "shop"},
  "spec": {"trafficPolicy": {"tls": {"mode": "ISTIO_MUTUAL"}}}}'

# manifests DIRECTORY CONTENT: a repository's manifests and a run on them.
manifests() {
  fresh
  export MESHLINT="$real" INPUT_PATHS="$1"
  mkdir -p "$GITHUB_WORKSPACE/$1"
  printf '%s\n' "$2" >"$GITHUB_WORKSPACE/$1/web.yaml"
}

if [ -n "$real" ]; then
  for directory in manifests 'my manifests' '$(touch pwned)' '; touch pwned' '-v'; do
    manifests "$directory" "$good"
    step run
    ok "meshlint, clean, in $directory" is "$status $(value exit-code) $(value findings)" "0 0 0"
    manifests "$directory" "$bad"
    step run
    ok "meshlint, findings, in $directory" is "$status $(value exit-code)" "0 1"
    ok "meshlint annotates $directory" has "$log" "::error "
    ok "meshlint reports on $directory" sarif_uri
  done
  manifests manifests "$bad"
  INPUT_FAIL_ON=never step run
  ok "meshlint never fails" is "$(value exit-code)" 0
  manifests deploy "$bad"
  INPUT_WORKING_DIRECTORY=deploy INPUT_PATHS=. step run
  ok "meshlint in a folder reports from the root" is "$(sarif_uri)" deploy/web.yaml
  ok "meshlint in a folder annotates from the root" grep -q '^::error .*file=deploy/web.yaml' <<<"$log"
  manifests manifests "$good"
  INPUT_ARGS=--no-such-option step run
  ok "meshlint refuses a wrong argument" is "$(value exit-code)" 2
  INPUT_FAIL_ON='$(touch pwned)' step run
  ok "meshlint refuses a wrong threshold" is "$(value exit-code | tail -n 1)" 2
  manifests manifests "$good"
  INPUT_PATHS=nowhere step run
  ok "meshlint refuses a missing path" is "$(value exit-code)" 2
  ok "meshlint runs nothing of its input" is "$(find "$scratch" -name pwned)" ""
else
  echo "meshlint is not built: tested with the stub alone"
fi

printf '\n%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
