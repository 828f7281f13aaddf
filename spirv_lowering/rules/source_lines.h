// SPDX-License-Identifier: Apache-2.0
// Where in the source something comes from, as far as OpLine, OpString and OpSource tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

struct SourceLine {
  std::string file;
  uint32_t line = 0;  // 0: not known
};

// "file:12: ", or "" if the line is not known.
[[nodiscard]] std::string Prefix(const SourceLine& line);

// A snapshot of the module's strings and sources; lines are read out of the blocks that are passed in.
class SourceLines {
 public:
  explicit SourceLines(const Module& module);

  // Returns the line of block.body[index].
  [[nodiscard]] SourceLine At(const BasicBlock& block, size_t index) const;
  // Returns the place of a declaration on that line of some source file: the file whose line holds `word`, else the
  // first.
  [[nodiscard]] SourceLine Declaration(uint32_t line, std::string_view word) const;

 private:
  struct Source {
    std::string file;
    std::string text;
  };
  std::unordered_map<Id, std::string> strings_;
  std::vector<Source> sources_;
};

}  // namespace trellis::spirv
