# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
# Libraries for Windows, cross-built with mingw-w64 into one folder of the cache: Vulkan headers and loader, SPIRV-Headers, SPIRV-Tools,
# GoogleTest and nlohmann_json. Their sources are Debian's packages. Needs lib/common.sh, apt.sh, packages.sh and prefix.sh.

WINDOWS_BUILD_PACKAGES=(g++-mingw-w64-x86-64-posix cmake ninja-build ccache python3 glslang-tools googletest nlohmann-json3-dev)
WINDOWS_TEST_PACKAGES=(wine wine64 xvfb zip unzip)
# To be raised when the content of the prefix changes without a new version.
WINDOWS_PREFIX_REVISION=1
WINDOWS_TOOLCHAIN="${REPO_ROOT}/cmake/toolchains/mingw-w64.cmake"

WindowsPrefix() {
  printf '%s/windows-r%s-vulkan%s-spirvtools%s-gcc%s' "${CACHE_DIR}" "${WINDOWS_PREFIX_REVISION}" "${VULKAN_HEADERS_VERSION}" \
    "${SPIRV_TOOLS_VERSION}" "$(x86_64-w64-mingw32-g++-posix -dumpfullversion -dumpversion)"
}

# Name, source folder, prefix, build folder, then arguments for CMake. Builds and installs.
CrossBuild() {
  local name=$1 source=$2 prefix=$3 build=$4 launcher=()
  shift 4
  ! command -v ccache >/dev/null 2>&1 || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  Say "cross-building ${name}"
  RunQuietly "configuring ${name}" cmake -S "${source}" -B "${build}" -G Ninja \
    -DCMAKE_TOOLCHAIN_FILE="${WINDOWS_TOOLCHAIN}" -DTRELLIS_WINDOWS_PREFIX="${prefix}" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -DNDEBUG" -DCMAKE_C_FLAGS="-O1 -DNDEBUG" \
    -DCMAKE_INSTALL_PREFIX="${prefix}" -DCMAKE_INSTALL_LIBDIR=lib "${launcher[@]}" "$@" || return 1
  RunQuietly "building ${name}" nice -n 5 cmake --build "${build}" -j "$(nproc)" || return 1
  RunQuietly "installing ${name} into the local prefix" cmake --install "${build}"
}

UnpackSource() {
  local name=$1 target=$2 tarball
  tarball=$(find "${APT_STATE}/download" -name "${name}_*.orig.tar.*" ! -name '*.asc' -print -quit)
  [ -n "${tarball}" ] || Die "the source package ${name} holds no tarball"
  mkdir -p "${target}"
  tar -x -C "${target}" --strip-components=1 -f "${tarball}"
}

FetchWindowsSources() {
  local package
  OpenPrivateApt "${NEWER_SUITE}@$(SystemSuite)" ||
    Die "the package lists of ${NEWER_SUITE} cannot be read; check the network and the proxy in apt's configuration"
  RunQuietly "downloading headers" PrivateDownload libvulkan-dev spirv-headers ||
    Die "headers could not be downloaded; run this again when the mirror can be reached"
  for package in spirv-tools vulkan-loader; do
    RunQuietly "downloading the source of ${package}" PrivateDownloadTarball "${package}" ||
      Die "the source of ${package} could not be downloaded; run this again when the mirror can be reached"
  done
}

# Header-only packages of the system, which are the same on Windows.
CopyNlohmannJson() {
  mkdir -p "$1/include" "$1/share/cmake"
  cp -a /usr/include/nlohmann "$1/include/"
  cp -a /usr/share/cmake/nlohmann_json "$1/share/cmake/"
}

# The folder of the build stays when the script is interrupted, and the next run continues there.
MakeWindowsPrefix() {
  local target=$1 work=$1.work prefix=$1.work/prefix deb
  if [ ! -f "${work}/fetched" ]; then
    Say "fetching the sources of Vulkan-Loader and SPIRV-Tools (once; what is built stays in ${CACHE_DIR})"
    FetchWindowsSources
    rm -rf "${work}"
    mkdir -p "${prefix}"
    for deb in "${APT_STATE}"/download/*.deb; do UnpackHeaders "${deb}" "${prefix}"; done
    CopyNlohmannJson "${prefix}"
    UnpackSource vulkan-loader "${work}/loader"
    UnpackSource spirv-tools "${work}/spirv-tools"
    # Debian's tarball lacks the sources that the loader generates from the registry.
    mkdir -p "${work}/loader/loader/generated"
    RunQuietly "generating sources of the loader" python3 "${work}/loader/scripts/generate_source.py" "${prefix}/share/vulkan/registry" \
      --generated-version "${VULKAN_HEADERS_VERSION}" || Die "the sources of the Vulkan loader could not be generated"
    touch "${work}/fetched"
  fi
  CrossBuild SPIRV-Tools "${REPO_ROOT}/cmake/spirv_tools" "${prefix}" "${work}/spirv-tools-build" \
    -DSPIRV_TOOLS_SOURCE="${work}/spirv-tools" -DSPIRV_HEADERS_PREFIX="${prefix}" || Die "SPIRV-Tools could not be built"
  # GAS: the loader's assembly for the GNU assembler, which mingw-w64 has.
  CrossBuild Vulkan-Loader "${work}/loader" "${prefix}" "${work}/loader-build" -DUSE_GAS=ON -DBUILD_TESTS=OFF \
    -DVULKAN_HEADERS_INSTALL_DIR="${prefix}" || Die "the Vulkan loader could not be built"
  CrossBuild GoogleTest /usr/src/googletest "${prefix}" "${work}/googletest-build" || Die "GoogleTest could not be built"
  # One rename publishes the prefix: an interrupted run leaves none that is incomplete.
  rm -rf "${target}"
  mv "${prefix}" "${target}"
  rm -rf "${work}"
}

# Leaves a link to the prefix in build/deps/windows.
ProvideWindowsPrefix() {
  local cached
  cached=$(WindowsPrefix)
  mkdir -p "${CACHE_DIR}" "${DEPS_DIR}"
  [ -d "${cached}" ] || MakeWindowsPrefix "${cached}"
  ln -sfn "${cached}" "${DEPS_DIR}/windows"
}
