// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "bench/figures/figures.h"
#include "bench/workloads/skewed.h"

namespace trellis::bench {
namespace {

// Counts the compute invocations of what is recorded while it exists.
class InvocationQuery {
 public:
  explicit InvocationQuery(const Gpu& gpu) : gpu_(gpu) {
    auto info = Struct<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
    info.queryCount = 1;
    info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
    Check(vkCreateQueryPool(gpu.device(), &info, nullptr, &pool_), "vkCreateQueryPool");
  }
  ~InvocationQuery() { vkDestroyQueryPool(gpu_.device(), pool_, nullptr); }
  InvocationQuery(const InvocationQuery&) = delete;
  InvocationQuery& operator=(const InvocationQuery&) = delete;

  [[nodiscard]] uint64_t Count(const Workload& workload) const {
    gpu_.RunOnce([&](VkCommandBuffer commands) {
      vkCmdResetQueryPool(commands, pool_, 0, 1);
      workload.Reset(commands);
      FullBarrier(commands);
      vkCmdBeginQuery(commands, pool_, 0, 0);
      workload.RecordGraph(commands, 0);
      vkCmdEndQuery(commands, pool_, 0);
    });
    uint64_t invocations = 0;
    Check(vkGetQueryPoolResults(gpu_.device(), pool_, 0, 1, sizeof(invocations), &invocations, sizeof(invocations),
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    return invocations;
  }

 private:
  const Gpu& gpu_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
};

}  // namespace

std::vector<Figure> LaunchedWorkgroups(const Gpu& gpu, bool quick) {
  if (!gpu.has_pipeline_statistics()) return {};
  const uint32_t records = quick ? 1u << 14 : 1u << 20;
  const std::unique_ptr<Workload> workload = MakeSkewed(gpu, records);
  const auto launched = static_cast<double>(InvocationQuery(gpu).Count(*workload));
  const auto needed = static_cast<double>(SkewedInvocations(records));
  return {{"P5", "skewed dynamic grids: launched / needed", "", launched / needed, 1.01,
           "invocations by pipeline statistics, the layer's own kernels included"}};
}

}  // namespace trellis::bench
