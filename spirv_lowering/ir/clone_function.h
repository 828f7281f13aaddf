// SPDX-License-Identifier: Apache-2.0
// Copies of functions within a module.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Makes copies of a module's functions. Names and decorations are indexed once, so the functions to copy must be those
// that the module had at construction. The functions themselves may have been moved out of it.
class FunctionCloner {
 public:
  explicit FunctionCloner(Module& module);

  // Returns the function under new ids: every id that it defines, its own included, gets one, and takes the names and
  // decorations of the old one with it. The copy is not in the module yet.
  [[nodiscard]] Function Clone(const Function& function);
  // Returns the number of words that a copy adds to the module, names and decorations included.
  [[nodiscard]] size_t WordsOf(const Function& function) const;

 private:
  // What a section says about ids: (id, index of the instruction), sorted.
  using Index = std::vector<std::pair<Id, uint32_t>>;

  static Index MakeIndex(const std::vector<Instruction>& section);
  static void CopyAbout(std::vector<Instruction>& section, const Index& index, Id from, Id to);
  static size_t WordsAbout(const std::vector<Instruction>& section, const Index& index, Id id);

  Module& module_;
  const Index names_, annotations_;
};

}  // namespace trellis::spirv
