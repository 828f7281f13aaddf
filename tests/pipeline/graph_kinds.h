// SPDX-License-Identifier: Apache-2.0
// Graphs of each kind that needs internal kernels of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layer/settings/settings.h"

namespace trellis::test {

// `count` stages with one entry point: of several, the stage i is the node {entry, i}.
struct KindNode {
  const char* entry;
  uint32_t count = 1;
};

struct GraphKind {
  const char* name;
  std::string (*text)();
  std::vector<KindNode> nodes;
  // Names of kernels without "trellis ", in the order of the enumeration: those that are made for it, and those of them
  // that recordings with this graph dispatch (see RecordEverything in needed_kernels_test.cpp).
  std::vector<std::string> made;
  std::vector<std::string> recorded;
  void (*set)(Settings&) = nullptr;
  uint32_t queues = 1;
};

[[nodiscard]] const std::vector<GraphKind>& GraphKinds();

}  // namespace trellis::test
