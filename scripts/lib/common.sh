# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
# Messages, paths and privileges. Sourced by the scripts in scripts/; needs REPO_ROOT.

DEPS_DIR="${REPO_ROOT}/build/deps"
CACHE_DIR="${XDG_CACHE_HOME:-${HOME:?}/.cache}/trellis"

# One line per phase, on stderr: stdout belongs to the program that a script runs.
Say() { printf '[trellis] %s\n' "$*" >&2; }
Warn() { printf '[trellis] warning: %s\n' "$*" >&2; }
Die() {
  printf '[trellis] error: %s\n' "$*" >&2
  exit 1
}

# Runs a command that is only worth seeing when it fails.
RunQuietly() {
  local what=$1 log
  shift
  log=$(mktemp "${TMPDIR:-/tmp}/trellis-log.XXXXXX")
  if "$@" >"${log}" 2>&1; then
    rm -f "${log}"
    return 0
  fi
  printf '[trellis] %s failed: %s\n' "${what}" "$*" >&2
  tail -n 40 "${log}" >&2
  printf '[trellis] the whole output is in %s\n' "${log}" >&2
  return 1
}

CanBecomeRoot() { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1; }

AsRoot() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    Die "this needs root, and there is no sudo. Run as root: $*"
  fi
}

# Prints debian:12, debian:13, fedora:41, ...; "unknown:" where there is no os-release.
DetectSystem() {
  local id=unknown version=
  if [ -r /etc/os-release ]; then
    id=$(. /etc/os-release && printf '%s' "${ID:-unknown}")
    version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-}")
    # Debian testing and unstable have no VERSION_ID; they are newer than any release that is listed here.
    if [ "${id}" = debian ] && [ -z "${version}" ]; then version=99; fi
  fi
  printf '%s:%s' "${id}" "${version%%.*}"
}

# Directories that are removed when the script ends, however it ends.
TEMP_DIRS=()
RemoveTempDirs() {
  local dir
  for dir in ${TEMP_DIRS[@]+"${TEMP_DIRS[@]}"}; do rm -rf "${dir}"; done
}
trap RemoveTempDirs EXIT

# Sets TEMP_DIR. (Not printed: a subshell could not register it for removal.)
MakeTempDir() {
  TEMP_DIR=$(mktemp -d "${TMPDIR:-/tmp}/trellis.XXXXXX")
  chmod 755 "${TEMP_DIR}"
  TEMP_DIRS+=("${TEMP_DIR}")
}
