// SPDX-License-Identifier: Apache-2.0
// Divergence of what instructions compute, and where the rules ask for it.
#include <algorithm>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/rules/function_divergence.h"

namespace trellis::spirv {
namespace {

// Workgroups of more invocations have several subgroups on any device.
constexpr uint64_t kLargestSubgroup = 128;

// Instructions that may treat the components of vectors one by one.
bool IsArithmetic(spv::Op opcode) { return opcode >= spv::Op::OpConvertFToU && opcode <= spv::Op::OpBitCount; }

}  // namespace

void FunctionDivergence::Construct(const Instruction& construct) {
  const bool one_each = PartCount(construct.type_id) == construct.operands.size();
  Divergence value;
  for (uint32_t i = 0; i < construct.operands.size(); ++i) {
    const Divergence part = ValueOf(construct.operands[i]);
    if (part) value.Join({one_each ? PartBit(i) : Divergence::kAll, part.cause});
  }
  SetValue(construct.result_id, value);
}

void FunctionDivergence::Extract(const Instruction& extract) {
  const Divergence composite = ValueOf(extract.operands[0]);
  SetValue(extract.result_id, extract.operands.size() < 2 ? composite : composite.Only(PartBit(extract.operands[1])));
}

void FunctionDivergence::Insert(const Instruction& insert) {
  const Divergence object = ValueOf(insert.operands[0]);
  Divergence value = ValueOf(insert.operands[1]);
  const uint32_t part = insert.operands.size() < 3 ? Divergence::kAll : PartBit(insert.operands[2]);
  if (insert.operands.size() == 3 && part != PartBit(kLastPart)) value.parts &= ~part;
  if (object) value.Join({part, object.cause});
  SetValue(insert.result_id, value);
}

void FunctionDivergence::Shuffle(const Instruction& shuffle) {
  const uint32_t first_size = VectorSize(context_.TypeOf(shuffle.operands[0]));
  Divergence value;
  for (uint32_t i = 2; i < shuffle.operands.size(); ++i) {
    const uint32_t component = shuffle.operands[i];
    const bool of_first = component < first_size;
    const Divergence vector = ValueOf(shuffle.operands[of_first ? 0 : 1]);
    if (vector.Only(PartBit(of_first ? component : component - first_size))) value.Join({PartBit(i - 2), vector.cause});
  }
  SetValue(shuffle.result_id, value);
}

// Handles every other instruction. Its result differs if an operand does, and so may the variables that it has pointers
// to.
void FunctionDivergence::Compute(const Instruction& instruction) {
  Divergence inputs;
  ForEachIdOperand(instruction, [&](Id id) {
    inputs.Join(ValueOf(id));
    inputs.Join(ContentOf(PlaceOf(id)));
  });
  if (inputs || control_) {
    const Divergence written = inputs ? inputs.Whole() : Divergence{Divergence::kAll, control_.cause};
    ForEachIdOperand(instruction, [&](Id id) { WriteTo(PlaceOf(id), written); });
  }
  if (instruction.result_id == kNoId) return;
  switch (KindOfResult(instruction)) {
    case ResultKind::kFromOperands:
      return SetValue(instruction.result_id, Componentwise(instruction, inputs));
    case ResultKind::kOfSubgroup:
      if (entry_.shape().invocations > kLargestSubgroup) SetValue(instruction.result_id, inputs.Whole());
      return;
    case ResultKind::kUniform:
      return;
    case ResultKind::kDivergent:
      return SetValue(instruction.result_id, {Divergence::kAll, instruction.result_id});
  }
}

Divergence FunctionDivergence::Componentwise(const Instruction& instruction, const Divergence& operands) const {
  const uint32_t size = VectorSize(instruction.type_id);
  const bool by_component = size != 0 && IsArithmetic(instruction.opcode) &&
                            std::all_of(instruction.operands.begin(), instruction.operands.end(),
                                        [&](Id id) { return VectorSize(context_.TypeOf(id)) == size; });
  return by_component ? operands : operands.Whole();
}

void FunctionDivergence::NoteControl() {
  if (control_) entry_.Note({&function_, block_, at_, DivergentUse::Kind::kControlFlow, control_, kNoId});
}

void FunctionDivergence::NoteOperand(Id operand, DivergentUse::Kind kind) {
  const Divergence value = ValueOf(operand);
  if (value) entry_.Note({&function_, block_, at_, kind, {}, value.cause});
}

void FunctionDivergence::NoteAllocation(const Instruction& allocate) {
  const std::optional<uint32_t> scope = context_.types().ConstantValue(allocate.operands[0]);
  if (scope == static_cast<uint32_t>(spv::Scope::Invocation))
    SetValue(allocate.result_id, {Divergence::kAll, allocate.result_id});
  if (scope != static_cast<uint32_t>(spv::Scope::Workgroup)) return;
  NoteControl();
  NoteOperand(allocate.operands[1], DivergentUse::Kind::kCount);
  NoteOperand(allocate.operands[2], DivergentUse::Kind::kIndex);
}

// Each invocation enqueues the payloads that it allocated for itself.
void FunctionDivergence::NoteEnqueue(const Instruction& enqueue) {
  const Id handle = enqueue.operands[0];
  if (entry_.MayBeOfWorkgroup(context_.PayloadArrayOf(handle), Read(handle))) NoteControl();
}

uint32_t FunctionDivergence::VectorSize(Id type) const {
  return context_.types().Is(type, spv::Op::OpTypeVector) ? context_.types().Find(type)->operands[1] : 0;
}

uint32_t FunctionDivergence::PartCount(Id type) const {
  const Instruction* definition = context_.types().Find(type);
  if (definition == nullptr) return 0;
  switch (definition->opcode) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return definition->operands[1];
    case spv::Op::OpTypeStruct:
      return static_cast<uint32_t>(definition->operands.size());
    case spv::Op::OpTypeArray:
      return context_.types().ConstantValue(definition->operands[1]).value_or(0);
    default:
      return 0;
  }
}

}  // namespace trellis::spirv
