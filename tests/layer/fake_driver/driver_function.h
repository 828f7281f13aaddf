// SPDX-License-Identifier: Apache-2.0
// What stands around every function of the fake driver, so that a test can let the driver fail, and tell what happens
// in it from what happens in the layer.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "layer/dispatch/vulkan.h"

namespace trellis::test {

enum class Failures : uint8_t {
  kOnce,     // one call fails, the next one succeeds
  kForGood,  // this one and all that follow
};

// True while this thread is in the driver.
[[nodiscard]] bool InsideDriver();

// Lets commands of the drivers of this process fail: of those that return a VkResult and are called from now on, the
// one with number `number`, counted from 0.
void FailDriverCommand(int64_t number, Failures failures, VkResult result);
// Stops that. True if a command has failed.
[[nodiscard]] bool StopDriverFailures();

// For DriverFunction.
class ScopedDriverCall {
 public:
  ScopedDriverCall();
  ~ScopedDriverCall();
  ScopedDriverCall(const ScopedDriverCall&) = delete;
  ScopedDriverCall& operator=(const ScopedDriverCall&) = delete;

  // VK_SUCCESS unless this call has to fail.
  [[nodiscard]] static VkResult NextFailure();
};

template <auto Function, typename Signature = decltype(Function)>
struct DriverEntry;

template <auto Function, typename Result, typename... Arguments>
struct DriverEntry<Function, Result(VKAPI_PTR*)(Arguments...)> {
  static VKAPI_ATTR Result VKAPI_CALL Call(Arguments... arguments) {
    const ScopedDriverCall call;
    if constexpr (std::is_same_v<Result, VkResult>)
      if (const VkResult failure = ScopedDriverCall::NextFailure(); failure != VK_SUCCESS) return failure;
    return Function(arguments...);
  }
};

// A function of the driver as vkGet*ProcAddr returns it. The command's type is checked.
template <typename Command, auto Function>
[[nodiscard]] PFN_vkVoidFunction DriverFunction() {
  return reinterpret_cast<PFN_vkVoidFunction>(static_cast<Command>(&DriverEntry<Function>::Call));
}

// Functions by name with "vk".
using FunctionTable = std::unordered_map<std::string, PFN_vkVoidFunction>;

// Null if there is none of that name.
[[nodiscard]] inline PFN_vkVoidFunction FindFunction(const FunctionTable& table, const char* name) {
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace trellis::test

// An entry of a FunctionTable.
#define TRELLIS_FAKE(command) \
  { "vk" #command, ::trellis::test::DriverFunction<PFN_vk##command, &command>() }
