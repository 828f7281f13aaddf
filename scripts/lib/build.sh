# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Configuring and building a preset. Needs lib/common.sh.

BuildDir() { printf '%s/build/%s' "${REPO_ROOT}" "$1"; }

# Preset, then further arguments for the build (such as --target).
ConfigureAndBuild() {
  local preset=$1 log
  shift
  Say "configuring preset ${preset}"
  # Run from the root: presets are looked for in the current folder.
  (cd "${REPO_ROOT}" && RunQuietly "configuring" cmake --preset "${preset}") ||
    Die "the build could not be configured; what is missing is named above (scripts/bootstrap.sh --check names it again)"
  Say "building (${preset})"
  log=$(BuildDir "${preset}")/build.log
  if ! cmake --build "$(BuildDir "${preset}")" -j "$(nproc)" "$@" >"${log}" 2>&1; then
    grep -E -A 12 'error|FAILED' "${log}" | head -n 80 >&2
    Die "the build failed; the whole output is in ${log}"
  fi
}

# Makes the loader find the layer in a build tree, without an install and whatever the loader's version is.
UseLayerFromBuildTree() {
  export XDG_CONFIG_DIRS="$1:${XDG_CONFIG_DIRS:-/etc/xdg}"
}
