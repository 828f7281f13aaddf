// SPDX-License-Identifier: Apache-2.0
// What has been done, and what went wrong.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace trellis::test::soak {

// Threading: any thread.
class Tally {
 public:
  std::atomic<uint64_t> devices = 0;      // created
  std::atomic<uint64_t> graphs = 0;       // pipelines created
  std::atomic<uint64_t> submissions = 0;  // executions of command buffers
  std::atomic<uint64_t> results = 0;      // compared with the reference
  std::atomic<uint64_t> records = 0;      // that went through graphs, by the reference

  // Prints what is wrong and counts it.
  void Complain(const std::string& what);
  [[nodiscard]] uint64_t complaints() const { return complaints_; }
  // One line on standard output.
  void Print();

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<uint64_t> complaints_ = 0;
  std::mutex output_;
};

}  // namespace trellis::test::soak
