#include "layer/pipeline/compile_node.h"

#include <chrono>
#include <utility>
#include <vector>

#include "layer/dispatch/struct_chain.h"
#include "layer/pipeline/dump_shaders.h"
#include "layer/pipeline/specialization.h"
#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"

namespace trellis {
namespace {

// A module that the driver needs only while it compiles.
class TemporaryModule {
 public:
  explicit TemporaryModule(const CreationContext& context) : context_(context) {}
  ~TemporaryModule() {
    if (handle_) context_.device.dispatch.DestroyShaderModule(context_.device.handle, handle_, context_.allocator);
  }
  TemporaryModule(const TemporaryModule&) = delete;
  TemporaryModule& operator=(const TemporaryModule&) = delete;

  VkResult Create(std::span<const uint32_t> words) {
    VkShaderModuleCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    const VkResult result =
        context_.device.dispatch.CreateShaderModule(context_.device.handle, &info, context_.allocator, &handle_);
    if (result != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
    return result;
  }

  [[nodiscard]] VkShaderModule handle() const { return handle_; }

 private:
  const CreationContext& context_;
  VkShaderModule handle_ = VK_NULL_HANDLE;
};

bool HasSubgroupAggregation(const DeviceTraits& traits) {
  constexpr VkSubgroupFeatureFlags kNeeded =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
  return (traits.subgroup_operations & kNeeded) == kNeeded;
}

VkResult LowerNode(const CreationContext& context, const CompileRequest& request, spirv::LoweredNode& lowered) {
  const Device& device = context.device;
  const std::string where = "node " + request.label + ": ";
  const spirv::NodeInfo& info = request.node.source.info;
  DumpShader(context, request.label, "original", request.node.words);
  if (info.push_constant_end > request.layout.launch_offset)
    return context.Refuse(where + "the shader uses " + std::to_string(info.push_constant_end) +
                          " bytes of push constants, the layout's COMPUTE ranges end at " +
                          std::to_string(request.layout.push_constant_end));

  Expected<spirv::LoweredNode> result =
      spirv::Lower(*request.node.module, info,
                   {request.layout.launch_offset, HasSubgroupAggregation(device.traits), request.node.specialization});
  if (!result) return context.Refuse(where + result.error().message);
  lowered = *std::move(result);
  DumpShader(context, request.label, "lowered", lowered.words);

  if (device.settings.optimize) {
    Expected<std::vector<uint32_t>> optimized = spirv::Optimize(lowered.words);
    if (!optimized)
      return context.Fail(VK_ERROR_UNKNOWN,
                          where + "the optimizer refused the lowered shader: " + optimized.error().message);
    lowered.words = *std::move(optimized);
    DumpShader(context, request.label, "optimized", lowered.words);
  }
  if (device.settings.validate_lowered) {
    const Expected<void> valid = spirv::Validate(lowered.words, device.traits.api_version < VK_API_VERSION_1_3);
    if (!valid)
      return context.Fail(VK_ERROR_UNKNOWN, where + "the lowered shader is not valid: " + valid.error().message);
  }
  return VK_SUCCESS;
}

// The application's stage with the lowered shader in it. Everything else that it says (subgroup size, robustness)
// stays.
VkPipelineShaderStageCreateInfo DriverStage(const VkPipelineShaderStageCreateInfo& stage, VkShaderModule module,
                                            const spirv::LoweredNode& lowered, Arena& arena) {
  VkPipelineShaderStageCreateInfo* copy = CopyWithChain(stage, arena);
  RemoveFromChain(copy, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  RemoveFromChain(copy, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  RemoveFromChain(copy, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
  copy->module = module;
  copy->pName = lowered.entry_point.c_str();
  copy->pSpecializationInfo = KeepSpecialization(stage.pSpecializationInfo, lowered.words, arena);
  return *copy;
}

// Bits that mean the graph, not its nodes: nodes are no libraries, and have no parents (a graph's base pipeline is one
// of ours).
constexpr VkPipelineCreateFlags2 kGraphOnlyFlags =
    VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR |
    VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_2_DERIVATIVE_BIT |
    VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT;

// The rest of the graph's chain goes to every node. `feedback`, if any, takes the place of the application's structure.
const void* DriverChain(const CreationContext& context, const void* chain, VkPipelineCreateFlags2 flags,
                        VkPipelineCreationFeedbackCreateInfo* feedback, Arena& arena) {
  VkBaseOutStructure head = {};
  head.pNext = static_cast<VkBaseOutStructure*>(CopyChain(chain, arena));
  RemoveFromChain(&head, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
  RemoveFromChain(&head, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
  // Bits above the 32nd only exist in the structure, which a driver without maintenance5 does not know.
  if (flags > UINT32_MAX && !context.device.emulates_maintenance5) {
    VkPipelineCreateFlags2CreateInfo flags2 = {};
    flags2.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    flags2.flags = flags;
    InsertIntoChain(&head, arena.Copy(flags2));
  }
  if (feedback) InsertIntoChain(&head, feedback);
  return head.pNext;
}

VkResult CreatePipeline(const CreationContext& context, const CompileRequest& request,
                        const spirv::LoweredNode& lowered, CompiledShader& compiled) {
  TemporaryModule module(context);
  if (const VkResult result = module.Create(lowered.words); result != VK_SUCCESS)
    return context.Fail(result, "node " + request.label + ": the driver refused the lowered shader");

  Arena arena;
  VkPipelineCreationFeedback stage_feedback = {};
  VkPipelineCreationFeedbackCreateInfo feedback = {};
  feedback.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO;
  feedback.pPipelineCreationFeedback = &compiled.feedback;
  feedback.pipelineStageCreationFeedbackCount = 1;
  feedback.pPipelineStageCreationFeedbacks = &stage_feedback;

  const VkPipelineCreateFlags2 flags = context.flags & ~kGraphOnlyFlags;
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.pNext = DriverChain(context, request.chain, flags, request.feedback ? &feedback : nullptr, arena);
  info.flags = static_cast<VkPipelineCreateFlags>(flags);
  info.stage = DriverStage(*request.node.stage, module.handle(), lowered, arena);
  info.layout = request.layout.node_layout;
  info.basePipelineIndex = -1;
  const VkResult result = context.device.dispatch.CreateComputePipelines(context.device.handle, context.cache, 1, &info,
                                                                         context.allocator, &compiled.pipeline);
  if (result == VK_SUCCESS) return VK_SUCCESS;
  compiled.pipeline = VK_NULL_HANDLE;
  // Asked for by the application: nothing to tell.
  if (result == VK_PIPELINE_COMPILE_REQUIRED) return result;
  return context.Fail(
      result, "node " + request.label + ": vkCreateComputePipelines failed with result " + std::to_string(result));
}

}  // namespace

VkResult CompileNode(const CreationContext& context, const CompileRequest& request, CompiledShader& compiled) {
  const auto begin = std::chrono::steady_clock::now();
  spirv::LoweredNode lowered;
  if (const VkResult result = LowerNode(context, request, lowered); result != VK_SUCCESS) return result;
  compiled.lower_nanoseconds = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
  return CreatePipeline(context, request, lowered, compiled);
}

}  // namespace trellis
