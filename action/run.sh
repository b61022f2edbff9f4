#!/usr/bin/env bash
# Runs meshlint for the log, for the SARIF report and for the counts, and hands on `exit-code`, `findings` and
# `sarif-file`. Findings do not fail this step: finish.sh does. Runs under the bash 3.2 of macOS too.
set -euo pipefail

fail() {
  echo "::error title=meshlint::$1" >&2
  exit 2
}

# On Windows jq ends its lines with CR LF.
jq() { command jq "$@" | tr -d '\r'; }

output() { echo "$1=$2" >>"$GITHUB_OUTPUT"; }

# One element per line that is not empty.
read_lines() {
  lines=()
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line="${line%$'\r'}"
    if [ -n "$line" ]; then lines+=("$line"); fi
  done <<<"$1"
}

check() {
  local format="$1"
  shift
  "$MESHLINT" check --format "$format" --fail-on="$INPUT_FAIL_ON" "$@" ${arguments[@]+"${arguments[@]}"} -- "${paths[@]}"
}

# Text quotes the manifests, which must not speak to the runner.
text() {
  local token status=0
  token="$RANDOM$RANDOM$RANDOM$RANDOM"
  echo "::stop-commands::$token"
  check text --color never 2>&1 || status=$?
  echo "::$token::"
  return "$status"
}

# Findings are named from the folder of the run, GitHub wants them from the root of the repository.
annotations() {
  local status=0 escaped
  escaped="$(jq -rn --arg prefix "$prefix" '$prefix | gsub("%"; "%25") | gsub(":"; "%3A") | gsub(","; "%2C")')"
  check github >"$scratch/annotations" || status=$?
  jq -rR --arg prefix "$escaped" 'sub("^(?<head>::[a-z]+ ([^:]*,)?file=)(?=[^/])"; .head + $prefix)' "$scratch/annotations"
  return "$status"
}

sarif() {
  check sarif --output "$scratch/sarif" || true
  mkdir -p "$(dirname "$GITHUB_WORKSPACE/$INPUT_SARIF_FILE")"
  jq --arg prefix "$prefix" '
    ($prefix | split("/") | map(@uri) | join("/")) as $prefix
    | walk(if type == "object" and (.uri? | type) == "string" and (.uri | test("^(/|[a-z]+:)") | not)
           then .uri |= $prefix + . else . end)' "$scratch/sarif" >"$GITHUB_WORKSPACE/$INPUT_SARIF_FILE"
  output sarif-file "$INPUT_SARIF_FILE"
}

summary() {
  check json --output "$scratch/json" || true
  output findings "$(jq '.findings | length' "$scratch/json")"
  jq -r '.summary | "### meshlint", "",
    "| errors | warnings | notes | suppressed | files |", "| --: | --: | --: | --: | --: |",
    "| \(.errors) | \(.warnings) | \(.notes) | \(.suppressed) | \(.files) |", ""' "$scratch/json" >>"$GITHUB_STEP_SUMMARY"
}

command -v jq >/dev/null || fail "jq is not installed"
case "$INPUT_SARIF_FILE" in
  /* | [A-Za-z]:* | *$'\n'*) fail "sarif-file must be one path, relative to the workspace" ;;
esac
read_lines "$INPUT_ARGS"
arguments=(${lines[@]+"${lines[@]}"})
read_lines "$INPUT_PATHS"
paths=(${lines[@]+"${lines[@]}"})
if [ "${#paths[@]}" -eq 0 ]; then fail "paths names nothing to check"; fi
for argument in ${arguments[@]+"${arguments[@]}"}; do
  case "${argument%%=*}" in
    -*\ *) fail "args takes one argument per line: --option=value" ;;
  esac
done

cd "$GITHUB_WORKSPACE"
cd -- "$INPUT_WORKING_DIRECTORY" || fail "there is no such working-directory"
prefix="$(git -c safe.directory='*' rev-parse --show-prefix 2>/dev/null || true)"
scratch="$(mktemp -d "$RUNNER_TEMP/meshlint.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

code=0
if [ "$INPUT_ANNOTATIONS" = true ]; then annotations || code=$?; else text || code=$?; fi
output exit-code "$code"
if [ "$code" -eq 2 ]; then exit 0; fi
if [ -n "$INPUT_SARIF_FILE" ]; then sarif; fi
summary
