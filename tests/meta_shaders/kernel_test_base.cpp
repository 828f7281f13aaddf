// SPDX-License-Identifier: Apache-2.0
#include "tests/meta_shaders/kernel_test_base.h"

#include <algorithm>

#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/support/internal_kernels.h"

namespace trellis::test {

std::unique_ptr<DriverDevice> KernelTest::driver_;
std::string KernelTest::why_not_;

void KernelTest::MakeDevice(const Settings& settings) {
  driver_ = DriverDevice::Create(why_not_, settings);
  if (driver_) RecordProperty("device", driver_->name());
}

void KernelTest::TearDownTestSuite() { driver_.reset(); }

void KernelTest::SetUp() {
  if (!driver_) GTEST_SKIP() << why_not_;
}

PlanSpan KernelTest::Memory(size_t bytes) {
  Expected<DeviceBuffer> buffer =
      DeviceBuffer::Create(device(), std::max<size_t>(bytes, 1), BufferMemory::kHost, "test");
  if (!buffer) {
    ADD_FAILURE() << buffer.error().message;
    return {};
  }
  memory_.push_back(*std::move(buffer));
  return {memory_.back().data(), memory_.back().address(), bytes};
}

std::vector<shared::DeviceReport> KernelTest::ReportsIn(const PlanSpan& memory) {
  std::vector<shared::DeviceReport> reports(Read<shared::DeviceReportHeader>(memory).written);
  if (!reports.empty())
    std::memcpy(reports.data(), memory.host + sizeof(shared::DeviceReportHeader),
                reports.size() * sizeof(shared::DeviceReport));
  return reports;
}

PlanSpan KernelTest::RingTable(const std::vector<shared::RingEntry>& entries) {
  const PlanSpan table = Memory(sizeof(shared::RingTableHeader) + entries.size() * sizeof(shared::RingEntry));
  table.Store(0, shared::RingTableHeader{static_cast<uint32_t>(entries.size()), {}});
  for (size_t i = 0; i < entries.size(); ++i)
    table.Store(sizeof(shared::RingTableHeader) + i * sizeof(shared::RingEntry), entries[i]);
  return table;
}

void KernelTest::Dispatch(Kernel kernel, VkDeviceAddress plan, uint32_t x, uint32_t y) {
  const KernelPipelines kernels = MakeKernels(device(), {kernel});
  ASSERT_NE(kernels.of(kernel), VkPipeline{VK_NULL_HANDLE});
  Dispatch(kernels.of(kernel), kernels.layout, plan, x, y);
}

void KernelTest::Dispatch(VkPipeline pipeline, VkPipelineLayout layout, VkDeviceAddress plan, uint32_t x, uint32_t y) {
  const bool executed = driver_->Execute([&](VkCommandBuffer command_buffer) {
    const DeviceDispatch& dispatch = device().dispatch;
    dispatch.CmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    dispatch.CmdPushConstants(command_buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(plan), &plan);
    dispatch.CmdDispatch(command_buffer, x, y, 1);
  });
  ASSERT_TRUE(executed);
}

}  // namespace trellis::test
