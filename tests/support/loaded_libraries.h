// SPDX-License-Identifier: Apache-2.0
// Libraries that this process has loaded.
#pragma once

#include <string>

namespace trellis::test {

// True if a library whose path contains `name` is.
[[nodiscard]] bool IsLoaded(const std::string& name);

// Keeps all of them loaded until the process ends, but for those whose path contains `except`, unless that is empty.
// LeakSanitizer looks at the very end, and names and suppresses by library: what a driver leaked would otherwise come
// from an unknown place once the driver is gone.
void KeepLibrariesLoaded(const std::string& except = "");

}  // namespace trellis::test
