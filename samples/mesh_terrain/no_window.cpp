// SPDX-License-Identifier: Apache-2.0
// Takes the place of window.cpp in builds without GLFW.
#include "samples/hello_graph/failure.h"
#include "samples/mesh_terrain/window.h"

namespace terrain {

std::unique_ptr<Window> OpenWindow(VkExtent2D /*size*/) {
  hello::Fail(
      "--window: this program was built without GLFW: install it (libglfw3-dev on Debian, glfw-devel on Fedora, glfw "
      "on "
      "Arch) and build again");
}

}  // namespace terrain
