#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the cross compiler and cross-builds the libraries that the preset `windows` needs. A second run returns at once.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for part in common apt packages prefix windows_prefix; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/windows/bootstrap.sh [--test]

  (no option)  what cross-building for Windows needs
  --test       also Wine and Xvfb, for scripts/windows/test_windows.sh

On Debian 12 and 13 missing packages are installed (as root, or with sudo). The libraries are kept in the folder trellis of
XDG_CACHE_HOME, and build/deps/windows is a link to them. The host's tools come from scripts/bootstrap.sh, which runs first.
TEXT
}

packages=("${WINDOWS_BUILD_PACKAGES[@]}")
case ${1:-} in
  '') ;;
  --test) packages+=("${WINDOWS_TEST_PACKAGES[@]}") ;;
  -h | --help)
    Usage
    exit 0
    ;;
  *)
    Usage >&2
    exit 2
    ;;
esac

case $(DetectSystem) in
  debian:12 | debian:13 | debian:99) ;;
  *) Die "cross-building for Windows was tried on Debian 12 only; see docs/windows.md for what it needs" ;;
esac

# spirv-as and the other programs of the build are the host's.
"${REPO_ROOT}/scripts/bootstrap.sh" --demo

# One run at a time: two would install and copy over each other.
mkdir -p "${DEPS_DIR}" "${CACHE_DIR}"
exec 9>"${CACHE_DIR}/.windows.lock"
flock 9
InstallMissingPackages "${packages[@]}"
ProvideWindowsPrefix
Say "the libraries for Windows are in ${DEPS_DIR}/windows"
