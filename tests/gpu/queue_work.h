// SPDX-License-Identifier: Apache-2.0
// Graphs for several queues and threads at once.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/submission.h"

namespace trellis::test {

// "Root" enqueues to "Middle", that to "Leaf": words[i] += key, i < kKeyedWords, for every record {key} of the root.
// The keys travel through the ring twice, so a graph that shares its ring with another one gives wrong words.
inline constexpr uint32_t kKeyedWords = 256;
[[nodiscard]] std::string KeyedModule();
// A run of that module, prepared, with `count` records of one key.
[[nodiscard]] std::unique_ptr<GraphRun> KeyedRun(Context& context, uint32_t key, uint32_t count = 1,
                                                 RunOptions options = {});
// Begins, records a dispatch of that run's graph with one record {key}, and ends.
void RecordKeyed(const Context& context, VkCommandBuffer command_buffer, const GraphRun& run,
                 const GuardedBuffer& scratch, uint32_t key);
// What it leaves behind after `times` executions.
[[nodiscard]] std::vector<uint32_t> KeyedWords(uint32_t key, uint32_t times);

// Waits until all queues have done what was submitted so far. A GPU that hangs ends the process.
void WaitForQueues(const Context& context);

}  // namespace trellis::test
