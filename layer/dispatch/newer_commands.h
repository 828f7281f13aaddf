// SPDX-License-Identifier: Apache-2.0
// Commands that the layer hooks although the oldest headers that it builds with lack them. Included by vulkan.h.
#pragma once

#ifndef VK_KHR_maintenance10
#ifdef VK_EXT_fragment_density_map_offset
using VkRenderingEndInfoKHR = VkRenderingEndInfoEXT;
using PFN_vkCmdEndRendering2KHR = PFN_vkCmdEndRendering2EXT;
#else
struct VkRenderingEndInfoKHR;
using PFN_vkCmdEndRendering2KHR = void(VKAPI_PTR*)(VkCommandBuffer command_buffer, const VkRenderingEndInfoKHR* info);
using PFN_vkCmdEndRendering2EXT = PFN_vkCmdEndRendering2KHR;
#endif
#endif
