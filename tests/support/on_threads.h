// SPDX-License-Identifier: Apache-2.0
// The same work on several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace trellis::test {

// `work` gets the number of its thread, from 0. Returns when all are done.
inline void OnThreads(uint32_t count, const std::function<void(uint32_t)>& work) {
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < count; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace trellis::test
