// SPDX-License-Identifier: Apache-2.0
// Built-ins of a module: the one place that reads BuiltIn decorations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

struct BuiltInTarget {
  spv::BuiltIn built_in;
  Id target;  // a variable, a constant (WorkgroupSize), or with `member` a structure type
  std::optional<uint32_t> member = {};
};

// Returns the built-in that the annotation assigns, or nothing for other annotations.
[[nodiscard]] std::optional<BuiltInTarget> BuiltInOf(const Instruction& annotation);

// Returns all built-ins of a module, in the order of its annotations.
[[nodiscard]] std::vector<BuiltInTarget> FindBuiltIns(const Module& module);

// Removes every decoration that assigns the built-in.
void RemoveBuiltIn(Module& module, spv::BuiltIn built_in);

// Returns whether the built-in tells an invocation its place, which in a packed node is that in the node's own
// workgroup.
[[nodiscard]] bool IsPlace(spv::BuiltIn built_in);
// Returns whether the graph defines the built-in, whatever dispatch runs the node.
[[nodiscard]] bool IsOfGraph(spv::BuiltIn built_in);

// Returns "WorkgroupId" and the like for the built-ins of nodes, an empty text for others.
[[nodiscard]] std::string_view FindBuiltInName(spv::BuiltIn built_in);
// The same, but the number for others.
[[nodiscard]] std::string BuiltInName(spv::BuiltIn built_in);

}  // namespace trellis::spirv
