// SPDX-License-Identifier: Apache-2.0
// A window that Vulkan can present to. Only window.cpp uses GLFW.
#pragma once

#include <memory>
#include <vector>

#include "samples/hello_graph/vulkan.h"

namespace terrain {

class Window {
 public:
  virtual ~Window() = default;

  // Extensions that the instance needs for MakeSurface.
  [[nodiscard]] virtual std::vector<const char*> InstanceExtensions() const = 0;
  // The caller destroys the surface before the window.
  [[nodiscard]] virtual VkSurfaceKHR MakeSurface(VkInstance instance) const = 0;
  // Returns the size in pixels. It is 0 while the window is minimised.
  [[nodiscard]] virtual VkExtent2D Size() const = 0;
  // Handles events. Returns whether the user has closed the window or pressed Escape.
  [[nodiscard]] virtual bool Closed() = 0;
  // Waits for an event, for half a second at most.
  virtual void Wait() = 0;
};

// Opens the window, or says why there is none and exits.
std::unique_ptr<Window> OpenWindow(VkExtent2D size);

}  // namespace terrain
