// SPDX-License-Identifier: Apache-2.0
// The setting `report` of applications that end badly: the file holds what was known until then. And without the
// setting, nothing is allocated for it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "layer/objects/registry.h"
#include "layer/replay/reports/report.h"
#include "tests/faults/graph_parts.h"
#include "tests/support/json_schema.h"

namespace trellis::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// In the chain of vkCreateInstance. An empty path: the setting is off.
class ReportSettings {
 public:
  explicit ReportSettings(std::string path) : path_(std::move(path)) {}
  ReportSettings(const ReportSettings&) = delete;
  ReportSettings& operator=(const ReportSettings&) = delete;

  [[nodiscard]] const void* chain() const { return &info_; }

 private:
  static constexpr const char* kLayer = "VK_LAYER_TRELLIS_shader_enqueue";
  const std::string path_;
  const char* const path_text_ = path_.c_str();
  const uint32_t interval_ = 1;
  const std::array<VkLayerSettingEXT, 2> settings_ = {
      {{kLayer, "report", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &path_text_},
       {kLayer, "report_interval", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &interval_}}};
  const VkLayerSettingsCreateInfoEXT info_ = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr,
                                              static_cast<uint32_t>(settings_.size()), settings_.data()};
};

// An application with one graph, in one command buffer.
class ReportingApplication {
 public:
  explicit ReportingApplication(const std::string& path) : settings_(path) {
    instance_.emplace(driver_, std::vector<const char*>{}, settings_.chain());
    device_.emplace(*instance_);
    parts_.emplace(*device_);
    scratch_.emplace(*device_);
    const VkExecutionGraphPipelineCreateInfoAMDX info = parts_->GraphInfo();
    EXPECT_EQ(
        TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(device_->handle(), {}, 1, &info, nullptr, &graph_),
        VK_SUCCESS);
    TRELLIS_CALL(*device_, GetDeviceQueue)(device_->handle(), 0, 0, &queue_);
    Record();
  }
  ~ReportingApplication() { Destroy(); }
  ReportingApplication(const ReportingApplication&) = delete;
  ReportingApplication& operator=(const ReportingApplication&) = delete;

  void Destroy() {
    if (!device_) return;
    TRELLIS_CALL(*device_, DestroyPipeline)(device_->handle(), graph_, nullptr);
    scratch_.reset();
    parts_.reset();
    device_.reset();
  }

  void Record() {
    command_buffer_ = device_->Begin();
    TRELLIS_CALL(*device_, CmdBindPipeline)(command_buffer_, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph_);
    const OnePayload payload;
    TRELLIS_CALL(*device_, CmdDispatchGraphAMDX)
    (command_buffer_, scratch_->address(), Scratch::kBytes, &payload.counts);
    EXPECT_EQ(TRELLIS_CALL(*device_, EndCommandBuffer)(command_buffer_), VK_SUCCESS);
  }

  [[nodiscard]] VkResult Submit() const {
    auto submit = MakeStruct<VkSubmitInfo>();
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &command_buffer_;
    return TRELLIS_CALL(*device_, QueueSubmit)(queue_, 1, &submit, VK_NULL_HANDLE);
  }
  [[nodiscard]] VkResult Wait() const { return TRELLIS_CALL(*device_, QueueWaitIdle)(queue_); }
  [[nodiscard]] VkCommandBuffer command_buffer() const { return command_buffer_; }
  [[nodiscard]] Device& object() const { return *FindDevice(device_->handle()); }
  FakeDriver& driver() { return driver_; }

 private:
  FakeDriver driver_;
  const ReportSettings settings_;
  std::optional<TestInstance> instance_;
  std::optional<TestDevice> device_;
  std::optional<GraphParts> parts_;
  std::optional<Scratch> scratch_;
  VkPipeline graph_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandBuffer command_buffer_ = VK_NULL_HANDLE;
};

class ReportOfAnApplication : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return (folder_ / "report.json").string(); }
  // Null if there is no file.
  [[nodiscard]] json Read() const {
    if (!fs::exists(path())) return nullptr;
    std::ifstream file(path());
    json report = json::parse(file, nullptr, false);
    std::ifstream schema(std::string(TRELLIS_SOURCE_DIR) + "/json/report.schema.json");
    EXPECT_EQ(SchemaViolation(json::parse(schema), report), "");
    return report;
  }
  void ExpectExecutions(uint64_t executions, const char* reason) const {
    const json report = Read();
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["reason"], reason);
    ASSERT_EQ(report["dispatches"].size(), 1u);
    EXPECT_EQ(report["dispatches"][0]["executions"], executions);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1) << "parts of a file";
  }

  const fs::path folder_ = fs::temp_directory_path() / ("trellis_layer_report_" + std::to_string(getpid()));
};

