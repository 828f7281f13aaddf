// Execution and memory dependencies of one queue, after the rules of the Vulkan specification ("Synchronization and
// Cache Control"), for accesses by address.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis::test {

// What one command does to [begin, end).
struct Access {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool write = false;
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  VkAccessFlags access = 0;
  // Accesses with the same group that is not 0 may overlap: they are atomic or disjoint by construction.
  uint32_t group = 0;
  std::string what;
};

class HazardTracker {
 public:
  // Complains about every earlier access that this one conflicts with and is not ordered after.
  void Check(const Access& access, std::vector<std::string>& complaints) const;
  // Adds an access, in submission order.
  void Add(const Access& access) { past_.push_back({access, 0, false, {}}); }
  void Barrier(VkPipelineStageFlags source_stages, VkAccessFlags source_access, VkPipelineStageFlags destination_stages,
               VkAccessFlags destination_access);

 private:
  struct Scope {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
  };
  // An access that happened, and for whom it is known to be over.
  struct Past {
    Access access;
    VkPipelineStageFlags ordered_before = 0;  // later commands' stages
    bool available = false;                   // writes
    std::vector<Scope> visible_to;            // writes
  };

  [[nodiscard]] static bool IsVisible(const Past& past, const Access& to);

  std::vector<Past> past_;
};

}  // namespace trellis::test
