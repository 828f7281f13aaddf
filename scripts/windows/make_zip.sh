#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs what build_windows.sh built into build/windows/trellis-VERSION-windows-x86_64.zip and prints its path.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for part in common build; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

build=$(BuildDir windows)
[ -f "${build}/layer/VkLayer_TRELLIS_shader_enqueue.dll" ] || Die "there is no layer in ${build}: run scripts/windows/build_windows.sh first"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "${build}/CMakeCache.txt")
name=trellis-${version}-windows-x86_64
MakeTempDir
stage=${TEMP_DIR}/${name}

RunQuietly "installing into the archive's folder" cmake --install "${build}" --prefix "${stage}" --strip
mkdir -p "${stage}/samples"
find "${build}/samples" -maxdepth 2 -name '*.exe' -exec cp {} "${stage}/samples/" \;
x86_64-w64-mingw32-strip "${stage}"/samples/*.exe
cp "${REPO_ROOT}"/packaging/windows/*.bat "${REPO_ROOT}/LICENSE" "${REPO_ROOT}/docs/windows.md" "${stage}/"

archive=${build}/${name}.zip
rm -f "${archive}"
(cd "${TEMP_DIR}" && RunQuietly "packing" zip -q -r "${archive}" "${name}")
printf '%s\n' "${archive}"
