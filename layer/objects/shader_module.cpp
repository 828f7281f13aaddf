// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/shader_module.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpCapability = 17;
constexpr uint32_t kShaderEnqueueAmdx = 5067;

// Calls visit(capability) until it returns true, and returns whether it did. Allocates nothing: applications without
// graphs get here for each of their pipelines.
template <typename Visitor>
bool AnyCapability(std::span<const uint32_t> words, Visitor&& visit) {
  if (words.size() < kHeaderWords || words[0] != kMagic) return false;
  // Capabilities come first in a module: "Logical Layout of a Module" in the SPIR-V specification.
  for (size_t at = kHeaderWords; at + 1 < words.size() && words[at] == (2u << 16 | kOpCapability); at += 2) {
    if (visit(words[at + 1])) return true;
  }
  return false;
}

}  // namespace

std::span<const uint32_t> ChainedWords(const VkPipelineShaderStageCreateInfo& stage) {
  const auto* code = FindStruct<VkShaderModuleCreateInfo>(stage.pNext);
  if (!code) return {};
  return {code->pCode, code->codeSize / sizeof(uint32_t)};
}

std::vector<uint32_t> DeclaredCapabilities(std::span<const uint32_t> words) {
  std::vector<uint32_t> capabilities;
  AnyCapability(words, [&](uint32_t capability) {
    capabilities.push_back(capability);
    return false;
  });
  return capabilities;
}

bool DeclaresShaderEnqueue(std::span<const uint32_t> words) {
  return AnyCapability(words, [](uint32_t capability) { return capability == kShaderEnqueueAmdx; });
}

}  // namespace trellis
