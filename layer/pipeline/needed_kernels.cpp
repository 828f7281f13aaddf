// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/needed_kernels.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "layer/objects/device.h"
#include "layer/pipeline/batching.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/pipeline/shader_target.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

class KernelNeeds {
 public:
  explicit KernelNeeds(const ExecutionGraphPipeline& pipeline)
      : pipeline_(pipeline),
        graph_(pipeline.graph),
        device_(pipeline.device),
        scratch_(pipeline.scratch_layout()),
        has_levels_(pipeline.graph.depth > 1),
        may_step_(has_levels_ && scratch_.step_levels != 0),
        // Dispatches in steps open the regions of all levels whatever the setting says.
        opens_before_levels_(scratch_.opens_all_levels || may_step_) {}

  [[nodiscard]] bool Has(Kernel kernel) const {
    switch (kernel) {
      case Kernel::kBeginGraph:
      case Kernel::kSizeLaunches:
        return true;
      case Kernel::kOpenRegions:
        return MayPrepare() || MayHaveManyRegions();
      case Kernel::kCopyInputs:
        return AnyNode([](const spirv::NodeInfo& info) { return info.writes_input; });
      case Kernel::kCountInfos:
      case Kernel::kAppendInfos:
      case Kernel::kCopyChunks:
        return AnyNode([](const spirv::NodeInfo& info) { return info.is_api_entry && !info.shares_input; });
      case Kernel::kSumGrids:
        return AnyNode([](const spirv::NodeInfo& info) { return info.kind == spirv::LaunchKind::kDynamicGrid; });
      case Kernel::kLaunchBatches:
        return MayBatch();
      case Kernel::kStepGraph:
        return may_step_;
      case Kernel::kCountRecords:
        return true;  // AllKernels has left it out without the setting
      case Kernel::kReportLosses:
        return opens_before_levels_;
      case Kernel::kReleaseRing:
        return AnyFamily([](uint32_t queues) { return queues > 1; });
    }
    return false;
  }

 private:
  template <typename Predicate>
  [[nodiscard]] bool AnyNode(Predicate&& predicate) const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                       [&](const Node& node) { return predicate(node.info); });
  }
  template <typename Predicate>
  [[nodiscard]] bool AnyFamily(Predicate&& predicate) const {
    return std::any_of(device_.queue_counts.begin(), device_.queue_counts.end(), predicate);
  }

  // Executions prepare the regions of level 1 for one another where one queue runs all graphs of the family.
  [[nodiscard]] bool MayPrepare() const {
    return device_.settings.prepare_regions && has_levels_ && scratch_.opens_all_levels &&
           AnyFamily([](uint32_t queues) { return queues == 1; });
  }

  // The begin kernel opens at least as many regions as its workgroup has invocations. Each level has one for the heap
  // besides those of its slots, and level 0 has regions where the device reads infos.
  [[nodiscard]] bool MayHaveManyRegions() const {
    const uint64_t slots = graph_.slots.size();
    return slots + graph_.depth * (slots + 1) > shared::kLevelsWorkgroup;
  }

  // Launches of one level form a batch if they have the same pipeline and no kernel sizes them.
  [[nodiscard]] bool MayBatch() const {
    if (!scratch_.opens_all_levels || (!has_levels_ && TargetsCpu(device_))) return false;
    const size_t fewest = FewestLaunches(device_.settings);
    std::map<VkPipeline, size_t> launches_of;
    for (const Slot& slot : graph_.slots) {
      const spirv::NodeInfo& info = graph_.nodes[slot.node].info;
      if (!info.in_batches || info.StateWords() != 0) continue;
      if (++launches_of[pipeline_.nodes[slot.node].pipeline->handle()] >= fewest) return true;
    }
    return false;
  }

  const ExecutionGraphPipeline& pipeline_;
  const Graph& graph_;
  const Device& device_;
  const ScratchLayout scratch_;
  const bool has_levels_;
  const bool may_step_;
  const bool opens_before_levels_;
};

}  // namespace

std::vector<Kernel> AllKernels(const Device& device) {
  std::vector<Kernel> kernels;
  for (uint32_t kernel = 0; kernel < kKernelCount; ++kernel) kernels.push_back(static_cast<Kernel>(kernel));
  if (device.settings.report.empty()) std::erase(kernels, Kernel::kCountRecords);
  return kernels;
}

std::vector<Kernel> NeededKernels(const ExecutionGraphPipeline& pipeline) {
  if (pipeline.is_library) return AllKernels(pipeline.device);
  if (pipeline.graph.nodes.empty()) return {};
  std::vector<Kernel> kernels = AllKernels(pipeline.device);
  const KernelNeeds needs(pipeline);
  std::erase_if(kernels, [&needs](Kernel kernel) { return !needs.Has(kernel); });
  return kernels;
}

}  // namespace trellis
