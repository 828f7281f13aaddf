// SPDX-License-Identifier: Apache-2.0
// Random graphs as plain data. What a node does when it runs is in semantics.h; who makes graphs: generate.h; who
// computes what they must give: reference.h; who turns them into pipelines: device.h.
//
// A graph is a topology (nodes and wiring, one pipeline) and an input (roots, and tables that say what every node
// sends). Outputs lead to nodes with a smaller number, or back to the node itself: there are no other cycles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace trellis::test::random_graphs {

constexpr uint32_t kNobody = ~0u;

// One output of a node.
struct Output {
  uint32_t target = kNobody;  // a node number; the node's own: recursion
  uint32_t base = 0;          // PayloadNodeBaseIndexAMDX
  uint32_t most = 1;          // records an allocation (coalescing nodes: a record of the input) may ask for
};

struct Sharing {
  uint32_t node = 0;
  uint32_t index = 0;
};

// All nodes of one name: they run the same module with the same specialisation.
struct Node {
  uint32_t kind = 0;              // in NodeKinds()
  uint32_t variant = 0;           // with the shader index: place of its results; no two nodes have a place in common
  std::vector<uint32_t> indices;  // shader indices, ascending; one pipeline stage each
  std::array<uint32_t, 3> grid = {1, 1, 1};  // static: the grid; dynamic: its bound
  uint32_t coalesce = 1;                     // most records a workgroup
  uint32_t recursion = 0;
  std::vector<Output> outputs;    // as many as the kind has
  std::optional<Sharing> shares;  // runs whenever that node does, on the same records
};

struct Topology {
  std::vector<Node> nodes;
};

// What one node (name and index) does with one output.
struct OutputRule {
  uint32_t most = 0;              // at most Output::most
  uint32_t quarters = 4;          // outputs that are enqueued late: how many of four allocations are
  std::vector<uint32_t> indices;  // of the target, holes included; of the node itself: empty
};

// Word w of a record for a node is (hash & mask[w]) | set[w].
struct RecordRule {
  std::vector<uint32_t> mask;
  std::vector<uint32_t> set;
};

// One VkDispatchGraphInfoAMDX.
struct Root {
  uint32_t node = 0;
  uint32_t index = 0;
  std::vector<uint32_t> seeds;  // one a record
  bool repeat = false;          // stride 0: every record is the first one
  uint32_t padding = 0;         // words after each record that belong to nobody
};

struct Input {
  uint32_t salt = 0;                                          // in every hash
  std::vector<RecordRule> records;                            // by node
  std::vector<std::vector<std::vector<OutputRule>>> outputs;  // by node, position of the index, output
  std::vector<Root> roots;
};

struct RandomGraph {
  uint32_t seed = 0;
  Topology topology;
  Input input;
};

}  // namespace trellis::test::random_graphs
