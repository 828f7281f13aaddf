// SPDX-License-Identifier: Apache-2.0
// Types of node payload arrays and of pointers to payloads, before and after lowering.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/passes/stored_types.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// A payload array becomes a handle: uvec4 {address low, address high, count, stride}. A pointer to one in
// NodePayloadAMDX (an allocation's result, the input) is the handle itself; in other classes it stays a pointer,
// to a handle. Other pointers in NodePayloadAMDX become PhysicalStorageBuffer. Aggregates with payload arrays in them
// keep their ids and hold handles.
class HandleTypes {
 public:
  // `input` may be kNoId. Creates the replacement types; refuses payload arrays in payloads and in other storage
  // classes, alone or in aggregates.
  [[nodiscard]] static Expected<HandleTypes> Create(const Module& module, Types& types, StoredTypes& stored, Id input);

  // The array itself.
  [[nodiscard]] bool IsHandle(Id type) const { return arrays_.contains(type); }
  // A NodePayloadAMDX pointer to it.
  [[nodiscard]] bool IsHandleByPointer(Id type) const { return array_pointers_.contains(type); }
  // A Function, Private or Workgroup pointer to it.
  [[nodiscard]] bool IsHandleVariable(Id type) const { return variables_.contains(type); }
  // Other pointers in NodePayloadAMDX.
  [[nodiscard]] bool IsPayloadPointer(Id type) const { return payload_pointers_.contains(type); }

  // A structure or array with payload arrays in it, of which OpConstantNull can be made (nothing opaque is in it).
  [[nodiscard]] bool IsNullableHolder(Id type) const { return holders_.contains(type) && with_null_.contains(type); }

  // The payload structure of any of the first three.
  [[nodiscard]] Id PayloadOf(Id type) const { return payload_of_.at(type); }
  // The type that stands for `type` after lowering: itself if nothing changes.
  [[nodiscard]] Id Replacement(Id type) const {
    const auto found = replacement_.find(type);
    return found == replacement_.end() ? type : found->second;
  }

  // Puts the replacements into every result type, function type and aggregate of the module.
  void Apply(Module& module) const;

 private:
  [[nodiscard]] bool Holds(Id type) const { return arrays_.contains(type) || holders_.contains(type); }
  // False: a pointer to a payload array in a class that cannot hold one.
  [[nodiscard]] bool AddPointer(const Instruction& type, Id input_array, Types& types, StoredTypes& stored);
  void AddFunction(const Instruction& type, Types& types);

  std::unordered_map<Id, Id> replacement_, payload_of_;
  std::unordered_set<Id> arrays_, array_pointers_, variables_, payload_pointers_;
  std::unordered_set<Id> holders_, with_null_;  // aggregates with payload arrays in them; types that have a null value
};

}  // namespace trellis::spirv
