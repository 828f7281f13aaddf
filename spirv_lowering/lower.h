// SPDX-License-Identifier: Apache-2.0
// Node SPIR-V -> plain SPIR-V of the same execution model on buffer device addresses. The entry of the library.
//
// Pure functions: no Vulkan, no globals, safe to call from many threads at once.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Code forms that are the same for every node of a device.
struct LoweringTarget {
  // Invocations of a subgroup reserve together in compute nodes. The device has to have subgroup arithmetic, ballot and
  // shuffle in compute.
  bool subgroup_aggregation = false;
  // With subgroup_aggregation: one instruction (OpGroupNonUniformPartitionNV) finds the groups of a subgroup that
  // reserve together. The device has to have subgroup vote and partition in compute.
  bool subgroup_partition = false;
  // Maximal reconvergence is enabled on the device: with subgroup_aggregation, invocations of packed nodes reserve
  // together too.
  bool maximal_reconvergence = false;
  // Reservations of a workgroup whose invocations enqueue to different nodes are sorted by node in shared memory first.
  bool workgroup_aggregation = false;
  // Invocations of a subgroup search for their record together in mesh nodes. The device has to have subgroup
  // arithmetic, ballot and shuffle in the mesh stage (VkPhysicalDeviceSubgroupProperties::supportedStages).
  bool mesh_subgroup_search = false;
  // Addresses are computed with 64-bit integers, which the device has to have (shaderInt64). Else with pairs of 32-bit
  // ones, which takes more instructions.
  bool int64_addresses = false;
  // The driver runs subgroups as vectors of a CPU: docs/architecture/lowering.md, "CPU drivers".
  bool for_cpu = false;
  // Allocations of more payloads than their rules allow are reported to the host (kReportAllocation, kReportNoTarget).
  bool check_allocations = false;

  auto operator<=>(const LoweringTarget&) const = default;
};

struct LowerOptions {
  // Byte offset of the 8-byte launch address in push constants: a multiple of 8, and unless the next one is given at or
  // above NodeInfo::push_constant_end.
  uint32_t launch_offset = 0;
  // Byte offset in push constants, a multiple of 8, of the address of a copy of the application's push constants: the
  // node reads them from there, and the two addresses are all that is pushed.
  std::optional<uint32_t> push_constant_copy_offset = {};
  // Indices into arrays, vectors and matrices inside a payload are at most the last one. (Indices of payloads always
  // are.)
  bool robust_access = false;
  LoweringTarget target = {};

  auto operator<=>(const LowerOptions&) const = default;
};

struct LoweredNode {
  std::vector<uint32_t> words;
  std::string entry_point;  // always "main"
  // All that was read of the specialisation besides NodeInfo: other specialisations that agree about them lead to the
  // same words.
  std::vector<ReadConstant> read_constants;
  // Where lowering added Workgroup memory: the bytes of all of it, the node's included. Nothing where it added none, or
  // where a specialisation constant decides how much there is.
  std::optional<uint64_t> shared_bytes = {};
};

// `info` without what has no influence on the words: identity, linkage, what the host alone looks at. Nodes of one
// entry point that differ in nothing else, and agree about LoweredNode::read_constants, need lowering once.
[[nodiscard]] NodeInfo LoweringKey(const NodeInfo& info, const LoweringTarget& target);

// Part of the message where what came out of lowering is no well-formed module: that of a module which was not valid.
inline constexpr std::string_view kNotWellFormed = "the lowered shader is not well-formed";

// `info` must come from Reflect on the same module, entry point and specialisation; mesh nodes are neither packed nor
// in batches. The lowered entry point has the node's execution model, its interface and its ordinary execution modes.
// Specialisation constants of ordinary code stay specialisable: give the driver the application's VkSpecializationInfo
// with the lowered words.
[[nodiscard]] Expected<LoweredNode> Lower(const Module& module, const NodeInfo& info, const LowerOptions& options,
                                          const Specialization& specialization = {});

}  // namespace trellis::spirv
