// SPDX-License-Identifier: Apache-2.0
#include "tests/random/reference.h"

#include <algorithm>
#include <deque>

#include "tests/random/node_kind.h"
#include "tests/random/semantics.h"

namespace trellis::test::random_graphs {
namespace {

// Records on their way to a node.
struct Arrival {
  uint32_t node = 0;
  uint32_t index = 0;
  uint32_t remaining = 0;
  uint32_t depth = 1;
  std::vector<uint32_t> words;
};

// A node that runs on one record.
struct Activation {
  const Node& node;
  const NodeKind& kind;
  const Arrival& arrival;
  const std::vector<OutputRule>& rules;
  uint32_t number = 0;
  uint32_t index = 0;
  uint32_t remaining = 0;
  uint32_t place = 0;
  uint32_t hash = 0;  // of the record
};

class Executor {
 public:
  Executor(const RandomGraph& graph, const Limits& limits, Fault fault)
      : graph_(graph), nodes_(graph.topology.nodes), limits_(limits), fault_(fault) {
    outcome_.words.resize(kPlaces * kPlaceWords);
  }

  std::optional<Outcome> Run() {
    for (const Root& root : graph_.input.roots) Launch(root);
    while (!arrivals_.empty()) {
      if (outcome_.records > limits_.records || outcome_.invocations > limits_.invocations) return std::nullopt;
      const Arrival arrival = std::move(arrivals_.front());
      arrivals_.pop_front();
      Process(arrival);
    }
    return std::move(outcome_);
  }

 private:
  void Launch(const Root& root) {
    for (const uint32_t seed : root.seeds) {
      const uint32_t used = root.repeat ? root.seeds[0] : seed;
      Enqueue({root.node, root.index, nodes_[root.node].recursion, 1, MakeRecord(RuleOf(root.node), used)});
    }
  }

  [[nodiscard]] const RecordRule& RuleOf(uint32_t node) const { return graph_.input.records[node]; }

  void Enqueue(Arrival arrival) {
    ++outcome_.records;
    const ArrivalPlace place = {arrival.depth - 1, arrival.node, arrival.index, arrival.remaining};
    ++outcome_.arrivals[place];
    outcome_.payloads[place].push_back(arrival.words);
    arrivals_.push_back(std::move(arrival));
  }

  void Process(const Arrival& arrival) {
    outcome_.depth = std::max(outcome_.depth, arrival.depth);
    Activate(arrival, arrival.node, arrival.index, arrival.remaining);
    if (fault_ == Fault::kIgnoresSharing) return;
    for (uint32_t number = 0; number < nodes_.size(); ++number) {
      const Node& node = nodes_[number];
      if (!node.shares || node.shares->node != arrival.node || node.shares->index != arrival.index) continue;
      for (const uint32_t index : node.indices) Activate(arrival, number, index, node.recursion);
    }
  }

  void Activate(const Arrival& arrival, uint32_t number, uint32_t index, uint32_t remaining) {
    const Node& node = nodes_[number];
    const NodeKind& kind = NodeKinds()[node.kind];
    const auto position = std::find(node.indices.begin(), node.indices.end(), index) - node.indices.begin();
    const std::vector<OutputRule>& rules = graph_.input.outputs[number][static_cast<size_t>(position)];
    Activation activation = {node, kind, arrival, rules, number, index, remaining, node.variant * kIndices + index, 0};
    uint32_t digest = graph_.input.salt;
    if (kind.input.declared) {
      for (uint32_t w = 0; w < kind.input.record_words; ++w)
        digest = Hash(digest, arrival.words[w] & ReadableBits(kind.input.grid, w));
    }
    activation.hash = Hash(digest, activation.place * kLevels + remaining);
    if (kind.Coalescing())
      RunCoalesced(activation);
    else
      RunGrid(activation);
  }

  // Component of the grid, from the record or fixed.
  uint32_t GridSize(const Activation& activation, uint32_t component) const {
    if (activation.kind.input.launch == Launch::kStaticGrid) return activation.node.grid[component];
    const GridMember& grid = activation.kind.input.grid;
    if (component >= grid.components) return 1;
    if (component == 2 && fault_ == Fault::kForgetsGridZ) return 1;
    const uint32_t bit = component * grid.bits;
    const uint32_t word = activation.arrival.words[grid.first_word + bit / 32];
    return grid.bits == 32 ? word : (word >> (bit % 32)) & ((1u << grid.bits) - 1);
  }

  uint32_t& Word(const Activation& activation, ResultWord word) {
    return outcome_.words[activation.place * kPlaceWords + word];
  }

  void CountRun(const Activation& activation, uint32_t run) {
    Word(activation, kRuns) += 1;
    Word(activation, kSum) += run;
    Word(activation, kXor) ^= Hash(run, kXorSalt);
  }

