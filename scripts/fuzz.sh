#!/usr/bin/env bash
# Fuzzes one target: builds it with clang, libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, and lets it run.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common apt packages; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/fuzz.sh [--install] lowering|rewriter SECONDS [options of libFuzzer]

The corpus grows in build/fuzz/corpus and is used again by the next run. What breaks a promise (docs/reliability.md) becomes a file
in tests/fuzz/regressions, which the test FuzzReplay runs from then on.

  --install  installs clang if it is missing (Debian; as root, or with sudo)

Run scripts/bootstrap.sh before. CXX names another clang than clang++.
TEXT
}

if [ "${1:-}" = --install ]; then
  shift
  InstallMissingPackages clang
fi
if [ $# -lt 2 ]; then
  Usage >&2
  exit 2
fi
target=$1 seconds=$2
shift 2
case ${target} in
  lowering | rewriter) ;;
  *)
    Usage >&2
    exit 2
    ;;
esac
compiler=${CXX:-clang++}
command -v "${compiler}" >/dev/null 2>&1 || Die "${compiler} is missing (package clang, or scripts/fuzz.sh --install)"

build=${REPO_ROOT}/build/fuzz
(cd "${REPO_ROOT}" && RunQuietly "configuring" cmake --preset fuzz "-DCMAKE_CXX_COMPILER=${compiler}") || Die "the build could not be configured"
Say "building"
RunQuietly "building" cmake --build "${build}" -j "$(nproc)" --target "trellis_fuzz_${target}" trellis_fuzz_seeds || Die "the build failed"

corpus=${build}/corpus/${target}
regressions=${REPO_ROOT}/tests/fuzz/regressions/${target}
mkdir -p "${corpus}" "${regressions}"
Say "fuzzing ${target} for ${seconds} seconds"
# Time of the processor and memory beyond the input are the target's own business; these limits are for what never comes back.
exec nice -n 19 "${build}/tests/fuzz/trellis_fuzz_${target}" -max_total_time="${seconds}" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
  -print_final_stats=1 "-dict=${build}/tests/fuzz/seeds/spirv.dict" "-artifact_prefix=${regressions}/" "$@" \
  "${corpus}" "${build}/tests/fuzz/seeds/${target}"
