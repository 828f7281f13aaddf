// SPDX-License-Identifier: Apache-2.0
// The fake driver's render passes, and what begins and ends in command buffers. Each call's text describes it.
#include <string>
#include <unordered_map>

#include "layer/dispatch/struct_chain.h"
#include "tests/layer/fake_driver/driver_function.h"
#include "tests/layer/fake_driver/fake_driver.h"

namespace trellis::test {

namespace {

std::string Operations(VkAttachmentLoadOp load, VkAttachmentStoreOp store) {
  const auto name = [](VkAttachmentLoadOp operation) {
    if (operation == VK_ATTACHMENT_LOAD_OP_LOAD) return "load";
    if (operation == VK_ATTACHMENT_LOAD_OP_CLEAR) return "clear";
    return operation == VK_ATTACHMENT_LOAD_OP_NONE ? "none" : "any";
  };
  const char* const stored = store == VK_ATTACHMENT_STORE_OP_STORE  ? "store"
                             : store == VK_ATTACHMENT_STORE_OP_NONE ? "none"
                                                                    : "any";
  return std::string(name(load)) + "/" + stored;
}

std::string Describe(const char* name, const VkRenderingAttachmentInfo* attachment) {
  if (!attachment || !attachment->imageView) return {};
  return std::string(" ") + name + " " + Operations(attachment->loadOp, attachment->storeOp) + " in " +
         std::to_string(attachment->imageLayout) + (attachment->resolveImageView ? " resolved" : "");
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer command_buffer, const VkRenderingInfo* info) {
  DriverCall& call = Record(command_buffer, "CmdBeginRendering");
  call.flags = info->flags;
  call.chain = TypesIn(info->pNext);
  for (uint32_t i = 0; i < info->colorAttachmentCount; ++i) call.text += Describe("color", &info->pColorAttachments[i]);
  call.text += Describe("depth", info->pDepthAttachment) + Describe("stencil", info->pStencilAttachment);
}
VKAPI_ATTR void VKAPI_CALL CmdEndRendering(VkCommandBuffer command_buffer) {
  Record(command_buffer, "CmdEndRendering");
}
VKAPI_ATTR void VKAPI_CALL CmdEndRendering2KHR(VkCommandBuffer command_buffer, const VkRenderingEndInfoKHR*) {
  Record(command_buffer, "CmdEndRendering2KHR");
}

// The views of an imageless framebuffer, and sample locations: "initial ATTACHMENT x Y of the first location".
void DescribeChain(DriverCall& call, const void* chain) {
  call.chain = TypesIn(chain);
  if (const auto* views = FindStruct<VkRenderPassAttachmentBeginInfo>(chain))
    for (uint32_t i = 0; i < views->attachmentCount; ++i) call.objects.push_back((uint64_t)views->pAttachments[i]);
  if (const auto* locations = FindStruct<VkRenderPassSampleLocationsBeginInfoEXT>(chain))
    for (uint32_t i = 0; i < locations->attachmentInitialSampleLocationsCount; ++i) {
      const VkAttachmentSampleLocationsEXT& initial = locations->pAttachmentInitialSampleLocations[i];
      call.text += "initial " + std::to_string(initial.attachmentIndex) + " x " +
                   std::to_string(initial.sampleLocationsInfo.pSampleLocations[0].x);
    }
}

void RecordBegin(VkCommandBuffer command_buffer, const char* name, const VkRenderPassBeginInfo& info,
                 VkSubpassContents contents) {
  DriverCall& call = Record(command_buffer, name);
  call.object = (uint64_t)info.renderPass;
  call.layout = (uint64_t)info.framebuffer;
  call.first = contents;
  call.offset = info.clearValueCount;
  DescribeChain(call, info.pNext);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass(VkCommandBuffer command_buffer, const VkRenderPassBeginInfo* info,
                                              VkSubpassContents contents) {
  RecordBegin(command_buffer, "CmdBeginRenderPass", *info, contents);
}
VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass2(VkCommandBuffer command_buffer, const VkRenderPassBeginInfo* info,
                                               const VkSubpassBeginInfo* subpass) {
  RecordBegin(command_buffer, "CmdBeginRenderPass2", *info, subpass->contents);
}
VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass(VkCommandBuffer command_buffer) {
  Record(command_buffer, "CmdEndRenderPass");
}
VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass2(VkCommandBuffer command_buffer, const VkSubpassEndInfo*) {
  Record(command_buffer, "CmdEndRenderPass2");
}

VKAPI_ATTR void VKAPI_CALL CmdBeginQuery(VkCommandBuffer command_buffer, VkQueryPool, uint32_t query,
                                         VkQueryControlFlags) {
  Record(command_buffer, "CmdBeginQuery").first = query;
}
VKAPI_ATTR void VKAPI_CALL CmdEndQuery(VkCommandBuffer command_buffer, VkQueryPool, uint32_t query) {
  Record(command_buffer, "CmdEndQuery").first = query;
}
VKAPI_ATTR void VKAPI_CALL CmdBeginQueryIndexedEXT(VkCommandBuffer command_buffer, VkQueryPool, uint32_t query,
                                                   VkQueryControlFlags, uint32_t) {
  Record(command_buffer, "CmdBeginQueryIndexedEXT").first = query;
}
VKAPI_ATTR void VKAPI_CALL CmdEndQueryIndexedEXT(VkCommandBuffer command_buffer, VkQueryPool, uint32_t query,
                                                 uint32_t) {
  Record(command_buffer, "CmdEndQueryIndexedEXT").first = query;
}
VKAPI_ATTR void VKAPI_CALL CmdBeginTransformFeedbackEXT(VkCommandBuffer command_buffer, uint32_t, uint32_t,
                                                        const VkBuffer*, const VkDeviceSize*) {
  Record(command_buffer, "CmdBeginTransformFeedbackEXT");
}
VKAPI_ATTR void VKAPI_CALL CmdEndTransformFeedbackEXT(VkCommandBuffer command_buffer, uint32_t, uint32_t,
                                                      const VkBuffer*, const VkDeviceSize*) {
  Record(command_buffer, "CmdEndTransformFeedbackEXT");
}

VKAPI_ATTR void VKAPI_CALL CmdSetRenderingAttachmentLocations(VkCommandBuffer command_buffer,
                                                              const VkRenderingAttachmentLocationInfo* info) {
  DriverCall& call = Record(command_buffer, "CmdSetRenderingAttachmentLocations");
  call.dynamic_offsets.assign(info->pColorAttachmentLocations,
                              info->pColorAttachmentLocations + info->colorAttachmentCount);
}
VKAPI_ATTR void VKAPI_CALL CmdSetRenderingInputAttachmentIndices(VkCommandBuffer command_buffer,
                                                                 const VkRenderingInputAttachmentIndexInfo* info) {
  DriverCall& call = Record(command_buffer, "CmdSetRenderingInputAttachmentIndices");
  call.dynamic_offsets.assign(info->pColorAttachmentInputIndices,
                              info->pColorAttachmentInputIndices + info->colorAttachmentCount);
  for (const uint32_t* index : {info->pDepthInputAttachmentIndex, info->pStencilInputAttachmentIndex})
    if (index) call.dynamic_offsets.push_back(*index);
}

std::string StencilLayouts(const VkAttachmentDescription&) { return {}; }
std::string StencilLayouts(const VkAttachmentDescription2& attachment) {
  const auto* layouts = FindStruct<VkAttachmentDescriptionStencilLayout>(attachment.pNext);
  return layouts ? " stencil layout " + std::to_string(layouts->stencilInitialLayout) + " to " +
                       std::to_string(layouts->stencilFinalLayout)
                 : std::string();
}

std::vector<VkStructureType> SubpassTypes(const VkSubpassDescription&) { return {}; }
std::vector<VkStructureType> SubpassTypes(const VkSubpassDescription2& subpass) { return TypesIn(subpass.pNext); }

template <typename CreateInfo>
VkResult Create(VkDevice device, const char* name, const CreateInfo& info, VkRenderPass* render_pass) {
  FakeDriver& driver = DriverOf(device);
  if (const VkResult result = driver.TakeNextResult(); result != VK_SUCCESS) return result;
  DriverCall& call = driver.Record(name);
  call.object = driver.MakeHandle();
  *render_pass = (VkRenderPass)call.object;
  call.chain = TypesIn(info.pNext);
  for (uint32_t i = 0; i < info.subpassCount; ++i)
    for (const VkStructureType type : SubpassTypes(info.pSubpasses[i])) call.chain.push_back(type);
  for (uint32_t i = 0; i < info.attachmentCount; ++i) {
    const auto& attachment = info.pAttachments[i];
    call.text += (i == 0 ? "" : ", ") + Operations(attachment.loadOp, attachment.storeOp) + " stencil " +
                 Operations(attachment.stencilLoadOp, attachment.stencilStoreOp) + " layout " +
                 std::to_string(attachment.initialLayout) + " to " + std::to_string(attachment.finalLayout) +
                 StencilLayouts(attachment);
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass(VkDevice device, const VkRenderPassCreateInfo* info,
                                                const VkAllocationCallbacks*, VkRenderPass* render_pass) {
  return Create(device, "CreateRenderPass", *info, render_pass);
}
VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2* info,
                                                 const VkAllocationCallbacks*, VkRenderPass* render_pass) {
  return Create(device, "CreateRenderPass2", *info, render_pass);
}
VKAPI_ATTR void VKAPI_CALL DestroyRenderPass(VkDevice device, VkRenderPass render_pass, const VkAllocationCallbacks*) {
  DriverOf(device).Record("DestroyRenderPass").object = (uint64_t)render_pass;
}

}  // namespace

PFN_vkVoidFunction FakeRenderPassFunction(const char* name) {
  static const FunctionTable table = {
      TRELLIS_FAKE(CmdBeginQuery),
      TRELLIS_FAKE(CmdBeginQueryIndexedEXT),
      TRELLIS_FAKE(CmdBeginRenderPass),
      TRELLIS_FAKE(CmdBeginRenderPass2),
      TRELLIS_FAKE(CmdBeginRendering),
      TRELLIS_FAKE(CmdBeginTransformFeedbackEXT),
      TRELLIS_FAKE(CmdEndQuery),
      TRELLIS_FAKE(CmdEndQueryIndexedEXT),
      TRELLIS_FAKE(CmdEndRenderPass),
      TRELLIS_FAKE(CmdEndRenderPass2),
      TRELLIS_FAKE(CmdEndRendering),
      TRELLIS_FAKE(CmdEndRendering2KHR),
      {"vkCmdEndRendering2EXT", DriverFunction<PFN_vkCmdEndRendering2EXT, &CmdEndRendering2KHR>()},
      TRELLIS_FAKE(CmdEndTransformFeedbackEXT),
      TRELLIS_FAKE(CmdSetRenderingAttachmentLocations),
      TRELLIS_FAKE(CmdSetRenderingInputAttachmentIndices),
      TRELLIS_FAKE(CreateRenderPass),
      TRELLIS_FAKE(CreateRenderPass2),
      TRELLIS_FAKE(DestroyRenderPass),
  };
  return FindFunction(table, name);
}

}  // namespace trellis::test