  void RunGrid(const Activation& activation) {
    const uint32_t x_end = GridSize(activation, 0), y_end = GridSize(activation, 1), z_end = GridSize(activation, 2);
    for (uint32_t z = 0; z < z_end; ++z) {
      for (uint32_t y = 0; y < y_end; ++y) {
        for (uint32_t x = 0; x < x_end; ++x) RunWorkgroup(activation, {x, y, z});
      }
    }
  }

  void RunWorkgroup(const Activation& activation, const std::array<uint32_t, 3>& id) {
    const uint32_t run = Hash(activation.hash, id[0] + id[1] * kRow + id[2] * kSlice);
    const std::array<uint32_t, 3>& lanes = activation.kind.input.lanes;
    CountRun(activation, run);
    outcome_.invocations += activation.kind.Lanes();
    for (uint32_t z = 0; z < lanes[2]; ++z) {
      for (uint32_t y = 0; y < lanes[1]; ++y) {
        for (uint32_t x = 0; x < lanes[0]; ++x) {
          const uint32_t linear =
              id[0] * lanes[0] + x + (id[1] * lanes[1] + y) * kRow + (id[2] * lanes[2] + z) * kSlice;
          Word(activation, kLanes) += Hash(run, linear);
        }
      }
    }
    for (uint32_t o = 0; o < activation.kind.outputs.size(); ++o) {
      const bool enqueued = IsEnqueued(activation, o, run);
      if (activation.kind.outputs[o].scope == Scope::kWorkgroup) {
        const uint32_t own = Hash(run, OutputSalt(o));
        Send(activation, o, own, own, enqueued);
        continue;
      }
      for (uint32_t lane = 0; lane < activation.kind.Lanes(); ++lane) {
        const uint32_t own = Hash(run, OutputSalt(o) + 1 + lane);
        Send(activation, o, own, own, enqueued);
      }
    }
  }

  void RunCoalesced(const Activation& activation) {
    const uint32_t run = activation.hash;
    CountRun(activation, run);
    outcome_.invocations += activation.kind.Lanes();
    for (uint32_t o = 0; o < activation.kind.outputs.size(); ++o) {
      const bool enqueued = IsEnqueued(activation, o, activation.place);
      const uint32_t records = Hash(run, OutputSalt(o));
      const bool for_workgroup = activation.kind.outputs[o].scope == Scope::kWorkgroup;
      Send(activation, o, for_workgroup ? Hash(activation.place, OutputSalt(o)) : records, records, enqueued);
    }
  }

  bool IsEnqueued(const Activation& activation, uint32_t o, uint32_t hash) const {
    if (!activation.kind.outputs[o].late || fault_ == Fault::kEnqueuesAlways) return true;
    return Hash(hash, OutputSalt(o) + kLateSalt) % 4 < activation.rules[o].quarters;
  }

  // One allocation. `own` decides where to and how many, `records` what is in them.
  void Send(const Activation& activation, uint32_t o, uint32_t own, uint32_t records, bool enqueued) {
    const Output& output = activation.node.outputs[o];
    const OutputRule& rule = activation.rules[o];
    const bool itself = rule.indices.empty();
    uint32_t index = itself ? activation.index : rule.indices[Hash(own, kIndexSalt) % rule.indices.size()];
    if (fault_ == Fault::kIgnoresBase) index -= output.base;
    if (!IsThere(activation, output, index)) return;
    Word(activation, kLanes) += Hash(own, kValidSalt);
    if (!enqueued) return;
    uint32_t remaining = nodes_[output.target].recursion;
    if (output.target == activation.number) remaining = activation.remaining - 1;
    uint32_t count = Hash(own, kCountSalt) % (rule.most + 1);
    if (fault_ == Fault::kLosesThirdRecord) count = std::min(count, 2u);
    for (uint32_t i = 0; i < count; ++i) {
      Enqueue({output.target, index, remaining, activation.arrival.depth + 1,
               MakeRecord(RuleOf(output.target), Hash(records, kRecordSalt + i))});
    }
  }

  bool IsThere(const Activation& from, const Output& output, uint32_t index) const {
    if (output.target == kNobody) return false;
    const uint32_t fewest = fault_ == Fault::kStopsRecursionEarly ? 2 : 1;
    if (output.target == from.number && from.remaining < fewest) return false;
    const std::vector<uint32_t>& indices = nodes_[output.target].indices;
    return std::find(indices.begin(), indices.end(), index) != indices.end();
  }

  const RandomGraph& graph_;
  const std::vector<Node>& nodes_;
  const Limits limits_;
  const Fault fault_;
  std::deque<Arrival> arrivals_;
  Outcome outcome_;
};

}  // namespace

std::vector<uint32_t> MakeRecord(const RecordRule& rule, uint32_t seed) {
  std::vector<uint32_t> words(rule.mask.size());
  for (uint32_t w = 0; w < words.size(); ++w) words[w] = RecordWord(seed, w, rule.mask[w], rule.set[w]);
  return words;
}

std::optional<Outcome> Execute(const RandomGraph& graph, const Limits& limits, Fault fault) {
  return Executor(graph, limits, fault).Run();
}

}  // namespace trellis::test::random_graphs
