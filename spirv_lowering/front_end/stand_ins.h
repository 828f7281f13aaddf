// SPDX-License-Identifier: Apache-2.0
// What include/trellis/node_payload.glsl leaves in a module that glslang made: variables and blocks that stand for
// outputs and the input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/rules/source_lines.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// A node's name: a string, or specialisation constant `spec_id` with that default.
struct NodeNameStandIn {
  std::string text;
  std::optional<uint32_t> spec_id;
};

// NODE_OUTPUT. Constants are ids of the module, kNoId where not given.
struct OutputStandIn {
  std::string type_name;
  NodeNameStandIn target;
  Id max_payloads = kNoId;
  Id base_index = kNoId;
  Id array_size = kNoId;
  Id max_per_node = kNoId;
  bool sparse = false;
  std::string limit_of;  // type name of another output, or empty
  SourceLine where;
};

// NODE_INPUT and NODE_INPUTS.
struct InputStandIn {
  std::string name;
  Id variable = kNoId;
  Id block = kNoId;  // the structure with the one member
  bool many = false;
  bool read_only = false;
  Id max_payloads = kNoId;
  SourceLine where;
};

// NODE_SHARES_INPUT.
struct SharedInputStandIn {
  NodeNameStandIn target;
  Id index = kNoId;
  SourceLine where;
};

struct StandIns {
  std::vector<OutputStandIn> outputs;
  std::optional<InputStandIn> input;
  std::optional<SharedInputStandIn> shared_input;
  std::vector<Id> variables;  // carry nothing but decorations: to be removed
};

[[nodiscard]] Expected<StandIns> FindStandIns(const Module& module, const Types& types, const SourceLines& lines);

// OpName, by id.
[[nodiscard]] std::unordered_map<Id, std::string> ReadNames(const Module& module);

// Takes `ids`, global variables that no function uses, out of globals, interfaces, annotations and names.
void RemoveVariables(Module& module, const std::vector<Id>& ids);

}  // namespace trellis::spirv
