// SPDX-License-Identifier: Apache-2.0
// The flight in a window.
#pragma once

#include "samples/mesh_terrain/options.h"
#include "samples/mesh_terrain/scene.h"
#include "samples/mesh_terrain/swapchain.h"
#include "samples/mesh_terrain/window.h"

namespace terrain {

// Shows frames until the window is closed, or until `options.frames` have been shown. Returns when the device is idle.
// `draw` is that of Scene::Record.
void ShowFlight(const Options& options, Window& window, const Surface& surface, Scene& scene, const Recording& draw);

}  // namespace terrain
