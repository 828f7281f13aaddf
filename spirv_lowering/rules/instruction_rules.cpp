// SPDX-License-Identifier: Apache-2.0
// The extension's instructions.
#include <algorithm>
#include <optional>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {
namespace {

class InstructionRules {
 public:
  InstructionRules(RuleContext& context, const Function& function)
      : context_(context), types_(context.types()), function_(function), entry_(context.EntryOf(function.id())) {}

  void Run() {
    for (const BasicBlock& block : function_.blocks) {
      for (size_t i = 0; i < block.body.size(); ++i) {
        block_ = &block;
        at_ = i;
        Check(block.body[i]);
      }
    }
  }

 private:
  RuleViolation& Report(std::string rule, Id id, std::string message) {
    return context_.Report(std::move(rule), id, std::move(message), entry_, context_.lines().At(*block_, at_));
  }
  void Warn(std::string rule, Id id, std::string message) {
    RuleViolation& violation = Report(std::move(rule), id, std::move(message));
    violation.tolerated = violation.depends_on_execution = true;
  }
  void Check(const Instruction& instruction) {
    switch (instruction.opcode) {
      case spv::Op::OpAllocateNodePayloadsAMDX:
        CheckAllocate(instruction);
        break;
      case spv::Op::OpEnqueueNodePayloadsAMDX:
        CheckEnqueue(instruction);
        break;
      case spv::Op::OpNodePayloadArrayLengthAMDX:
        CheckLength(instruction);
        break;
      case spv::Op::OpIsNodePayloadValidAMDX:
        CheckValid(instruction);
        break;
      case spv::Op::OpFinishWritingNodePayloadAMDX:
        CheckFinish(instruction);
        break;
      default:
        break;
    }
  }

  void CheckInt(const Instruction& instruction, Id operand, const char* what) {
    if (context_.IsInt32(context_.TypeOf(operand))) return;
    Report(OpcodeName(instruction.opcode) + "/" + what, operand,
           OpcodeName(instruction.opcode) + ": the operand " + what + " must be a 32-bit integer");
  }
  void CheckBoolResult(const Instruction& instruction) {
    if (types_.Is(instruction.type_id, spv::Op::OpTypeBool)) return;
    Report(OpcodeName(instruction.opcode) + "/Result-Type", instruction.result_id,
           OpcodeName(instruction.opcode) + " must give a bool");
  }

  // The value of an id operand of a decoration, if it is a plain constant.
  std::optional<uint32_t> Decorated(Id array, spv::Decoration decoration) const {
    const std::optional<uint32_t> id = context_.decorations().Find(array, decoration);
    return id ? types_.ConstantValue(*id) : std::nullopt;
  }

  void CheckAllocate(const Instruction& allocate) {
    const std::optional<uint32_t> scope = types_.ConstantValue(allocate.operands[0]);
    // One that can be specialised is checked at pipeline creation.
    const bool known = scope || !context_.IsInt32Constant(allocate.operands[0]);
    if (known && scope != kScopeWorkgroup && scope != kScopeInvocation) {
      Report("OpAllocateNodePayloadsAMDX/Visibility", allocate.result_id,
             "OpAllocateNodePayloadsAMDX: Visibility must be the constant scope Workgroup (2) or Invocation (4)" +
                 (scope ? ", not " + std::to_string(*scope) : ""));
    }
    CheckInt(allocate, allocate.operands[1], "Payload-Count");
    CheckInt(allocate, allocate.operands[2], "Node-Index");
    const Id array = context_.PayloadArrayOf(allocate.result_id);
    const bool right_type = array != kNoId && types_.IsPointer(allocate.type_id) &&
                            types_.PointerClass(allocate.type_id) == spv::StorageClass::NodePayloadAMDX;
    if (!right_type) {
      Report("OpAllocateNodePayloadsAMDX/Result-Type", allocate.result_id,
             "OpAllocateNodePayloadsAMDX must give a pointer in NodePayloadAMDX to an OpTypeNodePayloadArrayAMDX");
      return;
    }
    if (entry_ != nullptr && entry_->model != spv::ExecutionModel::GLCompute) {
      Report("OpAllocateNodePayloadsAMDX/execution-model", allocate.result_id,
             "only compute nodes enqueue: OpAllocateNodePayloadsAMDX in another execution model");
    }
    CheckCount(allocate, array);
    CheckIndex(allocate.operands[2], array, allocate.result_id);
  }