TEST_F(ReportOfAnApplication, IsWrittenWhenAWaitFindsTheDeviceLost) {
  ReportingApplication application(path());
  ASSERT_EQ(application.Submit(), VK_SUCCESS);
  EXPECT_TRUE(Read().is_null());
  application.driver().queue_result = VK_ERROR_DEVICE_LOST;
  EXPECT_EQ(application.Wait(), VK_ERROR_DEVICE_LOST);
  ExpectExecutions(1, "device_lost");
  application.Destroy();
  ExpectExecutions(1, "device_lost");
}

TEST_F(ReportOfAnApplication, IsWrittenWhenASubmissionFindsTheDeviceLost) {
  ReportingApplication application(path());
  ASSERT_EQ(application.Submit(), VK_SUCCESS);
  application.driver().queue_result = VK_ERROR_DEVICE_LOST;
  EXPECT_EQ(application.Submit(), VK_ERROR_DEVICE_LOST);
  ExpectExecutions(1, "device_lost");
}

// It does not ask again and again, and each time wait for a file.
TEST_F(ReportOfAnApplication, IsWrittenOnceForALostDevice) {
  ReportingApplication application(path());
  application.driver().queue_result = VK_ERROR_DEVICE_LOST;
  EXPECT_EQ(application.Wait(), VK_ERROR_DEVICE_LOST);
  fs::remove(path());
  EXPECT_EQ(application.Wait(), VK_ERROR_DEVICE_LOST);
  EXPECT_TRUE(Read().is_null());
}

TEST_F(ReportOfAnApplication, CountsNoSubmissionThatTheDriverRefuses) {
  ReportingApplication application(path());
  application.driver().queue_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(application.Submit(), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  application.driver().queue_result = VK_SUCCESS;
  EXPECT_EQ(application.Submit(), VK_SUCCESS);
  application.Destroy();
  ExpectExecutions(1, "end");
}

// The file is read while the device still exists: more does not come from an application that ends without a word.
TEST_F(ReportOfAnApplication, IsWrittenInIntervalsIfItNeverDestroysItsDevice) {
  ReportingApplication application(path());
  ASSERT_EQ(application.Submit(), VK_SUCCESS);
  EXPECT_EQ(application.Wait(), VK_SUCCESS);
  EXPECT_TRUE(Read().is_null()) << "the interval has not passed";
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_EQ(application.Wait(), VK_SUCCESS);
  ExpectExecutions(1, "interval");
}

TEST_F(ReportOfAnApplication, HoldsWhatTheCpuTook) {
  ReportingApplication application(path());
  application.Record();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(application.Submit(), VK_SUCCESS);
  application.Destroy();
  const json dispatch = Read()["dispatches"][0];
  EXPECT_EQ(dispatch["recordings"], 2);
  for (const auto& [what, count] : {std::pair{"recording", 2}, std::pair{"submission", 3}}) {
    const json& durations = dispatch[what];
    EXPECT_EQ(durations["count"], count) << what;
    EXPECT_GT(durations["min_ns"], 0) << what;
    EXPECT_GE(durations["max_ns"], durations["min_ns"]) << what;
    EXPECT_GE(durations["total_ns"], durations["min_ns"].get<int>() + durations["max_ns"].get<int>()) << what;
  }
}

TEST_F(ReportOfAnApplication, NeedsNoMemoryWithoutTheSetting) {
  ReportingApplication off(""), on(path());
  for (ReportingApplication* application : {&off, &on}) ASSERT_EQ(application->Submit(), VK_SUCCESS);
  EXPECT_NE(on.object().components.Get<Report>(), nullptr);
  EXPECT_EQ(off.object().components.Get<Report>(), nullptr);
  EXPECT_EQ(CommandBuffers().Find(on.command_buffer())->submissions.size(), 1u);
  EXPECT_EQ(CommandBuffers().Find(off.command_buffer())->submissions.capacity(), 0u);
  EXPECT_EQ(on.driver().CountOf("CreateComputePipelines"), off.driver().CountOf("CreateComputePipelines") + 1)
      << "the kernel that counts";
  EXPECT_EQ(on.driver().allocations, off.driver().allocations + 1) << "memory of the counts";
  off.Destroy();
  EXPECT_TRUE(Read().is_null());
}

}  // namespace
}  // namespace trellis::test
