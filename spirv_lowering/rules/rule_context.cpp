// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/rule_context.h"

#include <algorithm>
#include <utility>

#include "spirv_lowering/ir/call_graph.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {

const Instruction* EntryPointFacts::Mode(spv::ExecutionMode mode) const {
  const auto found = std::find_if(modes.begin(), modes.end(), [=](const Instruction* other) {
    return other->operands[1] == static_cast<uint32_t>(mode);
  });
  return found == modes.end() ? nullptr : *found;
}

RuleContext::RuleContext(const Module& module)
    : module_(module),
      types_(module_),
      lines_(module_),
      type_of_(TypesOfResults(module_)),
      def_use_(module_),
      decorations_(module_) {
  std::vector<Id> variables;
  for (const Instruction& global : module_.globals) {
    if (global.opcode == spv::Op::OpVariable &&
        static_cast<spv::StorageClass>(global.operands[0]) == spv::StorageClass::NodePayloadAMDX)
      variables.push_back(global.result_id);
  }
  inputs_ = PointersToWhole(def_use_, type_of_, variables);
  ReadEntryPoints();
}

void RuleContext::ReadEntryPoints() {
  const CallGraph calls(module_);
  for (const Instruction& entry : module_.entry_points) {
    EntryPointFacts facts;
    size_t name_words = 0;
    facts.model = static_cast<spv::ExecutionModel>(entry.operands[0]);
    facts.function = entry.operands[1];
    facts.name = DecodeString(entry.operands.data() + 2, entry.operands.size() - 2, &name_words);
    facts.interface.assign(entry.operands.begin() + static_cast<std::ptrdiff_t>(2 + name_words), entry.operands.end());
    for (const Instruction& mode : module_.execution_modes) {
      if (mode.operands[0] == facts.function) facts.modes.push_back(&mode);
    }
    const std::vector<Id> functions = calls.ReachableFrom({facts.function}).functions;
    facts.functions.insert(functions.begin(), functions.end());
    for (const Id variable : facts.interface) {
      const Id type = TypeOf(variable);
      if (facts.input == kNoId && types_.IsPointer(type) &&
          types_.PointerClass(type) == spv::StorageClass::NodePayloadAMDX)
        facts.input = variable;
    }
    entry_points_.push_back(std::move(facts));
  }
}

Id RuleContext::TypeOf(Id id) const {
  const auto found = type_of_.find(id);
  return found == type_of_.end() ? kNoId : found->second;
}

std::string RuleContext::Name(Id id) const {
  const std::string name = NameOf(module_, id);
  return name.empty() || name[0] == '%' ? "%" + std::to_string(id) : "'" + name + "' (%" + std::to_string(id) + ")";
}

Id RuleContext::PayloadArrayOf(Id id) const {
  const auto is_array = [&](Id type) {
    const Instruction* definition = types_.Find(type);
    return definition != nullptr && definition->opcode == spv::Op::OpTypeNodePayloadArrayAMDX;
  };
  if (is_array(id)) return id;
  Id type = TypeOf(id);
  if (types_.IsPointer(type)) type = types_.Pointee(type);
  return is_array(type) ? type : kNoId;
}

Id RuleContext::PayloadOf(Id type) const {
  const Instruction* definition = types_.Find(type);
  if (definition != nullptr && definition->opcode != spv::Op::OpTypeStruct)
    definition = types_.Find(types_.ElementType(type, 0));
  return definition != nullptr && definition->opcode == spv::Op::OpTypeStruct ? definition->result_id : kNoId;
}

bool RuleContext::IsInt32(Id type) const {
  const Instruction* definition = types_.Find(type);
  return definition != nullptr && definition->opcode == spv::Op::OpTypeInt && definition->operands[0] == 32;
}
bool RuleContext::IsUint32(Id type) const { return IsInt32(type) && types_.Find(type)->operands[1] == 0; }
bool RuleContext::IsBool(Id type) const {
  const Instruction* definition = types_.Find(type);
  return definition != nullptr && definition->opcode == spv::Op::OpTypeBool;
}

bool RuleContext::IsInt32Constant(Id id) const {
  const Instruction* constant = types_.Find(id);
  if (constant == nullptr || !IsInt32(constant->type_id)) return false;
  switch (constant->opcode) {
    case spv::Op::OpConstant:
    case spv::Op::OpConstantNull:
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantOp:
      return true;
    default:
      return false;
  }
}

bool RuleContext::IsBoolConstant(Id id) const {
  const Instruction* constant = types_.Find(id);
  if (constant == nullptr || !IsBool(constant->type_id)) return false;
  switch (constant->opcode) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstantNull:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
    case spv::Op::OpSpecConstantOp:
      return true;
    default:
      return false;
  }
}

bool RuleContext::IsStringConstant(Id id) const {
  const Instruction* constant = types_.Find(id);
  return constant != nullptr &&
         (constant->opcode == spv::Op::OpConstantStringAMDX || constant->opcode == spv::Op::OpSpecConstantStringAMDX);
}

const EntryPointFacts* RuleContext::EntryOf(Id function) const {
  for (const EntryPointFacts& entry : entry_points_) {
    if (entry.functions.contains(function)) return &entry;
  }
  return nullptr;
}

const EntryPointFacts* RuleContext::EntryWithInput(Id variable) const {
  for (const EntryPointFacts& entry : entry_points_) {
    if (std::find(entry.interface.begin(), entry.interface.end(), variable) != entry.interface.end()) return &entry;
  }
  return nullptr;
}

RuleViolation& RuleContext::Report(std::string rule, Id id, std::string message, const EntryPointFacts* entry,
                                   SourceLine where) {
  violations_.push_back({std::move(rule), entry == nullptr ? std::string() : entry->name, id, std::move(where),
                         std::move(message), false});
  if (entry != nullptr) violations_.back().execution_model = entry->model;
  return violations_.back();
}

}  // namespace trellis::spirv
