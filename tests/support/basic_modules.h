// SPDX-License-Identifier: Apache-2.0
// The simplest node modules, as text: one per launch kind and one chain of all three. GPU tests and dump_modules share
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/node_asm.h"

namespace trellis::test {

// "BroadcastNode", 2x3x4 invocations, grid {uint3} in the record, at most 2x2x2: words[z * 100 + y * 10 + x] += 1 by
// global invocation.
std::string BroadcastGridModule(Shape shape);
// "BroadcastNode", 2x3x4 invocations, record {v, w}, static grid 3x3x2: words[z * 100 + y * 10 + x] += v ^ w.
std::string BroadcastStaticModule(Shape shape);
// "ThreadNode", record {index, value}: words[index] += value.
std::string ThreadModule(Shape shape);
// "CoalescingNode", 24 invocations, up to 3 records {index, value}: words[index + invocation] += value.
std::string CoalescingModule(Shape shape);
// Three entry points. "Source" (thread, no record) sends 5 records {grid, first} to "Grid" (broadcast, 4 invocations),
// which sends one record per invocation to "Sum" (coalescing, 8 invocations, up to 8 records {index}): words[index]
// += 1. Indices: first + global invocation. Record r of the 5 has grid r (0 to 4) and first = 100 * r.
std::string ChainModule(Shape shape);
// What `runs` of one "Source" record leave in the words.
std::vector<uint32_t> ChainResult(uint32_t runs = 1);

struct NamedModule {
  const char* name;
  std::function<std::string(Shape)> text;
};
std::vector<NamedModule> BasicModules();

}  // namespace trellis::test
