// Built-ins of a module: the one place that reads BuiltIn decorations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

struct BuiltInTarget {
  spv::BuiltIn built_in;
  Id target;  // a variable, a constant (WorkgroupSize), or with `member` a structure type
  std::optional<uint32_t> member = {};
};

// What the annotation says; nothing if it is no BuiltIn decoration.
[[nodiscard]] std::optional<BuiltInTarget> BuiltInOf(const Instruction& annotation);

// All of a module, in its order.
[[nodiscard]] std::vector<BuiltInTarget> FindBuiltIns(const Module& module);

// Takes the decoration away, wherever it stands.
void RemoveBuiltIn(Module& module, spv::BuiltIn built_in);

// Whether the built-in tells an invocation its place, which in a packed node is that in the node's own workgroup.
[[nodiscard]] bool IsPlace(spv::BuiltIn built_in);
// Whether the graph says what the built-in is, whatever dispatch runs the node.
[[nodiscard]] bool IsOfGraph(spv::BuiltIn built_in);

// "WorkgroupId", for those that nodes meet; else the number.
[[nodiscard]] std::string BuiltInName(spv::BuiltIn built_in);

}  // namespace trellis::spirv
