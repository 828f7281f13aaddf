// SPDX-License-Identifier: Apache-2.0
// What the passes share while one node is lowered.
#pragma once

#include <utility>
#include <vector>

#include "spirv_lowering/ir/link.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/lower.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

struct Lowering {
  Module& module;
  Types& types;
  Importer& runtime;  // functions of meta_shaders/runtime by name
  const NodeInfo& info;
  const LowerOptions& options;
  ConstantReader& constants;  // of the module as it was given
  Id entry_function;          // the node's own function, then called by the new entry point
  Id input;                   // variable in NodePayloadAMDX, or kNoId

  // Handles without an address lead to what trellis_find_dump found; else each access looks for it.
  [[nodiscard]] bool FindsDump() const { return options.target.for_cpu && !info.outputs.empty(); }
};

// What was imported, and where its id goes.
struct Imported {
  Expected<Id> id;
  Id& into;
};
// Error: the first of theirs.
[[nodiscard]] inline Expected<void> Take(const std::vector<Imported>& all) {
  for (const Imported& imported : all) {
    if (!imported.id) return imported.id.error();
    imported.into = *imported.id;
  }
  return {};
}

// Appends instructions with new result ids to a block's body.
class Builder {
 public:
  Builder(Module& module, std::vector<Instruction>& body) : module_(module), body_(body) {}

  Id Emit(spv::Op opcode, Id type, std::vector<uint32_t> operands) {
    const Id result = module_.NewId();
    body_.emplace_back(opcode, type, result, std::move(operands));
    return result;
  }
  void EmitVoid(spv::Op opcode, std::vector<uint32_t> operands) {
    body_.emplace_back(opcode, kNoId, kNoId, std::move(operands));
  }
  Id Call(Id type, Id function, std::vector<uint32_t> arguments) {
    arguments.insert(arguments.begin(), function);
    return Emit(spv::Op::OpFunctionCall, type, std::move(arguments));
  }

 private:
  Module& module_;
  std::vector<Instruction>& body_;
};

}  // namespace trellis::spirv
