// SPDX-License-Identifier: Apache-2.0
// An application in miniature on a driver that executes nothing, to break the rules of the extension in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layer/objects/handle_table.h"
#include "tests/layer/fake_driver/messenger.h"

namespace trellis::test {

struct WorldOptions {
  bool shader_enqueue = true;  // features that are enabled
  bool pipeline_creation_cache_control = false;
  DriverOptions driver = {};
};

// A node of a graph: its entry point, and what VkPipelineShaderStageNodeCreateInfoAMDX says if there is a name.
struct NodeEntry {
  const char* entry_point;
  const char* name = nullptr;
  uint32_t index = 0;
};

class World {
 public:
  World(bool validate, const WorldOptions& options);

  // The VUIDs that the layer reported, in order. Everything that it checks always is left out: that comes under other
  // names, and the same with and without the setting.
  std::vector<std::string> vuids;

  [[nodiscard]] const TestDevice& device() const { return device_; }

  // Creation. What is made lives as long as the world.
  VkShaderModule Module(const std::string& text);
  VkPipelineLayout Layout(uint32_t push_constant_bytes = 16);
  static VkPipelineShaderStageCreateInfo Stage(VkShaderModule module, const char* entry_point,
                                               const void* chain = nullptr);
  // Of nodes that keep all rules; the stages are good until the next call.
  VkExecutionGraphPipelineCreateInfoAMDX ChainInfo(const void* chain = nullptr);
  VkPipeline Create(const VkExecutionGraphPipelineCreateInfoAMDX& info) { return CreateAll({info}).front(); }
  std::vector<VkPipeline> CreateAll(const std::vector<VkExecutionGraphPipelineCreateInfoAMDX>& infos,
                                    VkPipelineCache cache = VK_NULL_HANDLE);
  // A graph, or a part of one, of nodes of one module.
  VkPipeline GraphOf(const std::string& text, const std::vector<NodeEntry>& nodes, VkPipelineCreateFlags flags = 0,
                     uint32_t push_constant_bytes = 16);

  // Buffers.
  VkBuffer Buffer(VkDeviceSize size, VkBufferUsageFlags usage);
  VkDeviceAddress AddressOf(VkBuffer buffer);
  VkDeviceAddress Scratch(VkDeviceSize size) {
    return AddressOf(Buffer(size, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | kAddress));
  }
  VkDeviceAddress Indirect(VkDeviceSize size) {
    return AddressOf(Buffer(size, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | kAddress));
  }
  VkDeviceSize ScratchSize(VkPipeline graph);
  static constexpr VkBufferUsageFlags kAddress = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

  // Commands.
  VkCommandBuffer Allocate(VkCommandPoolCreateFlags pool_flags = 0,
                           VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  void Begin(VkCommandBuffer command_buffer);
  void Bind(VkCommandBuffer command_buffer, VkPipeline graph);

 private:
  void OnMessage(const HeardMessage& message);

  struct Chains {
    Chains(bool validate_value, const WorldOptions& options);
    const VkBool32 validate;
    const VkLayerSettingEXT setting;
    const VkLayerSettingsCreateInfoEXT settings;
    VkPhysicalDevicePipelineCreationCacheControlFeatures cache_control =
        MakeStruct<VkPhysicalDevicePipelineCreationCacheControlFeatures>();
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX features =
        MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(&cache_control);
  };

  FakeDriver driver_;
  const Chains chains_;
  TestInstance instance_;
  Messenger messenger_;
  TestDevice device_;
  std::vector<VkPipelineShaderStageCreateInfo> stages_;
};

using Program = std::function<void(World&)>;

// The program makes the layer report this one rule with the setting `validate`, and none without it.
void ExpectFinding(const std::string& vuid, const Program& wrong, const WorldOptions& options = {});
// The program makes the layer report nothing.
void ExpectNoFinding(const Program& right, const WorldOptions& options = {});

}  // namespace trellis::test
