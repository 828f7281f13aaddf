// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/payload_writes.h"

#include <tuple>

namespace trellis::spirv {

std::optional<PayloadWrite> FindPayloadWrite(const RuleContext& context, const EntryPointFacts& entry) {
  const DefUse& def_use = context.def_use();
  std::optional<DefUse::Use> first;
  const auto position = [](const DefUse::Use& use) { return std::tuple(use.function, use.block, use.index); };
  for (const Id pointer : def_use.DerivedFrom({entry.input})) {
    for (const DefUse::Use& use : def_use.Of(pointer)) {
      const bool writes = def_use.KindOf(use) == PointerUse::kWrites &&
                          def_use.UserOf(use).opcode != spv::Op::OpFinishWritingNodePayloadAMDX;
      if (!writes || !entry.functions.contains(context.module().functions[use.function].id())) continue;
      if (!first || position(use) < position(*first)) first = use;
    }
  }
  if (!first) return std::nullopt;
  return PayloadWrite{
      context.lines().At(context.module().functions[first->function].blocks[first->block], first->index)};
}

}  // namespace trellis::spirv
