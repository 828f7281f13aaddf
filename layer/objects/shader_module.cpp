#include "layer/objects/shader_module.h"

namespace trellis {

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpCapability = 17;
constexpr uint32_t kShaderEnqueueAmdx = 5067;

}  // namespace

bool DeclaresShaderEnqueue(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords || words[0] != kMagic) return false;
  // Capabilities come first in a module: "Logical Layout of a Module" in the SPIR-V specification.
  for (size_t at = kHeaderWords; at + 1 < words.size(); at += 2) {
    if (words[at] != (2u << 16 | kOpCapability)) return false;
    if (words[at + 1] == kShaderEnqueueAmdx) return true;
  }
  return false;
}

}  // namespace trellis
