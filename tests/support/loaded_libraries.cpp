#include "tests/support/loaded_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <vector>

namespace trellis::test {
namespace {

int AppendName(dl_phdr_info* info, size_t /*size*/, void* names) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

}  // namespace

void KeepLibrariesLoaded() {
  std::vector<std::string> names;
  dl_iterate_phdr(AppendName, &names);
  for (const std::string& name : names) dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace trellis::test
