// SPDX-License-Identifier: Apache-2.0
// How much memory and time a target may take. operator new is replaced.
#pragma once

#include <cstddef>
#include <string>

#include "tests/fuzz/targets.h"

namespace trellis::fuzz {

// Runs the target. Empty if it kept to its budget, else by how much it did not:
//   memory: 64 times the input, and what does not depend on it, for every lowered node gets the layer's own functions;
//   time: one second of this thread.
[[nodiscard]] std::string RunWithinBudget(Target target, std::span<const uint32_t> words);

}  // namespace trellis::fuzz
