// SPDX-License-Identifier: Apache-2.0
// Something that an application does and that may fail, done again and again with another failure each time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tests/faults/allocation_faults.h"
#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {

// A call of the layer in which memory may run out.
template <typename Function, typename... Arguments>
auto Call(Function function, Arguments... arguments) {
  const ScopedShortage shortage;
  return function(arguments...);
}

// `threads` as a chain for VkInstanceCreateInfo; without debug labels, which fail without anyone noticing.
class QuietSettings {
 public:
  explicit QuietSettings(uint32_t threads);
  QuietSettings(const QuietSettings&) = delete;
  QuietSettings& operator=(const QuietSettings&) = delete;

  [[nodiscard]] const void* chain() const { return &info_; }

 private:
  const uint32_t threads_;
  const VkBool32 labels_ = VK_FALSE;
  const std::string log_file_ = "/dev/null";
  const char* const log_file_text_ = log_file_.c_str();
  const VkLayerSettingEXT settings_[3];
  const VkLayerSettingsCreateInfoEXT info_;
};

// The layer on a driver of its own. `mesh_nodes`: with shaderMeshEnqueue.
class Attempt {
 public:
  explicit Attempt(uint32_t threads = 1, bool mesh_nodes = false);
  virtual ~Attempt();  // what the driver made must be gone then, but for what the device takes with it
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Calls the layer through Call. If it fails it leaves nothing behind, checks that, and can be called again.
  virtual VkResult Run() = 0;
  // Destroys what Run has made.
  virtual void Release() = 0;

  // Objects of the application that the layer knows of.
  [[nodiscard]] size_t Known() const;

 protected:
  [[nodiscard]] VkDevice handle() const { return device_->handle(); }

  FakeDriver driver_;
  const QuietSettings settings_;
  std::optional<TestInstance> instance_;
  std::optional<TestDevice> device_;
};

using MakeAttempt = std::function<std::unique_ptr<Attempt>()>;

// Lets the first allocation of the layer fail, and each that comes about in a way (CallPath) in which no test of this
// process has let one fail before; alone, and with all that follow. There are tens of thousands of allocations in the
// creation of a graph, and each attempt makes those before the failure again: but nearly all of them come about in the
// same ways.
//
// kMaySurvive: which one fails depends on timing, and a single failure may do no harm, because what needed the memory
// is tried in another way. Some of the attempt's own ways are tried.
enum class Consequence : uint8_t { kFails, kMaySurvive };
void FailAllocations(const MakeAttempt& make, Consequence of_one = Consequence::kFails);

// Lets each command fail that the layer calls in the driver, in the same way, for want of either kind of memory.
void FailDriverCommands(const MakeAttempt& make);

}  // namespace trellis::test
