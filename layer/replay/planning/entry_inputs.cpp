// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/planning/entry_inputs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "layer/graph/describe.h"

namespace trellis {
namespace {

VkDispatchGraphInfoAMDX ReadInfo(const VkDispatchGraphCountInfoAMDX& count_info, uint32_t index) {
  VkDispatchGraphInfoAMDX info;
  // The stride has no alignment rule.
  std::memcpy(&info, static_cast<const std::byte*>(count_info.infos.hostAddress) + index * count_info.stride,
              sizeof(info));
  return info;
}

// Copies record by record. A piece of constant size is one instruction, where a payload of unknown size would be a
// call.
template <size_t kPiece>
void CopyPieces(const PayloadRun& run, size_t bytes, uint32_t stride, std::byte* record) {
  for (uint32_t i = 0; i < run.count; ++i, record += stride) {
    const std::byte* const payload = run.payloads + i * run.stride;
    for (size_t piece = 0; piece < bytes; piece += kPiece) std::memcpy(record + piece, payload + piece, kPiece);
    for (size_t padding = bytes; padding < stride; ++padding) record[padding] = std::byte{0};
  }
}

void CopyRun(const PayloadRun& run, size_t bytes, uint32_t stride, std::byte* records) {
  if (run.stride == bytes && stride == bytes)
    std::memcpy(records, run.payloads, run.count * bytes);
  else if (bytes % 16 == 0)
    CopyPieces<16>(run, bytes, stride, records);
  else if (bytes % 4 == 0)
    CopyPieces<4>(run, bytes, stride, records);
  else
    CopyPieces<1>(run, bytes, stride, records);
}

}  // namespace

EntryInputs CollectEntryInputs(const Graph& graph, const VkDispatchGraphCountInfoAMDX& count_info) {
  EntryInputs inputs;
  if (count_info.count != 0 && !count_info.infos.hostAddress) {
    inputs.complaints.push_back("infos is NULL (VUID-vkCmdDispatchGraphAMDX-pCountInfo-09145): ignored");
    return inputs;
  }
  inputs.roots.reserve(std::min<size_t>(count_info.count, graph.nodes.size()));
  // The roots found so far, by node in constant time: a dispatch may have very many infos. There is room for all of
  // them, so none moves.
  std::vector<RootInput*> root_of(graph.nodes.size());
  for (uint32_t i = 0; i < count_info.count; ++i) {
    const VkDispatchGraphInfoAMDX info = ReadInfo(count_info, i);
    const auto which = [i] { return "infos[" + std::to_string(i) + "]"; };
    if (info.payloadCount == 0) continue;
    if (info.nodeIndex >= graph.nodes.size()) {
      inputs.complaints.push_back(which() + ".nodeIndex " + std::to_string(info.nodeIndex) +
                                  " is not a node of the bound graph, which has " + std::to_string(graph.nodes.size()) +
                                  " (VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148): ignored");
      continue;
    }
    const Node& node = graph.nodes[info.nodeIndex];
    const auto label = [&node] { return NodeLabel(node.name, node.index); };
    if (node.info.shares_input || !node.info.is_api_entry)
      inputs.complaints.push_back(which() + " dispatches " + label() +
                                  (node.info.shares_input ? ", which shares its input (SharesInputWithAMDX)"
                                                          : ", whose IsApiEntryAMDX is false") +
                                  ": dispatched all the same");
    const bool empty = node.input_bytes == 0;
    if (!empty && !info.payloads.hostAddress) {
      inputs.complaints.push_back(which() + ".payloads is NULL, but " + label() + " has payloads of " +
                                  std::to_string(node.input_bytes) +
                                  " bytes (VUID-vkCmdDispatchGraphAMDX-pCountInfo-09149): ignored");
      continue;
    }
    if (root_of[info.nodeIndex] == nullptr)
      root_of[info.nodeIndex] =
          &inputs.roots.emplace_back(RootInput{info.nodeIndex, graph.EntrySlot(info.nodeIndex), 0, {}});
    RootInput& root = *root_of[info.nodeIndex];
    const uint32_t taken = std::min(info.payloadCount, kMaxRootRecords - root.record_count);
    if (taken < info.payloadCount)
      inputs.complaints.push_back(which() + ": " + label() +
                                  " gets more than 2^31 - 1 payloads in one command: the rest is ignored");
    if (taken == 0) continue;
    root.record_count += taken;
    root.runs.push_back(
        {empty ? nullptr : static_cast<const std::byte*>(info.payloads.hostAddress), info.payloadStride, taken});
  }
  std::sort(inputs.roots.begin(), inputs.roots.end(),
            [](const RootInput& a, const RootInput& b) { return a.slot < b.slot; });
  return inputs;
}

void WriteRecords(const Graph& graph, const RootInput& root, std::span<std::byte> target, uint32_t stride) {
  const size_t bytes = std::min(graph.nodes[root.node].input_bytes, stride);
  if (bytes == 0) return;
  std::byte* records = target.data();
  for (const PayloadRun& run : root.runs) {
    CopyRun(run, bytes, stride, records);
    records += size_t{run.count} * stride;
  }
}

}  // namespace trellis
