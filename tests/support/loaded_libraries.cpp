// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loaded_libraries.h"

#include <algorithm>
#include <vector>

#include "tests/platform/platform.h"

namespace trellis::test {

bool IsLoaded(const std::string& name) {
  const std::vector<std::string> loaded = LoadedLibraryPaths();
  return std::any_of(loaded.begin(), loaded.end(),
                     [&name](const std::string& path) { return path.find(name) != std::string::npos; });
}

void KeepLibrariesLoaded(const std::string& except) {
  for (const std::string& path : LoadedLibraryPaths()) {
    if (except.empty() || path.find(except) == std::string::npos) KeepLibraryLoaded(path);
  }
}

}  // namespace trellis::test
