// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/packing.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/debug_references.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

std::string Name(const Instruction& instruction) {
  return OpcodeName(instruction.opcode) +
         (instruction.result_id != kNoId ? " %" + std::to_string(instruction.result_id) : std::string());
}

bool IsHarmless(spv::ExecutionMode mode) {
  switch (mode) {
    case spv::ExecutionMode::LocalSize:
    case spv::ExecutionMode::LocalSizeId:
    case spv::ExecutionMode::CoalescingAMDX:
    case spv::ExecutionMode::StaticNumWorkgroupsAMDX:
    case spv::ExecutionMode::MaxNumWorkgroupsAMDX:
    case spv::ExecutionMode::ShaderIndexAMDX:
    case spv::ExecutionMode::MaxNodeRecursionAMDX:
    case spv::ExecutionMode::IsApiEntryAMDX:
    case spv::ExecutionMode::SharesInputWithAMDX:
    case spv::ExecutionMode::DenormPreserve:
    case spv::ExecutionMode::DenormFlushToZero:
    case spv::ExecutionMode::SignedZeroInfNanPreserve:
    case spv::ExecutionMode::RoundingModeRTE:
    case spv::ExecutionMode::RoundingModeRTZ:
    case spv::ExecutionMode::MaximallyReconvergesKHR:
      return true;
    default:
      return false;
  }
}

// Built-ins that are the same for a whole launch, or that lowering replaces (passes/builtins.h).
bool IsHarmless(spv::BuiltIn built_in) {
  switch (built_in) {
    case spv::BuiltIn::WorkgroupSize:
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::GlobalInvocationId:
    case spv::BuiltIn::LocalInvocationId:
    case spv::BuiltIn::LocalInvocationIndex:
    case spv::BuiltIn::ShaderIndexAMDX:
    case spv::BuiltIn::RemainingRecursionLevelsAMDX:
    case spv::BuiltIn::DeviceIndex:
      return true;
    default:
      return false;
  }
}

bool IsHarmless(spv::StorageClass storage) {
  switch (storage) {
    case spv::StorageClass::UniformConstant:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
    case spv::StorageClass::Private:
    case spv::StorageClass::Input:
    case spv::StorageClass::NodePayloadAMDX:
      return true;
    default:
      return false;
  }
}

// Instructions outside of the class kInvocation that are harmless all the same. Memory barriers order the accesses of
// whichever invocation executes them, and wait for none.
bool IsHarmless(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpNop:
    case spv::Op::OpUndef:
    case spv::Op::OpMemoryBarrier:
    case spv::Op::OpEnqueueNodePayloadsAMDX:
    case spv::Op::OpNodePayloadArrayLengthAMDX:
    case spv::Op::OpIsNodePayloadValidAMDX:
      return true;
    default:
      return false;
  }
}

bool PointsToDescriptors(spv::StorageClass storage) {
  return storage == spv::StorageClass::UniformConstant || storage == spv::StorageClass::Uniform ||
         storage == spv::StorageClass::StorageBuffer;
}

class ObstacleSearch {
 public:
  ObstacleSearch(const Module& module, const Types& types, const ConstantEvaluator& constants, uint32_t invocations)
      : module_(module),
        types_(types),
        constants_(constants),
        has_one_invocation_(invocations == 1),
        type_of_(TypesOfResults(module)),
        harmless_sets_(NonSemanticImports(module)) {
    for (const Instruction& import : module.ext_inst_imports)
      if (DecodeString(import.operands.data(), import.operands.size()) == "GLSL.std.450")
        harmless_sets_.insert(import.result_id);
  }

  std::optional<std::string> Run() {
    for (const auto step : {&ObstacleSearch::LookAtModes, &ObstacleSearch::LookAtAnnotations,
                            &ObstacleSearch::LookAtGlobals, &ObstacleSearch::LookAtFunctions}) {
      if (std::optional<std::string> obstacle = (this->*step)()) return obstacle;
    }
    return std::nullopt;
  }

