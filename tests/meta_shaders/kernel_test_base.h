// SPDX-License-Identifier: Apache-2.0
// Runs single internal kernels on a real driver.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "layer/memory/plan_arena.h"
#include "meta_shaders/kernels.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/driver_device.h"

namespace trellis::test {

// One device for all tests of the process.
class KernelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { MakeDevice({}); }
  static void TearDownTestSuite();
  void SetUp() override;

  // For suites with settings of their own: instead of SetUpTestSuite.
  static void MakeDevice(const Settings& settings);
  [[nodiscard]] static Settings Validating() {
    Settings settings;
    settings.validate = true;
    return settings;
  }

  // Host-visible memory that lives as long as the test. Contents are zeros.
  PlanSpan Memory(size_t bytes);
  template <typename T>
  PlanSpan Memory(const std::vector<T>& values) {
    const PlanSpan span = Memory(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(span.host, values.data(), values.size() * sizeof(T));
    return span;
  }
  template <typename T>
  static T Read(const PlanSpan& span, size_t index = 0) {
    T value;
    std::memcpy(&value, span.host + index * sizeof(T), sizeof(T));
    return value;
  }
  // Room for reports of the device, and those that are there.
  PlanSpan ReportMemory() {
    return Memory(sizeof(shared::DeviceReportHeader) + shared::kDeviceReportCapacity * sizeof(shared::DeviceReport));
  }
  static std::vector<shared::DeviceReport> ReportsIn(const PlanSpan& memory);
  // A table with one entry for each size, none of them claimed.
  PlanSpan RingTable(const std::vector<shared::RingEntry>& entries);

  // Dispatches a kernel with `plan` in plan memory and waits.
  template <typename Plan>
  void Run(Kernel kernel, const Plan& plan, uint32_t x = 1, uint32_t y = 1) {
    const PlanSpan span = Memory(sizeof(plan));
    span.Store(0, plan);
    Dispatch(kernel, span.address, x, y);
  }

  void Dispatch(Kernel kernel, VkDeviceAddress plan, uint32_t x, uint32_t y);
  // The same with a pipeline of the internal kernels' layout.
  void Dispatch(VkPipeline pipeline, VkPipelineLayout layout, VkDeviceAddress plan, uint32_t x, uint32_t y);

  Device& device() { return driver_->device(); }

 private:
  static std::unique_ptr<DriverDevice> driver_;
  static std::string why_not_;
  std::vector<DeviceBuffer> memory_;
};

}  // namespace trellis::test
