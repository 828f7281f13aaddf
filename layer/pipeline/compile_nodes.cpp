// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/compile_nodes.h"

#include <chrono>
#include <compare>
#include <map>
#include <utility>

#include "layer/diagnostics/label.h"
#include "layer/diagnostics/result_name.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/objects/scoped_shader_module.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/driver_stage.h"
#include "layer/pipeline/dump_shaders.h"
#include "layer/pipeline/lower_node.h"
#include "layer/pipeline/parallel_for.h"
#include "layer/pipeline/specialization.h"

namespace trellis {
namespace {

// The rest of the create info's chain goes to every node. `feedback`, if any, takes the place of the application's
// structure.
const void* DriverChain(const CompileRequest& request, VkPipelineCreationFeedbackCreateInfo* feedback, Arena& arena) {
  VkBaseInStructure head = {};
  head.pNext = static_cast<const VkBaseInStructure*>(request.chain);
  RemoveFromChain(&head, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, arena);
  if (feedback) InsertIntoChain(&head, feedback);
  return head.pNext;
}

CreationResult Failure(const CompileRequest& request, VkResult result, const std::string& reason) {
  return {result, "node " + request.label + ": " + reason};
}

CreationResult CreatePipeline(const CompileRequest& request, const LoweredShader& shader, CompiledShader& compiled) {
  const CreationContext& context = request.context;
  ScopedShaderModule module(context.device, context.allocator);
  if (const VkResult result = module.Create(shader.node.words); result != VK_SUCCESS)
    return Failure(request, result, "the driver refused the lowered shader");

  Arena arena;
  DriverFeedback feedback(compiled.feedback);
  auto info =
      MakeStruct<VkComputePipelineCreateInfo>(DriverChain(request, request.feedback ? &feedback.info : nullptr, arena));
  SetPipelineFlags(info, context.flags & ~kGraphOnlyFlags, !context.device.emulates_maintenance5, arena);
  info.stage = DriverStage(*request.node.stage, module.handle(), shader, arena);
  info.layout = request.layout->node_layout;
  info.basePipelineIndex = -1;
  auto pipeline = std::make_shared<NodePipeline>(context.device, request.layout);
  pipeline->SetDescriptorSets(shader.descriptor_sets);
  const VkResult result =
      pipeline->Create(context.device.dispatch.CreateComputePipelines, context.cache, info, context.allocator);
  // Asked for by the application: nothing to tell.
  if (result == VK_PIPELINE_COMPILE_REQUIRED) return {result, {}};
  if (result != VK_SUCCESS)
    return Failure(request, result, "vkCreateComputePipelines failed with " + ResultName(result));
  NameObject(context.device, VK_OBJECT_TYPE_PIPELINE, HandleToU64(pipeline->handle()), "node " + request.label);
  compiled.pipeline = std::move(pipeline);
  return {};
}

// The application may have used all that the driver has instead of what the layer reports (ReduceLimits). Most drivers
// accept more.
void WarnOfSharedMemory(const CompileRequest& request, const LoweredShader& shader) {
  const Device& device = request.context.device;
  const uint32_t limit = device.traits.limits.maxComputeSharedMemorySize;
  if (shader.node.shared_bytes.value_or(0) <= limit) return;
  device.diagnostics.Warning("TRELLIS-shared-memory",
                             "node " + request.label + ": with what Trellis adds it needs " +
                                 std::to_string(*shader.node.shared_bytes) +
                                 " bytes of shared memory, and maxComputeSharedMemorySize of this device is " +
                                 std::to_string(limit) + ": the driver may not create the pipeline. Use " +
                                 std::to_string(*shader.node.shared_bytes - limit) + " bytes less",
                             {{VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}});
}

// What the driver's pipeline depends on. Chains are compared by address, which is right within one command, and finds
// everything that matters: stages of nodes rarely have one that reaches the driver.
struct PipelineKey {
  const LoweredShader* shader = nullptr;
  const PipelineLayout* layout = nullptr;
  VkPipelineCreateFlags2 flags = 0;
  const void* chain = nullptr;
  VkPipelineShaderStageCreateFlags stage_flags = 0;
  const void* stage_chain = nullptr;
  uint32_t owner = 0;  // pipelines with an allocator belong to one graph, others to none (0)
  std::map<uint32_t, std::vector<uint8_t>> constants;
  auto operator<=>(const PipelineKey&) const = default;
};

PipelineKey KeyOf(const CompileRequest& request, const LoweredShader& shader) {
  const CreationContext& context = request.context;
  const VkPipelineShaderStageCreateInfo& stage = *request.node.stage;
  PipelineKey key;
  key.shader = &shader;
  key.layout = request.layout.get();
  key.flags = context.flags;
  key.chain = request.chain;
  key.stage_flags = stage.flags;
  key.stage_chain = StageChainThatReachesDriver(stage.pNext);
  key.owner = context.allocator ? context.id : 0;
  for (auto& [id, bytes] : ReadSpecialization(stage.pSpecializationInfo))
    if (shader.specializable_ids.contains(id)) key.constants.emplace(id, bytes);
  return key;
}

// One compile of the driver, and the requests that it is for.
struct Job {
  const CompileRequest* request = nullptr;  // the first of them
  const LoweredShader* shader = nullptr;
  std::vector<size_t> results;
  uint64_t nanoseconds = 0;
};

class Compilation {
 public:
  Compilation(std::span<const CompileRequest> requests, OnFailure on_failure)
      : requests_(requests), on_failure_(on_failure), shaders_(requests.size()), results_(requests.size()) {}

