// SPDX-License-Identifier: Apache-2.0
// The setting `timing`: where the GPU's time went in a graph dispatch, by level and node.
//
// Timestamps are written behind every phase and node, and copied to host-visible memory at the end, so no query is ever
// waited for by the host. Nothing in a graph is ordered that was not ordered before: the nodes of a level run at the
// same time, and a node's figure is what passed between the end of those recorded before it and its own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/memory/device_buffer.h"
#include "layer/replay/reports/report.h"

namespace trellis {

struct CommandBuffer;
struct Device;
struct DispatchPlan;

// The timestamps of one recorded dispatch. Ownership: the recording, which keeps it alive. Threading: recorded by one
// thread; TakeTimes by any, one at a time.
class GraphTimer {
 public:
  // Null, after a message, if the queue family writes no timestamps or memory ran out. `name` is that of the dispatch.
  [[nodiscard]] static std::shared_ptr<GraphTimer> Start(CommandBuffer& command_buffer, const DispatchPlan& plan,
                                                         std::string name, uint32_t graph);

  // `graph`: ExecutionGraphPipeline::id.
  GraphTimer(const Device& device, VkCommandBuffer command_buffer, std::string name, uint32_t graph)
      : device_(device), command_buffer_(command_buffer), name_(std::move(name)), graph_(graph) {}
  ~GraphTimer();
  GraphTimer(const GraphTimer&) = delete;
  GraphTimer& operator=(const GraphTimer&) = delete;

  // What was recorded since the last mark belongs to `step`, whose slot is that of a launch, or of the first of a
  // batch.
  void Mark(TimedPlace step);
  // Ends the dispatch that `timer` measures; its reports come from now on.
  static void Finish(Device& device, const std::shared_ptr<GraphTimer>& timer);

  // The steps of an execution that no call has returned yet; of several, the latest. Empty if there is none.
  [[nodiscard]] std::vector<TimedPlace> TakeTimes();
  // The same as text.
  [[nodiscard]] std::string Describe(const std::vector<TimedPlace>& steps) const;
  [[nodiscard]] uint32_t graph() const { return graph_; }

 private:
  [[nodiscard]] bool CreateQueries(uint32_t count);
  void WriteTimestamp();
  void CopyResults();
  void FinishTransfer();

  const Device& device_;
  const VkCommandBuffer command_buffer_;
  const std::string name_;
  const uint32_t graph_;
  uint64_t valid_bits_ = 0;  // of a timestamp, as a mask
  VkQueryPool queries_ = VK_NULL_HANDLE;
  DeviceBuffer results_;           // uint64_t[]: the start, then one for each step, of the last execution that is done
  std::vector<uint64_t> taken_;    // of results_, what TakeTimes returned last
  std::vector<TimedPlace> steps_;  // constant once finished; without times
};

// The timers of a device whose results may still arrive. Threading: any thread.
class GraphTimers {
 public:
  void Add(const std::shared_ptr<GraphTimer>& timer);
  // Reports what has arrived.
  void Poll(Device& device);

 private:
  std::mutex mutex_;  // guards timers_
  std::vector<std::weak_ptr<GraphTimer>> timers_;
};

}  // namespace trellis
