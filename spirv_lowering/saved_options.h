// SPDX-License-Identifier: Apache-2.0
// Everything but the module that a lowered node depends on, as text of lines KEY=VALUE. The setting `dump_dir` writes
// it, and `trellis lower --options` reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spirv_lowering/lower.h"

namespace trellis::spirv {

struct SavedOptions {
  std::string entry_point;
  Specialization specialization;
  LowerOptions options;
  // Members of NodeInfo that the layer sets.
  uint32_t packed = 1;
  uint32_t max_workgroups = UINT32_MAX;
  bool launches_bounds = false;
  bool in_batches = true;
  bool optimize = false;  // the lowered words went through Optimize (spirv_lowering/post)
};

[[nodiscard]] std::string WriteOptions(const SavedOptions& saved);
// Sets the members that `text` names. Error: a line that is not KEY=VALUE, an unknown key, or a wrong value.
[[nodiscard]] Expected<void> ReadOptions(std::string_view text, SavedOptions& saved);
// Sets what the layer sets in the result of Reflect. Error: the node cannot be packed like that.
[[nodiscard]] Expected<void> Apply(const SavedOptions& saved, NodeInfo& info);

}  // namespace trellis::spirv
