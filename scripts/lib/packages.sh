# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
# What Trellis needs from the distribution, and how to say what is missing where we cannot install it.

DEBIAN_PACKAGES=(
  g++ cmake ninja-build ccache pkg-config python3
  libvulkan1 libvulkan-dev vulkan-tools vulkan-validationlayers
  glslang-tools libgtest-dev libgmock-dev nlohmann-json3-dev libpng-dev
)
# For the tests with RenderDoc, which has left Debian after 12.
DEBIAN_12_TEST_PACKAGES=(librenderdoc librenderdoc-dev python3-renderdoc renderdoccmd)
# From Debian 13 on the distribution's own are new enough.
DEBIAN_13_PACKAGES=(spirv-headers spirv-tools mesa-vulkan-drivers)

# For the window of the sample mesh_terrain and its test. Everything else builds and runs without them.
DEBIAN_WINDOW_PACKAGES=(libglfw3-dev xvfb xauth)

# What scripts/run_tests.sh --full checks the sources with. Debian 13 has no clang-format 14; later ones format some things differently.
DEBIAN_12_CHECK_PACKAGES=(clang-format-14 shellcheck)
DEBIAN_13_CHECK_PACKAGES=(clang-format shellcheck)

# Missing Debian packages of the list given as arguments, one a line.
MissingPackages() {
  local package
  for package in "$@"; do
    PackageInstalled "${package}" || printf '%s\n' "${package}"
  done
}

InstallMissingPackages() {
  local missing
  mapfile -t missing < <(MissingPackages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  Say "installing packages: ${missing[*]}"
  if ! CanBecomeRoot; then
    Die "packages are missing and this is neither root nor is there sudo. Run as root: apt-get install ${missing[*]}"
  fi
  RefreshSystemLists
  RunQuietly "installing packages" InstallPackages install "${missing[@]}" ||
    Die "the packages above could not be installed; install them by hand (apt-get install ${missing[*]}) and run this again"
}

# As InstallMissingPackages, but goes on with a warning where they cannot be installed.
InstallOptionalPackages() {
  local missing
  mapfile -t missing < <(MissingPackages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! CanBecomeRoot; then
    Warn "optional packages are missing: ${missing[*]}"
    return 0
  fi
  Say "installing optional packages: ${missing[*]}"
  RefreshSystemLists
  RunQuietly "installing packages" InstallPackages install "${missing[@]}" || Warn "going on without: ${missing[*]}"
}

# Reports what is missing for the build on any system; fails if anything is. Programs first, because without them CMake
# cannot be asked about the libraries.
CheckRequirements() {
  local lacking=0 program hint
  while read -r program hint; do
    command -v "${program}" >/dev/null 2>&1 && continue
    printf 'missing program %s: %s\n' "${program}" "${hint}"
    lacking=1
  done <<'LIST'
cmake CMake 3.22 or newer (package cmake)
ninja the build tool (package ninja-build on Debian and Fedora, ninja on Arch)
c++ a C++20 compiler, g++ 12 or newer or clang 15 or newer (package g++, gcc-c++ or gcc)
python3 Python 3.9 or newer, for the build-time generators (package python3)
glslangValidator the GLSL compiler (package glslang-tools on Debian, glslang on Fedora and Arch; in the Vulkan SDK)
LIST
  if [ "${lacking}" -ne 0 ]; then
    printf 'Install these, then run this check again: it goes on with the libraries.\n'
    return 1
  fi
  MakeTempDir
  local arguments=(-S "${REPO_ROOT}" -B "${TEMP_DIR}" -G Ninja -DTRELLIS_CHECK_ONLY=ON)
  [ ! -d "${DEPS_DIR}/prefix" ] || arguments+=("-DCMAKE_PREFIX_PATH=${DEPS_DIR}/prefix")
  if cmake "${arguments[@]}" >"${TEMP_DIR}/log" 2>&1; then
    return 0
  fi
  grep -E '^ *missing' "${TEMP_DIR}/log" || tail -n 30 "${TEMP_DIR}/log"
  return 1
}
