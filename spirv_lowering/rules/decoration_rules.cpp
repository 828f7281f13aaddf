// SPDX-License-Identifier: Apache-2.0
// Targets and operands of the extension's decorations.
#include "spirv_lowering/reflect/records_per_node.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {
namespace {

const char* PayloadArrayDecorationName(spv::Decoration decoration) {
  switch (decoration) {
    case spv::Decoration::NodeMaxPayloadsAMDX:
      return "NodeMaxPayloadsAMDX";
    case spv::Decoration::NodeSharesPayloadLimitsWithAMDX:
      return "NodeSharesPayloadLimitsWithAMDX";
    case spv::Decoration::PayloadNodeNameAMDX:
      return "PayloadNodeNameAMDX";
    case spv::Decoration::PayloadNodeBaseIndexAMDX:
      return "PayloadNodeBaseIndexAMDX";
    case spv::Decoration::PayloadNodeArraySizeAMDX:
      return "PayloadNodeArraySizeAMDX";
    case spv::Decoration::PayloadNodeSparseArrayAMDX:
      return "PayloadNodeSparseArrayAMDX";
    default:
      return nullptr;
  }
}

bool IsPayloadArray(const RuleContext& context, Id id) {
  const Instruction* type = context.types().Find(id);
  return type != nullptr && type->opcode == spv::Op::OpTypeNodePayloadArrayAMDX;
}

void CheckOperand(RuleContext& context, spv::Decoration decoration, const char* name, Id target, Id operand) {
  switch (decoration) {
    case spv::Decoration::NodeMaxPayloadsAMDX:
    case spv::Decoration::PayloadNodeBaseIndexAMDX:
    case spv::Decoration::PayloadNodeArraySizeAMDX:
      if (!context.IsInt32Constant(operand)) {
        context.Report(
            std::string(name) + "/operand", operand,
            std::string(name) + " on " + context.Name(target) + ": the operand must be a 32-bit integer constant");
      }
      return;
    case spv::Decoration::PayloadNodeNameAMDX:
      if (!context.IsStringConstant(operand)) {
        context.Report("PayloadNodeNameAMDX/operand", operand,
                       "PayloadNodeNameAMDX on " + context.Name(target) +
                           ": the operand must be an OpConstantStringAMDX or OpSpecConstantStringAMDX");
      }
      return;
    case spv::Decoration::NodeSharesPayloadLimitsWithAMDX:
      if (!IsPayloadArray(context, operand)) {
        context.Report("NodeSharesPayloadLimitsWithAMDX/operand", operand,
                       "NodeSharesPayloadLimitsWithAMDX on " + context.Name(target) +
                           ": the operand must be an OpTypeNodePayloadArrayAMDX");
      } else if (operand == target ||
                 context.decorations().Has(operand, spv::Decoration::NodeSharesPayloadLimitsWithAMDX)) {
        context.Report("NodeSharesPayloadLimitsWithAMDX/chain", operand,
                       "NodeSharesPayloadLimitsWithAMDX on " + context.Name(target) + ": " + context.Name(operand) +
                           " shares its limits itself");
      }
      return;
    default:
      return;
  }
}

bool IsStruct(const RuleContext& context, Id id) {
  const Instruction* type = context.types().Find(id);
  return type != nullptr && type->opcode == spv::Op::OpTypeStruct;
}

void CheckDecoration(RuleContext& context, const Instruction& annotation) {
  const Id target = annotation.operands[0];
  const auto decoration = static_cast<spv::Decoration>(annotation.operands[1]);
  if (decoration == spv::Decoration::TrackFinishWritingAMDX && !IsStruct(context, target)) {
    context.Report("TrackFinishWritingAMDX/target", target, "TrackFinishWritingAMDX must be on a structure type");
  }
  if (decoration == spv::Decoration::PayloadDispatchIndirectAMDX) {
    context.Report("PayloadDispatchIndirectAMDX/target", target,
                   "PayloadDispatchIndirectAMDX must be on a member of a structure");
  }
  const char* name = PayloadArrayDecorationName(decoration);
  if (name == nullptr) return;
  if (!IsPayloadArray(context, target)) {
    context.Report(std::string(name) + "/target", target,
                   std::string(name) + " on " + context.Name(target) + ": it must be on an OpTypeNodePayloadArrayAMDX");
    return;
  }
  if (annotation.operands.size() > 2) CheckOperand(context, decoration, name, target, annotation.operands[2]);
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
