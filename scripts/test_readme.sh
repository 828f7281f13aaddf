#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does what the README says, in a clean system: from a fresh copy of the sources to an installation that works.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common apt packages chroot; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/test_readme.sh [SUITE ...]

In a clean system of each suite (default: bookworm trixie), without caches: runs the commands of README.md and samples/README.md that name this
script as their test, checks that the programs that the README lists are there, and runs a sample with the installed layer and with that of
the build tree. Takes 5 to 20 minutes a suite on 2 cores. Needs root and the network.
TEXT
}

case ${1:-} in
  -h | --help)
    Usage
    exit 0
    ;;
  -*)
    Usage >&2
    exit 2
    ;;
esac
suites=("$@")
[ "${#suites[@]}" -gt 0 ] || suites=(bookworm trixie)
[ "$(id -u)" -eq 0 ] || Die "chroots need root"
InstallMissingPackages debootstrap

# Prints the README's commands that enable Trellis, with a sample in place of the application: installed, and in the build tree.
EnableCommands() {
  # shellcheck disable=SC2016
  sed -n 's,^. \(installed\|in the build tree\) . `\(TRELLIS_ENABLE=1 .*\)\./application` .$,say "README.md: \2./application"\n\2build/release/samples/hello_graph/hello_graph >/tmp/hello.txt\ntail -n 1 /tmp/hello.txt,p' \
    "${REPO_ROOT}/README.md"
}

# Prints the programs that the README's table lists.
ListedPrograms() {
  # shellcheck disable=SC2016
  sed -n 's,^. `\(\(tools\|samples\)/[a-z_/]*\)` .*,build/release/\1,p' "${REPO_ROOT}/README.md"
}

ReadmeScript() {
  local programs
  programs=$(ListedPrograms | tr '\n' ' ')
  # Four programs and two commands: a sed expression that no longer matches the README must not pass.
  [ "$(wc -w <<<"${programs}")" -eq 4 ] || Die "README.md lists other than 4 programs: ${programs}"
  [ "$(EnableCommands | grep -c '^TRELLIS_ENABLE')" -eq 2 ] || Die "README.md has other than 2 commands that enable Trellis here"
  cat <<'SCRIPT'
say() { echo "[$(cut -d. -f1 /proc/uptime)] $*"; }
cd /tmp/trellis
PATH=$HOME/.local/bin:$PATH
SCRIPT
  python3 "${REPO_ROOT}/scripts/run_documents.py" --print-blocks-of scripts/test_readme.sh "${REPO_ROOT}/README.md" "${REPO_ROOT}/samples/README.md" || return 1
  # shellcheck disable=SC2016
  printf 'for program in %s; do [ -x "${program}" ] || { echo "${program} is missing"; exit 1; }; done\n' "${programs}"
  EnableCommands
  printf 'ls -l trellis-doctor.json flight\nsay "done"\n'
}

TestSuite() {
  local suite=$1 root begin=${SECONDS}
  MakeTempDir
  root=${TEMP_DIR}/root
  MakeChroot "${suite}" "${root}" || return 1
  mkdir -p "${root}/tmp/trellis"
  (cd "${REPO_ROOT}" && git ls-files -z | tar -c --null --files-from=- | tar -C "${root}/tmp/trellis" -x)
  ReadmeScript >"${root}/tmp/readme.sh" || return 1
  InsideChroot "${root}" /tmp/readme.sh || return 1
  Say "${suite}: passed after $((SECONDS - begin)) s"
  rm -rf "${root}"
}

for suite in "${suites[@]}"; do
  TestSuite "${suite}" || Die "the README does not work on a clean ${suite}"
done
