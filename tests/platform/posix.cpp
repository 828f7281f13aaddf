// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tests/platform/platform.h"

namespace trellis::test {
namespace {

int AppendName(dl_phdr_info* info, size_t /*size*/, void* names) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

}  // namespace

const char* const* EnvironmentEntries() { return environ; }

void SetVariable(const std::string& name, const std::string& value) { setenv(name.c_str(), value.c_str(), 1); }
void RemoveVariable(const std::string& name) { unsetenv(name.c_str()); }

unsigned long ProcessNumber() { return static_cast<unsigned long>(getpid()); }

std::vector<std::string> LoadedLibraryPaths() {
  std::vector<std::string> paths;
  dl_iterate_phdr(AppendName, &paths);
  return paths;
}

void KeepLibraryLoaded(const std::string& path) { dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE); }

void* AllocateAligned(size_t size, size_t alignment) {
  void* memory = nullptr;
  return posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) == 0 ? memory : nullptr;
}
void* ReallocateAligned(void* memory, size_t size, size_t alignment) {
  void* const moved = AllocateAligned(size, alignment);
  if (moved == nullptr || memory == nullptr) return moved;
  std::memcpy(moved, memory, std::min(size, malloc_usable_size(memory)));
  std::free(memory);
  return moved;
}
void FreeAligned(void* memory) { std::free(memory); }

std::vector<int> CrashSignals() { return {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}; }

void WriteToError(const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

void WriteStack(bool to_error) {
  void* frames[64];
  const int count = backtrace(frames, 64);
  if (to_error) backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

}  // namespace trellis::test
