// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/builtins.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/def_use.h"

namespace trellis::spirv {
namespace {

bool IsReplaced(spv::BuiltIn built_in, const NodeInfo& info) {
  if (built_in == spv::BuiltIn::LocalInvocationId && info.DistrustsLocalId()) return true;
  return IsOfGraph(built_in) || (info.packed > 1 && IsPlace(built_in));
}

// Gives every pointer derived from `variables` the class Private, which those have already.
Expected<void> RetypeDerivedPointers(Module& module, Types& types, const std::vector<Id>& variables) {
  if (variables.empty()) return {};
  const DefUse def_use(module);
  const std::unordered_set<Id> derived = def_use.DerivedFrom(variables);
  for (const DefUse::Use& use : def_use.All()) {
    if (!derived.contains(use.id)) continue;
    const Instruction& user = def_use.UserOf(use);
    const auto refuse = [&](const char* why) {
      return Error{OpcodeName(user.opcode) + " %" + std::to_string(user.result_id) + ": " + why};
    };
    const PointerUse kind = def_use.KindOf(use);
    const bool chosen = user.opcode == spv::Op::OpPhi || user.opcode == spv::Op::OpSelect;
    if (chosen || kind == PointerUse::kPasses || kind == PointerUse::kEscapes)
      return refuse("a pointer to a built-in is passed on: not supported");
    if (kind == PointerUse::kDerives && !types.IsPointer(user.type_id))
      return refuse("a built-in variable used as a value");
  }
  for (Function& function : module.functions) {
    for (BasicBlock& block : function.blocks) {
      for (Instruction& instruction : block.body) {
        if (derived.contains(instruction.result_id))
          instruction.type_id = types.Pointer(spv::StorageClass::Private, types.Pointee(instruction.type_id));
      }
    }
  }
  return {};
}

// Whether the built-in's value can stand in a variable of that type: 32-bit integers, of either sign.
bool Fits(const Types& types, spv::BuiltIn built_in, Id value_type) {
  const bool is_vector = IsPlace(built_in) && built_in != spv::BuiltIn::LocalInvocationIndex;
  const Instruction* type = types.Find(value_type);
  if (is_vector) {
    if (type == nullptr || type->opcode != spv::Op::OpTypeVector || type->operands[1] != 3) return false;
    type = types.Find(type->operands[0]);
  }
  return type != nullptr && type->opcode == spv::Op::OpTypeInt && type->operands[0] == 32;
}

}  // namespace

Expected<std::vector<ReplacedBuiltIn>> ReplaceBuiltIns(Module& module, Types& types, const NodeInfo& info) {
  std::unordered_map<Id, spv::BuiltIn> decorated;
  for (const BuiltInTarget& found : FindBuiltIns(module)) {
    if (!found.member && IsReplaced(found.built_in, info)) decorated.emplace(found.target, found.built_in);
  }
  std::vector<ReplacedBuiltIn> replaced;
  std::vector<Id> variables;
  for (size_t i = 0; i < module.globals.size(); ++i) {
    const auto found = decorated.find(module.globals[i].result_id);
    if (module.globals[i].opcode != spv::Op::OpVariable || found == decorated.end()) continue;
    const Id variable = module.globals[i].result_id;
    const Id value_type = types.Pointee(module.globals[i].type_id);
    if (!Fits(types, found->second, value_type)) {
      return Error{"OpVariable %" + std::to_string(variable) + ": the type does not fit its built-in"};
    }
    // May append to the globals.
    const Id pointer = types.Pointer(spv::StorageClass::Private, value_type);
    module.globals[i].type_id = pointer;
    module.globals[i].operands = {static_cast<uint32_t>(spv::StorageClass::Private)};
    replaced.push_back({found->second, variable, value_type});
    variables.push_back(variable);
  }
  const std::unordered_set<Id> gone(variables.begin(), variables.end());
  std::erase_if(module.annotations,
                [&](const Instruction& annotation) { return gone.contains(annotation.operands[0]); });
  if (Expected<void> retyped = RetypeDerivedPointers(module, types, variables); !retyped) return retyped.error();
  return replaced;
}

}  // namespace trellis::spirv
