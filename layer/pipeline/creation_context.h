// SPDX-License-Identifier: Apache-2.0
// What the creation of one execution graph or library carries from step to step. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/device.h"
#include "layer/objects/pipeline_layout.h"

namespace trellis {

// How a step ended. Steps that run on other threads return this instead of reporting: the application's messengers hear
// of a creation on the thread of its call only, and of the first failure only.
struct [[nodiscard]] CreationResult {
  VkResult result = VK_SUCCESS;
  std::string reason;  // for the message; empty if there is nothing to tell

  [[nodiscard]] bool Succeeded() const { return result == VK_SUCCESS; }
  // Invalid usage, or something that is not implemented.
  static CreationResult Refused(std::string why) { return {VK_ERROR_VALIDATION_FAILED_EXT, std::move(why)}; }
};

// Lives on the stack of one command that creates pipelines.
struct CreationContext {
  Device& device;
  VkPipelineCache cache = VK_NULL_HANDLE;
  // The application's, for what belongs to one graph; null for libraries, whose nodes may live on in graphs.
  const VkAllocationCallbacks* allocator = nullptr;
  uint32_t id = 0;                   // of the graph or library, unique in the process
  VkPipelineCreateFlags2 flags = 0;  // VkPipelineCreateFlags2CreateInfo's where there is one, else the create info's
  std::string name = "the execution graph pipeline";  // for messages

  [[nodiscard]] bool IsLibrary() const { return (flags & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) != 0; }
  // Threads that may call the driver for this creation. An allocator and an externally synchronised cache belong to
  // the calling thread while the command runs.
  [[nodiscard]] uint32_t DriverThreads() const;

  // Reports why this pipeline was not created, if there is something to tell. Returns the result, to be passed on.
  [[nodiscard]] VkResult Report(const CreationResult& failure) const;
};

[[nodiscard]] uint32_t NewPipelineId();

// The application's layout, refused if nodes cannot be launched with it.
CreationResult FindNodeLayout(const CreationContext& context, VkPipelineLayout handle,
                              std::shared_ptr<PipelineLayout>& layout);

// What the commands may return: what else the driver says is VK_ERROR_UNKNOWN.
[[nodiscard]] VkResult PermittedResult(VkResult result);

// Returns the result of a command with several create infos: an error tells more than VK_PIPELINE_COMPILE_REQUIRED;
// else the first one counts.
[[nodiscard]] VkResult WorseResult(VkResult so_far, VkResult next);

}  // namespace trellis
