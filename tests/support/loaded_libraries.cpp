// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loaded_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <vector>

namespace trellis::test {
namespace {

int AppendName(dl_phdr_info* info, size_t /*size*/, void* names) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

std::vector<std::string> LoadedLibraries() {
  std::vector<std::string> names;
  dl_iterate_phdr(AppendName, &names);
  return names;
}

}  // namespace

bool IsLoaded(const std::string& name) {
  const std::vector<std::string> loaded = LoadedLibraries();
  return std::any_of(loaded.begin(), loaded.end(),
                     [&name](const std::string& path) { return path.find(name) != std::string::npos; });
}

void KeepLibrariesLoaded(const std::string& except) {
  for (const std::string& path : LoadedLibraries()) {
    if (!except.empty() && path.find(except) != std::string::npos) continue;
    dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

}  // namespace trellis::test
