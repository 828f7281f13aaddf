#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks C++ formatting with clang-format 14. usage: scripts/check_format.sh [--fix] [clang-format program]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=(--dry-run --Werror)
if [ "${1:-}" = --fix ]; then
  mode=(-i)
  shift
fi
program=${1:-$(command -v clang-format-14 || command -v clang-format || true)}
if [ -z "${program}" ]; then
  printf 'missing clang-format 14 (package clang-format-14 or clang-format)\n' >&2
  exit 1
fi
# Other versions format some things differently.
case $("${program}" --version) in
  *'version 14.'*) ;;
  *) printf 'note: this is not clang-format 14; differences may be its own\n' >&2 ;;
esac
find layer spirv_lowering meta_shaders/shared samples tests tools bench \( -name '*.cpp' -o -name '*.h' \) -print0 2>/dev/null |
  xargs -0 -r "${program}" --style=file "${mode[@]}"