 private:
  using Obstacle = std::optional<std::string>;

  [[nodiscard]] Obstacle LookAtModes() const {
    for (const Instruction& mode : module_.execution_modes) {
      const auto kind = static_cast<spv::ExecutionMode>(mode.operands[1]);
      if (!IsHarmless(kind)) return "the execution mode " + std::to_string(mode.operands[1]);
    }
    return std::nullopt;
  }

  // Built-ins; and promises that a value is the same in all invocations, which were made for a workgroup of one.
  [[nodiscard]] Obstacle LookAtAnnotations() const {
    for (const Instruction& annotation : module_.annotations) {
      if (annotation.opcode != spv::Op::OpDecorate && annotation.opcode != spv::Op::OpDecorateId) continue;
      const auto decoration = static_cast<spv::Decoration>(annotation.operands[1]);
      if (decoration == spv::Decoration::Uniform || decoration == spv::Decoration::UniformId)
        return "%" + std::to_string(annotation.operands[0]) + " is decorated Uniform";
    }
    for (const BuiltInTarget& found : FindBuiltIns(module_)) {
      // Lowering replaces places that are variables, not those that are members of a block.
      const bool harmless = IsHarmless(found.built_in) && !(found.member && IsPlace(found.built_in));
      if (!harmless && types_.Find(found.target) != nullptr)
        return "%" + std::to_string(found.target) + " is the built-in " + BuiltInName(found.built_in);
    }
    return std::nullopt;
  }

  [[nodiscard]] Obstacle LookAtGlobals() const {
    for (const Instruction& global : module_.globals) {
      if (global.opcode != spv::Op::OpVariable) continue;
      if (!IsHarmless(static_cast<spv::StorageClass>(global.operands[0])))
        return Name(global) + " in the storage class " + std::to_string(global.operands[0]);
    }
    return std::nullopt;
  }

