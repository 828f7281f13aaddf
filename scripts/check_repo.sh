#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source file names its licence, and no file holds words that must not be committed: host names of package registries (the
# mirror comes from the system's own configuration) and paths of one person's machine.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

python3 scripts/check_spdx.py

# The words are split so that this file passes its own check.
forbidden=(
  'deb''ian\.org' 'ubu''ntu\.com' 'npm''js\.' 'py''pi\.' 'python''hosted\.' 'crates\.''io' 'proxy\.''golang' 'nuget\.''org'
  'lu''narg\.com/packages' '(^|[^[:alnum:]_.])/wo''rk/' '(^|[^[:alnum:]_.$}])/ro''ot/' '(^|[^[:alnum:]_.])/ho''me/[a-z]'
)
pattern=$(IFS='|' && printf '%s' "${forbidden[*]}")

ListFiles() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . -path ./build -prune -o -type f -print0
  fi
}

# A file can be in git's list and deleted in the working tree.
if ListFiles | xargs -0 grep -s -I -n -i -E -e "${pattern}"; then
  printf 'The lines above contain a registry host name or a path of one machine; neither may be committed.\n' >&2
  exit 1
fi
