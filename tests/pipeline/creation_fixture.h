// Execution graphs made through the layer's commands, on a fake driver whose vkCreateComputePipelines the test watches.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

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
};

template <typename Info>
Info Struct(VkStructureType type) {
  Info info = {};
  info.sType = type;
  return info;
}

class GraphCreation : public testing::Test {
 protected:
  GraphCreation();
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
  void Destroy(VkPipeline pipeline, const VkAllocationCallbacks* allocator = nullptr);
  uint32_t NodeIndex(VkPipeline pipeline, const char* name, uint32_t index, VkResult expected = VK_SUCCESS);

  FakeDriver driver_;
  TestInstance instance_{driver_};
  TestDevice device_{instance_};
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  std::vector<VkPipeline> pipelines_;

  // What reached the driver, and what it answers to the n-th request (default: success).
  std::vector<ComputeRequest> requests_;
  std::map<size_t, VkResult> answers_;
  VkPipelineCreationFeedbackFlags feedback_flags_ = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  std::map<VkPipeline, const VkAllocationCallbacks*> live_;  // the driver's, with their allocators

 private:
  static VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice, VkPipelineCache cache, uint32_t count,
                                                               const VkComputePipelineCreateInfo* infos,
                                                               const VkAllocationCallbacks* allocator,
                                                               VkPipeline* pipelines);
  static VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice, VkPipeline pipeline,
                                                    const VkAllocationCallbacks* allocator);
  VkResult Answer(VkPipelineCache cache, const VkComputePipelineCreateInfo& info,
                  const VkAllocationCallbacks* allocator, VkPipeline& pipeline);

  static GraphCreation* current_;  // the driver's functions have no other way to find the test
};

}  // namespace trellis::test