  std::vector<CompiledShader> Run(CompileTimes& times) {
    if (requests_.empty()) return {};
    for (const CompileRequest& request : requests_) DumpOriginal(request.context, request.label, request.node.words);
    ParallelFor(requests_.size(), ThreadCount(requests_.front().context.device.settings.threads),
                [this](size_t i) { return GoOn(Lower(i)); });
    Group();
    ParallelFor(jobs_.size(), requests_.front().context.DriverThreads(),
                [this](size_t i) { return GoOn(Compile(jobs_[i])); });
    for (const CompiledShader& result : results_) times.lower_nanoseconds += result.lower_nanoseconds;
    for (const Job& job : jobs_) times.driver_nanoseconds += job.nanoseconds;
    times.pipelines += jobs_.size();
    return std::move(results_);
  }

 private:
  bool GoOn(bool succeeded) const { return succeeded || on_failure_ == OnFailure::kGoOn; }

  bool Lower(size_t i) {
    const auto begin = std::chrono::steady_clock::now();
    const CompileRequest& request = requests_[i];
    shaders_[i] = LowerNode(request.context.device, request.node, *request.layout, request.chain);
    if (shaders_[i]->result != VK_SUCCESS)
      results_[i].failure = Failure(request, shaders_[i]->result, shaders_[i]->reason);
    results_[i].lower_nanoseconds = NanosecondsSince(begin);
    return results_[i].failure.Succeeded();
  }

  void Group() {
    std::map<PipelineKey, size_t> known;
    // With kStop requests behind the first failure may have no shader: they are not looked at.
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (!shaders_[i]->node.words.empty()) DumpLowered(requests_[i].context, requests_[i].label, *shaders_[i]);
      if (!results_[i].failure.Succeeded()) {
        if (on_failure_ == OnFailure::kGoOn) continue;
        jobs_.clear();
        return;
      }
      const auto [job, is_new] = known.try_emplace(KeyOf(requests_[i], *shaders_[i]), jobs_.size());
      if (is_new) {
        WarnOfSharedMemory(requests_[i], *shaders_[i]);
        jobs_.push_back({&requests_[i], shaders_[i].get(), {}, 0});
      }
      jobs_[job->second].results.push_back(i);
    }
  }

  bool Compile(Job& job) {
    const auto begin = std::chrono::steady_clock::now();
    CompiledShader compiled;
    compiled.failure = CreatePipeline(*job.request, *job.shader, compiled);
    job.nanoseconds = NanosecondsSince(begin);
    for (const size_t i : job.results) {
      compiled.lower_nanoseconds = results_[i].lower_nanoseconds;
      results_[i] = compiled;
    }
    return compiled.failure.Succeeded();
  }

  const std::span<const CompileRequest> requests_;
  const OnFailure on_failure_;
  std::vector<std::shared_ptr<const LoweredShader>> shaders_;  // by request
  std::vector<CompiledShader> results_;                        // by request; a worker writes those of its own only
  std::vector<Job> jobs_;                                      // in the order of their first requests
};

}  // namespace

std::vector<CompiledShader> CompileNodes(std::span<const CompileRequest> requests, OnFailure on_failure,
                                         CompileTimes& times) {
  return Compilation(requests, on_failure).Run(times);
}

}  // namespace trellis
