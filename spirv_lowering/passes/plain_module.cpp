// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/plain_module.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace trellis::spirv {
namespace {

bool IsExtensionMode(const Instruction& mode) {
  switch (static_cast<spv::ExecutionMode>(mode.operands[1])) {
    case spv::ExecutionMode::CoalescingAMDX:
    case spv::ExecutionMode::IsApiEntryAMDX:
    case spv::ExecutionMode::MaxNodeRecursionAMDX:
    case spv::ExecutionMode::StaticNumWorkgroupsAMDX:
    case spv::ExecutionMode::ShaderIndexAMDX:
    case spv::ExecutionMode::MaxNumWorkgroupsAMDX:
    case spv::ExecutionMode::SharesInputWithAMDX:
      return true;
    default:
      return false;
  }
}

bool IsExtensionDecoration(const Instruction& annotation) {
  switch (annotation.opcode) {
    case spv::Op::OpMemberDecorate:
      return annotation.operands[2] == static_cast<uint32_t>(spv::Decoration::PayloadDispatchIndirectAMDX);
    case spv::Op::OpDecorate:
    case spv::Op::OpDecorateId:
      break;
    default:
      return false;
  }
  switch (static_cast<spv::Decoration>(annotation.operands[1])) {
    case spv::Decoration::NodeMaxPayloadsAMDX:
    case spv::Decoration::NodeSharesPayloadLimitsWithAMDX:
    case spv::Decoration::PayloadNodeNameAMDX:
    case spv::Decoration::PayloadNodeBaseIndexAMDX:
    case spv::Decoration::PayloadNodeArraySizeAMDX:
    case spv::Decoration::PayloadNodeSparseArrayAMDX:
    case spv::Decoration::TrackFinishWritingAMDX:
      return true;
    default:
      return false;
  }
}

void AddCapability(Module& module, spv::Capability capability) {
  const auto has = [&](const Instruction& declared) {
    return declared.operands[0] == static_cast<uint32_t>(capability);
  };
  if (std::any_of(module.capabilities.begin(), module.capabilities.end(), has)) return;
  module.capabilities.emplace_back(spv::Op::OpCapability, kNoId, kNoId,
                                   std::vector<uint32_t>{static_cast<uint32_t>(capability)});
}

void AddExtension(Module& module, std::string_view name) {
  const auto has = [&](const Instruction& declared) {
    return DecodeString(declared.operands.data(), declared.operands.size()) == name;
  };
  if (std::any_of(module.extensions.begin(), module.extensions.end(), has)) return;
  module.extensions.emplace_back(spv::Op::OpExtension, kNoId, kNoId, EncodeString(name));
}

// Whether a scalar of `width` bits lies in memory that physical pointers reach.
bool PayloadHolds(const Types& types, const Module& module, uint32_t width) {
  std::vector<Id> open;
  std::unordered_set<Id> seen;
  for (const Instruction& global : module.globals) {
    if (global.opcode == spv::Op::OpTypePointer &&
        global.operands[0] == static_cast<uint32_t>(spv::StorageClass::PhysicalStorageBuffer)) {
      open.push_back(global.operands[1]);
    }
  }
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Instruction* type = types.Find(id);
    if (type == nullptr) continue;
    switch (type->opcode) {
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
        if (type->operands[0] == width) return true;
        break;
      case spv::Op::OpTypeStruct:
        open.insert(open.end(), type->operands.begin(), type->operands.end());
        break;
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
        open.push_back(type->operands[0]);
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace

void StripExtension(Module& module) {
  std::erase_if(module.capabilities, [](const Instruction& capability) {
    return capability.operands[0] == static_cast<uint32_t>(spv::Capability::ShaderEnqueueAMDX);
  });
  std::erase_if(module.extensions, [](const Instruction& extension) {
    return DecodeString(extension.operands.data(), extension.operands.size()) == "SPV_AMDX_shader_enqueue";
  });
  std::erase_if(module.execution_modes, IsExtensionMode);
  std::erase_if(module.annotations, IsExtensionDecoration);
  // The removed capability implied it.
  AddCapability(module, spv::Capability::Shader);
}

void DeclareAddresses(Module& module, const Types& types) {
  AddCapability(module, spv::Capability::PhysicalStorageBufferAddresses);
  if (module.version < 0x00010500) AddExtension(module, "SPV_KHR_physical_storage_buffer");
  if (PayloadHolds(types, module, 16)) AddCapability(module, spv::Capability::StorageBuffer16BitAccess);
  if (PayloadHolds(types, module, 8)) {
    AddCapability(module, spv::Capability::StorageBuffer8BitAccess);
    if (module.version < 0x00010500) AddExtension(module, "SPV_KHR_8bit_storage");
  }
  module.memory_model.front().operands[0] = static_cast<uint32_t>(spv::AddressingModel::PhysicalStorageBuffer64);
}

}  // namespace trellis::spirv
