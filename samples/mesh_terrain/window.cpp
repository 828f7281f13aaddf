// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/window.h"

// GLFW declares its functions for Vulkan because vulkan.h comes first.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <string>

#include "samples/hello_graph/failure.h"

namespace terrain {
namespace {

[[noreturn]] void FailWithReason(const std::string& what) {
  const char* reason = nullptr;
  glfwGetError(&reason);
  hello::Fail("--window: " + what + (reason != nullptr ? std::string(": ") + reason : ""));
}

void CloseOnEscape(GLFWwindow* window, int key, int /*scancode*/, int action, int /*modifiers*/) {
  if (key == GLFW_KEY_ESCAPE && action == GLFW_PRESS) glfwSetWindowShouldClose(window, GLFW_TRUE);
}

class GlfwWindow : public Window {
 public:
  explicit GlfwWindow(VkExtent2D size) {
    if (glfwInit() != GLFW_TRUE) FailWithReason("there is no display to open a window on");
    if (glfwVulkanSupported() != GLFW_TRUE) FailWithReason("GLFW finds no Vulkan driver that can present");
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    window_ = glfwCreateWindow(static_cast<int>(size.width), static_cast<int>(size.height), hello::kProgram, nullptr,
                               nullptr);
    if (window_ == nullptr) FailWithReason("the window cannot be opened");
    glfwSetKeyCallback(window_, CloseOnEscape);
  }
  ~GlfwWindow() override {
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  [[nodiscard]] std::vector<const char*> InstanceExtensions() const override {
    uint32_t count = 0;
    const char** names = glfwGetRequiredInstanceExtensions(&count);
    if (names == nullptr) FailWithReason("Vulkan cannot present to windows here");
    return {names, names + count};
  }

  [[nodiscard]] VkSurfaceKHR MakeSurface(VkInstance instance) const override {
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    hello::Check(glfwCreateWindowSurface(instance, window_, nullptr, &surface), "glfwCreateWindowSurface");
    return surface;
  }

  [[nodiscard]] VkExtent2D Size() const override {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
  }

  [[nodiscard]] bool Closed() override {
    glfwPollEvents();
    return glfwWindowShouldClose(window_) == GLFW_TRUE;
  }

  void Wait() override { glfwWaitEventsTimeout(0.5); }

 private:
  GLFWwindow* window_ = nullptr;
};

}  // namespace

std::unique_ptr<Window> OpenWindow(VkExtent2D size) { return std::make_unique<GlfwWindow>(size); }

}  // namespace terrain
