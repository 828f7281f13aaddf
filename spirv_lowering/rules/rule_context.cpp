// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/rule_context.h"

#include <algorithm>
#include <utility>

#include "spirv_lowering/ir/call_graph.h"
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {
namespace {

// The reader refuses booleans by OpConstant, and integers by OpConstantTrue and the like.
bool IsScalarConstant(const Instruction& global) {
  switch (global.opcode) {
    case spv::Op::OpConstant:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstantNull:
    case spv::Op::OpConstantTrue:
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantFalse:
    case spv::Op::OpSpecConstantOp:
    case spv::Op::OpSpecConstantTrue:
      return true;
    default:
      return false;
  }
}

}  // namespace

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
  for (const Instruction& global : module_.globals) {
    if (global.IsVariable(spv::StorageClass::NodePayloadAMDX)) input_variables_.push_back(global.result_id);
  }
  inputs_ = PointersToWhole(def_use_, type_of_, input_variables_);
  ReadEntryPoints();
}

void RuleContext::ReadEntryPoints() {
  const CallGraph calls(module_);
  for (const Instruction& entry : module_.entry_points) {
    EntryPointFacts facts;
    facts.model = static_cast<spv::ExecutionModel>(entry.operands[0]);
    facts.function = entry.operands[1];
    facts.name = DecodeString(entry.operands.data() + 2, entry.operands.size() - 2);
    facts.interface.assign(entry.operands.begin() + static_cast<std::ptrdiff_t>(InterfaceStart(entry)),
                           entry.operands.end());
    for (const Instruction& mode : module_.execution_modes) {
      if (mode.operands[0] == facts.function) facts.modes.push_back(&mode);
    }
    const std::vector<Id> functions = calls.ReachableFrom({facts.function}).functions;
    facts.functions.insert(functions.begin(), functions.end());
    for (const Id variable : facts.interface) {
      const Id type = TypeOf(variable);
      if (types_.IsPointer(type) && types_.PointerClass(type) == spv::StorageClass::NodePayloadAMDX)
        facts.inputs.push_back(variable);
    }
    entry_points_.push_back(std::move(facts));
  }
}

std::string RuleContext::Name(Id id) const {
  const std::string name = NameOf(module_, id);
  return name.empty() || name[0] == '%' ? "%" + std::to_string(id) : "'" + name + "' (%" + std::to_string(id) + ")";
}

Id RuleContext::PayloadArrayOf(Id id) const {
  return types_.IsPointer(id) ? kNoId : PayloadArrayTypeOf(types_, type_of_, id);
}

Id RuleContext::PayloadOf(Id type) const {
  const Id payload = types_.Is(type, spv::Op::OpTypeStruct) ? type : types_.ElementType(type, 0);
  return types_.Is(payload, spv::Op::OpTypeStruct) ? payload : kNoId;
}

bool RuleContext::IsInt32(Id type) const {
  return types_.Is(type, spv::Op::OpTypeInt) && types_.Find(type)->operands[0] == 32;
}

bool RuleContext::IsInt32Constant(Id id) const {
  const Instruction* constant = types_.Find(id);
  return constant != nullptr && IsInt32(constant->type_id) && IsScalarConstant(*constant);
}

bool RuleContext::IsBoolConstant(Id id) const {
  const Instruction* constant = types_.Find(id);
  return constant != nullptr && types_.Is(constant->type_id, spv::Op::OpTypeBool) && IsScalarConstant(*constant);
}

bool RuleContext::IsStringConstant(Id id) const {
  return types_.Is(id, spv::Op::OpConstantStringAMDX) || types_.Is(id, spv::Op::OpSpecConstantStringAMDX);
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
