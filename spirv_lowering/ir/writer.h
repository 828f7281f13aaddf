// SPDX-License-Identifier: Apache-2.0
// Module -> words.
#pragma once

#include <cstdint>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Returns the number of words that a function takes in a binary.
[[nodiscard]] size_t WordCount(const Function& function);

[[nodiscard]] std::vector<uint32_t> WriteModule(const Module& module);

}  // namespace trellis::spirv
