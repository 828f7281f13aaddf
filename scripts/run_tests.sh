#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs the tests, in one of two tiers.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common apt packages build; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/run_tests.sh [--with-asan | --asan | --tsan | --full] [--part N | --part all] [--small-parts] [-- arguments of ctest]

Installs what is missing (Debian 12 and 13), builds, and runs the tests.

The first tier decides whether a change may land. It runs all tests on lavapipe and one part of each longer run: SwiftShader, variants of the
layer, random graphs, the GPU tests under the sanitizers. The part is the number of commits, so that commits in a row cover everything and a
run can be repeated.

  (no option)   the preset dev
  --with-asan   dev, then asan (AddressSanitizer and UndefinedBehaviorSanitizer): what CI runs
  --asan        asan alone
  --tsan        the preset tsan (ThreadSanitizer): the tests of threads that use the layer at once, without drivers
  --part N      other parts than the commit's; "all": every part
  --small-parts parts on drivers are a third as large, as they always are where lavapipe has compiled no shader yet
  --full        the full tier: all parts of dev and asan, 20,000 random graphs on each driver, 4 minutes of load on each, tsan, a build without
                precompiled headers, formatting, shellcheck,
                the README and the packages in clean systems of Debian 12 and 13 (as root), the build for Windows under Wine

With CI=true the run fails unless the GPU tests, random graphs among them, ran on lavapipe and on SwiftShader and skipped
exactly what tests/gpu/expected_skips.txt lists.
TEXT
}

# The number of commits; 0 outside of git. A shallow clone has few, and with them always the same parts.
CommitNumber() { git -C "${REPO_ROOT}" rev-list --count HEAD 2>/dev/null || printf 0; }

# The folders are those of cmake/TestDrivers.cmake, and in them those of Mesa's kinds of caches.
HasCompiledShaders() { [ -n "$(find "${CACHE_DIR}"/lavapipe*/mesa_shader_cache*/ -type f -print -quit 2>/dev/null)" ]; }

presets=(dev)
smaller=1  # how many times as many parts on drivers
part=$(CommitNumber)
checks=no
while [ $# -gt 0 ]; do
  case $1 in
    --with-asan) presets=(dev asan) ;;
    --asan) presets=(asan) ;;
    --tsan) presets=(tsan) ;;
    --full)
      presets=(dev asan tsan)
      part=all
      checks=yes
      ;;
    --part)
      [[ ${2:-} =~ ^([0-9]+|all)$ ]] || { Usage >&2 && exit 2; }
      part=$2
      shift
      ;;
    --small-parts) smaller=3 ;;
    -h | --help)
      Usage
      exit 0
      ;;
    --)
      shift
      break
      ;;
    *)
      Usage >&2
      exit 2
      ;;
  esac
  shift
done
ctest_arguments=("$@")

MakeTempDir
report=${TEMP_DIR}/report
mkdir "${report}"

# Runs a phase and notes how long it took.
Phase() {
  local name=$1 begin=${SECONDS} status=0
  shift
  "$@" || status=$?
  printf '%s\t%s\n' "$((SECONDS - begin))" "${name}" >>"${report}/phases"
  return "${status}"
}

Say "looking for what is missing"
Phase "installing what is missing" "${REPO_ROOT}/scripts/bootstrap.sh"
# shellcheck source=/dev/null
. "${DEPS_DIR}/env.sh"

HasCompiledShaders || smaller=3
export TRELLIS_TEST_PART=${part} TRELLIS_TEST_SMALLER_PARTS=${smaller}
if [ "${part}" = all ]; then export TRELLIS_TEST_SOAK_SECONDS=240; fi
# Leaks inside drivers are not ours to fix; everything else is. Drivers and compilers allocate much and briefly: with freed memory kept instead of
# given back to the system every five seconds, a GPU test takes a fifth less time.
export ASAN_OPTIONS="detect_leaks=1:allocator_release_to_os_interval_ms=-1:${ASAN_OPTIONS:-}"
export LSAN_OPTIONS="suppressions=${REPO_ROOT}/scripts/lsan_suppressions.txt:print_suppressions=0:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"

