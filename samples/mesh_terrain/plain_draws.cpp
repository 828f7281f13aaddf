// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/plain_draws.h"

#include "grass_frag.h"
#include "grass_mesh.h"
#include "ground_frag.h"
#include "ground_mesh.h"
#include "rocks_frag.h"
#include "rocks_mesh.h"
#include "samples/hello_graph/failure.h"
#include "sky_frag.h"
#include "sky_mesh.h"

namespace terrain {

PlainDraws::PlainDraws(const Scene& scene) : scene_(scene) {
  draw_ =
      reinterpret_cast<PFN_vkCmdDrawMeshTasksEXT>(vkGetDeviceProcAddr(scene.gpu().device(), "vkCmdDrawMeshTasksEXT"));
  if (draw_ == nullptr) hello::Fail("vkGetDeviceProcAddr knows no vkCmdDrawMeshTasksEXT");
  pipelines_ = {MakeMeshPipeline(scene, kSkyMesh, kSkyFrag, nullptr),
                MakeMeshPipeline(scene, kGroundMesh, kGroundFrag, nullptr),
                MakeMeshPipeline(scene, kRocksMesh, kRocksFrag, nullptr),
                MakeMeshPipeline(scene, kGrassMesh, kGrassFrag, nullptr)};
}

PlainDraws::~PlainDraws() {
  for (VkPipeline pipeline : pipelines_) vkDestroyPipeline(scene_.gpu().device(), pipeline, nullptr);
}

void PlainDraws::Record(VkCommandBuffer command_buffer, const TileLists& lists) const {
  constexpr VkPipelineBindPoint kBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  scene_.BindSet(command_buffer, kBindPoint);
  vkCmdBindPipeline(command_buffer, kBindPoint, pipelines_[0]);
  draw_(command_buffer, 1, 1, 1);
  const std::array<const std::vector<Tile>*, 3> of_pipelines = {&lists.ground, &lists.rocks, &lists.grass};
  uint32_t number = 0;
  for (size_t i = 0; i < of_pipelines.size(); ++i) {
    vkCmdBindPipeline(command_buffer, kBindPoint, pipelines_[i + 1]);
    for (const Tile& tile : *of_pipelines[i]) {
      if (number == Scene::kMaxTiles) hello::Fail("there are more tiles than their buffer holds");
      scene_.tiles()[number] = tile;
      vkCmdPushConstants(command_buffer, scene_.layout(), VK_SHADER_STAGE_MESH_BIT_EXT, 0, sizeof(number), &number);
      draw_(command_buffer, tile.groups, 1, 1);
      ++number;
    }
  }
}

}  // namespace terrain
