// Runs random graphs on the device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/random/generate.h"
#include "tests/support/run.h"

namespace trellis::test::random_graphs {

struct DeviceResults {
  std::string error;                         // not empty: nothing ran, or something complained
  std::vector<std::vector<uint32_t>> words;  // by graph; before the run InitialWord
};

class Device {
 public:
  explicit Device(Context& context);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] Abilities abilities() const;

  // All graphs must have the same topology: one pipeline, one command buffer, one scratch buffer, no barriers between
  // the dispatches.
  [[nodiscard]] DeviceResults Run(std::span<const Case> cases);

 private:
  [[nodiscard]] VkShaderModule ModuleOf(uint32_t kind, std::string& error);
  [[nodiscard]] std::unique_ptr<Graph> CreatePipeline(const Topology& topology, std::string& error);

  Context& context_;
  const Layout layout_;                  // always the same: SwiftShader's pipeline cache looks for it too
  std::vector<VkShaderModule> modules_;  // by kind; made when they are needed
  VkPipelineCache cache_ = VK_NULL_HANDLE;
};

}  // namespace trellis::test::random_graphs
