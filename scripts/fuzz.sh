#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes: builds the targets with clang, libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, lets them run side by side, and adds
# up how often they ran.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common apt packages; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/fuzz.sh [--install] [--jobs N] [--seed N] [--prebuilt FOLDER] [--findings FOLDER]
                       lowering|rewriter|all SECONDS [options of libFuzzer]

Runs one process per job, each with a corpus of its own in build/fuzz/corpus, which the next run uses again, and prints the sum of their
executions. What breaks a promise (docs/reliability.md) becomes a file in tests/fuzz/regressions, which the test FuzzReplay runs from then on.

  --install          installs clang if it is missing (Debian; as root, or with sudo)
  --jobs N           so many processes; `all` gives three of four to the lowering, which is larger (default: 1, with `all` 2)
  --seed N           the first job's seed; the others' follow (default: 1). Another one finds other things.
  --prebuilt FOLDER  the fuzzers and their seeds are there already (build/fuzz/tests/fuzz of another machine)
  --findings FOLDER  for inputs that break promises, in a folder for each target, and for the jobs' logs (default: build/fuzz/logs)

Run scripts/bootstrap.sh before. CXX names another clang than clang++.
TEXT
}

BadUsage() {
  Usage >&2
  exit 2
}

build=${REPO_ROOT}/build/fuzz
jobs='' first_seed=1 prebuilt='' findings=${REPO_ROOT}/tests/fuzz/regressions logs=${build}/logs
while [ $# -gt 0 ]; do
  case $1 in
    --install) InstallMissingPackages clang ;;
    --jobs | --seed | --prebuilt | --findings)
      [ $# -ge 2 ] || BadUsage
      case $1 in
        --jobs) jobs=$2 ;;
        --seed) first_seed=$2 ;;
        --prebuilt) prebuilt=$2 ;;
        --findings) findings=$2 logs=$2/logs ;;
      esac
      shift
      ;;
    *) break ;;
  esac
  shift
done
[ $# -ge 2 ] || BadUsage
case $1 in
  lowering | rewriter) targets=("$1") ;;
  all) targets=(lowering rewriter) ;;
  *) BadUsage ;;
esac
seconds=$2
shift 2
jobs=${jobs:-${#targets[@]}}

binaries=${prebuilt:-${build}/tests/fuzz}
mkdir -p "${logs}"

Build() {
  local compiler=${CXX:-clang++}
  command -v "${compiler}" >/dev/null 2>&1 || Die "${compiler} is missing (package clang, or scripts/fuzz.sh --install)"
  (cd "${REPO_ROOT}" && RunQuietly "configuring" cmake --preset fuzz "-DCMAKE_CXX_COMPILER=${compiler}") ||
    Die "the build could not be configured"
  Say "building"
  RunQuietly "building" cmake --build "${build}" -j "$(nproc)" --target "${targets[@]/#/trellis_fuzz_}" trellis_fuzz_seeds ||
    Die "the build failed"
}

# Prints the target of a job.
TargetOf() {
  if [ "${#targets[@]}" -gt 1 ] && [ $(($1 % 4)) -eq 1 ]; then printf rewriter; else printf '%s' "${targets[0]}"; fi
}

# Time of the processor and memory beyond the input are the target's own business; these limits are for what never comes back.
# Entropic scheduling would take most of the time: it goes through the corpus for each of the thousands of features that a lowering has.
RunJob() {
  local job=$1 target corpus
  target=$(TargetOf "${job}")
  shift
  corpus=${build}/corpus/${target}/${job}
  mkdir -p "${corpus}" "${findings}/${target}"
  exec nice -n 19 "${binaries}/trellis_fuzz_${target}" -max_total_time="${seconds}" -seed=$((first_seed + job)) -timeout=20 \
    -rss_limit_mb=2048 -max_len=65536 -entropic=0 -print_final_stats=1 "-dict=${binaries}/seeds/spirv.dict" \
    "-artifact_prefix=${findings}/${target}/" "$@" "${corpus}" "${binaries}/seeds/${target}" >"${logs}/${target}_${job}.log" 2>&1
}

# Adds up the executions of a target's jobs.
ExecutionsOf() {
  cat "${logs}/$1"_*.log | awk '$1 == "stat::number_of_executed_units:" { sum += $2 } END { print sum + 0 }'
}

[ -n "${prebuilt}" ] || Build
for target in "${targets[@]}"; do rm -f "${logs}/${target}"_*.log; done
Say "fuzzing ${targets[*]} for ${seconds} seconds, ${jobs} at a time; logs are in ${logs}"
pids=()
for ((job = 0; job < jobs; ++job)); do
  RunJob "${job}" "$@" &
  pids+=($!)
done
trap 'kill "${pids[@]}" 2>/dev/null || true' INT TERM
failed=0
for ((job = 0; job < jobs; ++job)); do
  wait "${pids[job]}" && continue
  failed=$((failed + 1))
  tail -n 20 "${logs}/$(TargetOf "${job}")_${job}.log" >&2
done
for target in "${targets[@]}"; do printf '%s: %s executions\n' "${target}" "$(ExecutionsOf "${target}")"; done
[ "${failed}" -eq 0 ] || Die "${failed} of ${jobs} jobs ended with a finding: ${findings}"
