// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/creation_fixture.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "layer/dispatch/struct_chain.h"
#include "layer/objects/registry.h"
#include "spirv_lowering/post/post.h"

namespace trellis::test {

GraphCreation* GraphCreation::current_ = nullptr;

GraphCreation::GraphCreation(uint32_t threads, uint32_t queues)
    : threads_(threads), device_(instance_, kGraphExtensions, nullptr, nullptr, queues) {
  current_ = this;
  Device& device = *FindDevice(device_.handle());
  create_module_ = std::exchange(device.dispatch.CreateShaderModule, &CreateShaderModule);
  device.dispatch.CreateComputePipelines = &CreateComputePipelines;
  destroy_pipeline_ = std::exchange(device.dispatch.DestroyPipeline, &DestroyPipeline);
}

GraphCreation::~GraphCreation() {
  while (!pipelines_.empty()) Destroy(pipelines_.back());
  EXPECT_TRUE(live_.empty()) << live_.size() << " pipelines of the driver were leaked";
  EXPECT_EQ(driver_.CountOf("CreateShaderModule"), driver_.CountOf("DestroyShaderModule"));
  // For the internal kernels, which go with the device.
  FindDevice(device_.handle())->dispatch.DestroyPipeline = destroy_pipeline_;
  current_ = nullptr;
}

std::vector<uint32_t> GraphCreation::Assemble(const std::string& text) {
  Expected<std::vector<uint32_t>> words = spirv::Assemble(text);
  if (words) return *std::move(words);
  ADD_FAILURE() << words.error().message;
  return {};
}

VkShaderModule GraphCreation::MakeModule(const std::vector<uint32_t>& words) {
  auto info = MakeStruct<VkShaderModuleCreateInfo>();
  info.codeSize = words.size() * sizeof(uint32_t);
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &info, nullptr, &module), VK_SUCCESS);
  return module;
}

VkPipelineLayout GraphCreation::MakeLayout(uint32_t push_constant_bytes) {
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
  auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
  info.pushConstantRangeCount = push_constant_bytes == 0 ? 0 : 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &info, nullptr, &layout), VK_SUCCESS);
  return layout;
}

VkPipelineShaderStageCreateInfo GraphCreation::Stage(VkShaderModule module, const char* entry_point,
                                                     const void* chain) {
  auto stage = MakeStruct<VkPipelineShaderStageCreateInfo>(chain);
  stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  stage.module = module;
  stage.pName = entry_point;
  return stage;
}

VkExecutionGraphPipelineCreateInfoAMDX GraphCreation::GraphInfo(
    const std::vector<VkPipelineShaderStageCreateInfo>& stages, VkPipelineLayout layout, const void* chain) {
  auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>(chain);
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.layout = layout;
  return info;
}

VkResult GraphCreation::Create(const std::vector<VkExecutionGraphPipelineCreateInfoAMDX>& infos,
                               const VkAllocationCallbacks* allocator) {
  const auto stale = reinterpret_cast<VkPipeline>(uintptr_t{0xdead});
  std::vector<VkPipeline> made(infos.size(), stale);
  const VkResult result = TRELLIS_CALL(device_, CreateExecutionGraphPipelinesAMDX)(
      device_.handle(), cache_, static_cast<uint32_t>(infos.size()), infos.data(), allocator, made.data());
  for (VkPipeline& pipeline : made) EXPECT_NE(pipeline, stale);
  pipelines_.insert(pipelines_.end(), made.begin(), made.end());
  return result;
}

VkResult GraphCreation::CreateCompute(const std::vector<VkComputePipelineCreateInfo>& infos,
                                      const VkAllocationCallbacks* allocator) {
  const auto stale = reinterpret_cast<VkPipeline>(uintptr_t{0xdead});
  std::vector<VkPipeline> made(infos.size(), stale);
  const VkResult result = TRELLIS_CALL(device_, CreateComputePipelines)(
      device_.handle(), cache_, static_cast<uint32_t>(infos.size()), infos.data(), allocator, made.data());
  for (VkPipeline& pipeline : made) EXPECT_NE(pipeline, stale);
  pipelines_.insert(pipelines_.end(), made.begin(), made.end());
  return result;
}

VkPipeline GraphCreation::Make(const VkExecutionGraphPipelineCreateInfoAMDX& info) {
  EXPECT_EQ(Create({info}), VK_SUCCESS);
  return pipelines_.back();
}

VkPipeline GraphCreation::MakeLibrary(const VkPipelineShaderStageCreateInfo& stage, VkPipelineLayout layout) {
  EXPECT_EQ(CreateCompute({LibraryInfo(stage, layout)}), VK_SUCCESS);
  return pipelines_.back();
}

VkComputePipelineCreateInfo GraphCreation::LibraryInfo(const VkPipelineShaderStageCreateInfo& stage,
                                                       VkPipelineLayout layout) const {
  return {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &library_flags_, 0, stage, layout, VK_NULL_HANDLE, -1};
}

VkPipelineLibraryCreateInfoKHR GraphCreation::LibraryList(const std::vector<VkPipeline>& libraries) {
  return {VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr, static_cast<uint32_t>(libraries.size()),
          libraries.data()};
}

void GraphCreation::Destroy(VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
  if (pipeline) TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), pipeline, allocator);
  std::erase(pipelines_, pipeline);
}

