// SPDX-License-Identifier: Apache-2.0
// How much memory and time a target may take. operator new is replaced.
#pragma once

#include <cstddef>
#include <string>

#include "tests/fuzz/targets.h"

namespace trellis::fuzz {

// Runs the target: its time on this thread's processor.
[[nodiscard]] double SecondsOf(Target target, std::span<const uint32_t> words);

// Runs the target. Empty if it kept to its budget, else by how much it did not:
//   memory: 64 times the input, and what does not depend on it, for every lowered node gets the layer's own functions;
//   time: a minute of this thread, after which it counts as hanging.
// `seconds` gets what SecondsOf would return.
[[nodiscard]] std::string RunWithinBudget(Target target, std::span<const uint32_t> words, double* seconds = nullptr);

}  // namespace trellis::fuzz
