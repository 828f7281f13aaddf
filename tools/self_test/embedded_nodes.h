// SPDX-License-Identifier: Apache-2.0
// The compiled nodes of the self-test, as part of the program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tools/self_test/sample_graphs.h"

namespace trellis::self_test {

// Returns the SPIR-V words of `node`, or none if it is not part of the program.
[[nodiscard]] std::span<const uint32_t> EmbeddedNode(const SampleNode& node);

}  // namespace trellis::self_test
