# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Clean Debian systems in folders, for tests of packages. Needs lib/common.sh and lib/apt.sh, root, and debootstrap.

# Prints the mirror for a suite of Debian: the one that this system uses for its own.
MirrorForChroot() { printf '%s' "${TRELLIS_DEBIAN_MIRROR:-$(MirrorOf "$(SystemSuite)")}"; }

# Leaves a minimal system of the suite in the folder. What debootstrap made is kept in the cache.
MakeChroot() {
  local suite=$1 folder=$2 archive mirror
  archive=${CACHE_DIR}/debootstrap-${suite}-$(dpkg --print-architecture).tar
  mirror=$(MirrorForChroot)
  if [ ! -s "${archive}" ]; then
    Say "making a clean ${suite} (once; kept in ${CACHE_DIR})"
    mkdir -p "${CACHE_DIR}"
    MakeTempDir
    RunQuietly "debootstrap ${suite}" debootstrap --variant=minbase "${suite}" "${TEMP_DIR}/root" "${mirror}" || return 1
    tar -C "${TEMP_DIR}/root" --numeric-owner --exclude=./var/cache/apt/archives/*.deb -cf "${archive}.new" .
    mv "${archive}.new" "${archive}"
  fi
  mkdir -p "${folder}"
  tar -C "${folder}" --numeric-owner -xpf "${archive}"
  printf 'deb %s %s main\n' "${mirror}" "${suite}" >"${folder}/etc/apt/sources.list"
  # Lavapipe of Debian 12 comes from backports, as in lib/drivers.sh.
  [ "${suite}" != bookworm ] || printf 'deb %s bookworm-backports main\n' "${mirror}" >>"${folder}/etc/apt/sources.list"
  # How this system reaches its mirror.
  apt-config dump | grep '^Acquire::' >"${folder}/etc/apt/apt.conf.d/99acquire" || true
  cp /etc/resolv.conf "${folder}/etc/resolv.conf" 2>/dev/null || true
}

# Runs a script of the chroot, with an environment of its own. What is mounted for it goes with its namespace.
InsideChroot() {
  local folder=$1 script=$2
  # shellcheck disable=SC2016
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" /usr/bin/env -i \
    HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -eu "$2"' \
    sh "${folder}" "${script}"
}
