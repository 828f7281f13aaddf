// SPDX-License-Identifier: Apache-2.0
// Execution and memory dependencies of one queue, after the rules of the Vulkan specification ("Synchronization and
// Cache Control"), for accesses by address.
#pragma once

#include <cstdint>
#include <map>
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
  // Accesses with the same group that is not 0, and no barrier between them, may overlap: they are atomic or disjoint
  // by construction.
  uint32_t group = 0;
  std::string what;
};

// Takes time by what is known of the memory that an access touches, however many accesses that was learned from.
class HazardTracker {
 public:
  // Complains about every earlier access that this one conflicts with and is not ordered after.
  void Check(const Access& access, std::vector<std::string>& complaints) const;
  // Adds an access, in submission order.
  void Add(const Access& access);
  void Barrier(VkPipelineStageFlags source_stages, VkAccessFlags source_access, VkPipelineStageFlags destination_stages,
               VkAccessFlags destination_access);

 private:
  struct Scope {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
  };
  // An access that happened, and for whom it is known to be over.
  struct Past {
    Access access;                            // without its range
    VkPipelineStageFlags ordered_before = 0;  // later commands' stages
    bool available = false;                   // writes
    std::vector<Scope> visible_to;            // writes; none holds another
  };
  // Memory from its key in `segments_` to `end`. No access begins or ends inside.
  struct Segment {
    uint64_t end = 0;
    std::vector<Past> past;
  };
  using Segments = std::map<uint64_t, Segment>;

  [[nodiscard]] static bool IsVisible(const Past& past, const Access& to);
  [[nodiscard]] static bool AreAlike(const Past& a, const Past& b);
  static void CheckAgainst(const Past& past, const Access& access, std::vector<std::string>& complaints);
  static void MakeVisible(Past& past, const Scope& to);
  // Of accesses that nothing can tell apart any more, one is enough.
  static void RemoveDuplicates(std::vector<Past>& past);
  // Makes segments end at `place`, if there are any around it.
  void SplitAt(uint64_t place);

  Segments segments_;  // that do not overlap
};

}  // namespace trellis::test
