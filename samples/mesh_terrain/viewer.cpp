// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/viewer.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "samples/hello_graph/failure.h"

namespace terrain {

using hello::Check;
using hello::Struct;

namespace {

// Returns the frame of the flight at that time. The camera flies there and back again.
float FrameNumber(uint32_t first, double seconds) {
  constexpr double kSeconds = 12, kLast = kFlightFrames - 1;
  const double way = std::fmod(first + seconds * kLast / kSeconds, 2 * kLast);
  return static_cast<float>(way <= kLast ? way : 2 * kLast - way);
}

// Copies the picture into an image of the same size, which may have another format.
void BlitToPresent(VkCommandBuffer command_buffer, const Canvas& canvas, VkImage image) {
  auto barrier = Struct<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
  auto region = VkImageBlit{};
  region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.srcOffsets[1] = {static_cast<int32_t>(canvas.extent().width), static_cast<int32_t>(canvas.extent().height), 1};
  region.dstSubresource = region.srcSubresource;
  region.dstOffsets[1] = region.srcOffsets[1];
  vkCmdBlitImage(command_buffer, canvas.image(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_NEAREST);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = 0;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0,
                       nullptr, 0, nullptr, 1, &barrier);
}

// Frames in flight: the CPU records one while the device draws the other.
class Viewer {
 public:
  Viewer(Window& window, const Surface& surface, Scene& scene);
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  // Adapts the swapchain and the scene to the window. Returns false while it is minimised.
  [[nodiscard]] bool FitWindow();
  // Returns whether the frame is going to be shown. If not, the window has changed.
  [[nodiscard]] bool Show(const Frame& frame, const Recording& draw);

 private:
  // What a frame uses until its fence is signalled.
  struct Slot {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkSemaphore acquired = VK_NULL_HANDLE;
    VkFence executed = VK_NULL_HANDLE;
  };

  void Submit(const Slot& slot, uint32_t image) const;

  Window& window_;
  Scene& scene_;
  const hello::Gpu& gpu_;
  Swapchain swapchain_;
  VkExtent2D window_size_ = {};
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  std::array<Slot, 2> slots_;
  size_t next_slot_ = 0;
};

Viewer::Viewer(Window& window, const Surface& surface, Scene& scene)
    : window_(window), scene_(scene), gpu_(scene.gpu()), swapchain_(gpu_, surface.handle()) {
  auto pool = Struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = gpu_.queue_family();
  Check(vkCreateCommandPool(gpu_.device(), &pool, nullptr, &command_pool_), "vkCreateCommandPool");
  auto allocation = Struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocation.commandPool = command_pool_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  const auto semaphore = Struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  auto fence = Struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  fence.flags = VK_FENCE_CREATE_SIGNALED_BIT;
  for (Slot& slot : slots_) {
    Check(vkAllocateCommandBuffers(gpu_.device(), &allocation, &slot.commands), "vkAllocateCommandBuffers");
    Check(vkCreateSemaphore(gpu_.device(), &semaphore, nullptr, &slot.acquired), "vkCreateSemaphore");
    Check(vkCreateFence(gpu_.device(), &fence, nullptr, &slot.executed), "vkCreateFence");
  }
}

Viewer::~Viewer() {
  vkDeviceWaitIdle(gpu_.device());
  for (const Slot& slot : slots_) {
    vkDestroySemaphore(gpu_.device(), slot.acquired, nullptr);
    vkDestroyFence(gpu_.device(), slot.executed, nullptr);
  }
  vkDestroyCommandPool(gpu_.device(), command_pool_, nullptr);
}

bool Viewer::FitWindow() {
  // Some window systems never call a swapchain outdated, so the size is compared too.
  const VkExtent2D size = window_.Size();
  if (size.width == 0 || size.height == 0) return false;
  if (!swapchain_.outdated() && size.width == window_size_.width && size.height == window_size_.height) return true;
  Check(vkDeviceWaitIdle(gpu_.device()), "vkDeviceWaitIdle");
  if (!swapchain_.Fit(size)) return false;
  window_size_ = size;
  scene_.Resize(swapchain_.extent());
  return true;
}

bool Viewer::Show(const Frame& frame, const Recording& draw) {
  const Slot& slot = slots_[next_slot_];
  Check(vkWaitForFences(gpu_.device(), 1, &slot.executed, VK_TRUE, std::numeric_limits<uint64_t>::max()),
        "vkWaitForFences");
  const std::optional<uint32_t> image = swapchain_.Acquire(slot.acquired);
  if (!image) return false;
  auto begin = Struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  Check(vkBeginCommandBuffer(slot.commands, &begin), "vkBeginCommandBuffer");
  scene_.Record(slot.commands, frame, draw);
  BlitToPresent(slot.commands, scene_.canvas(), swapchain_.image(*image));
  Check(vkEndCommandBuffer(slot.commands), "vkEndCommandBuffer");
  Submit(slot, *image);
  swapchain_.Present(*image);
  next_slot_ = (next_slot_ + 1) % slots_.size();
  return true;
}

void Viewer::Submit(const Slot& slot, uint32_t image) const {
  constexpr VkPipelineStageFlags kBlit = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const VkSemaphore written = swapchain_.written(image);
  auto submit = Struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.waitSemaphoreCount = 1;
  submit.pWaitSemaphores = &slot.acquired;
  submit.pWaitDstStageMask = &kBlit;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &slot.commands;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &written;
  Check(vkResetFences(gpu_.device(), 1, &slot.executed), "vkResetFences");
  Check(vkQueueSubmit(gpu_.queue(), 1, &submit, slot.executed), "vkQueueSubmit");
}

}  // namespace

void ShowFlight(const Options& options, Window& window, const Surface& surface, Scene& scene, const Recording& draw) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  Viewer viewer(window, surface, scene);
  const Clock::time_point begin = Clock::now();
  uint32_t shown = 0;
  while (!window.Closed() && shown < options.frames.value_or(std::numeric_limits<uint32_t>::max())) {
    if (!viewer.FitWindow()) {
      window.Wait();
      continue;
    }
    const VkExtent2D extent = scene.canvas().extent();
    const float number = FrameNumber(options.first, Seconds(Clock::now() - begin).count());
    if (viewer.Show(FrameAt(number, extent.width, extent.height), draw)) ++shown;
  }
  std::printf("%u frames in a window, %.1f s\n", shown, Seconds(Clock::now() - begin).count());
}

}  // namespace terrain
