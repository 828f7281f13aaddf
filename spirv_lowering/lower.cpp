// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/lower.h"

#include <algorithm>
#include <cassert>

#include "spirv_lowering/ir/dead_code.h"
#include "spirv_lowering/ir/link.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/passes/barriers.h"
#include "spirv_lowering/passes/builtins.h"
#include "spirv_lowering/passes/entry_point.h"
#include "spirv_lowering/passes/handles.h"
#include "spirv_lowering/passes/order_globals.h"
#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/passes/plain_module.h"
#include "spirv_lowering/passes/push_constant_memory.h"
#include "spirv_lowering/passes/push_constants.h"
#include "spirv_lowering/passes/shared_memory.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/runtime/runtime_library.h"

namespace trellis::spirv {
namespace {

// The version that the runtime is written in; older modules are raised to it, which changes nothing in what they may
// contain. The extension itself is of 1.4, and moving handles about relies on that.
constexpr uint32_t kLowestVersion = 0x00010300;
constexpr uint32_t kLowestEnqueueVersion = 0x00010400;

// Whether the addresses can lie where they are wanted.
bool HasPlaces(const NodeInfo& info, const LowerOptions& options) {
  if (options.launch_offset % 8 != 0) return false;
  if (!options.push_constant_copy_offset) return options.launch_offset >= info.push_constant_end;
  return *options.push_constant_copy_offset % 8 == 0 && *options.push_constant_copy_offset != options.launch_offset;
}

// Packed nodes allocate in any control flow. What becomes of a subgroup there is only known with maximal reconvergence.
// Mesh nodes use subgroups for the search alone.
SubgroupUse UseOfSubgroups(const NodeInfo& info, const LoweringTarget& target) {
  if (info.execution_model == ExecutionModel::kMeshEXT)
    return target.mesh_subgroup_search ? SubgroupUse::kBallot : SubgroupUse::kNone;
  if (!target.subgroup_aggregation || (info.packed > 1 && !target.maximal_reconvergence)) return SubgroupUse::kNone;
  return target.subgroup_partition ? SubgroupUse::kPartition : SubgroupUse::kBallot;
}

// The execution mode MaximallyReconvergesKHR for the one entry point, which may have it already.
void DemandReconvergence(Module& module) {
  constexpr auto kMode = static_cast<uint32_t>(spv::ExecutionMode::MaximallyReconvergesKHR);
  const bool has_it = std::any_of(module.execution_modes.begin(), module.execution_modes.end(),
                                  [](const Instruction& mode) { return mode.operands[1] == kMode; });
  if (has_it) return;
  module.extensions.push_back({spv::Op::OpExtension, kNoId, kNoId, EncodeString("SPV_KHR_maximal_reconvergence")});
  module.execution_modes.push_back(
      {spv::Op::OpExecutionMode, kNoId, kNoId, {module.entry_points.front().operands[1], kMode}});
}

Expected<LoweredNode> LowerNode(NodeModule node, const NodeInfo& info, const LowerOptions& options,
                                const Specialization& specialization) {
  Module& module = node.module;
  module.version = std::max(module.version, info.has_enqueue_capability ? kLowestEnqueueVersion : kLowestVersion);
  std::optional<LaunchMember> launch;
  if (options.push_constant_copy_offset) {
    Expected<LaunchMember> moved =
        MovePushConstantsToMemory(module, options.launch_offset, *options.push_constant_copy_offset);
    if (!moved) return moved.error();
    launch = *moved;
  }
  Types types(module);
  const ConstantEvaluator evaluator(module, specialization);
  ConstantReader constants(evaluator);
  if (info.has_enqueue_capability) WidenBarriers(module, types, info.vulkan_memory_model);
  Expected<std::vector<ReplacedBuiltIn>> built_ins = ReplaceBuiltIns(module, types, info);
  if (!built_ins) return built_ins.error();
  const SubgroupUse subgroups = UseOfSubgroups(info, options.target);
  Importer runtime(module, types,
                   RuntimeLibrary({info.vulkan_memory_model, subgroups, options.target.int64_addresses}));
  Lowering lowering{module, types, runtime, info, options, constants, node.entry_function, node.input};
  if (Expected<void> done = LowerHandles(lowering); !done) return done.error();
  if (!launch) {
    Expected<LaunchMember> added = AddLaunchMember(module, types, options.launch_offset);
    if (!added) return added.error();
    launch = *added;
  }
  if (Expected<void> done = AddEntryPoint(lowering, *built_ins, *launch); !done) return done.error();
  const bool adds_shared_memory = AddsSharedMemory(lowering);
  if (Expected<void> done = LayOutSharedMemory(lowering); !done) return done.error();
  if (subgroups != SubgroupUse::kNone && info.packed > 1 && !info.outputs.empty()) DemandReconvergence(module);
  StripExtension(module);
  OrderGlobals(module);
  EliminateDead(module);
  DeclareAddresses(module, Types(module));
  LoweredNode lowered = {WriteModule(module), "main", constants.read()};
  if (adds_shared_memory) lowered.shared_bytes = SharedBytes(module, Types(module));
  return lowered;
}

}  // namespace

NodeInfo LoweringKey(const NodeInfo& info, const LoweringTarget& target) {
  NodeInfo key = info;
  key.shader_index = 0;
  key.is_api_entry = true;
  key.max_recursion = 0;
  key.declares_recursion = false;
  // NodeInfo::StateWords depends on it.
  key.shares_input = info.shares_input && info.kind == LaunchKind::kDynamicGrid;
  key.shares_input_with_name.clear();
  key.shares_input_with_index = 0;
  key.packing_obstacle.clear();
  if (key.kind == LaunchKind::kDynamicGrid) {
    if (key.RecordsOfBounds() == 0) key.grid = {};
    key.in_batches = false;  // only launches that read regions can be
  }
  for (NodeOutputInfo& output : key.outputs) {
    output.target_name.clear();
    output.array_size = 0;
    output.sparse = false;
    // Indices are relative to it.
    if (!output.is_asked_by_base && !target.check_allocations) output.base_index = 0;
    output.constant_indices.reset();
    output.max_payloads_per_node.reset();
    output.limit_holds = false;
    output.shares_limit_with.reset();
  }
  return key;
}

Expected<LoweredNode> Lower(const Module& module, const NodeInfo& reflected, const LowerOptions& options,
                            const Specialization& specialization) {
  assert(reflected.packed == 1 || reflected.packing_obstacle.empty());
  assert(reflected.execution_model != ExecutionModel::kMeshEXT || (reflected.packed == 1 && !reflected.in_batches));
  // Nothing else may be read, or words would be shared that have to differ.
  const NodeInfo info = LoweringKey(reflected, options.target);
  if (!HasPlaces(info, options)) {
    return Error{"node '" + info.entry_point + "': no launch address fits at byte " +
                 std::to_string(options.launch_offset) + " of push constants that end at " +
                 std::to_string(info.push_constant_end)};
  }
  Expected<NodeModule> node = ExtractNode(module, info.entry_point, info.execution_model);
  if (!node) return node.error();
  Expected<LoweredNode> lowered = LowerNode(*std::move(node), info, options, specialization);
  if (!lowered) return Error{"node '" + info.entry_point + "': " + lowered.error().message};
  // A module that spirv-val would refuse may turn into one that crashes a driver.
  if (const Expected<Module> readable = ReadModule(lowered->words); !readable)
    return Error{"node '" + info.entry_point + "': " + std::string(kNotWellFormed) +
                 ", so the module is not valid: " + readable.error().message};
  return lowered;
}

}  // namespace trellis::spirv
