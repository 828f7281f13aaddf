// SPDX-License-Identifier: Apache-2.0
// mesh_terrain: a landscape drawn by one work graph with mesh nodes. Start reading at graph_draws.cpp and shaders/.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "samples/hello_graph/failure.h"
#include "samples/hello_graph/gpu.h"
#include "samples/hello_graph/instance.h"
#include "samples/mesh_terrain/graph_draws.h"
#include "samples/mesh_terrain/options.h"
#include "samples/mesh_terrain/picture.h"
#include "samples/mesh_terrain/plain_draws.h"
#include "samples/mesh_terrain/scene.h"
#include "samples/mesh_terrain/swapchain.h"
#include "samples/mesh_terrain/viewer.h"
#include "samples/mesh_terrain/window.h"

namespace hello {

const char* const kProgram = "mesh_terrain";

}  // namespace hello

namespace terrain {
namespace {

using hello::DeviceChoice;
using hello::Fail;
using hello::Struct;

constexpr int kNoMeshNodes = 77;
constexpr VkQueueFlags kQueue = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;

bool OffersMeshNodes(const DeviceChoice& device) {
  auto enqueue =
      Struct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
  auto features = Struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue);
  vkGetPhysicalDeviceFeatures2(device.handle, &features);
  return device.offers_graphs && enqueue.shaderMeshEnqueue == VK_TRUE;
}

// Returns nothing, after saying why, if no device has mesh nodes. A surface is null or has to be presented to.
std::optional<DeviceChoice> ChooseDevice(const hello::Instance& instance, const std::string& text,
                                         VkSurfaceKHR surface) {
  std::vector<DeviceChoice> devices = ListDevices(instance);
  std::erase_if(devices, [&](const DeviceChoice& device) {
    return std::string(device.properties.deviceName).find(text) == std::string::npos;
  });
  if (devices.empty()) Fail("there is no device with '" + text + "' in its name");
  const std::string first = devices.front().properties.deviceName;
  std::erase_if(devices, [](const DeviceChoice& device) { return !OffersMeshNodes(device); });
  const bool mesh_nodes = !devices.empty();
  if (surface != VK_NULL_HANDLE)
    std::erase_if(devices, [&](const DeviceChoice& device) { return !CanPresent(device.handle, kQueue, surface); });
  if (const DeviceChoice* best = BestDevice(devices)) return *best;
  if (mesh_nodes)
    Fail("--window: no device with mesh nodes can present to the window; without --window they draw into files");
  std::fprintf(
      stderr,
      "mesh_terrain: no device offers mesh nodes (the first one is %s). Trellis offers them where the driver has "
      "VK_EXT_mesh_shader, with TRELLIS_ENABLE=1; a build tree also needs "
      "XDG_CONFIG_DIRS=<build folder>:/etc/xdg\n",
      first.c_str());
  return std::nullopt;
}

void WriteFrames(const Options& options, const Scene& scene, const GraphDraws& graph) {
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  if (error) Fail(options.output + " cannot be made: " + error.message());
  const auto begin = std::chrono::steady_clock::now();
  const uint32_t frames = options.frames.value_or(kFlightFrames);
  for (uint32_t i = 0; i < frames; ++i) {
    const uint32_t number = options.first + i;
    const Picture picture = scene.Render(FrameAt(static_cast<float>(number), options.width, options.height),
                                         [&](VkCommandBuffer command_buffer) { graph.Record(command_buffer); });
    char name[32];
    std::snprintf(name, sizeof(name), "frame_%03u.png", number);
    WritePng(picture, (std::filesystem::path(options.output) / name).string());
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%u frames in %s, %.1f s\n", frames, options.output.c_str(), passed.count());
}

// Returns whether the graph draws the same pictures as the CPU with ordinary draws.
bool CheckFrames(const Options& options, const Scene& scene, const GraphDraws& graph) {
  const PlainDraws plain(scene);
  bool all_same = true;
  for (uint32_t i = 0; i < options.frames.value_or(kFlightFrames); ++i) {
    const uint32_t number = options.first + i;
    const Frame frame = FrameAt(static_cast<float>(number), options.width, options.height);
    const TileLists tiles = FindTiles(frame);
    const Picture drawn = scene.Render(frame, [&](VkCommandBuffer command_buffer) { graph.Record(command_buffer); });
    const Picture expected =
        scene.Render(frame, [&](VkCommandBuffer command_buffer) { plain.Record(command_buffer, tiles); });
    size_t wrong = 0;
    for (size_t pixel = 0; pixel < drawn.pixels.size(); ++pixel) wrong += drawn.pixels[pixel] != expected.pixels[pixel];
    std::printf("frame %u: %zu tiles of ground, %zu with rocks, %zu with grass; %zu of %zu pixels differ\n", number,
                tiles.ground.size(), tiles.rocks.size(), tiles.grass.size(), wrong, drawn.pixels.size());
    all_same = all_same && wrong == 0 && !tiles.ground.empty();
  }
  return all_same;
}

// What a device needs for the drawing, and for a surface if there is one.
hello::GpuNeeds NeedsFor(VkSurfaceKHR surface, void* features) {
  hello::GpuNeeds needs = {.queue = kQueue,
                           .surface = surface,
                           .mesh_nodes = VK_TRUE,
                           .extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME},
                           .features = features};
  if (surface != VK_NULL_HANDLE) needs.extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  return needs;
}

int Main(const Options& options) {
  const std::unique_ptr<Window> window = options.window ? OpenWindow({options.width, options.height}) : nullptr;
  const hello::Instance instance(options.validate, window ? window->InstanceExtensions() : std::vector<const char*>{});
  std::optional<Surface> surface;
  if (window) surface.emplace(instance.handle(), *window);
  const VkSurfaceKHR presented = surface ? surface->handle() : VK_NULL_HANDLE;
  const std::optional<DeviceChoice> device = ChooseDevice(instance, options.device, presented);
  if (!device) return kNoMeshNodes;
  std::printf("device: %s\n", device->properties.deviceName);
  auto mesh = Struct<VkPhysicalDeviceMeshShaderFeaturesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
  mesh.meshShader = VK_TRUE;
  auto vulkan13 =
      Struct<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &mesh);
  vulkan13.dynamicRendering = VK_TRUE;
  bool passed = true;
  {
    const hello::Gpu gpu(device->handle, NeedsFor(presented, &vulkan13));
    Scene scene(gpu, {options.width, options.height});
    const GraphDraws graph(scene);
    if (window) {
      ShowFlight(options, *window, *surface, scene,
                 [&](VkCommandBuffer command_buffer) { graph.Record(command_buffer); });
    } else if (options.check) {
      passed = CheckFrames(options, scene, graph);
    } else {
      WriteFrames(options, scene, graph);
    }
  }
  if (instance.messages().errors != 0) {
    std::printf("%u errors were reported, see above\n", instance.messages().errors);
    passed = false;
  }
  if (options.check) std::puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace terrain

int main(int argc, char** argv) {
  const std::optional<terrain::Options> options = terrain::ParseOptions(argc, argv);
  if (!options) return 2;
  if (options->help) {
    terrain::PrintHelp();
    return 0;
  }
  return terrain::Main(*options);
}
