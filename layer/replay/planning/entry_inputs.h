// SPDX-License-Identifier: Apache-2.0
// What the application hands to vkCmdDispatchGraphAMDX, sorted by node. Reads host memory; makes no Vulkan call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/graph/graph.h"

namespace trellis {

// The payloads of one VkDispatchGraphInfoAMDX. `payloads` is the application's memory, valid until the command returns;
// null if the node's payload is empty.
struct PayloadRun {
  const std::byte* payloads = nullptr;
  uint64_t stride = 0;
  uint32_t count = 0;
};

// All that one dispatch sends to one node.
struct RootInput {
  uint32_t node = 0;
  uint32_t slot = 0;
  uint32_t record_count = 0;  // over all runs; at least 1, at most kMaxRootRecords
  std::vector<PayloadRun> runs;
};

// Regions count records in 31 bits.
inline constexpr uint32_t kMaxRootRecords = 0x7fffffffu;

struct EntryInputs {
  std::vector<RootInput> roots;  // nodes that get records at all; sorted by slot
  std::vector<std::string>
      complaints;  // what the application did wrong; the infos in question are ignored unless the text says otherwise
};

// `count_info` and everything behind it is host memory. Strides may be anything, 0 included.
[[nodiscard]] EntryInputs CollectEntryInputs(const Graph& graph, const VkDispatchGraphCountInfoAMDX& count_info);

// Copies the payloads of a root (Node::input_bytes each) to `target` (record_count * stride bytes). The rest of each
// record becomes 0. Writes ascending addresses only, each once: `target` may be write-combined memory.
void WriteRecords(const Graph& graph, const RootInput& root, std::span<std::byte> target, uint32_t stride);

}  // namespace trellis
