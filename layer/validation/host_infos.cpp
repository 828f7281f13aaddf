// SPDX-License-Identifier: Apache-2.0
#include "layer/validation/host_infos.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/record_grid.h"
#include "layer/graph/tables.h"

namespace trellis {
namespace {

constexpr const char* kCommand = "vkCmdDispatchGraphAMDX";

std::string ToText(const RecordGrid& grid) {
  return "{" + std::to_string(grid[0]) + ", " + std::to_string(grid[1]) + ", " + std::to_string(grid[2]) + "}";
}

class HostInfoCheck {
 public:
  HostInfoCheck(const Graph* graph, const VkDispatchGraphCountInfoAMDX& count_info)
      : graph_(graph), count_info_(count_info), infos_(static_cast<const std::byte*>(count_info.infos.hostAddress)) {}

  Findings Run() {
    if (!infos_) return {};
    if (count_info_.count > 1 && Overlaps(count_info_.stride, sizeof(VkDispatchGraphInfoAMDX)))
      Add(Vuid(kCommand, "infos-09146"), "pCountInfo->stride",
          "is " + std::to_string(count_info_.stride) + ", less than a VkDispatchGraphInfoAMDX: infos overlap");
    for (uint32_t i = 0; i < count_info_.count; ++i) {
      VkDispatchGraphInfoAMDX info;
      std::memcpy(&info, infos_ + i * count_info_.stride, sizeof(info));  // the stride has no alignment rule
      CheckInfo("pCountInfo->infos[" + std::to_string(i) + "]", info);
    }
    return std::move(findings_);
  }

 private:
  void CheckInfo(const std::string& which, const VkDispatchGraphInfoAMDX& info) {
    if (info.payloadCount > kMaxExecutionGraphShaderPayloadCount)
      Add(Vuid("VkDispatchGraphInfoAMDX", "payloadCount-09171"), which + ".payloadCount",
          "is " + std::to_string(info.payloadCount) + ", more than maxExecutionGraphShaderPayloadCount, " +
              std::to_string(kMaxExecutionGraphShaderPayloadCount) + ": use several infos");
    if (!graph_ || info.nodeIndex >= graph_->nodes.size()) return;  // refused always
    const Node& node = graph_->nodes[info.nodeIndex];
    const auto* payloads = static_cast<const std::byte*>(info.payloads.hostAddress);
    if (!payloads || node.input_bytes == 0) return;
    if (info.payloadCount > 1 && Overlaps(info.payloadStride, node.input_bytes))
      Add(Vuid(kCommand, "pCountInfo-09149"), which + ".payloadStride",
          "is " + std::to_string(info.payloadStride) + ", less than the payload of " +
              NodeLabel(node.name, node.index) + ", " + std::to_string(node.input_bytes) + " bytes: payloads overlap");
    std::vector<Launch> launches;
    graph_->AppendLaunches(graph_->EntrySlot(info.nodeIndex), launches);
    for (Launch launch : launches)
      if (graph_->NodeOf(launch.slot).info.kind == spirv::LaunchKind::kDynamicGrid)
        CheckGrids(which, launch, {payloads, node.input_bytes}, info);
  }

  void CheckGrids(const std::string& which, Launch launch, std::span<const std::byte> first,
                  const VkDispatchGraphInfoAMDX& info) {
    const auto plan = DescribeLaunch(*graph_, launch, kMaxExecutionGraphGrid);
    const RecordGrid bounds = {plan.grid_x, plan.grid_y, plan.grid_z};
    for (uint32_t i = 0; i < info.payloadCount; ++i) {
      const std::span payload(first.data() + i * info.payloadStride, first.size());
      const std::optional<RecordGrid> grid = ReadRecordGrid(plan.grid_member, payload);
      if (!grid) return;
      const bool clamped = ClampGrid(*grid, bounds) != *grid;
      if (!clamped && GridWorkgroups(*grid) <= kMaxExecutionGraphWorkgroups) continue;
      const Node& node = graph_->NodeOf(launch.slot);
      return Add(Vuid(kCommand, "maxComputeWorkGroupCount-09186"), which + ".payloads[" + std::to_string(i) + "]",
                 "asks for " + ToText(*grid) + " workgroups of " + NodeLabel(node.name, node.index) + ", but " +
                     (clamped ? "MaxNumWorkgroupsAMDX or maxExecutionGraphWorkgroupCount allows " + ToText(bounds)
                              : "maxExecutionGraphWorkgroups is " + std::to_string(kMaxExecutionGraphWorkgroups)) +
                     ": the grid is clamped");
    }
  }

  void Add(std::string vuid, const std::string& where, const std::string& text) {
    const bool known = std::any_of(findings_.begin(), findings_.end(),
                                   [&vuid](const Finding& finding) { return finding.vuid == vuid; });
    if (!known) findings_.push_back({std::move(vuid), std::string(kCommand) + "(): " + where + " " + text});
  }

  const Graph* const graph_;
  const VkDispatchGraphCountInfoAMDX& count_info_;
  const std::byte* const infos_;
  Findings findings_;
};

}  // namespace

Findings CheckHostInfos(const Graph* graph, const VkDispatchGraphCountInfoAMDX& count_info) {
  return HostInfoCheck(graph, count_info).Run();
}

}  // namespace trellis
