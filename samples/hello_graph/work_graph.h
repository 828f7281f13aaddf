// SPDX-License-Identifier: Apache-2.0
// The graph itself: three shaders that send records to each other, made into one pipeline, and how it is dispatched.
#pragma once

#include "samples/hello_graph/gpu.h"
#include "samples/hello_graph/records.h"

namespace hello {

class WorkGraph {
 public:
  explicit WorkGraph(const Gpu& gpu);
  ~WorkGraph();
  WorkGraph(const WorkGraph&) = delete;
  WorkGraph& operator=(const WorkGraph&) = delete;

  // Dispatches the graph once with these records and waits for it.
  ResultWords Run(const EntryRecords& records);

  // The nodes as a tree, with how each is launched.
  static void Print();

 private:
  void MakePipeline();
  void Record(VkCommandBuffer command_buffer, const Buffer& scratch, VkDeviceSize scratch_size, VkDescriptorSet set,
              const EntryRecords& records);

  const Gpu& gpu_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
};

}  // namespace hello
