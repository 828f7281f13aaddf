# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A Wine of its own in build/wine, with a display and lavapipe as the only driver. Needs lib/common.sh and drivers.sh.

WINE_DIR="${REPO_ROOT}/build/wine"
DISPLAY_PROCESS=

StopWine() {
  wineserver -k 2>/dev/null || /usr/lib/wine/wineserver -k 2>/dev/null || true
  [ -z "${DISPLAY_PROCESS}" ] || kill "${DISPLAY_PROCESS}" 2>/dev/null || true
  RemoveTempDirs
}

WindowsPath() { wine winepath -w "$1" 2>/dev/null | tr -d '\r'; }

StartWine() {
  local display_number="${WINE_DIR}/display" icd
  mkdir -p "${WINE_DIR}/drivers/vulkan/icd.d"
  icd=$(LavapipeManifest)
  [ -n "${icd}" ] || Die "there is no lavapipe: scripts/bootstrap.sh provides it"
  cp "${icd}" "${WINE_DIR}/drivers/vulkan/icd.d/"
  # Both loaders, that of Linux and that of Windows, would read these variables.
  unset VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES VK_LAYER_PATH VK_INSTANCE_LAYERS
  export XDG_DATA_DIRS="${WINE_DIR}/drivers" XDG_CONFIG_DIRS="${WINE_DIR}/drivers" XDG_DATA_HOME="${WINE_DIR}/drivers" XDG_CONFIG_HOME="${WINE_DIR}/drivers"
  export WINEPREFIX="${WINE_DIR}/prefix" WINEDEBUG="${WINEDEBUG:--all}" LC_ALL=C.UTF-8
  # The loader next to the sample, not Wine's own; no questions about packages that Wine could fetch.
  export WINEDLLOVERRIDES="vulkan-1=n;mscoree=;mshtml="
  rm -f "${display_number}"
  Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp 3>"${display_number}" >/dev/null 2>&1 &
  DISPLAY_PROCESS=$!
  trap StopWine EXIT
  for _ in $(seq 50); do
    [ ! -s "${display_number}" ] || break
    sleep 0.2
  done
  [ -s "${display_number}" ] || Die "Xvfb did not start"
  DISPLAY=:$(cat "${display_number}")
  export DISPLAY
  RunQuietly "making a prefix of Wine" wine wineboot --init
}
