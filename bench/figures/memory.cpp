// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "bench/figures/figures.h"
#include "bench/framework/devices.h"
#include "bench/workloads/workloads.h"

namespace trellis::bench {
namespace {

VkDeviceSize DeviceMemoryInUse(const Gpu& gpu) {
  auto budget =
      Struct<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
  auto memory =
      Struct<VkPhysicalDeviceMemoryProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget);
  vkGetPhysicalDeviceMemoryProperties2(gpu.physical_device(), &memory);
  VkDeviceSize used = 0;
  for (uint32_t heap = 0; heap < memory.memoryProperties.memoryHeapCount; ++heap) {
    if ((memory.memoryProperties.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
      used += budget.heapUsage[heap];
  }
  return used;
}

// Of this process, by pages that were touched. 0: nobody tells.
VkDeviceSize ResidentMemory() {
  std::ifstream pages("/proc/self/statm");
  VkDeviceSize all = 0;
  VkDeviceSize resident = 0;
  pages >> all >> resident;
  return resident * static_cast<VkDeviceSize>(sysconf(_SC_PAGESIZE));
}

// CPU drivers tell of the whole machine.
VkDeviceSize MemoryInUse(const Gpu& gpu) { return gpu.is_cpu() ? ResidentMemory() : DeviceMemoryInUse(gpu); }

// What the first dispatch of a device's first graph makes the layer allocate. A new device each time: rings stay.
double BytesForDispatch(const std::string& device, const WorkloadEntry& entry) {
  const Gpu gpu(device);
  const std::unique_ptr<Workload> workload = entry.make(gpu);
  // Once beforehand: buffers of the workload's own are touched.
  gpu.RunOnce([&](VkCommandBuffer commands) { workload->Reset(commands); });
  const VkDeviceSize before = MemoryInUse(gpu);
  gpu.RunOnce([&](VkCommandBuffer commands) { workload->RecordGraph(commands, 0); });
  return static_cast<double>(MemoryInUse(gpu)) - static_cast<double>(before);
}

bool KnowsMemoryInUse(const std::string& device) {
  const Gpu gpu(device);
  return gpu.is_cpu() ? ResidentMemory() != 0
                      : HasDeviceExtension(gpu.physical_device(), VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
}

WorkloadEntry ToManyNodes(uint32_t records) { return Classify(records, 128, Spread::kZipf); }

struct Case {
  const char* name;
  WorkloadEntry (*make)(uint32_t records);
  uint32_t payload_bytes;
};

}  // namespace

std::vector<Figure> MemoryPerRecord(const std::string& device, bool quick) {
  if (!KnowsMemoryInUse(device)) return {};
  constexpr Case kCases[] = {{"static grids", FanOut, 16},
                             {"thread nodes", ThreadNodes, 16},
                             {"dynamic grids", Skewed, 8},
                             {"coalescing nodes", Reduction, 8},
                             {"128 nodes, Zipf", ToManyNodes, 16}};
  const uint32_t few = quick ? 1u << 18 : 1u << 22;
  const uint32_t many = 4 * few;
  std::vector<Figure> figures;
  for (const Case& kind : kCases) {
    const double bytes = BytesForDispatch(device, kind.make(many)) - BytesForDispatch(device, kind.make(few));
    char note[96];
    std::snprintf(note, sizeof(note), "growth of the memory in use from %u to %u records, without payloads", few, many);
    figures.push_back({"P9", std::string("memory beyond payloads, ") + kind.name, "bytes a record",
                       bytes / (many - few) - kind.payload_bytes, 8.0, note});
  }
  return figures;
}

}  // namespace trellis::bench