uint32_t GraphCreation::NodeIndex(VkPipeline pipeline, const char* name, uint32_t index, VkResult expected) {
  auto node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
  node.pName = name;
  node.index = index;
  uint32_t found = 0xabcd;
  EXPECT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineNodeIndexAMDX)(device_.handle(), pipeline, &node, &found),
            expected);
  return found;
}

VkResult GraphCreation::CreateComputePipelines(VkDevice, VkPipelineCache cache, uint32_t count,
                                               const VkComputePipelineCreateInfo* infos,
                                               const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  VkResult worst = VK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    const VkResult result = current_->Answer(cache, infos[i], allocator, pipelines[i]);
    if (result != VK_SUCCESS) worst = result;
  }
  return worst;
}

VkResult GraphCreation::CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkShaderModule* module) {
  const VkResult result = current_->create_module_(device, info, allocator, module);
  for (uint32_t kernel = 0; result == VK_SUCCESS && kernel < kKernelCount; ++kernel) {
    if (KernelWords(static_cast<Kernel>(kernel)).data() != info->pCode) continue;
    const std::lock_guard lock(current_->mutex_);
    current_->kernel_modules_[*module] = static_cast<Kernel>(kernel);
  }
  return result;
}

ComputeRequest GraphCreation::Describe(VkPipelineCache cache, const VkComputePipelineCreateInfo& info,
                                       const VkAllocationCallbacks* allocator) {
  ComputeRequest request;
  request.cache = cache;
  request.allocator = allocator;
  request.flags = info.flags;
  request.layout = info.layout;
  request.chain = TypesIn(info.pNext);
  if (const auto* flags2 = FindStruct<VkPipelineCreateFlags2CreateInfo>(info.pNext)) request.flags2 = flags2->flags;
  request.entry_point = info.stage.pName;
  request.stage_flags = info.stage.flags;
  request.stage_chain = TypesIn(info.stage.pNext);
  if (info.stage.pSpecializationInfo)
    for (uint32_t i = 0; i < info.stage.pSpecializationInfo->mapEntryCount; ++i) {
      const VkSpecializationMapEntry& entry = info.stage.pSpecializationInfo->pMapEntries[i];
      request.specialized_ids.push_back(entry.constantID);
      uint32_t& word = request.specialized_words.emplace_back(0);
      std::memcpy(&word, static_cast<const uint8_t*>(info.stage.pSpecializationInfo->pData) + entry.offset,
                  std::min(entry.size, sizeof(word)));
    }
  request.base = info.basePipelineHandle;
  request.base_index = info.basePipelineIndex;
  request.thread = std::this_thread::get_id();
  const std::lock_guard lock(current_->mutex_);
  if (const auto kernel = current_->kernel_modules_.find(info.stage.module); kernel != current_->kernel_modules_.end())
    request.kernel = kernel->second;
  return request;
}

VkResult GraphCreation::Answer(VkPipelineCache cache, const VkComputePipelineCreateInfo& info,
                               const VkAllocationCallbacks* allocator, VkPipeline& pipeline) {
  ComputeRequest request = Describe(cache, info, allocator);
  if (const auto* feedback = FindStruct<VkPipelineCreationFeedbackCreateInfo>(info.pNext))
    *feedback->pPipelineCreationFeedback = {request.kernel ? kernel_feedback_flags_ : feedback_flags_, 1000};
  pipeline = VK_NULL_HANDLE;
  if (request.kernel) return AnswerKernel(std::move(request), pipeline);
  if (on_request_) on_request_();
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));

  const auto answer = answers_.find(requests_.size() - 1);
  if (answer != answers_.end()) return answer->second;
  for (const uint32_t word : requests_.back().specialized_words)
    if (const auto by_constant = answers_by_constant_.find(word); by_constant != answers_by_constant_.end())
      return by_constant->second;
  pipeline = reinterpret_cast<VkPipeline>(driver_.MakeHandle());
  live_[pipeline] = allocator;
  requests_.back().answered = pipeline;
  return VK_SUCCESS;
}

VkResult GraphCreation::AnswerKernel(ComputeRequest request, VkPipeline& pipeline) {
  if (on_kernel_request_) on_kernel_request_(*request.kernel);
  const std::lock_guard lock(mutex_);
  const auto answer = kernel_answers_.find(*request.kernel);
  const VkResult result = answer == kernel_answers_.end() ? VK_SUCCESS : answer->second;
  // Drivers may write something even if they fail.
  pipeline = reinterpret_cast<VkPipeline>(driver_.MakeHandle());
  if (result == VK_SUCCESS) request.answered = pipeline;
  kernel_requests_.push_back(std::move(request));
  return result;
}

std::vector<std::string> GraphCreation::RequestedKernels() const {
  std::vector<Kernel> kernels;
  for (const ComputeRequest& request : kernel_requests_) kernels.push_back(*request.kernel);
  std::sort(kernels.begin(), kernels.end());
  std::vector<std::string> names;
  for (const Kernel kernel : kernels) names.push_back(std::string(KernelName(kernel)).substr(std::strlen("trellis ")));
  return names;
}

void GraphCreation::DestroyPipeline(VkDevice, VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
  if (!pipeline) return;
  const std::lock_guard lock(current_->mutex_);
  const auto found = current_->live_.find(pipeline);
  ASSERT_NE(found, current_->live_.end()) << "the driver does not know this pipeline";
  EXPECT_EQ(found->second, allocator) << "destroyed with another allocator than the one it was made with";
  current_->live_.erase(found);
}

}  // namespace trellis::test
