// SPDX-License-Identifier: Apache-2.0
// The one place where exceptions end. The layer's own code throws none, but containers throw std::bad_alloc, and
// nothing may unwind into the application.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "layer/dispatch/vulkan.h"

namespace trellis::entry {

// For catch blocks: HandleException with the diagnostics of the object's instance. Messages go to standard error where
// the object is not known, and in vkCreateInstance also to the messengers of its create info.
[[nodiscard]] VkResult HandleException(const char* command, const VkInstanceCreateInfo* info) noexcept;
// `object`: a dispatchable one of any kind, or null.
[[nodiscard]] VkResult HandleException(const char* command, const void* object) noexcept;

// vkCmd* cannot fail: vkEndCommandBuffer returns the error instead.
void RememberError(VkCommandBuffer command_buffer, VkResult error) noexcept;

// A command's name, with "vk", as a template argument.
template <size_t kSize>
struct CommandName {
  consteval CommandName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }  // NOLINT: implicit
  char text[kSize] = {};
};

template <auto Function, CommandName kName, typename Signature = decltype(Function)>
struct Guarded;

// Guarded<&Hook, "vkName">::Call is what the application gets for Hook.
template <auto Function, CommandName kName, typename Result, typename First, typename... Rest>
struct Guarded<Function, kName, Result(VKAPI_PTR*)(First, Rest...)> {
  static VKAPI_ATTR Result VKAPI_CALL Call(First first, Rest... rest) noexcept {
    try {
      return Function(first, rest...);
    } catch (...) {
      const VkResult error = HandleException(kName.text, first);
      if constexpr (std::is_same_v<Result, VkResult>) {
        return error;
      } else {
        if constexpr (std::is_same_v<First, VkCommandBuffer>) RememberError(first, error);
        return Result();
      }
    }
  }
};

}  // namespace trellis::entry
