#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages and the archive.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common build; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/make_packages.sh [--output FOLDER]

Builds trellis-layer, trellis-tools and trellis-dev (.deb) and an archive (.tar.gz) that can be unpacked anywhere.
Packages that were built on Debian 12 can be installed on Debian 12 and 13; scripts/test_packages.sh tries both.

  --output FOLDER  for the packages (default: build/packages)
TEXT
}

output=${REPO_ROOT}/build/packages
while [ $# -gt 0 ]; do
  case $1 in
    --output)
      [ $# -ge 2 ] || { Usage >&2 && exit 2; }
      output=$2
      shift
      ;;
    -h | --help)
      Usage
      exit 0
      ;;
    *)
      Usage >&2
      exit 2
      ;;
  esac
  shift
done

"${REPO_ROOT}/scripts/bootstrap.sh" --demo
command -v dpkg-shlibdeps >/dev/null 2>&1 || Die "dpkg-shlibdeps is missing (package dpkg-dev)"
ConfigureAndBuild package
mkdir -p "${output}"
rm -f "${output}"/trellis*.deb "${output}"/trellis*.tar.gz
for generator in DEB TGZ; do
  (cd "$(BuildDir package)" && umask 022 && RunQuietly "packing (${generator})" cpack -G "${generator}" -B "${output}")
done
rm -rf "${output}/_CPack_Packages"
ls -l "${output}"
