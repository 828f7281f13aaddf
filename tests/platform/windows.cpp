// SPDX-License-Identifier: Apache-2.0
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <io.h>
#include <malloc.h>
#include <psapi.h>
#include <stdlib.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "spirv_lowering/support/utf8_path.h"
#include "tests/platform/platform.h"

namespace trellis::test {

const char* const* EnvironmentEntries() { return _environ; }

// Windows has no empty variables: an empty value removes.
void SetVariable(const std::string& name, const std::string& value) { _putenv_s(name.c_str(), value.c_str()); }
void RemoveVariable(const std::string& name) { _putenv_s(name.c_str(), ""); }

unsigned long ProcessNumber() { return GetCurrentProcessId(); }

std::vector<std::string> LoadedLibraryPaths() {
  std::vector<HMODULE> modules(1024);
  DWORD size = 0;
  if (EnumProcessModules(GetCurrentProcess(), modules.data(), static_cast<DWORD>(modules.size() * sizeof(HMODULE)),
                         &size) == 0)
    return {};
  if (size / sizeof(HMODULE) < modules.size()) modules.resize(size / sizeof(HMODULE));
  std::vector<std::string> paths;
  std::vector<wchar_t> name(32768);
  for (const HMODULE module : modules) {
    const DWORD length = GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size()));
    paths.push_back(Utf8FromPath(std::wstring_view(name.data(), length)));
  }
  return paths;
}

void KeepLibraryLoaded(const std::string& path) {
  HMODULE module = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, PathFromUtf8(path).c_str(), &module);
}

void* AllocateAligned(size_t size, size_t alignment) { return _aligned_malloc(size, alignment); }
void* ReallocateAligned(void* memory, size_t size, size_t alignment) {
  return _aligned_realloc(memory, size, alignment);
}
void FreeAligned(void* memory) { _aligned_free(memory); }

std::vector<int> CrashSignals() { return {SIGSEGV, SIGILL, SIGFPE, SIGABRT}; }

void WriteToError(const char* text) { _write(2, text, static_cast<unsigned>(std::strlen(text))); }

void WriteStack(bool to_error) {
  void* frames[62];  // the most that older versions of Windows allow
  const USHORT count = CaptureStackBackTrace(0, 62, frames, nullptr);
  if (!to_error) return;
  for (USHORT i = 0; i < count; ++i) {
    char line[32];
    std::snprintf(line, sizeof(line), "%p\n", frames[i]);
    WriteToError(line);
  }
}

}  // namespace trellis::test
