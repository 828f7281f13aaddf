// The one place where exceptions end. The layer's own code throws none, but containers throw std::bad_alloc, and
// nothing may unwind into the application.
#pragma once

#include <type_traits>
#include <utility>

#include "layer/objects/registry.h"

namespace trellis::entry {

// vkCmd* cannot fail: vkEndCommandBuffer returns the error instead.
inline void RememberOutOfMemory(VkCommandBuffer command_buffer) {
  if (const auto recording = CommandBuffers().Find(command_buffer))
    recording->RememberError(VK_ERROR_OUT_OF_HOST_MEMORY);
}

template <auto Function, typename Signature = decltype(Function)>
struct Guarded;

// Guarded<&Hook>::Call is what the application gets for Hook.
template <auto Function, typename Result, typename First, typename... Rest>
struct Guarded<Function, Result(VKAPI_PTR*)(First, Rest...)> {
  static VKAPI_ATTR Result VKAPI_CALL Call(First first, Rest... rest) noexcept {
    try {
      return Function(first, rest...);
    } catch (...) {
      if constexpr (std::is_same_v<Result, VkResult>) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
      } else {
        if constexpr (std::is_same_v<First, VkCommandBuffer>) RememberOutOfMemory(first);
        return Result();
      }
    }
  }
};

}  // namespace trellis::entry
