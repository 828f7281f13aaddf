# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Debian packages of the system's own suite, and of others without touching the system's package configuration:
# a private source list with the mirror that the system already uses, private lists and a private cache.

PackageInstalled() {
  [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ]
}

# Prints the installed version, or nothing.
PackageVersion() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || true; }

PackageAtLeast() {
  PackageInstalled "$1" && dpkg --compare-versions "$(PackageVersion "$1")" ge "$2"
}

SYSTEM_LISTS_FRESH=
RefreshSystemLists() {
  [ -z "${SYSTEM_LISTS_FRESH}" ] || return 0
  # A third-party source that fails must not stop us: what counts is whether the packages can then be installed.
  RunQuietly "refreshing the package lists" AsRoot apt-get -q update || Warn "apt-get update failed; going on with the lists there are"
  SYSTEM_LISTS_FRESH=1
}

InstallPackages() {
  AsRoot env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@"
}

# Base address of the mirror that the system uses for the given suite; empty if it uses none.
MirrorOf() {
  # shellcheck disable=SC2016
  apt-get indextargets 'Created-By: Packages' --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 2>/dev/null |
    awk -v suite="$1" '$1 == suite && $2 == "main" { print $3; exit }'
}

SystemSuite() { (. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}"); }

# Sets APT_STATE to a directory whose lists cover the given suites, SUITE or SUITE@SUITE_WHOSE_MIRROR.
# A suite for which the system has no mirror is left out with a warning.
OpenPrivateApt() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg option='' spec suite mirror
  MakeTempDir
  APT_STATE=${TEMP_DIR}
  mkdir -p "${APT_STATE}/lists/partial" "${APT_STATE}/cache/archives/partial" "${APT_STATE}/download"
  # The download helper drops its privileges to this account where it exists.
  chown _apt "${APT_STATE}/download" 2>/dev/null || true
  [ ! -r "${keyring}" ] || option="[signed-by=${keyring}] "
  for spec in "$@"; do
    suite=${spec%@*}
    mirror=${TRELLIS_DEBIAN_MIRROR:-$(MirrorOf "${spec#*@}")}
    if [ -z "${mirror}" ]; then
      Warn "no mirror for ${spec#*@} in the system's package sources (set TRELLIS_DEBIAN_MIRROR to one)"
      continue
    fi
    printf 'deb %s%s %s main\ndeb-src %s%s %s main\n' "${option}" "${mirror}" "${suite}" "${option}" "${mirror}" "${suite}"
  done >"${APT_STATE}/sources.list"
  [ -s "${APT_STATE}/sources.list" ] || return 1
  RunQuietly "reading the package lists of $*" PrivateApt -q -o Acquire::Languages=none -o Acquire::Retries=3 update
}

PrivateApt() {
  apt-get \
    -o Dir::Etc::sourcelist="${APT_STATE}/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State::lists="${APT_STATE}/lists" -o Dir::Cache="${APT_STATE}/cache" "$@"
}

# Downloads binary packages into the private state's download directory.
PrivateDownload() { (cd "${APT_STATE}/download" && PrivateApt -q download "$@"); }

# Downloads the upstream tarball of a source package there; apt checks its checksum.
PrivateDownloadTarball() {
  (cd "${APT_STATE}/download" && PrivateApt -q source --download-only --tar-only "$1")
}
