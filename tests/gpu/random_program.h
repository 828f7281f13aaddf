// Random graph programs: as node shaders, and as a computation on the CPU that gives the same words.
//
// Every record has a seed; what a workgroup or an invocation does follows from hashes of it, so the result does not
// depend on any order. Node n with shader index i adds 1 to words[2 * p] and a hash to words[2 * p + 1], p =
// Node::place + i.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/node_asm.h"

namespace trellis::test {

class RandomProgram {
 public:
  static constexpr uint32_t kWords = 1024;

  // `subject`: what makes it different from others. Shapes and counts are limited, so that any device runs it quickly.
  explicit RandomProgram(uint32_t subject);

  struct Root {
    uint32_t node = 0;
    uint32_t index = 0;
    std::vector<uint32_t> seeds;  // one a record
  };

  struct Output {
    uint32_t target = 0;
    uint32_t most = 1;       // records a workgroup or invocation
    bool workgroup = false;  // scope
    bool late = false;       // enqueued on some paths only
    uint32_t salt = 0;
  };

  struct Node {
    std::string name;
    Launch launch = Launch::kStaticGrid;
    uint32_t grid[3] = {1, 1, 1};  // static: the grid; dynamic: the bound, z unused
    uint32_t lanes = 1;            // workgroup size; coalescing: also most records a workgroup
    uint32_t padding = 0;          // words at the end of a record
    uint32_t recursion = 0;
    std::vector<uint32_t> indices;  // shader indices that exist
    uint32_t index_span = 1;        // producers draw indices below this
    uint32_t place = 0;
    std::vector<Output> outputs;
  };

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }
  // One module with an entry point for each node name.
  [[nodiscard]] std::string Text(Shape shape) const;
  // The payload words of a record for this node.
  [[nodiscard]] std::vector<uint32_t> RecordWords(uint32_t node, uint32_t seed) const;
  [[nodiscard]] uint32_t StrideOf(uint32_t node) const { return 4 * (3 + nodes_[node].padding); }
  // Nothing if it would launch more than `most_records` records.
  [[nodiscard]] std::optional<std::vector<uint32_t>> Expected(uint64_t most_records) const;

 private:
  using Random = std::mt19937;
  void MakeNode(Random& random, uint32_t number, uint32_t count);
  void MakeRoots(Random& random);

  std::vector<Node> nodes_;
  std::vector<Root> roots_;
};

}  // namespace trellis::test
