// SPDX-License-Identifier: Apache-2.0
// The same draws without a graph: tiles that the CPU has found, one vkCmdDrawMeshTasksEXT each.
#pragma once

#include <array>

#include "samples/mesh_terrain/scene.h"

namespace terrain {

class PlainDraws {
 public:
  explicit PlainDraws(const Scene& scene);
  ~PlainDraws();
  PlainDraws(const PlainDraws&) = delete;
  PlainDraws& operator=(const PlainDraws&) = delete;

  // Inside of a rendering instance. Fills the scene's buffer of tiles.
  void Record(VkCommandBuffer command_buffer, const TileLists& lists) const;

 private:
  const Scene& scene_;
  PFN_vkCmdDrawMeshTasksEXT draw_ = nullptr;
  std::array<VkPipeline, 4> pipelines_ = {};
};

}  // namespace terrain