  [[nodiscard]] Obstacle LookAtFunctions() const {
    for (const Function& function : module_.functions) {
      for (const Instruction& parameter : function.parameters) {
        // Lowering gives other classes to the built-ins that it replaces, but not to parameters.
        if (ClassOf(parameter.type_id) == spv::StorageClass::Input) return Name(parameter) + " points to a built-in";
      }
      for (const BasicBlock& block : function.blocks) {
        for (const Instruction& instruction : block.body)
          if (Obstacle obstacle = LookAt(instruction)) return obstacle;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Obstacle LookAt(const Instruction& instruction) const {
    switch (instruction.opcode) {
      case spv::Op::OpExtInst:
        if (!harmless_sets_.contains(instruction.operands[0])) return Name(instruction) + " of an unknown set";
        return std::nullopt;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        return LookAtIndices(instruction);
      case spv::Op::OpCopyObject:
        return std::nullopt;
      case spv::Op::OpAllocateNodePayloadsAMDX:
        if (!has_one_invocation_ &&
            constants_.Value(instruction.operands[0]) != static_cast<uint32_t>(spv::Scope::Invocation))
          return Name(instruction) + " for all of a workgroup";
        return std::nullopt;
      default:
        break;
    }
    // Pointers that were chosen may lead to different descriptors.
    const std::optional<spv::StorageClass> storage = ClassOf(instruction.type_id);
    if (storage && PointsToDescriptors(*storage)) return Name(instruction) + " gives a pointer into descriptors";
    const OpcodeInfo* info = FindOpcode(static_cast<uint32_t>(instruction.opcode));
    const bool known = info != nullptr &&
                       (info->opcode_class == OpcodeClass::kInvocation || info->opcode_class == OpcodeClass::kDebug);
    if (known || IsHarmless(instruction.opcode)) return std::nullopt;
    return Name(instruction);
  }

  // An index into descriptors has to be the same for all invocations that execute it together.
  [[nodiscard]] Obstacle LookAtIndices(const Instruction& chain) const {
    const Id base_type = TypeOf(type_of_, chain.operands[0]);
    if (!types_.IsPointer(base_type)) return Name(chain);
    Id type = types_.Pointee(base_type);
    for (size_t i = 1; i < chain.operands.size() && IsDescriptorArray(type); ++i) {
      if (types_.Find(chain.operands[i]) == nullptr) return Name(chain) + " chooses a descriptor at run time";
      type = types_.ElementType(type, 0);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool IsDescriptorArray(Id type) const {
    const Instruction* array = types_.Find(type);
    if (array == nullptr || (array->opcode != spv::Op::OpTypeArray && array->opcode != spv::Op::OpTypeRuntimeArray))
      return false;
    const Instruction* element = types_.Find(array->operands[0]);
    if (element == nullptr) return true;
    switch (element->opcode) {
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
        return IsDescriptorArray(element->result_id);
      case spv::Op::OpTypeStruct:
        return HasDecoration(module_, element->result_id, spv::Decoration::Block) ||
               HasDecoration(module_, element->result_id, spv::Decoration::BufferBlock);
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
      case spv::Op::OpTypeBool:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypePointer:
        return false;
      default:
        return true;
    }
  }

  [[nodiscard]] std::optional<spv::StorageClass> ClassOf(Id type) const {
    return types_.IsPointer(type) ? std::optional(types_.PointerClass(type)) : std::nullopt;
  }

  const Module& module_;
  const Types& types_;
  const ConstantEvaluator& constants_;
  const bool has_one_invocation_;
  const TypeMap type_of_;
  std::unordered_set<Id> harmless_sets_;  // of extended instructions
};

}  // namespace

std::optional<std::string> FindPackingObstacle(const Module& module, const Types& types,
                                               const ConstantEvaluator& constants, uint32_t invocations) {
  return ObstacleSearch(module, types, constants, invocations).Run();
}

uint32_t WorkgroupsToPack(const NodeInfo& info, uint32_t max_invocations) {
  const uint32_t invocations = info.Invocations();
  if (invocations >= kLargeWorkgroup || invocations == 0 || !info.packing_obstacle.empty()) return 1;
  uint64_t sent = 0;  // bytes, by a workgroup
  for (const NodeOutputInfo& output : info.outputs) sent += uint64_t{output.max_payloads} * output.payload.size;
  const auto within = [&](uint32_t all_invocations) {
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(kMaxPackedBytes / std::max<uint64_t>(sent, 1), 1, all_invocations / invocations));
  };
  const uint32_t max_packed = within(kPackedInvocations);
  if (info.kind == LaunchKind::kCoalescing) return uint64_t{info.coalesce} * max_packed <= UINT32_MAX ? max_packed : 1;
  if (info.kind == LaunchKind::kDynamicGrid) {
    const uint32_t bound = info.LaunchedBound();
    const uint32_t records = bound != 0 ? within(std::min(kPackedBounds, max_invocations)) / bound : 0;
    return records > 1 ? records * bound : max_packed;
  }
  uint64_t of_record = 1;
  for (const uint32_t side : info.grid) of_record = std::min<uint64_t>(of_record * side, uint64_t{UINT32_MAX} + 1);
  // So large a grid breaks the limits, and no dispatch can have it.
  if (of_record == 0 || of_record > UINT32_MAX) return 1;
  if (of_record <= max_packed) return max_packed / static_cast<uint32_t>(of_record) * static_cast<uint32_t>(of_record);
  uint32_t packed = max_packed;
  while (of_record % packed != 0) --packed;
  return packed;
}

bool Strides(const NodeInfo& info, bool for_cpu) {
  if (info.packed == 1) return false;
  if (!for_cpu && (!info.outputs.empty() || info.kind == LaunchKind::kDynamicGrid)) return false;
  return info.kind != LaunchKind::kStaticGrid || info.packed > info.WorkgroupsOfGrid();
}

}  // namespace trellis::spirv
