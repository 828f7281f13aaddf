// Files that the layer writes because a setting says so. Their names can be guessed, so in a folder that others may
// write to, somebody could have put a link there: none is followed.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

namespace trellis {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OutputFile = std::unique_ptr<std::FILE, CloseFile>;

// Goes on behind what the file holds. Null, with errno set, when it cannot be opened or its name is a symbolic link.
[[nodiscard]] OutputFile OpenForAppending(const std::filesystem::path& path);

// A new file in place of what had that name: a link is replaced, what it leads to stays as it is. Null, with errno set,
// when it cannot be made.
[[nodiscard]] OutputFile ReplaceFile(const std::filesystem::path& path);

}  // namespace trellis
