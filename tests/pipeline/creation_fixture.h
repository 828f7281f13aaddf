// SPDX-License-Identifier: Apache-2.0
// Execution graphs made through the layer's commands, on a fake driver whose vkCreateComputePipelines the test watches.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "meta_shaders/kernels.h"
#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {

// What one vkCreateComputePipelines of the layer asked for.
struct ComputeRequest {
  VkPipelineCache cache = VK_NULL_HANDLE;
  const VkAllocationCallbacks* allocator = nullptr;
  VkPipelineCreateFlags flags = 0;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::vector<VkStructureType> chain;
  VkPipelineCreateFlags2 flags2 = 0;  // of VkPipelineCreateFlags2CreateInfo, if there is one
  std::string entry_point;
  VkPipelineShaderStageCreateFlags stage_flags = 0;
  std::vector<VkStructureType> stage_chain;
  std::vector<uint32_t> specialized_ids;
  std::vector<uint32_t> specialized_words;  // first four bytes of each
  VkPipeline base = VK_NULL_HANDLE;
  int32_t base_index = 0;
  std::thread::id thread;
  VkPipeline answered = VK_NULL_HANDLE;
  std::optional<Kernel> kernel;  // of the layer's own, by its words; nothing: a node, or ordinary
};

// The driver is called in the order of the nodes, because the layer may use one thread, unless a test wants more.
// Internal kernels are kept apart from everything else that is compiled.
class GraphCreation : public testing::Test {
 protected:
  explicit GraphCreation(uint32_t threads = 1, uint32_t queues = 1);
  ~GraphCreation() override;

  // The words of a module text, which must assemble.
  static std::vector<uint32_t> Assemble(const std::string& text);
  VkShaderModule MakeModule(const std::vector<uint32_t>& words);
  VkPipelineLayout MakeLayout(uint32_t push_constant_bytes = 0);
  static VkPipelineShaderStageCreateInfo Stage(VkShaderModule module, const char* entry_point,
                                               const void* chain = nullptr);
  static VkExecutionGraphPipelineCreateInfoAMDX GraphInfo(const std::vector<VkPipelineShaderStageCreateInfo>& stages,
                                                          VkPipelineLayout layout, const void* chain = nullptr);

  // Fills `pipelines_`; handles that are not null are destroyed with the test.
  VkResult Create(const std::vector<VkExecutionGraphPipelineCreateInfoAMDX>& infos,
                  const VkAllocationCallbacks* allocator = nullptr);
  // The same for vkCreateComputePipelines.
  VkResult CreateCompute(const std::vector<VkComputePipelineCreateInfo>& infos,
                         const VkAllocationCallbacks* allocator = nullptr);
  void Destroy(VkPipeline pipeline, const VkAllocationCallbacks* allocator = nullptr);
  // A pipeline made from `info` alone, which must succeed.
  VkPipeline Make(const VkExecutionGraphPipelineCreateInfoAMDX& info);
  // A compute library of one node, and a create info of one.
  VkPipeline MakeLibrary(const VkPipelineShaderStageCreateInfo& stage, VkPipelineLayout layout);
  VkComputePipelineCreateInfo LibraryInfo(const VkPipelineShaderStageCreateInfo& stage, VkPipelineLayout layout) const;
  static VkPipelineLibraryCreateInfoKHR LibraryList(const std::vector<VkPipeline>& libraries);
  uint32_t NodeIndex(VkPipeline pipeline, const char* name, uint32_t index, VkResult expected = VK_SUCCESS);

  FakeDriver driver_;

 private:
  // `threads` as a chain for VkInstanceCreateInfo.
  struct ThreadsSetting {
    explicit ThreadsSetting(uint32_t value) : threads(value) {}
    const uint32_t threads;
    const VkLayerSettingEXT setting = {"VK_LAYER_TRELLIS_shader_enqueue", "threads", VK_LAYER_SETTING_TYPE_UINT32_EXT,
                                       1, &threads};
    const VkLayerSettingsCreateInfoEXT info = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1, &setting};
  };
  const ThreadsSetting threads_;

 protected:
  TestInstance instance_{driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &threads_.info};
  TestDevice device_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  const VkPipelineCreateFlags2CreateInfo library_flags_ = {
      VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
      VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR};
  std::vector<VkPipeline> pipelines_;

  // What reached the driver, and what it answers to the n-th request (default: success).
  std::vector<ComputeRequest> requests_;
  std::map<size_t, VkResult> answers_;
  std::map<uint32_t, VkResult> answers_by_constant_;  // to a request that specialises a constant to this word
  VkPipelineCreationFeedbackFlags feedback_flags_ = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  std::function<void()> on_request_;                         // called for each request, on its thread, without a lock
  std::map<VkPipeline, const VkAllocationCallbacks*> live_;  // the driver's, with their allocators

  // The same for internal kernels, which live as long as the device.
  std::vector<ComputeRequest> kernel_requests_;
  std::map<Kernel, VkResult> kernel_answers_;
  VkPipelineCreationFeedbackFlags kernel_feedback_flags_ = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  std::function<void(Kernel)> on_kernel_request_;
  // Names of the kernels that the driver was asked for, without "trellis ", in the order of the enumeration.
  [[nodiscard]] std::vector<std::string> RequestedKernels() const;

 private:
  static VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice, VkPipelineCache cache, uint32_t count,
                                                               const VkComputePipelineCreateInfo* infos,
                                                               const VkAllocationCallbacks* allocator,
                                                               VkPipeline* pipelines);
  static VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice, VkPipeline pipeline,
                                                    const VkAllocationCallbacks* allocator);
  static VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                           const VkAllocationCallbacks* allocator,
                                                           VkShaderModule* module);
  [[nodiscard]] static ComputeRequest Describe(VkPipelineCache cache, const VkComputePipelineCreateInfo& info,
                                               const VkAllocationCallbacks* allocator);
  VkResult AnswerKernel(ComputeRequest request, VkPipeline& pipeline);
  VkResult Answer(VkPipelineCache cache, const VkComputePipelineCreateInfo& info,
                  const VkAllocationCallbacks* allocator, VkPipeline& pipeline);

  std::mutex mutex_;  // guards requests, live_ and kernel_modules_ while the driver is called
  std::map<VkShaderModule, Kernel> kernel_modules_;
  PFN_vkCreateShaderModule create_module_ = nullptr;  // the fake driver's, as the next
  PFN_vkDestroyPipeline destroy_pipeline_ = nullptr;
  static GraphCreation* current_;  // the driver's functions have no other way to find the test
};

}  // namespace trellis::test
