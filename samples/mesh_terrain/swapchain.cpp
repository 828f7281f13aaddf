// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/swapchain.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "samples/hello_graph/failure.h"

namespace terrain {

using hello::Check;
using hello::Fail;
using hello::Struct;

namespace {

constexpr uint32_t kNoLimit = std::numeric_limits<uint32_t>::max();

bool BlitsTo(VkPhysicalDevice device, VkFormat format) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(device, format, &properties);
  return (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) != 0;
}

VkSurfaceFormatKHR ChooseFormat(VkPhysicalDevice device, VkSurfaceKHR surface) {
  constexpr std::array kSrgb = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_A8B8G8R8_SRGB_PACK32};
  uint32_t count = 0;
  Check(vkGetPhysicalDeviceSurfaceFormatsKHR(device, surface, &count, nullptr), "vkGetPhysicalDeviceSurfaceFormatsKHR");
  std::vector<VkSurfaceFormatKHR> formats(count);
  Check(vkGetPhysicalDeviceSurfaceFormatsKHR(device, surface, &count, formats.data()),
        "vkGetPhysicalDeviceSurfaceFormatsKHR");
  for (const VkSurfaceFormatKHR& format : formats) {
    if (format.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR && std::ranges::count(kSrgb, format.format) != 0 &&
        BlitsTo(device, format.format))
      return format;
  }
  Fail("--window: the device cannot blit to an sRGB format with 8 bits per channel that the window accepts");
}

// MAILBOX waits for nothing; every surface has FIFO.
VkPresentModeKHR ChoosePresentMode(VkPhysicalDevice device, VkSurfaceKHR surface) {
  uint32_t count = 0;
  Check(vkGetPhysicalDeviceSurfacePresentModesKHR(device, surface, &count, nullptr),
        "vkGetPhysicalDeviceSurfacePresentModesKHR");
  std::vector<VkPresentModeKHR> modes(count);
  Check(vkGetPhysicalDeviceSurfacePresentModesKHR(device, surface, &count, modes.data()),
        "vkGetPhysicalDeviceSurfacePresentModesKHR");
  return std::ranges::count(modes, VK_PRESENT_MODE_MAILBOX_KHR) != 0 ? VK_PRESENT_MODE_MAILBOX_KHR
                                                                     : VK_PRESENT_MODE_FIFO_KHR;
}

VkExtent2D ChooseExtent(const VkSurfaceCapabilitiesKHR& surface, VkExtent2D window_size) {
  if (surface.currentExtent.width != kNoLimit) return surface.currentExtent;
  return {std::clamp(window_size.width, surface.minImageExtent.width, surface.maxImageExtent.width),
          std::clamp(window_size.height, surface.minImageExtent.height, surface.maxImageExtent.height)};
}

VkCompositeAlphaFlagBitsKHR ChooseAlpha(VkCompositeAlphaFlagsKHR supported) {
  if ((supported & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0) return VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  return static_cast<VkCompositeAlphaFlagBitsKHR>(supported & (~supported + 1));  // any: pictures are opaque
}

bool HasSwapchains(VkPhysicalDevice device) {
  uint32_t count = 0;
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()),
        "vkEnumerateDeviceExtensionProperties");
  return std::ranges::any_of(extensions, [](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, VK_KHR_SWAPCHAIN_EXTENSION_NAME) == 0;
  });
}

}  // namespace

bool CanPresent(VkPhysicalDevice device, VkQueueFlags queue, VkSurfaceKHR surface) {
  return HasSwapchains(device) && hello::FindQueueFamily(device, queue, surface).has_value();
}

Swapchain::Swapchain(const hello::Gpu& gpu, VkSurfaceKHR surface)
    : gpu_(gpu),
      surface_(surface),
      format_(ChooseFormat(gpu.physical_device(), surface)),
      present_mode_(ChoosePresentMode(gpu.physical_device(), surface)) {}

Swapchain::~Swapchain() {
  DestroySemaphores();
  vkDestroySwapchainKHR(gpu_.device(), swapchain_, nullptr);
}

bool Swapchain::Fit(VkExtent2D window_size) {
  VkSurfaceCapabilitiesKHR surface;
  Check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu_.physical_device(), surface_, &surface),
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  if ((surface.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0)
    Fail("--window: the device cannot blit to images of this window");
  const VkExtent2D extent = ChooseExtent(surface, window_size);
  if (extent.width == 0 || extent.height == 0) return false;
  auto info = Struct<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  info.surface = surface_;
  info.minImageCount =
      std::min(std::max(surface.minImageCount + 1, 3U), surface.maxImageCount != 0 ? surface.maxImageCount : kNoLimit);
  info.imageFormat = format_.format;
  info.imageColorSpace = format_.colorSpace;
  info.imageExtent = extent;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = surface.currentTransform;
  info.compositeAlpha = ChooseAlpha(surface.supportedCompositeAlpha);
  info.presentMode = present_mode_;
  info.clipped = VK_TRUE;
  info.oldSwapchain = swapchain_;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  Check(vkCreateSwapchainKHR(gpu_.device(), &info, nullptr, &swapchain), "vkCreateSwapchainKHR");
  DestroySemaphores();
  vkDestroySwapchainKHR(gpu_.device(), swapchain_, nullptr);
  swapchain_ = swapchain;
  extent_ = extent;
  outdated_ = false;
  MakeImages();
  return true;
}

void Swapchain::MakeImages() {
  uint32_t count = 0;
  Check(vkGetSwapchainImagesKHR(gpu_.device(), swapchain_, &count, nullptr), "vkGetSwapchainImagesKHR");
  images_.resize(count);
  Check(vkGetSwapchainImagesKHR(gpu_.device(), swapchain_, &count, images_.data()), "vkGetSwapchainImagesKHR");
  written_.resize(count);
  const auto info = Struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  for (VkSemaphore& semaphore : written_)
    Check(vkCreateSemaphore(gpu_.device(), &info, nullptr, &semaphore), "vkCreateSemaphore");
}

void Swapchain::DestroySemaphores() {
  for (VkSemaphore semaphore : written_) vkDestroySemaphore(gpu_.device(), semaphore, nullptr);
}

std::optional<uint32_t> Swapchain::Acquire(VkSemaphore acquired) {
  uint32_t index = 0;
  const VkResult result = vkAcquireNextImageKHR(gpu_.device(), swapchain_, std::numeric_limits<uint64_t>::max(),
                                                acquired, VK_NULL_HANDLE, &index);
  // A suboptimal image has to be presented, since its semaphore is going to be signalled.
  if (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR) outdated_ = true;
  if (result == VK_ERROR_OUT_OF_DATE_KHR) return std::nullopt;
  Check(result, "vkAcquireNextImageKHR");
  return index;
}

void Swapchain::Present(uint32_t index) {
  auto info = Struct<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &written_[index];
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain_;
  info.pImageIndices = &index;
  const VkResult result = vkQueuePresentKHR(gpu_.queue(), &info);
  if (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR) {
    outdated_ = true;
  } else {
    Check(result, "vkQueuePresentKHR");
  }
}

}  // namespace terrain
