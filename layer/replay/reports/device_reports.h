// SPDX-License-Identifier: Apache-2.0
// What only the device can see, such as records that found no place: from its reports to messages for the application's
// developer (describe_report.h).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "meta_shaders/shared/report_data.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct Device;
struct ExecutionGraphPipeline;

// The buffer that internal kernels append DeviceReports to; one per device. Threading: any thread.
class DeviceReports {
 public:
  [[nodiscard]] static Expected<std::shared_ptr<DeviceReports>> Of(Device& device);

  explicit DeviceReports(DeviceBuffer buffer) : buffer_(std::move(buffer)) {}

  // Returns that of the DeviceReportHeader.
  [[nodiscard]] VkDeviceAddress address() const { return buffer_.address(); }

  // From now on reports can name the graph's nodes, as long as it lives.
  void Register(const std::shared_ptr<const ExecutionGraphPipeline>& graph);

  // Turns what has arrived since the last call into messages. Cheap when nothing has.
  void Poll(Device& device);

 private:
  struct Loss {
    shared::DeviceReport report = {};
    std::shared_ptr<const ExecutionGraphPipeline> graph;  // null if it is gone
  };

  // Returns the reports that arrived since the last call; `dropped` gets the number of those that found no place.
  [[nodiscard]] std::vector<Loss> TakeNew(uint32_t& dropped);

  // One report for all that say the same of different workgroups.
  [[nodiscard]] static std::vector<Loss> Merge(const std::vector<Loss>& losses);

  // Returns the most bytes that one execution can have dropped in the level of `loss`: for each node, the report of
  // `losses` with the most.
  [[nodiscard]] static uint64_t LevelBytes(const Loss& loss, const std::vector<Loss>& losses);

  const DeviceBuffer buffer_;
  std::mutex mutex_;      // guards what follows, and the reports' slots in the buffer
  uint32_t read_ = 0;     // reports taken so far; wraps like DeviceReportHeader::written
  uint32_t dropped_ = 0;  // of DeviceReportHeader::dropped, what the messages have told
  std::unordered_map<uint32_t, std::weak_ptr<const ExecutionGraphPipeline>> graphs_;
};

}  // namespace trellis
