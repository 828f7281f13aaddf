// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program without a window: makes each vkQueueSubmit a frame that RenderDoc captures, after as many
// that it does not capture as CAPTURE_EARLIER says.
#include <dlfcn.h>
#include <renderdoc_app.h>
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>

namespace {

// RenderDoc is in the process because it is one of the instance's layers.
const RENDERDOC_API_1_6_0& RenderDoc() {
  void* const library = dlopen("librenderdoc.so", RTLD_NOW | RTLD_NOLOAD);
  const auto get = library ? reinterpret_cast<pRENDERDOC_GetAPI>(dlsym(library, "RENDERDOC_GetAPI")) : nullptr;
  RENDERDOC_API_1_6_0* api = nullptr;
  if (!get || get(eRENDERDOC_API_Version_1_6_0, reinterpret_cast<void**>(&api)) != 1) {
    std::fputs("capture_submits: RenderDoc is not in this process\n", stderr);
    std::_Exit(1);
  }
  return *api;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  static const RENDERDOC_API_1_6_0& renderdoc = RenderDoc();
  static const auto next = reinterpret_cast<PFN_vkQueueSubmit>(dlsym(RTLD_NEXT, "vkQueueSubmit"));
  static const auto wait = reinterpret_cast<PFN_vkQueueWaitIdle>(dlsym(RTLD_NEXT, "vkQueueWaitIdle"));
  const char* const earlier = std::getenv("CAPTURE_EARLIER");
  for (int i = 0; i < (earlier ? std::atoi(earlier) : 0); ++i)
    if (next(queue, count, submits, VK_NULL_HANDLE) != VK_SUCCESS || wait(queue) != VK_SUCCESS) std::_Exit(1);
  renderdoc.StartFrameCapture(nullptr, nullptr);
  const VkResult result = next(queue, count, submits, fence);
  if (renderdoc.EndFrameCapture(nullptr, nullptr) != 1) std::fputs("capture_submits: the capture failed\n", stderr);
  return result;
}
