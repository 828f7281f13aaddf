// SPDX-License-Identifier: Apache-2.0
// Which functions of a module call which.
#pragma once

#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

class CallGraph {
 public:
  explicit CallGraph(const Module& module);

  struct Order {
    std::vector<Id> functions;  // each once, callees before their callers
    Id recursive = kNoId;       // a function that calls itself, directly or through others; kNoId: there is none
  };
  // Returns the functions that can run when `roots` do, themselves included. Linear time; does not recurse.
  [[nodiscard]] Order ReachableFrom(const std::vector<Id>& roots) const;

 private:
  std::unordered_map<Id, std::vector<Id>> callees_;
};

}  // namespace trellis::spirv
