// SPDX-License-Identifier: Apache-2.0
// The shaders of the library: semantics.h as SPIR-V.
#pragma once

#include <string>

#include "tests/random/node_kind.h"

namespace trellis::test::random_graphs {

// A module with one entry point, kEntryPoint. Storage buffers: results at binding 0, tables at binding 1; kPushWords
// push constants.
[[nodiscard]] std::string NodeModule(const NodeKind& kind);

inline constexpr const char* kEntryPoint = "main";

}  // namespace trellis::test::random_graphs
