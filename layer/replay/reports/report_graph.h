// SPDX-License-Identifier: Apache-2.0
// What a report says of a graph, whether it runs or not.
#pragma once

#include <cstdint>
#include <string>

#include "layer/graph/graph.h"

namespace trellis {

// Returns members of a JSON object, from "id" on, without its braces.
[[nodiscard]] std::string GraphMembers(const Graph& graph, uint32_t id);

}  // namespace trellis
