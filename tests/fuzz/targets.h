// SPDX-License-Identifier: Apache-2.0
// What fuzzers feed with words. Anything may be refused; a broken promise ends the process with a message.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "spirv_lowering/lower.h"

namespace trellis::fuzz {

using Target = void (*)(std::span<const uint32_t> words);

// A shader module on its way through pipeline creation: read, reflect, check rules, lower, for each entry point.
void FuzzLowering(std::span<const uint32_t> words);
// glslang's output on its way through `trellis compile`: read, rewrite, check rules, write.
void FuzzRewriter(std::span<const uint32_t> words);

// Lowers each entry point as pipelines do, with several options.
using LoweringVisitor = std::function<void(const Expected<spirv::LoweredNode>& lowered)>;
void LowerEntryPoints(const spirv::Module& module, const LoweringVisitor& visit);

// The whole words of an input.
[[nodiscard]] std::vector<uint32_t> WordsOf(std::span<const uint8_t> bytes);

}  // namespace trellis::fuzz
