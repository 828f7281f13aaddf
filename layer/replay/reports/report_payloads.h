// SPDX-License-Identifier: Apache-2.0
// The setting `dump_payloads`: which records a report holds, and how they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/replay/placing/plan_counts.h"
#include "layer/replay/planning/entry_inputs.h"
#include "layer/settings/payload_dumps.h"

namespace trellis {

class JsonWriter;

// The first payloads of one level and slot.
struct PayloadDump {
  uint32_t capacity = 0;  // payloads
  uint32_t payload_bytes = 0;
  std::vector<std::byte> bytes;

  // Adds payloads, as many as there is room for.
  void Append(const PayloadDump& other);
};

// The first payloads that a dispatch from the CPU brings.
[[nodiscard]] PayloadDump FirstPayloads(const Graph& graph, const RootInput& root,
                                        std::span<const PayloadDumpSetting> dumps);

// An object: level, slot, payloads in hexadecimal.
void WriteDump(JsonWriter& json, uint32_t level, uint32_t slot, const PayloadDump& dump);
// What the payloads of a node are made of.
void WriteScalars(JsonWriter& json, std::span<const spirv::PayloadScalar> scalars);

}  // namespace trellis
