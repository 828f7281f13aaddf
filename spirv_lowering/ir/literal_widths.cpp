#include "spirv_lowering/ir/literal_widths.h"

namespace trellis::spirv {
namespace {

template <typename Visitor>
void ForEachValue(const Module& module, Visitor&& visit) {
  for (const Instruction& instruction : module.globals) visit(instruction);
  for (const Function& function : module.functions) {
    for (const Instruction& parameter : function.parameters) visit(parameter);
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) visit(instruction);
    }
  }
}

}  // namespace

LiteralWidths::LiteralWidths(const Module& module) {
  for (const Instruction& type : module.globals) {
    const bool numeric = type.opcode == spv::Op::OpTypeInt || type.opcode == spv::Op::OpTypeFloat;
    if (numeric && WordsOfWidth(type.operands[0]) > 1) wide_types_[type.result_id] = WordsOfWidth(type.operands[0]);
  }
  if (wide_types_.empty()) return;
  // Selectors first, so that the map holds switches' selectors and not every 64-bit value of the module.
  for (const Function& function : module.functions) {
    for (const BasicBlock& block : function.blocks) {
      if (!block.body.empty() && block.body.back().opcode == spv::Op::OpSwitch)
        wide_selectors_[block.body.back().operands[0]] = 1;
    }
  }
  ForEachValue(module, [this](const Instruction& instruction) {
    const auto selector = wide_selectors_.find(instruction.result_id);
    if (instruction.result_id == kNoId || selector == wide_selectors_.end()) return;
    const auto type = wide_types_.find(instruction.type_id);
    if (type != wide_types_.end()) selector->second = type->second;
  });
  std::erase_if(wide_selectors_, [](const auto& entry) { return entry.second == 1; });
}

uint32_t LiteralWidths::Words(const Instruction& instruction) const {
  switch (instruction.opcode) {
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant: {
      const auto type = wide_types_.find(instruction.type_id);
      return type != wide_types_.end() ? type->second : 1;
    }
    case spv::Op::OpSwitch: {
      const auto selector = wide_selectors_.find(instruction.operands[0]);
      return selector != wide_selectors_.end() ? selector->second : 1;
    }
    default:
      return 1;
  }
}

}  // namespace trellis::spirv
