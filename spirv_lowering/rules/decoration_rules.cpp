// SPDX-License-Identifier: Apache-2.0
// Targets and operands of the extension's decorations.
#include <algorithm>
#include <array>

#include "spirv_lowering/reflect/records_per_node.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {
namespace {

enum class OperandForm : uint8_t { kNone, kInteger, kString, kPayloadArray };

struct PayloadArrayDecoration {
  spv::Decoration decoration;
  const char* name;
  OperandForm operand;
};

constexpr std::array<PayloadArrayDecoration, 6> kPayloadArrayDecorations = {
    {{spv::Decoration::NodeMaxPayloadsAMDX, "NodeMaxPayloadsAMDX", OperandForm::kInteger},
     {spv::Decoration::NodeSharesPayloadLimitsWithAMDX, "NodeSharesPayloadLimitsWithAMDX", OperandForm::kPayloadArray},
     {spv::Decoration::PayloadNodeNameAMDX, "PayloadNodeNameAMDX", OperandForm::kString},
     {spv::Decoration::PayloadNodeBaseIndexAMDX, "PayloadNodeBaseIndexAMDX", OperandForm::kInteger},
     {spv::Decoration::PayloadNodeArraySizeAMDX, "PayloadNodeArraySizeAMDX", OperandForm::kInteger},
     {spv::Decoration::PayloadNodeSparseArrayAMDX, "PayloadNodeSparseArrayAMDX", OperandForm::kNone}}};

bool IsPayloadArray(const RuleContext& context, Id id) {
  return context.types().Is(id, spv::Op::OpTypeNodePayloadArrayAMDX);
}

void CheckOperand(RuleContext& context, const PayloadArrayDecoration& decoration, Id target, Id operand) {
  const std::string name = decoration.name;
  const auto report = [&](const char* rule, const std::string& problem) {
    context.Report(name + rule, operand, name + " on " + context.Name(target) + ": " + problem);
  };
  if (decoration.operand == OperandForm::kInteger && !context.IsInt32Constant(operand)) {
    report("/operand", "the operand must be a 32-bit integer constant");
  } else if (decoration.operand == OperandForm::kString && !context.IsStringConstant(operand)) {
    report("/operand", "the operand must be an OpConstantStringAMDX or OpSpecConstantStringAMDX");
  } else if (decoration.operand == OperandForm::kPayloadArray) {
    if (!IsPayloadArray(context, operand)) {
      report("/operand", "the operand must be an OpTypeNodePayloadArrayAMDX");
    } else if (operand == target || context.decorations().Has(operand, decoration.decoration)) {
      report("/chain", context.Name(operand) + " shares its limits itself");
    }
  }
}

void CheckDecoration(RuleContext& context, const Instruction& annotation) {
  const Id target = annotation.operands[0];
  const auto decoration = static_cast<spv::Decoration>(annotation.operands[1]);
  if (decoration == spv::Decoration::TrackFinishWritingAMDX && !context.types().Is(target, spv::Op::OpTypeStruct)) {
    context.Report("TrackFinishWritingAMDX/target", target, "TrackFinishWritingAMDX must be on a structure type");
  }
  if (decoration == spv::Decoration::PayloadDispatchIndirectAMDX) {
    context.Report("PayloadDispatchIndirectAMDX/target", target,
                   "PayloadDispatchIndirectAMDX must be on a member of a structure");
  }
  const auto known = std::ranges::find(kPayloadArrayDecorations, decoration, &PayloadArrayDecoration::decoration);
  if (known == kPayloadArrayDecorations.end()) return;
  if (!IsPayloadArray(context, target)) {
    const std::string name = known->name;
    context.Report(name + "/target", target,
                   name + " on " + context.Name(target) + ": it must be on an OpTypeNodePayloadArrayAMDX");
    return;
  }
  if (annotation.operands.size() > 2) CheckOperand(context, *known, target, annotation.operands[2]);
}

void CheckRecordsPerNode(RuleContext& context, const Instruction& annotation) {
  const std::optional<std::string> text = RecordsPerNodeText(annotation);
  if (!text) return;
  const Id target = annotation.operands[0];
  if (!IsPayloadArray(context, target)) {
    context.Report("MaxRecordsPerNode/target", target,
                   *text + " on " + context.Name(target) + ": it must be on an OpTypeNodePayloadArrayAMDX");
  } else if (const Expected<uint32_t> count = ParseRecordsPerNode(*text); !count) {
    context.Report("MaxRecordsPerNode/form", target, count.error().message);
  }
}

// Unsigned scalar, 2- or 3-vector of 8, 16 or 32 bits; compilers also emit arrays of up to three.
bool IsGridType(const RuleContext& context, Id type) {
  const Instruction* definition = context.types().Find(type);
  if (definition != nullptr && definition->opcode == spv::Op::OpTypeVector) {
    if (definition->operands[1] > 3) return false;
    definition = context.types().Find(definition->operands[0]);
  } else if (definition != nullptr && definition->opcode == spv::Op::OpTypeArray) {
    // A length that can be specialised is checked at pipeline creation.
    if (context.types().ConstantValue(definition->operands[1]).value_or(1) > 3) return false;
    definition = context.types().Find(definition->operands[0]);
  }
  return definition != nullptr && definition->opcode == spv::Op::OpTypeInt && definition->operands[0] <= 32 &&
         definition->operands[1] == 0;
}

void CheckMemberDecoration(RuleContext& context, const Instruction& annotation) {
  if (static_cast<spv::Decoration>(annotation.operands[2]) != spv::Decoration::PayloadDispatchIndirectAMDX) return;
  const Id type = annotation.operands[0];
  const uint32_t member = annotation.operands[1];
  if (IsGridType(context, context.types().ElementType(type, member))) return;
  context.Report(
      "PayloadDispatchIndirectAMDX/type", type,
      "member " + std::to_string(member) + " of " + context.Name(type) +
          " holds the grid: it must be an unsigned integer of at most 32 bits, or a vector of two or three of them");
}

}  // namespace

void CheckDecorationRules(RuleContext& context) {
  for (const Instruction& annotation : context.module().annotations) {
    if (annotation.opcode == spv::Op::OpDecorate || annotation.opcode == spv::Op::OpDecorateId)
      CheckDecoration(context, annotation);
    CheckRecordsPerNode(context, annotation);
    if (annotation.opcode == spv::Op::OpMemberDecorate) CheckMemberDecoration(context, annotation);
  }
}

}  // namespace trellis::spirv
