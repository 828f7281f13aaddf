// SPDX-License-Identifier: Apache-2.0
// The only users of SPIRV-Tools. Works on lowered modules: plain compute SPIR-V without the AMDX extension.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// spirv-val for Vulkan 1.3 (1.2 where `vulkan12`), scalar block layout allowed. The error holds the validator's
// messages.
[[nodiscard]] Expected<void> Validate(std::span<const uint32_t> words, bool vulkan12 = false);
// spirv-opt's performance recipe.
[[nodiscard]] Expected<std::vector<uint32_t>> Optimize(std::span<const uint32_t> words);
// Text as spirv-dis prints it (friendly names off, so that ids are the module's).
[[nodiscard]] Expected<std::string> Disassemble(std::span<const uint32_t> words);
// spirv-as, SPIR-V 1.6, ids preserved. For tests and tools; knows the AMDX instructions.
[[nodiscard]] Expected<std::vector<uint32_t>> Assemble(std::string_view text);

}  // namespace trellis::spirv
