#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs and builds what Trellis needs and this machine lacks. Called by run_demo.sh and run_tests.sh; a second run finds
# everything in place and returns at once.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common apt packages prefix drivers; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/bootstrap.sh [--demo | --check]

  (no option)  everything for the build, the demo and the tests
  --demo       only what the demo needs (not SwiftShader, the newer validation layer and GLFW)
  --check      change nothing; name what the build lacks, one line each, and fail if there is anything

On Debian 12 and 13 missing packages are installed (as root, or with sudo). On Debian 12 newer Vulkan headers, SPIRV-Headers
and SPIRV-Tools go into build/deps/prefix, and lavapipe comes from backports; no package source is added to the system.
On other systems only the check is made.

Environment: XDG_CACHE_HOME (downloads and built dependencies are kept in its folder trellis),
TRELLIS_DEBIAN_MIRROR (a Debian mirror, where the system's package sources name none).
TEXT
}

mode=all
case ${1:-} in
  '') ;;
  --demo) mode=demo ;;
  --check) mode=check ;;
  -h | --help)
    Usage
    exit 0
    ;;
  *)
    Usage >&2
    exit 2
    ;;
esac

if [ "${mode}" = check ]; then
  if CheckRequirements; then
    Say "nothing is missing"
    exit 0
  fi
  exit 1
fi

# One run at a time: two would install and copy over each other.
mkdir -p "${DEPS_DIR}" "${CACHE_DIR}"
if command -v flock >/dev/null 2>&1; then
  exec 9>"${CACHE_DIR}/.lock"
  flock 9
fi

case $(DetectSystem) in
  debian:12)
    if [ "${mode}" = demo ]; then
      InstallMissingPackages "${DEBIAN_PACKAGES[@]}"
    else
      InstallMissingPackages "${DEBIAN_PACKAGES[@]}" "${DEBIAN_12_TEST_PACKAGES[@]}"
      InstallOptionalPackages "${DEBIAN_WINDOW_PACKAGES[@]}"
    fi
    ProvideLavapipe
    ProvidePrefix
    [ "${mode}" = demo ] || ProvideSwiftShader
    ;;
  debian:13 | debian:99)
    InstallMissingPackages "${DEBIAN_PACKAGES[@]}" "${DEBIAN_13_PACKAGES[@]}"
    if [ "${mode}" != demo ]; then
      InstallOptionalPackages "${DEBIAN_WINDOW_PACKAGES[@]}"
      ProvideSwiftShader
    fi
    ;;
  *)
    if ! CheckRequirements >&2; then
      Die "this is neither Debian 12 nor 13: provide what is named above (your distribution's packages, or the Vulkan SDK with VULKAN_SDK set), then run this again"
    fi
    ;;
esac

WriteEnvironment
touch "${DEPS_DIR}/ready"
