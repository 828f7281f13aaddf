#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-builds layer, tools and samples for Windows into build/windows.
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for part in common build; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

"${REPO_ROOT}/scripts/windows/bootstrap.sh" "$@"
# Nodes of the samples are compiled during the build, by this machine's program.
if [ ! -x "$(BuildDir dev)/tools/trellis/trellis" ] && [ ! -x "$(BuildDir release)/tools/trellis/trellis" ]; then
  ConfigureAndBuild release --target trellis
fi
ConfigureAndBuild windows
Say "built: $(BuildDir windows)/layer, tools/trellis and samples"
