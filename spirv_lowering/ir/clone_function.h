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
  Module& module_;
  const std::vector<std::pair<Id, uint32_t>> names_, annotations_;  // (id, index of what is said about it), sorted
};

}  // namespace trellis::spirv
