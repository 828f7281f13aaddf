// SPDX-License-Identifier: Apache-2.0
// Whether a node writes its input.
#pragma once

#include <optional>

#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {

struct PayloadWrite {
  SourceLine where;
};

// The first store or atomic through a pointer derived from the entry point's input, in the functions it can run.
[[nodiscard]] std::optional<PayloadWrite> FindPayloadWrite(const RuleContext& context, const EntryPointFacts& entry);

}  // namespace trellis::spirv
