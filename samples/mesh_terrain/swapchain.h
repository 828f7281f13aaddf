// SPDX-License-Identifier: Apache-2.0
// A surface, and the images that are presented to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "samples/hello_graph/gpu.h"
#include "samples/mesh_terrain/window.h"

namespace terrain {

class Surface {
 public:
  Surface(VkInstance instance, const Window& window) : instance_(instance), surface_(window.MakeSurface(instance)) {}
  ~Surface() { vkDestroySurfaceKHR(instance_, surface_, nullptr); }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  [[nodiscard]] VkSurfaceKHR handle() const { return surface_; }

 private:
  const VkInstance instance_;
  const VkSurfaceKHR surface_;
};

// Images are written by blits. Blits between sRGB formats keep the colours, whatever the order of the channels.
class Swapchain {
 public:
  Swapchain(const hello::Gpu& gpu, VkSurfaceKHR surface);
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  // Makes images of the surface's size, or of `window_size` where the surface has none of its own. Returns false, and
  // changes nothing, while that size is 0. The device must be idle.
  [[nodiscard]] bool Fit(VkExtent2D window_size);
  // Returns whether Fit has to be called before Acquire.
  [[nodiscard]] bool outdated() const { return outdated_; }

  // Returns the index of an image to write to when `acquired` is signalled. Returns nothing, and does not signal, if
  // the swapchain has become outdated.
  [[nodiscard]] std::optional<uint32_t> Acquire(VkSemaphore acquired);
  // Presents the image, in the layout PRESENT_SRC, when its semaphore `written` is signalled.
  void Present(uint32_t index);

  [[nodiscard]] VkExtent2D extent() const { return extent_; }
  [[nodiscard]] VkImage image(uint32_t index) const { return images_[index]; }
  [[nodiscard]] VkSemaphore written(uint32_t index) const { return written_[index]; }

 private:
  void DestroySemaphores();
  void MakeImages();

  const hello::Gpu& gpu_;
  const VkSurfaceKHR surface_;
  const VkSurfaceFormatKHR format_;
  const VkPresentModeKHR present_mode_;
  bool outdated_ = true;
  VkExtent2D extent_ = {};
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
  // One per image: an image that is acquired again has been presented, so its semaphore can be signalled again.
  std::vector<VkSemaphore> written_;
};

// Returns whether the device has the extension and one queue that draws, computes and presents to the surface.
bool CanPresent(VkPhysicalDevice device, VkQueueFlags queue, VkSurfaceKHR surface);

}  // namespace terrain
