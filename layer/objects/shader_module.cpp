#include "layer/objects/shader_module.h"

#include <algorithm>

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpCapability = 17;
constexpr uint32_t kShaderEnqueueAmdx = 5067;

}  // namespace

std::span<const uint32_t> ChainedWords(const VkPipelineShaderStageCreateInfo& stage) {
  const auto* code = FindStruct<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (!code) return {};
  return {code->pCode, code->codeSize / sizeof(uint32_t)};
}

std::vector<uint32_t> DeclaredCapabilities(std::span<const uint32_t> words) {
  std::vector<uint32_t> capabilities;
  if (words.size() < kHeaderWords || words[0] != kMagic) return capabilities;
  // Capabilities come first in a module: "Logical Layout of a Module" in the SPIR-V specification.
  for (size_t at = kHeaderWords; at + 1 < words.size() && words[at] == (2u << 16 | kOpCapability); at += 2)
    capabilities.push_back(words[at + 1]);
  return capabilities;
}

bool DeclaresShaderEnqueue(std::span<const uint32_t> words) {
  const std::vector<uint32_t> capabilities = DeclaredCapabilities(words);
  return std::find(capabilities.begin(), capabilities.end(), kShaderEnqueueAmdx) != capabilities.end();
}

}  // namespace trellis
