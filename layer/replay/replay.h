// SPDX-License-Identifier: Apache-2.0
// Records one graph dispatch as ordinary compute dispatches; and what a submission needs for the graphs in it.
#pragma once

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct CommandBuffer;
struct Device;
struct Queue;

// vkCmdDispatchGraphAMDX. What cannot be recorded (no graph bound, scratch too small or unknown, out of memory) is
// reported through the device's diagnostics, records nothing, and is remembered for vkEndCommandBuffer. Everything that
// `count_info` points to may die on return. Threading: that of the command buffer.
void DispatchGraph(CommandBuffer& command_buffer, VkDeviceAddress scratch, VkDeviceSize scratch_size,
                   const VkDispatchGraphCountInfoAMDX& count_info);

// vkCmdDispatchGraphIndirectAMDX: `count_info` is on the host, its infos and their payloads are read by the device in
// the COMPUTE_SHADER stage, at every execution. Infos without a node that the application may launch are left out,
// counted and reported when the device has finished.
void DispatchGraphIndirect(CommandBuffer& command_buffer, VkDeviceAddress scratch, VkDeviceSize scratch_size,
                           const VkDispatchGraphCountInfoAMDX& count_info);
// vkCmdDispatchGraphIndirectCountAMDX: the VkDispatchGraphCountInfoAMDX is read by the device too.
void DispatchGraphIndirectCount(CommandBuffer& command_buffer, VkDeviceAddress scratch, VkDeviceSize scratch_size,
                                VkDeviceAddress count_info);

// vkCmdInitializeGraphScratchMemoryAMDX. Checks its arguments and records nothing: every dispatch writes what it reads
// in scratch by itself.
void InitializeGraphScratch(CommandBuffer& command_buffer, VkPipeline graph, VkDeviceAddress scratch,
                            VkDeviceSize scratch_size);

// To be called before vkEndCommandBuffer is called down. Orders the graphs of the recording before those of later ones,
// and lets the host see what they report: once a recording instead of once a graph.
void RecordEndOfGraphs(CommandBuffer& command_buffer);

// To be called when a render pass instance has ended that was not suspended. Gives back what its draws have used.
void LeaveInstance(CommandBuffer& command_buffer);

// To be called by vkQueueSubmit* before it calls down. `ring_bytes`: the largest CommandBuffer::ring_bytes of all the
// command buffers submitted; 0 if none holds a graph that needs a ring. VK_ERROR_OUT_OF_DEVICE_MEMORY if the rings
// cannot be had: then nothing must be submitted.
[[nodiscard]] VkResult PrepareGraphSubmission(Queue& queue, VkDeviceSize ring_bytes);

// Where the host learns that work has finished: vkQueueSubmit*, vkWaitForFences, vkGetFenceStatus, vkWaitSemaphores,
// vkQueueWaitIdle, vkDeviceWaitIdle, and before an execution graph pipeline or the device is destroyed. Turns what the
// device wrote into messages; one that finds no memory is left out. Does nothing on devices that never recorded a
// graph.
void PollReports(Device& device) noexcept;

// With the setting `report`: writes the file. `reason`: Report::Write.
void WriteReport(Device& device, const char* reason) noexcept;

}  // namespace trellis