  void CheckCount(const Instruction& allocate, Id array) {
    const std::optional<uint32_t> shared =
        context_.decorations().Find(array, spv::Decoration::NodeSharesPayloadLimitsWithAMDX);
    const std::optional<uint32_t> max_payloads =
        Decorated(shared ? *shared : array, spv::Decoration::NodeMaxPayloadsAMDX);
    const std::optional<uint32_t> count = types_.ConstantValue(allocate.operands[1]);
    if (!count || !max_payloads || *count <= *max_payloads) return;
    Warn("NodeMaxPayloadsAMDX/count", allocate.result_id,
         "allocates " + std::to_string(*count) + " payloads of " + context_.Name(array) + ", whose maximum is " +
             std::to_string(*max_payloads));
  }

  void CheckIndex(Id index_operand, Id array, Id id) {
    const std::optional<uint32_t> index = types_.ConstantValue(index_operand);
    const std::optional<uint32_t> size = Decorated(array, spv::Decoration::PayloadNodeArraySizeAMDX);
    if (!index || !size || *index < *size) return;
    Warn("PayloadNodeArraySizeAMDX/index", id,
         "index " + std::to_string(*index) + " into the node array of " + context_.Name(array) + ", which has " +
             std::to_string(*size) + " nodes");
  }

  // A type is not an array: the operands of these instructions are pointers or values.
  [[nodiscard]] bool IsArrayOperand(Id id) const {
    return context_.TypeOf(id) != kNoId && context_.PayloadArrayOf(id) != kNoId;
  }

  void CheckEnqueue(const Instruction& enqueue) {
    const Id array = enqueue.operands[0];
    if (context_.IsInput(array)) {
      Report("OpEnqueueNodePayloadsAMDX/Payload-Array", array,
             "OpEnqueueNodePayloadsAMDX: " + context_.Name(array) + " is the node's input, not an allocated array");
    } else if (!IsArrayOperand(array)) {
      Report("OpEnqueueNodePayloadsAMDX/Payload-Array", array,
             "OpEnqueueNodePayloadsAMDX: " + context_.Name(array) + " is not an allocated node payload array");
    }
  }

  void CheckLength(const Instruction& length) {
    if (!context_.IsInput(length.operands[0]) && !IsArrayOperand(length.operands[0])) {
      Report("OpNodePayloadArrayLengthAMDX/Payload-Array", length.operands[0],
             "OpNodePayloadArrayLengthAMDX: " + context_.Name(length.operands[0]) +
                 " is neither an input nor an allocated node payload array");
    }
    if (!context_.IsInt32(length.type_id)) {
      Report("OpNodePayloadArrayLengthAMDX/Result-Type", length.result_id,
             "OpNodePayloadArrayLengthAMDX must give a 32-bit integer");
    }
  }

  // Compilers pass a variable or an allocation where the text wants the type; what type is meant is clear.
  void CheckValid(const Instruction& valid) {
    const Id array = context_.PayloadArrayOf(valid.operands[0]);
    if (array == kNoId) {
      Report("OpIsNodePayloadValidAMDX/Payload-Type", valid.operands[0],
             "OpIsNodePayloadValidAMDX: " + context_.Name(valid.operands[0]) + " is not an OpTypeNodePayloadArrayAMDX");
    } else {
      CheckIndex(valid.operands[1], array, valid.result_id);
    }
    CheckInt(valid, valid.operands[1], "Node-Index");
    CheckBoolResult(valid);
  }

  void CheckFinish(const Instruction& finish) {
    CheckBoolResult(finish);
    const Id payload = finish.operands[0];
    if (!context_.IsInput(payload)) {
      // What no entry point can run has no input to finish.
      if (entry_ == nullptr) return;
      Report("OpFinishWritingNodePayloadAMDX/Payload", payload,
             "OpFinishWritingNodePayloadAMDX: " + context_.Name(payload) + " is not the node's input");
      return;
    }
    const Id structure = context_.PayloadOf(types_.Pointee(context_.TypeOf(payload)));
    if (structure != kNoId && !context_.decorations().Has(structure, spv::Decoration::TrackFinishWritingAMDX)) {
      Report("TrackFinishWritingAMDX/required", structure,
             "OpFinishWritingNodePayloadAMDX on a payload " + context_.Name(structure) +
                 " without TrackFinishWritingAMDX");
    }
    if (entry_ != nullptr && entry_->Mode(spv::ExecutionMode::CoalescingAMDX) != nullptr) {
      Report("OpFinishWritingNodePayloadAMDX/CoalescingAMDX", finish.result_id,
             "OpFinishWritingNodePayloadAMDX in a coalescing node");
    }
  }

  RuleContext& context_;
  const Types& types_;
  const Function& function_;
  const EntryPointFacts* entry_;
  const BasicBlock* block_ = nullptr;
  size_t at_ = 0;
};

}  // namespace

void CheckInstructionRules(RuleContext& context) {
  for (const Function& function : context.module().functions) InstructionRules(context, function).Run();
}

}  // namespace trellis::spirv
