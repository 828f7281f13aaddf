#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the layer, the programs and the samples, and runs hello_graph on the best Vulkan device found. Exit status: the sample's.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=lib/common.sh
. "${REPO_ROOT}/scripts/lib/common.sh"
# shellcheck source=lib/build.sh
. "${REPO_ROOT}/scripts/lib/build.sh"

Usage() {
  cat <<'TEXT'
usage: scripts/run_demo.sh [--device N] [--list-devices] [--validate] [more arguments of hello_graph]

Installs what is missing (Debian 12 and 13), builds the layer, the programs and the samples, and runs hello_graph with the layer from the build tree.

  --device N      run on device N of the list instead of the best one
  --list-devices  name the devices and stop
  --validate      run with the Khronos validation layer between Trellis and the driver
TEXT
}

validate=
for argument in "$@"; do
  case ${argument} in
    -h | --help)
      Usage
      exit 0
      ;;
    --validate) validate=1 ;;
  esac
done

Say "looking for what is missing"
if [ -n "${validate}" ]; then
  # The newer validation layer knows what Trellis uses; the distribution's on Debian 12 reports errors of its own.
  "${REPO_ROOT}/scripts/bootstrap.sh"
else
  "${REPO_ROOT}/scripts/bootstrap.sh" --demo
fi
# shellcheck source=/dev/null
. "${DEPS_DIR}/env.sh"

ConfigureAndBuild release --target trellis_demo

build=$(BuildDir release)
sample=$(find "${build}/samples" -type f -name hello_graph -perm -u+x -print -quit)
[ -n "${sample}" ] || Die "the build left no program hello_graph below ${build}/samples"

UseLayerFromBuildTree "${build}"
export TRELLIS_ENABLE=1
unset TRELLIS_DISABLE
if [ -n "${validate}" ] && [ -n "${TRELLIS_NEWER_VALIDATION_DIR:-}" ]; then
  export VK_LAYER_PATH="${VK_LAYER_PATH:-${TRELLIS_NEWER_VALIDATION_DIR}}"
fi
Say "running hello_graph"
RemoveTempDirs
exec "${sample}" "$@"
