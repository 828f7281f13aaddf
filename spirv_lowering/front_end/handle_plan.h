// SPDX-License-Identifier: Apache-2.0
// Which variable stands for a handle where it is used.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/front_end/payload_arrays.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {

// Access chains need a pointer to the payload array, and glslang hands them the value that it loaded from a variable.
// The variable itself serves if nothing can have changed it between load and use; all other handles have to be spilled
// to a variable of their own. Allocations are pointers.
class HandlePlan {
 public:
  HandlePlan(const Function& function, const PayloadArrays& arrays, const Types& types, const TypeMap& type_of);

  // Handles that need a variable, in order of first use.
  [[nodiscard]] const std::vector<Id>& spilled() const { return spilled_; }
  // Returns the variable of a handle that is used through a pointer and is neither spilled nor an allocation; otherwise
  // kNoId.
  [[nodiscard]] Id VariableOf(Id handle) const;

 private:
  void Visit(const Instruction& instruction);
  void Use(Id handle);
  void Forget(Id variable);
  void ForgetVisibleToCalls(const Instruction& call);
  [[nodiscard]] bool IsHandleType(Id type) const { return arrays_.outputs.contains(type); }

  const PayloadArrays& arrays_;
  const Types& types_;
  const TypeMap& type_of_;
  std::unordered_set<Id> allocations_, parameters_, spilled_set_;
  std::vector<Id> spilled_;
  std::unordered_map<Id, Id> variable_of_;
  std::unordered_map<Id, Id> current_;  // handle -> variable that still holds it, within the block
};

}  // namespace trellis::spirv
