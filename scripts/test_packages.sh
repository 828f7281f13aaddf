#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs, tries and removes the packages in clean systems, as a stranger would.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common apt packages chroot; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

Usage() {
  cat <<'TEXT'
usage: scripts/test_packages.sh [--packages FOLDER] [SUITE ...]

In a clean system of each suite (default: bookworm trixie): installs the packages, runs `trellis doctor` on lavapipe, follows
docs/tutorial.md literally with the suite's own headers and compiler, removes the packages, and checks that nothing is left.
Does the same with the archive. Needs root and the network.

  --packages FOLDER  packages that are there already (default: scripts/make_packages.sh makes them)
TEXT
}

packages='' suites=()
while [ $# -gt 0 ]; do
  case $1 in
    --packages)
      [ $# -ge 2 ] || { Usage >&2 && exit 2; }
      packages=$2
      shift
      ;;
    -h | --help)
      Usage
      exit 0
      ;;
    -*)
      Usage >&2
      exit 2
      ;;
    *) suites+=("$1") ;;
  esac
  shift
done
[ "${#suites[@]}" -gt 0 ] || suites=(bookworm trixie)
[ "$(id -u)" -eq 0 ] || Die "chroots need root"
InstallMissingPackages debootstrap lintian dpkg-dev
if [ -z "${packages}" ]; then
  packages=${REPO_ROOT}/build/packages
  "${REPO_ROOT}/scripts/make_packages.sh" --output "${packages}"
fi

Say "lintian"
# Errors fail; warnings are for people to read.
lintian --fail-on error "${packages}"/trellis*.deb

# Prints the script that prepares a system: drivers, and what the tutorial needs besides Trellis.
PrepareScript() {
  local drivers=mesa-vulkan-drivers
  [ "$1" != bookworm ] || drivers=mesa-vulkan-drivers/bookworm-backports
  cat <<SCRIPT
apt-get -q update
apt-get -q -y --no-install-recommends install g++ libvulkan-dev glslang-tools ${drivers}
SCRIPT
}

TryScript() {
  cat <<'SCRIPT'
list() { find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/log -o -name .cache -o -path /etc/ld.so.cache \) -prune -o -print | sort; }
say() { echo "[$(cut -d. -f1 /proc/uptime)] $*"; }
cd /tmp/try
list >/tmp/before
say "apt-get install ./trellis-*.deb"
apt-get -q -y --no-install-recommends install ./trellis-layer_*.deb ./trellis-tools_*.deb ./trellis-dev_*.deb >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
say "trellis doctor"
trellis --version
trellis doctor -o /tmp/doctor.json
say "the tutorial, with $(grep 'define VK_HEADER_VERSION ' /usr/include/vulkan/vulkan_core.h)"
cd tutorial
sh commands.sh >/tmp/tutorial.log 2>&1 || { cat /tmp/tutorial.log; exit 1; }
tail -n 1 /tmp/tutorial.log
cd /tmp/try
say "apt-get remove"
apt-get -q -y remove trellis-layer trellis-tools trellis-dev >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
list >/tmp/after
diff /tmp/before /tmp/after || { echo "the packages leave the files above"; exit 1; }
if dpkg -l 'trellis*' 2>/dev/null | grep -E '^(ii|rc)'; then echo "the packages leave the states above"; exit 1; fi
say "nothing is left"
mkdir /tmp/archive
tar -C /tmp/archive -xf trellis-*.tar.gz
say "the archive, unpacked somewhere: bin/trellis doctor"
/tmp/archive/trellis-*/bin/trellis doctor -o /tmp/archive.json --no-bench
say "the archive, as the README enables it for an application"
mv /tmp/archive/trellis-* /tmp/try/tutorial/trellis
cd /tmp/try/tutorial
cat /tmp/try/archive.sh
sh -eu /tmp/try/archive.sh
say "done"
SCRIPT
}

# Prints the README's command for an unpacked archive, with the tutorial's program in place of the application.
ArchiveCommand() {
  # shellcheck disable=SC2016
  sed -n 's,^. in an unpacked archive . `\(TRELLIS_ENABLE=1 .*\)\./application` .$,\1./primes,p' "${REPO_ROOT}/README.md" | grep .
}

TestSuite() {
  local suite=$1 root begin=${SECONDS}
  MakeTempDir
  root=${TEMP_DIR}/root
  MakeChroot "${suite}" "${root}" || return 1
  mkdir -p "${root}/tmp/try/tutorial"
  cp "${packages}"/trellis*.deb "${packages}"/trellis*.tar.gz "${root}/tmp/try/"
  python3 "${REPO_ROOT}/tests/samples/follow_tutorial.py" --tutorial "${REPO_ROOT}/docs/tutorial.md" --write "${root}/tmp/try/tutorial"
  ArchiveCommand >"${root}/tmp/try/archive.sh" || Die "README.md does not say how to use the archive"
  PrepareScript "${suite}" >"${root}/tmp/prepare.sh"
  TryScript >"${root}/tmp/try.sh"
  Say "${suite}: preparing a clean system ($((SECONDS - begin)) s)"
  RunQuietly "preparing ${suite}" InsideChroot "${root}" /tmp/prepare.sh || return 1
  Say "${suite}: the packages ($((SECONDS - begin)) s)"
  InsideChroot "${root}" /tmp/try.sh || return 1
  python3 "${REPO_ROOT}/tests/samples/follow_tutorial.py" --tutorial "${REPO_ROOT}/docs/tutorial.md" --check "${root}/tmp/tutorial.log"
  Say "${suite}: passed after $((SECONDS - begin)) s"
  rm -rf "${root}"
}

for suite in "${suites[@]}"; do
  TestSuite "${suite}" || Die "the packages do not work on a clean ${suite}"
done
