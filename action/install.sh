#!/usr/bin/env bash
# Finds or installs meshlint and hands its path on as the output `binary`.
# Runs under the bash 3.2 of macOS too.
set -euo pipefail

fail() {
  echo "::error title=meshlint::$1" >&2
  exit 2
}

target() {
  case "$RUNNER_OS-$RUNNER_ARCH" in
    Linux-X64) echo x86_64-unknown-linux-musl ;;
    Linux-ARM64) echo aarch64-unknown-linux-musl ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    Windows-X64) echo x86_64-pc-windows-msvc ;;
    *) fail "there is no release for $RUNNER_OS on $RUNNER_ARCH; use 'version: source'" ;;
  esac
}

check_sum() {
  if command -v sha256sum >/dev/null; then sha256sum -c "$1"; else shasum -a 256 -c "$1"; fi
}

# Works with relative names only: on Windows, tar takes `D:\…` for a host.
download() {
  local archive url
  archive="meshlint-$(target).tar.gz"
  case "$INPUT_VERSION" in
    latest) url="$INPUT_DOWNLOAD_URL/latest/download" ;;
    *) url="$INPUT_DOWNLOAD_URL/download/v${INPUT_VERSION#v}" ;;
  esac
  for file in "$archive" "$archive.sha256"; do
    curl --fail --silent --show-error --location --retry 3 --output "$file" "$url/$file" ||
      fail "cannot download $url/$file"
  done
  check_sum "$archive.sha256" || fail "the checksum of $archive does not match"
  tar -xzf "$archive"
}

suffix=
if [ "$RUNNER_OS" = Windows ]; then suffix=.exe; fi
directory="$RUNNER_TEMP/meshlint"
mkdir -p "$directory"
cd "$directory"

if [ -n "$INPUT_BINARY" ]; then
  case "$INPUT_BINARY" in
    /* | [A-Za-z]:*) binary="$INPUT_BINARY" ;;
    */*) binary="$GITHUB_WORKSPACE/$INPUT_BINARY" ;;
    *) binary="$(command -v -- "$INPUT_BINARY")" || fail "there is no such program on the PATH" ;;
  esac
elif [ "$INPUT_VERSION" = source ]; then
  cargo install --locked --path "$GITHUB_ACTION_PATH" --root "$directory"
  binary="$directory/bin/meshlint$suffix"
elif [ "$INPUT_VERSION" = latest ] || [[ "$INPUT_VERSION" =~ ^v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
  download
  binary="$directory/meshlint$suffix"
else
  fail "the version must be like 0.1.0, or 'latest' or 'source'"
fi

"$binary" --version || fail "meshlint does not start"
echo "binary=$binary" >>"$GITHUB_OUTPUT"
