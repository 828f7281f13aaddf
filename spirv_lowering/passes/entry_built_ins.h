// SPDX-License-Identifier: Apache-2.0
// Built-ins at a node's entry: those of the dispatch, and what the node reads instead of them.
#pragma once

#include <array>
#include <cstdint>

#include "spirv_lowering/passes/builtins.h"
#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// A uvec3.
[[nodiscard]] Id ConstantVector(Types& types, const std::array<uint32_t, 3>& value);

class EntryBuiltIns {
 public:
  // What the node reads is found by functions of the runtime.
  [[nodiscard]] static Expected<EntryBuiltIns> Import(Lowering& lowering);

  // Value of a built-in as `wanted`, whatever signedness the node declared it with.
  Id Load(Builder& builder, spv::BuiltIn built_in, Id wanted);
  // Among all invocations of the dispatch's workgroup.
  Id LocalIndex(Builder& builder);
  // Gives the variable its value for the workgroup that the node runs as.
  void Fill(Builder& builder, const ReplacedBuiltIn& built_in);

 private:
  explicit EntryBuiltIns(Lowering& lowering) : lowering_(lowering), types_(lowering.types) {}
  Id Variable(spv::BuiltIn built_in, Id type);
  Id LocalId(Builder& builder);

  Lowering& lowering_;
  Types& types_;
  Id workgroup_id_ = kNoId;
  Id local_index_ = kNoId;
  Id shader_index_ = kNoId;
  Id remaining_ = kNoId;
};

}  // namespace trellis::spirv