# Builds and tests one preset.
RunPreset() {
  local preset=$1 build status=0 targets=() selection=()
  build=$(BuildDir "${preset}")
  # Drivers are not built with ThreadSanitizer, and would be accused of everything.
  if [ "${preset}" = tsan ]; then
    targets=(--target trellis_thread_tests)
    selection=(-L threads)
  fi
  Phase "building (${preset})" ConfigureAndBuild "${preset}" ${targets[@]+"${targets[@]}"}
  # Results of an earlier run must not stand in for a driver that did not run this time.
  rm -rf "${build}/gpu_results"
  Say "testing (${preset})"
  Phase "testing (${preset})" ctest --test-dir "${build}" -j "$(nproc)" --output-on-failure --no-tests=error \
    --output-junit "${report}/${preset}.xml" ${selection[@]+"${selection[@]}"} ${ctest_arguments[@]+"${ctest_arguments[@]}"} || status=1
  # A selection of tests, or a checkout without GPU tests, has no GPU results to judge.
  if [ "${#ctest_arguments[@]}" -eq 0 ] && [ "${preset}" != tsan ] && [ -d "${REPO_ROOT}/tests/gpu" ]; then
    python3 "${REPO_ROOT}/scripts/check_gpu_results.py" "${build}/gpu_results" --expected-skips "${REPO_ROOT}/tests/gpu/expected_skips.txt" \
      ${judgement[@]+"${judgement[@]}"} >"${report}/${preset}.gpu" || status=1
  fi
  ctest --test-dir "${build}" --show-only=json-v1 >"${report}/${preset}.tests"
  return "${status}"
}

# What needs no test program. The release preset compiles without precompiled headers.
RunChecks() {
  Phase "building (release)" ConfigureAndBuild release || return 1
  Phase "formatting" "${REPO_ROOT}/scripts/check_format.sh" || return 1
  (cd "${REPO_ROOT}" && Phase "shellcheck" shellcheck -x -P SCRIPTDIR scripts/*.sh scripts/windows/*.sh scripts/lib/*.sh .ci/run) || return 1
  # The cross compiler and Wine were tried on Debian 12 alone.
  if [ "$(DetectSystem)" = debian:12 ]; then
    Phase "Windows" "${REPO_ROOT}/scripts/windows/test_windows.sh" || return 1
  else
    Say "skipped: the build for Windows is tried on Debian 12"
  fi
  if [ "$(id -u)" -ne 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
    Say "skipped: trying the README and the packages needs root and a mount namespace"
    return 0
  fi
  case $(DetectSystem) in
    debian:*) Phase "README" "${REPO_ROOT}/scripts/test_readme.sh" || return 1 ;;
    *) Say "skipped: the README is tried in systems that a Debian makes" ;;
  esac
  # Packages of one Debian run on later ones, not on earlier ones.
  if [ "$(DetectSystem)" = debian:12 ]; then
    Phase "packages" "${REPO_ROOT}/scripts/test_packages.sh"
  else
    Say "skipped: packages are made and tried on Debian 12"
  fi
}

judgement=()
[ "${part}" = all ] || judgement+=(--parts)
if [ "${CI:-}" = true ]; then
  judgement+=(--strict-skips)
  for driver in lavapipe swiftshader; do
    judgement+=(--require "${driver}" --require "${driver}:RandomGraphs.AgreeWithTheReference")
  done
fi
status=0
if [ "${checks}" = yes ]; then
  case $(DetectSystem) in
    debian:12) InstallMissingPackages "${DEBIAN_12_CHECK_PACKAGES[@]}" ;;
    debian:*) InstallMissingPackages "${DEBIAN_13_CHECK_PACKAGES[@]}" ;;
  esac
  RunChecks || status=1
fi
for preset in "${presets[@]}"; do
  RunPreset "${preset}" || status=1
done

python3 "${REPO_ROOT}/scripts/summarise_tests.py" "${report}" --part "${part}" --smaller "${smaller}"
if [ "${status}" -eq 0 ]; then
  Say "all tests passed"
else
  Say "there were failures; see above"
fi
exit "${status}"
