# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Vulkan drivers that need no GPU: lavapipe for the demo and the tests, SwiftShader for the tests.

# Older ones lack what the tests of GPU features use.
LAVAPIPE_MINIMUM=25.0

LavapipeManifest() {
  find /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d -name 'lvp_icd*.json' -print -quit 2>/dev/null || true
}

# Debian 12: from backports. The private source list ends with this run; nothing is added to the system's.
ProvideLavapipe() {
  PackageAtLeast mesa-vulkan-drivers "${LAVAPIPE_MINIMUM}" && return 0
  local suite
  suite=$(SystemSuite)
  Say "installing lavapipe (mesa-vulkan-drivers of ${suite}-backports)"
  CanBecomeRoot || Die "installing lavapipe needs root or sudo. Run as root: apt-get install -t ${suite}-backports mesa-vulkan-drivers"
  OpenPrivateApt "${suite}" "${suite}-updates" "${suite}-security" "${suite}-backports@${suite}" ||
    Die "the package lists of ${suite}-backports cannot be read; check the network and the proxy in apt's configuration"
  RunQuietly "installing lavapipe" AsRoot env DEBIAN_FRONTEND=noninteractive apt-get \
    -o Dir::Etc::sourcelist="${APT_STATE}/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State::lists="${APT_STATE}/lists" -o Dir::Cache="${APT_STATE}/cache" \
    -q -y --no-install-recommends install "mesa-vulkan-drivers/${suite}-backports" ||
    Die "lavapipe could not be installed"
}

# Chromium's package carries SwiftShader, a newer validation layer and a newer loader, all of which run on an old libc.
CHROMIUM_FILES=(libvk_swiftshader.so libVkLayer_khronos_validation.so libvulkan.so.1)

UnpackChromiumFiles() {
  local deb=$1 target=$2 file path
  for file in "${CHROMIUM_FILES[@]}"; do
    # The listing is read to its end: a pipe that closes early makes dpkg-deb complain.
    path=$(dpkg-deb --fsys-tarfile "${deb}" | tar -t | awk -v name="/${file}" '!found && substr($0, length($0) - length(name) + 1) == name { print; found = 1 }')
    [ -n "${path}" ] || continue
    dpkg-deb --fsys-tarfile "${deb}" | tar -x -O "${path}" >"${target}/${file}"
    chmod 755 "${target}/${file}"
  done
}

FetchSwiftShader() {
  local target=$1 suite package deb work
  suite=$(SystemSuite)
  Say "fetching SwiftShader and a newer validation layer out of the chromium package (once; kept in ${CACHE_DIR})"
  OpenPrivateApt "${suite}" "${suite}-updates" "${suite}-security" ||
    Die "the package lists of ${suite} cannot be read; check the network and the proxy in apt's configuration"
  MakeTempDir
  work=${TEMP_DIR}/files
  mkdir -p "${work}"
  # Which of the two packages has them has changed over time.
  for package in chromium-common chromium; do
    RunQuietly "downloading ${package}" PrivateDownload "${package}" || Die "${package} could not be downloaded; run this again when the mirror can be reached"
    deb=$(find "${APT_STATE}/download" -name "${package}_*.deb" -print -quit)
    UnpackChromiumFiles "${deb}" "${work}"
    rm -f "${deb}"
    [ ! -s "${work}/libvk_swiftshader.so" ] || break
  done
  [ -s "${work}/libvk_swiftshader.so" ] || Die "neither chromium-common nor chromium holds libvk_swiftshader.so any more"
  rm -rf "${target}.new"
  cp -a "${work}" "${target}.new"
  rm -rf "${target}"
  mv "${target}.new" "${target}"
}

WriteIcdManifest() {
  cat >"$1" <<JSON
{
  "file_format_version": "1.0.0",
  "ICD": { "library_path": "$2", "api_version": "1.3.0" }
}
JSON
}

WriteValidationManifest() {
  cat >"$1" <<JSON
{
  "file_format_version": "1.2.0",
  "layer": {
    "name": "VK_LAYER_KHRONOS_validation",
    "type": "GLOBAL",
    "library_path": "$2",
    "api_version": "1.4.309",
    "implementation_version": "1",
    "description": "Khronos validation layer (newer than the distribution's)",
    "instance_extensions": [
      { "name": "VK_EXT_debug_report", "spec_version": "9" },
      { "name": "VK_EXT_debug_utils", "spec_version": "1" },
      { "name": "VK_EXT_validation_features", "spec_version": "6" },
      { "name": "VK_EXT_layer_settings", "spec_version": "2" }
    ]
  }
}
JSON
}

# Leaves build/deps/swiftshader (driver), build/deps/validation (explicit layer) and build/deps/loader. The manifests hold
# absolute paths and are written anew each time, because a checkout can be moved.
ProvideSwiftShader() {
  local cached
  cached=${CACHE_DIR}/chromium-$(SystemSuite)-$(uname -m)
  mkdir -p "${CACHE_DIR}" "${DEPS_DIR}/swiftshader" "${DEPS_DIR}/validation" "${DEPS_DIR}/loader"
  if [ ! -s "${DEPS_DIR}/swiftshader/libvk_swiftshader.so" ]; then
    [ -d "${cached}" ] || FetchSwiftShader "${cached}"
    CopyIfThere "${cached}/libVkLayer_khronos_validation.so" "${DEPS_DIR}/validation"
    CopyIfThere "${cached}/libvulkan.so.1" "${DEPS_DIR}/loader"
    # Last, because it is what the test above looks at.
    CopyIfThere "${cached}/libvk_swiftshader.so" "${DEPS_DIR}/swiftshader"
  fi
  WriteIcdManifest "${DEPS_DIR}/swiftshader/vk_swiftshader_icd.json" "${DEPS_DIR}/swiftshader/libvk_swiftshader.so"
  if [ -s "${DEPS_DIR}/validation/libVkLayer_khronos_validation.so" ]; then
    WriteValidationManifest "${DEPS_DIR}/validation/VkLayer_khronos_validation.json" "${DEPS_DIR}/validation/libVkLayer_khronos_validation.so"
  fi
}

CopyIfThere() { [ ! -s "$1" ] || cp "$1" "$2/"; }

# Variable, value, and the file that has to be there (the value itself unless given).
ExportIfFile() { [ ! -e "${3:-$2}" ] || printf 'export %s=%q\n' "$1" "$2"; }

# build/deps/env.sh: where the drivers and tools are, for scripts and for people (source it).
WriteEnvironment() {
  local lavapipe
  lavapipe=$(LavapipeManifest)
  mkdir -p "${DEPS_DIR}"
  {
    printf '# Written by scripts/bootstrap.sh.\n'
    [ -z "${lavapipe}" ] || ExportIfFile TRELLIS_ICD_LAVAPIPE "${lavapipe}"
    ExportIfFile TRELLIS_ICD_SWIFTSHADER "${DEPS_DIR}/swiftshader/vk_swiftshader_icd.json"
    ExportIfFile TRELLIS_NEWER_VALIDATION_DIR "${DEPS_DIR}/validation" "${DEPS_DIR}/validation/VkLayer_khronos_validation.json"
    ExportIfFile TRELLIS_NEWER_LOADER_DIR "${DEPS_DIR}/loader" "${DEPS_DIR}/loader/libvulkan.so.1"
    ExportIfFile TRELLIS_DEPS_PREFIX "${DEPS_DIR}/prefix"
  } >"${DEPS_DIR}/env.sh"
}
