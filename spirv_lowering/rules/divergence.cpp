// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/divergence.h"

namespace trellis::spirv {
namespace {

// Arithmetic of a subgroup: the operand that tells a reduction from a scan.
ResultKind KindOfGroupOperation(const Instruction& instruction) {
  const bool reduces = instruction.operands.size() > 1 &&
                       static_cast<spv::GroupOperation>(instruction.operands[1]) == spv::GroupOperation::Reduce;
  return reduces ? ResultKind::kOfSubgroup : ResultKind::kDivergent;
}

}  // namespace

Divergence DivergenceOfBuiltIn(spv::BuiltIn built_in, const WorkgroupShape& shape, Id variable) {
  Divergence divergence{0, variable};
  switch (built_in) {
    case spv::BuiltIn::NumWorkgroups:
    case spv::BuiltIn::WorkgroupSize:
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::NumSubgroups:
    case spv::BuiltIn::SubgroupSize:
    case spv::BuiltIn::ShaderIndexAMDX:
    case spv::BuiltIn::RemainingRecursionLevelsAMDX:
    case spv::BuiltIn::DeviceIndex:
      break;
    case spv::BuiltIn::LocalInvocationId:
    case spv::BuiltIn::GlobalInvocationId:
      for (uint32_t i = 0; i < shape.varies.size(); ++i) {
        if (shape.varies[i]) divergence.parts |= PartBit(i);
      }
      break;
    default:
      divergence.parts = Divergence::kAll;
      break;
  }
  return divergence;
}

ResultKind KindOfResult(const Instruction& instruction) {
  const auto opcode = static_cast<uint32_t>(instruction.opcode);
  const auto between = [opcode](spv::Op first, spv::Op last) {
    return opcode >= static_cast<uint32_t>(first) && opcode <= static_cast<uint32_t>(last);
  };
  if (between(spv::Op::OpAtomicLoad, spv::Op::OpAtomicXor)) return ResultKind::kDivergent;
  if (between(spv::Op::OpGroupNonUniformIAdd, spv::Op::OpGroupNonUniformLogicalXor))
    return KindOfGroupOperation(instruction);
  switch (instruction.opcode) {
    case spv::Op::OpAtomicFlagTestAndSet:
    case spv::Op::OpAtomicFAddEXT:
    case spv::Op::OpAtomicFMinEXT:
    case spv::Op::OpAtomicFMaxEXT:
    case spv::Op::OpReadClockKHR:
    case spv::Op::OpGroupNonUniformElect:
    case spv::Op::OpGroupNonUniformInverseBallot:
    case spv::Op::OpGroupNonUniformPartitionNV:
      return ResultKind::kDivergent;
    case spv::Op::OpGroupNonUniformBallotBitCount:
      return KindOfGroupOperation(instruction);
    case spv::Op::OpGroupNonUniformAll:
    case spv::Op::OpGroupNonUniformAny:
    case spv::Op::OpGroupNonUniformAllEqual:
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpGroupNonUniformBroadcastFirst:
    case spv::Op::OpGroupNonUniformBallot:
    case spv::Op::OpSubgroupBallotKHR:
    case spv::Op::OpSubgroupFirstInvocationKHR:
    case spv::Op::OpSubgroupAllKHR:
    case spv::Op::OpSubgroupAnyKHR:
    case spv::Op::OpSubgroupAllEqualKHR:
    case spv::Op::OpSubgroupReadInvocationKHR:
      return ResultKind::kOfSubgroup;
    case spv::Op::OpFinishWritingNodePayloadAMDX:
      return ResultKind::kUniform;
    default:
      return ResultKind::kFromOperands;
  }
}

}  // namespace trellis::spirv
