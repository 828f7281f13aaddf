// SPDX-License-Identifier: Apache-2.0
// Everything in which operating systems differ for tests that run on several of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::test {

// Returns the variables as "NAME=value", with a null pointer at the end. Valid until one of them is changed.
[[nodiscard]] const char* const* EnvironmentEntries();

void SetVariable(const std::string& name, const std::string& value);
void RemoveVariable(const std::string& name);

// Returns a number that no other running process has.
[[nodiscard]] unsigned long ProcessNumber();

// Returns the paths of the libraries that this process has loaded.
[[nodiscard]] std::vector<std::string> LoadedLibraryPaths();

// Keeps a loaded library until the process ends.
void KeepLibraryLoaded(const std::string& path);

// Memory from the first two is freed by the third. `size` need not be a multiple of `alignment`, a power of two.
[[nodiscard]] void* AllocateAligned(size_t size, size_t alignment);
[[nodiscard]] void* ReallocateAligned(void* memory, size_t size, size_t alignment);
void FreeAligned(void* memory);

// Returns the signals that a crash raises.
[[nodiscard]] std::vector<int> CrashSignals();

// The next two are for handlers of signals. Call WriteStack once before, with `to_error` false: the first call may load
// a library.
void WriteToError(const char* text);
void WriteStack(bool to_error);

}  // namespace trellis::test
