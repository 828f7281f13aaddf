// SPDX-License-Identifier: Apache-2.0
// MaxRecordsPerNode: most payloads that one workgroup sends to any one node of a node array. SPIR-V has no decoration
// for it; it comes as the string decoration UserSemantic "MaxRecordsPerNode:N" on the payload array type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// If the annotation is that decoration, well-formed or not: the whole string.
[[nodiscard]] std::optional<std::string> RecordsPerNodeText(const Instruction& annotation);
[[nodiscard]] Expected<uint32_t> ParseRecordsPerNode(std::string_view text);
[[nodiscard]] std::string FormatRecordsPerNode(uint32_t count);

// Returns the decoration of a payload array type; nothing if it has none.
[[nodiscard]] Expected<std::optional<uint32_t>> FindRecordsPerNode(const Module& module, Id array_type);

}  // namespace trellis::spirv
