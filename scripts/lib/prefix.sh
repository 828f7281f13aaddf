# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Newer Vulkan headers, SPIRV-Headers and SPIRV-Tools for distributions that are too old, in a local prefix.
# Made once in the user's cache, keyed by versions and compiler, and copied into the build tree.

VULKAN_HEADERS_VERSION=1.4.309
SPIRV_TOOLS_VERSION=2025.1
# The Debian suite that ships these versions.
NEWER_SUITE=trixie
# To be raised when what is in the prefix changes without a new version.
PREFIX_REVISION=1

PrefixKey() {
  printf 'prefix-r%s-vulkan%s-spirvtools%s-gcc%s-%s' "${PREFIX_REVISION}" "${VULKAN_HEADERS_VERSION}" "${SPIRV_TOOLS_VERSION}" \
    "$(c++ -dumpfullversion -dumpversion)" "$(uname -m)"
}

# Unpacks headers, registry and CMake packages of a .deb below a prefix; never its libraries, which want a newer libc.
UnpackHeaders() {
  local deb=$1 prefix=$2 part
  MakeTempDir
  dpkg-deb -x "${deb}" "${TEMP_DIR}"
  for part in include share/cmake share/vulkan; do
    [ -d "${TEMP_DIR}/usr/${part}" ] || continue
    mkdir -p "${prefix}/${part}"
    cp -a "${TEMP_DIR}/usr/${part}/." "${prefix}/${part}/"
  done
}

BuildSpirvTools() {
  local tarball=$1 prefix=$2 work=$3 launcher=()
  mkdir -p "${work}/source"
  tar -x -C "${work}/source" --strip-components=1 -f "${tarball}"
  ! command -v ccache >/dev/null 2>&1 || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  RunQuietly "configuring SPIRV-Tools" cmake -S "${REPO_ROOT}/cmake/spirv_tools" -B "${work}/build" -G Ninja \
    -DSPIRV_TOOLS_SOURCE="${work}/source" -DSPIRV_HEADERS_PREFIX="${prefix}" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -DNDEBUG" -DCMAKE_C_FLAGS="-O1 -DNDEBUG" \
    -DCMAKE_INSTALL_PREFIX="${prefix}" -DCMAKE_INSTALL_LIBDIR=lib "${launcher[@]}" || return 1
  RunQuietly "building SPIRV-Tools" cmake --build "${work}/build" -j "$(nproc)" || return 1
  RunQuietly "installing SPIRV-Tools into the local prefix" cmake --install "${work}/build" --strip
}

MakePrefix() {
  local target=$1 work prefix deb tarball
  Say "fetching Vulkan headers ${VULKAN_HEADERS_VERSION}, SPIRV-Headers and SPIRV-Tools ${SPIRV_TOOLS_VERSION} (once; kept in ${CACHE_DIR})"
  OpenPrivateApt "${NEWER_SUITE}@$(SystemSuite)" || Die "the package lists of ${NEWER_SUITE} cannot be read; check the network and the proxy in apt's configuration"
  RunQuietly "downloading headers" PrivateDownload libvulkan-dev spirv-headers || Die "headers could not be downloaded; run this again when the mirror can be reached"
  RunQuietly "downloading the SPIRV-Tools source" PrivateDownloadTarball spirv-tools || Die "the SPIRV-Tools source could not be downloaded; run this again when the mirror can be reached"
  MakeTempDir
  work=${TEMP_DIR}
  prefix=${work}/prefix
  mkdir -p "${prefix}"
  for deb in "${APT_STATE}"/download/*.deb; do UnpackHeaders "${deb}" "${prefix}"; done
  tarball=$(find "${APT_STATE}/download" -name 'spirv-tools_*.orig.tar.*' -print -quit)
  grep -q "define VK_HEADER_VERSION ${VULKAN_HEADERS_VERSION##*.}\$" "${prefix}/include/vulkan/vulkan_core.h" ||
    Warn "${NEWER_SUITE} now has other Vulkan headers than ${VULKAN_HEADERS_VERSION}; Trellis is tested with that version"
  Say "building SPIRV-Tools ${SPIRV_TOOLS_VERSION} (about 5 minutes on 2 cores, once)"
  BuildSpirvTools "${tarball}" "${prefix}" "${work}" || Die "SPIRV-Tools could not be built"
  # Published by one rename, so that an interrupted run leaves no half prefix behind.
  rm -rf "${target}.new"
  cp -a "${prefix}" "${target}.new"
  rm -rf "${target}"
  mv "${target}.new" "${target}"
}

# Leaves the prefix in build/deps/prefix.
ProvidePrefix() {
  local key cached
  key=$(PrefixKey)
  [ "$(cat "${DEPS_DIR}/prefix/.key" 2>/dev/null)" != "${key}" ] || return 0
  cached=${CACHE_DIR}/${key}
  mkdir -p "${CACHE_DIR}" "${DEPS_DIR}"
  [ -d "${cached}" ] || MakePrefix "${cached}"
  rm -rf "${DEPS_DIR}/prefix"
  cp -a "${cached}" "${DEPS_DIR}/prefix"
  printf '%s\n' "${key}" >"${DEPS_DIR}/prefix/.key"
}
