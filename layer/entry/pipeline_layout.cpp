// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/pipeline_layout.h"

#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                                         const VkAllocationCallbacks* allocator,
                                                         VkDescriptorSetLayout* layout) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const VkResult result = object->dispatch.CreateDescriptorSetLayout(device, info, allocator, layout);
  if (result != VK_SUCCESS) return result;
  ScopedUndo undo([&] { object->dispatch.DestroyDescriptorSetLayout(device, *layout, allocator); });
  object->descriptor_set_layouts.Insert(*layout, std::make_shared<DescriptorSetLayout>(DescribeSetLayout(*info)));
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                                      const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->descriptor_set_layouts.Take(layout);
  object->dispatch.DestroyDescriptorSetLayout(device, layout, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                    const VkAllocationCallbacks* allocator, VkPipelineLayout* layout) {
  const std::shared_ptr<Device> object = FindDevice(device);
  VkPipelineLayout handle = VK_NULL_HANDLE;
  VkResult result = object->dispatch.CreatePipelineLayout(device, info, allocator, &handle);
  if (result != VK_SUCCESS) return result;
  ScopedUndo undo([&] { object->dispatch.DestroyPipelineLayout(device, handle, allocator); });
  std::shared_ptr<PipelineLayout> made;
  result = MakePipelineLayout(*object, *info, handle, made);
  if (result != VK_SUCCESS) return result;
  object->pipeline_layouts.Insert(handle, std::move(made));
  undo.Keep();
  *layout = handle;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineLayout(VkDevice device, VkPipelineLayout layout,
                                                 const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->pipeline_layouts.Take(layout);
  object->dispatch.DestroyPipelineLayout(device, layout, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorUpdateTemplate(VkDevice device,
                                                              const VkDescriptorUpdateTemplateCreateInfo* info,
                                                              const VkAllocationCallbacks* allocator,
                                                              VkDescriptorUpdateTemplate* update_template) {
  const std::shared_ptr<Device> object = FindDevice(device);
  VkDescriptorUpdateTemplateCreateInfo below = *info;
  if (below.pipelineBindPoint == VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX)
    below.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
  const VkResult result = object->dispatch.CreateDescriptorUpdateTemplate(device, &below, allocator, update_template);
  if (result != VK_SUCCESS || info->templateType != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS) return result;
  ScopedUndo undo([&] { object->dispatch.DestroyDescriptorUpdateTemplate(device, *update_template, allocator); });
  auto made = std::make_shared<DescriptorUpdateTemplate>();
  made->bind_point = info->pipelineBindPoint;
  made->set = info->set;
  made->entries.assign(info->pDescriptorUpdateEntries,
                       info->pDescriptorUpdateEntries + info->descriptorUpdateEntryCount);
  object->push_templates.Insert(*update_template, std::move(made));
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorUpdateTemplate(VkDevice device, VkDescriptorUpdateTemplate update_template,
                                                           const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->push_templates.Take(update_template);
  object->dispatch.DestroyDescriptorUpdateTemplate(device, update_template, allocator);
}

}  // namespace trellis::entry
