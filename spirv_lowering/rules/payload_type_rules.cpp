// SPDX-License-Identifier: Apache-2.0
// Payload array types, and the layout of what is in them.
#include <unordered_set>

#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {
namespace {

class LayoutRules {
 public:
  explicit LayoutRules(RuleContext& context) : context_(context) {}

  void CheckStruct(Id type) {
    if (!seen_.insert(type).second) return;
    const Instruction* structure = context_.types().Find(type);
    const std::string name = context_.Name(type);
    for (uint32_t member = 0; member < structure->operands.size(); ++member) {
      const std::string what = "member " + std::to_string(member) + " of the payload " + name;
      if (!context_.decorations().HasMember(type, member, spv::Decoration::Offset)) {
        context_.Report("NodePayloadAMDX/Offset", type, what + " has no Offset: payloads must be explicitly laid out");
      }
      CheckMember(type, member, structure->operands[member], what);
    }
  }

 private:
  void CheckMember(Id structure, uint32_t member, Id type, const std::string& what) {
    const Instruction* definition = context_.types().Find(type);
    while (definition != nullptr &&
           (definition->opcode == spv::Op::OpTypeArray || definition->opcode == spv::Op::OpTypeRuntimeArray)) {
      if (!context_.decorations().Has(definition->result_id, spv::Decoration::ArrayStride)) {
        context_.Report("NodePayloadAMDX/ArrayStride", definition->result_id,
                        what + " is an array without ArrayStride: payloads must be explicitly laid out");
      }
      definition = context_.types().Find(definition->operands[0]);
    }
    if (definition == nullptr) return;
    if (definition->opcode == spv::Op::OpTypeMatrix &&
        !context_.decorations().HasMember(structure, member, spv::Decoration::MatrixStride)) {
      context_.Report("NodePayloadAMDX/MatrixStride", structure,
                      what + " is a matrix without MatrixStride: payloads must be explicitly laid out");
    }
    if (definition->opcode == spv::Op::OpTypeStruct) CheckStruct(definition->result_id);
  }

  RuleContext& context_;
  std::unordered_set<Id> seen_;
};

// Types that allocations and validity queries name.
std::unordered_set<Id> OutputTypes(const RuleContext& context) {
  std::unordered_set<Id> outputs;
  for (const Function& function : context.module().functions) {
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (instruction.opcode == spv::Op::OpAllocateNodePayloadsAMDX)
          outputs.insert(context.PayloadArrayOf(instruction.result_id));
        if (instruction.opcode == spv::Op::OpIsNodePayloadValidAMDX)
          outputs.insert(context.PayloadArrayOf(instruction.operands[0]));
      }
    }
  }
  outputs.erase(kNoId);
  return outputs;
}

void CheckArrayType(RuleContext& context, const Instruction& array, bool is_output, bool is_input) {
  const Id id = array.result_id;
  const bool named = context.decorations().Has(id, spv::Decoration::PayloadNodeNameAMDX);
  if (context.PayloadOf(id) == kNoId) {
    context.Report("OpTypeNodePayloadArrayAMDX/Payload-Type", id,
                   "the payload type of " + context.Name(id) + " is not a structure");
  }
  if (!context.decorations().Has(id, spv::Decoration::NodeMaxPayloadsAMDX)) {
    context.Report("NodeMaxPayloadsAMDX/required", id,
                   "the payload array type " + context.Name(id) + " has no NodeMaxPayloadsAMDX");
  }
  if (is_output && !named) {
    context.Report("PayloadNodeNameAMDX/required", id,
                   "payloads of the type " + context.Name(id) +
                       " are sent, but it names no node: PayloadNodeNameAMDX is missing" +
                       (is_input ? " (it is the type of the input)" : ""));
  }
  if (is_input && named) {
    context.Report("PayloadNodeNameAMDX/output-only", id,
                   "PayloadNodeNameAMDX on " + context.Name(id) + ", the type of an input");
  }
}

}  // namespace

void CheckPayloadTypeRules(RuleContext& context) {
  const std::unordered_set<Id> outputs = OutputTypes(context);
  std::unordered_set<Id> inputs;
  for (const Id variable : context.input_variables()) inputs.insert(context.types().Pointee(context.TypeOf(variable)));
  LayoutRules layout(context);
  for (const Instruction& global : context.module().globals) {
    const bool is_input = inputs.contains(global.result_id);
    if (global.opcode == spv::Op::OpTypeNodePayloadArrayAMDX) {
      CheckArrayType(context, global, outputs.contains(global.result_id), is_input);
    } else if (!is_input) {
      continue;
    }
    const Id payload = context.PayloadOf(global.result_id);
    if (payload != kNoId) layout.CheckStruct(payload);
  }
}

}  // namespace trellis::spirv
