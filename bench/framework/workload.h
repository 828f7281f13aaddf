// SPDX-License-Identifier: Apache-2.0
// A workload: one piece of work, done as a work graph and as hand-written compute on the same device, on the same
// results.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/framework/buffer.h"

namespace trellis::bench {

// What the hand-written form cannot do without; the device's measured rates turn it into a time (framework/rates.h).
struct Needs {
  double bytes = 0;        // read and written
  double workgroups = 0;   // launched, whatever their size
  double steps = 0;        // dispatches that wait for one another
  double invocations = 0;  // launched, in workgroups of any size
};

class Workload {
 public:
  virtual ~Workload() = default;

  // Results and counters back to the state before a run. Not timed; a full barrier follows.
  virtual void Reset(VkCommandBuffer commands) const = 0;
  // Both have several forms where nobody can tell in advance which one is best; the fastest counts.
  [[nodiscard]] virtual uint32_t GraphForms() const { return 1; }
  virtual void RecordGraph(VkCommandBuffer commands, uint32_t form) const = 0;
  [[nodiscard]] virtual uint32_t BaselineForms() const { return 1; }
  virtual void RecordBaseline(VkCommandBuffer commands, uint32_t form) const = 0;

  [[nodiscard]] virtual const Buffer& results() const = 0;
  // Empty if the results are right, else what is wrong first.
  [[nodiscard]] virtual std::string Check(const std::vector<uint32_t>& results) const = 0;
  // Nothing: arithmetic bounds it, for which no rate is measured.
  [[nodiscard]] virtual std::optional<Needs> BaselineNeeds() const = 0;
};

// Target of one of the project's figures (docs/performance.md).
struct Target {
  std::string id;
  double value = 0;
  bool is_time = false;  // `value` is nanoseconds of ours, not a ratio
};

struct WorkloadEntry {
  std::string name;
  std::string size;
  std::optional<Target> target;
  std::function<std::unique_ptr<Workload>(const Gpu&)> make;
};

// "word 17 is 3, expected 4", or nothing.
std::string CheckWords(const std::vector<uint32_t>& words, size_t count,
                       const std::function<uint32_t(size_t)>& expected);

}  // namespace trellis::bench
