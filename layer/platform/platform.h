// SPDX-License-Identifier: Apache-2.0
// Everything in which operating systems differ for the layer. Each system has one file that implements it; the rest of
// the layer has no code for one system. Text is UTF-8.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

// Returns whether the process has more rights than the user who started it: a set-user-ID program and the like, or an
// elevated process of Windows. The Vulkan loader computes it in the same way.
[[nodiscard]] bool HasRaisedPrivileges();

// Nothing for a variable that is not set. The layer must not call these in a process with raised privileges.
[[nodiscard]] std::optional<std::string> EnvironmentVariable(const std::string& name);
[[nodiscard]] std::vector<std::string> EnvironmentNames();

// Returns where vkconfig writes a settings file, in the order of precedence. The files need not exist.
[[nodiscard]] std::vector<std::filesystem::path> SystemSettingsFiles();

// Copies bytes that lie within one page. Leaves `to` as it is where they are not readable. Returns false if the system
// does not tell whether they are.
[[nodiscard]] bool CopyIfReadable(const void* from, void* to, size_t bytes);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OutputFile = std::unique_ptr<std::FILE, CloseFile>;

// Files that the layer writes because a setting says so. Their names can be guessed, so somebody could have put a link
// into a folder that others may write to. No link is followed.

// Appends to what the file holds. Returns null, with errno set, when the file cannot be opened or is a symbolic link.
[[nodiscard]] OutputFile OpenForAppending(const std::filesystem::path& path);

// Creates a new file in place of the one that had that name. A link is replaced and its target stays as it is. Returns
// null, with errno set, when the file cannot be created.
[[nodiscard]] OutputFile ReplaceFile(const std::filesystem::path& path);

}  // namespace trellis
