// SPDX-License-Identifier: Apache-2.0
// Outputs and allocations of a node: which payload array types it sends to, and when each allocation may take its place
// in the target's region.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

enum class Commit : uint8_t {
  kAtAllocation,  // on every path the handle is enqueued exactly once, or it is an empty payload that compilers never
                  // enqueue
  kAtEnqueue,     // all others: a rank taken early could become a hole
};

inline constexpr uint32_t kNoOutput = 0xffffffff;

struct Allocation {
  const Instruction* instruction = nullptr;  // OpAllocateNodePayloadsAMDX
  uint32_t output_number =
      kNoOutput;  // index into Outputs::array_types; kNoOutput: the result is no pointer to a payload array
  Commit commit = Commit::kAtEnqueue;
  bool runs_once = false;    // at most, in each invocation
  bool at_most_one = false;  // record, by the form of its count: a constant, or a choice among constants
};

// Pointers are into the analysed module: edits of its functions make this stale.
struct Outputs {
  std::vector<Id> array_types;  // OpTypeNodePayloadArrayAMDX, in the order of the module's declarations: the order of
                                // NodeInfo::outputs
  std::unordered_map<Id, Allocation> allocations;  // by result id
  std::unordered_set<const Instruction*>
      committed_enqueues;  // OpEnqueueNodePayloadsAMDX of Commit::kAtAllocation: nothing is left to do there
  std::unordered_multimap<Id, Id> asked_indices;  // operands of OpIsNodePayloadValidAMDX, by array type
};

// Result id -> result type, of all globals, parameters and instructions.
using TypeMap = std::unordered_map<Id, Id>;
[[nodiscard]] TypeMap TypesOfResults(const Module& module);
// Adds those of one function.
void AddTypesOfResults(const Function& function, TypeMap& type_of);
// kNoId for what has no type.
[[nodiscard]] inline Id TypeOf(const TypeMap& type_of, Id id) {
  const auto found = type_of.find(id);
  return found == type_of.end() ? kNoId : found->second;
}

// Returns the outputs of an extracted node (reflect/node_module.h), so that every instruction counts. `types` and
// `def_use` must be of `module`.
[[nodiscard]] Outputs FindOutputs(const Module& module, const Types& types, const DefUse& def_use);

// The OpTypeNodePayloadArrayAMDX behind the first operand of OpIsNodePayloadValidAMDX and the like: a type id (as the
// specification has it), or a pointer or value of such a type (as compilers emit it). kNoId if it is none.
[[nodiscard]] Id PayloadArrayTypeOf(const Types& types, const TypeMap& type_of, Id operand);

}  // namespace trellis::spirv
