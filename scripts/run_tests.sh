#!/usr/bin/env bash
# Builds everything and runs all tests: pure units, and GPU tests on every driver found.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=lib/common.sh
. "${REPO_ROOT}/scripts/lib/common.sh"
# shellcheck source=lib/build.sh
. "${REPO_ROOT}/scripts/lib/build.sh"

Usage() {
  cat <<'TEXT'
usage: scripts/run_tests.sh [--asan | --tsan | --all] [-- arguments of ctest]

Installs what is missing (Debian 12 and 13), builds, and runs the tests.

  (no option)  the preset dev
  --asan       the preset asan (AddressSanitizer and UndefinedBehaviorSanitizer)
  --tsan       the preset tsan (ThreadSanitizer): the tests of threads that use the layer at once, without drivers
  --all        dev and asan, one after the other

With CI=true the run fails unless the GPU tests, random graphs among them, ran on lavapipe and on SwiftShader and skipped
exactly what tests/gpu/expected_skips.txt lists.
TEXT
}

presets=(dev)
while [ $# -gt 0 ]; do
  case $1 in
    --asan) presets=(asan) ;;
    --tsan) presets=(tsan) ;;
    --all) presets=(dev asan) ;;
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

Say "looking for what is missing"
"${REPO_ROOT}/scripts/bootstrap.sh"
# shellcheck source=/dev/null
. "${DEPS_DIR}/env.sh"

# Leaks inside drivers are not ours to fix; everything else is.
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
export LSAN_OPTIONS="suppressions=${REPO_ROOT}/scripts/lsan_suppressions.txt:print_suppressions=0:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"

# Builds and tests one preset. What it prints last is repeated at the very end.
RunPreset() {
  local preset=$1 build log status=0 targets=() selection=()
  build=$(BuildDir "${preset}")
  # Drivers are not built with ThreadSanitizer, and would be accused of everything.
  if [ "${preset}" = tsan ]; then
    targets=(--target trellis_thread_tests)
    selection=(-L threads)
  fi
  ConfigureAndBuild "${preset}" ${targets[@]+"${targets[@]}"}
  # Results of an earlier run must not stand in for a driver that did not run this time.
  rm -rf "${build}/gpu_results"
  Say "testing (${preset})"
  log=${build}/ctest.log
  ctest --test-dir "${build}" -j "$(nproc)" --output-on-failure --no-tests=error ${selection[@]+"${selection[@]}"} \
    ${ctest_arguments[@]+"${ctest_arguments[@]}"} 2>&1 | tee "${log}" || status=1
  # A selection of tests, or a checkout without GPU tests, has no GPU results to judge.
  if [ "${#ctest_arguments[@]}" -eq 0 ] && [ "${preset}" != tsan ] && [ -d "${REPO_ROOT}/tests/gpu" ]; then
    python3 "${REPO_ROOT}/scripts/check_gpu_results.py" "${build}/gpu_results" \
      --expected-skips "${REPO_ROOT}/tests/gpu/expected_skips.txt" ${required[@]+"${required[@]}"} || status=1
  fi
  {
    printf 'Preset %s:\n' "${preset}"
    sed -n '/tests passed,/,$p' "${log}"
  } >>"${closing}"
  return "${status}"
}

required=()
if [ "${CI:-}" = true ]; then
  required=(--strict-skips)
  for driver in lavapipe swiftshader; do
    required+=(--require "${driver}" --require "${driver}:RandomGraphs.AgreeWithTheReference")
  done
fi
MakeTempDir
closing=${TEMP_DIR}/closing
status=0
for preset in "${presets[@]}"; do
  RunPreset "${preset}" || status=1
done

printf '\n'
cat "${closing}"
if [ "${status}" -eq 0 ]; then
  Say "all tests passed"
else
  Say "there were failures; see above"
fi
exit "${status}"
