// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/rewrite.h"

#include <algorithm>
#include <unordered_set>

#include "spirv_lowering/front_end/handle_uses.h"
#include "spirv_lowering/front_end/inline_calls.h"
#include "spirv_lowering/front_end/payload_arrays.h"
#include "spirv_lowering/front_end/selects.h"
#include "spirv_lowering/front_end/stand_ins.h"
#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/dead_code.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/reflect/node_module.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kLowestVersion = 0x00010400;

// Blocks that have become payload arrays, and the announcements of pointers to them.
void RemoveReplaced(Module& module, const PayloadArrays& arrays) {
  std::erase_if(module.globals, [&](const Instruction& global) {
    return IsLine(global.opcode) ||
           (global.opcode == spv::Op::OpTypeForwardPointer && arrays.outputs.contains(global.operands[0]));
  });
}

// Dead code elimination drops an unused input from the interface, but the input tells the payload's layout.
void KeepInInterface(Module& module, Id input) {
  for (Instruction& entry : module.entry_points) {
    if (std::find(entry.operands.begin() + 2, entry.operands.end(), input) == entry.operands.end())
      entry.operands.push_back(input);
  }
}

bool UsesPhysicalPointers(const Module& module) {
  return std::any_of(module.globals.begin(), module.globals.end(), [](const Instruction& global) {
    if (global.opcode != spv::Op::OpTypePointer && global.opcode != spv::Op::OpTypeForwardPointer) return false;
    const uint32_t storage = global.operands[global.opcode == spv::Op::OpTypePointer ? 0 : 1];
    return static_cast<spv::StorageClass>(storage) == spv::StorageClass::PhysicalStorageBuffer;
  });
}

// Handles needed buffer references; the shader itself may not.
void DropUnusedAddressing(Module& module) {
  if (UsesPhysicalPointers(module)) return;
  std::erase_if(module.capabilities, [](const Instruction& capability) {
    return static_cast<spv::Capability>(capability.operands[0]) == spv::Capability::PhysicalStorageBufferAddresses;
  });
  std::erase_if(module.extensions, [](const Instruction& extension) {
    const std::string name = DecodeString(extension.operands.data(), extension.operands.size());
    return name == "SPV_KHR_physical_storage_buffer" || name == "SPV_EXT_physical_storage_buffer";
  });
  for (Instruction& model : module.memory_model)
    model.operands[0] = static_cast<uint32_t>(spv::AddressingModel::Logical);
}

Expected<void> Rewrite(RewrittenNode& node) {
  Module& module = node.module;
  const SourceLines lines(module);
  if (module.version < kLowestVersion)
    return Error{"nodes need SPIR-V 1.4 or newer: use --target-env vulkan1.2 or newer"};
  Types types(module);
  Expected<StandIns> stand_ins = FindStandIns(module, types, lines);
  if (!stand_ins) return stand_ins.error();
  InlineAllocationCalls(module);
  Expected<PayloadArrays> arrays = MakePayloadArrays(module, types, *stand_ins);
  if (!arrays) return arrays.error();
  if (stand_ins->shared_input) AddSharedInputMode(module, types, *stand_ins->shared_input);
  ExpandHandleSelects(module, types, *arrays);
  if (Expected<void> done = RewriteHandleCode(module, types, *arrays, lines); !done) return done;
  RemoveVariables(module, stand_ins->variables);
  RemoveReplaced(module, *arrays);
  OrderDecorationOperands(module);
  EliminateDead(module, arrays->input);
  if (arrays->input != kNoId) KeepInInterface(module, arrays->input);
  DropUnusedAddressing(module);
  node.declared = std::move(arrays->declared);
  return {};
}

}  // namespace

void StripDebugInfo(Module& module) {
  const auto is_line = [](const Instruction& instruction) { return IsLine(instruction.opcode); };
  for (Function& function : module.functions) {
    for (BasicBlock& block : function.blocks) std::erase_if(block.body, is_line);
  }
  std::erase_if(module.globals, is_line);
  module.debug_processed.clear();
  std::unordered_set<Id> used;
  const auto note = [&](const Instruction& instruction) {
    ForEachIdOperand(instruction, [&](Id id) { used.insert(id); });
  };
  for (const std::vector<Instruction>* section :
       {&module.entry_points, &module.execution_modes, &module.debug_names, &module.annotations, &module.globals})
    std::for_each(section->begin(), section->end(), note);
  for (const Function& function : module.functions) {
    for (const BasicBlock& block : function.blocks) std::for_each(block.body.begin(), block.body.end(), note);
  }
  bool has_source = false;
  std::erase_if(module.debug_sources, [&](Instruction& debug) {
    if (debug.opcode == spv::Op::OpString) return !used.contains(debug.result_id);
    if (debug.opcode == spv::Op::OpSourceContinued) return true;
    if (debug.opcode != spv::Op::OpSource) return false;
    debug.operands.resize(2);
    return std::exchange(has_source, true);
  });
}

Expected<RewrittenNode> RewriteRawNode(Module raw) {
  RewrittenNode node{std::move(raw), {}};
  if (UsesShaderEnqueue(node.module)) {
    if (Expected<void> done = Rewrite(node); !done) return done.error();
    // Stand-ins that are used where the header never uses them have left names of what is gone.
    if (const Expected<Module> checked = ReadModule(WriteModule(node.module)); !checked)
      return Error{"the stand-ins of the header are used in a way that glslang does not make of it: " +
                   checked.error().message};
  }
  return node;
}

}  // namespace trellis::spirv
