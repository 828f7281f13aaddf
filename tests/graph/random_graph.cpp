// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/random_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace trellis::test {
namespace {

std::string NameOf(uint32_t number) { return "name" + std::to_string(number); }

spirv::LaunchKind PickKind(Random& random) { return static_cast<spirv::LaunchKind>(Below(random, 3)); }

void FillLaunch(Random& random, spirv::LaunchKind kind, spirv::NodeInfo& info) {
  info.kind = kind;
  const auto side = [&random] { return 1 + Below(random, 3); };
  switch (kind) {
    case spirv::LaunchKind::kStaticGrid:
      info.grid = {side(), side(), side()};
      break;
    case spirv::LaunchKind::kDynamicGrid:
      if (Below(random, 4) != 0) info.grid = {side(), side(), side()};
      info.grid_member = spirv::GridMember{4 * Below(random, 3), 4, 1 + Below(random, 3)};
      break;
    case spirv::LaunchKind::kCoalescing:
      info.coalesce = 1 + Below(random, 8);
      break;
  }
}

spirv::NodeOutputInfo MakeOutput(Random& random, std::string target) {
  spirv::NodeOutputInfo output;
  output.target_name = std::move(target);
  output.max_payloads = Below(random, 5);
  output.payload = {Below(random, 12) * 4, 1u << Below(random, 4)};
  output.uses_heap = Below(random, 3) == 0;
  output.sparse = Below(random, 2) == 0;
  return output;
}

// Lets some outputs have the limit of one that comes before them. Everything else of a seed is as without it.
void ShareLimits(Random random, std::vector<spirv::NodeOutputInfo>& outputs) {
  for (uint32_t i = 1; i < outputs.size(); ++i) {
    const uint32_t first = Below(random, i);
    if (Below(random, 3) != 0 || outputs[first].shares_limit_with) continue;
    outputs[i].shares_limit_with = first;
    outputs[i].max_payloads = outputs[first].max_payloads;
  }
}

std::vector<uint32_t> PickIndices(Random& random, const std::vector<uint32_t>& existing) {
  std::vector<uint32_t> indices;
  for (uint32_t index : existing)
    if (Below(random, 2) == 0) indices.push_back(index);
  if (Below(random, 4) == 0) indices.push_back(0x4000);  // nobody
  return indices;
}

bool IsShared(const std::vector<NodeSource>& nodes, const NodeSource& node) {
  return std::any_of(nodes.begin(), nodes.end(), [&node](const NodeSource& other) {
    return other.info.shares_input && other.info.shares_input_with_name == node.name &&
           other.info.shares_input_with_index == node.index;
  });
}

// Lets some nodes share the input of a node that comes before them, so that there is no cycle; or of nobody.
void ShareInputs(Random& random, std::vector<NodeSource>& nodes) {
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (Below(random, 4) != 0 || IsShared(nodes, nodes[i])) continue;
    const uint32_t target = Below(random, i + 1);
    if (nodes[target].info.shares_input) continue;
    nodes[i].info.shares_input = true;
    nodes[i].info.shares_input_with_name = target == i ? "nobody" : nodes[target].name;
    nodes[i].info.shares_input_with_index = nodes[target].index;
  }
}

}  // namespace

std::vector<NodeSource> MakeRandomNodes(Random& random) {
  const uint32_t name_count = 2 + Below(random, 18);
  std::vector<std::vector<uint32_t>> indices(name_count);
  std::vector<NodeSource> nodes;
  for (uint32_t name = 0; name < name_count; ++name) {
    const uint32_t array = Below(random, 3) == 0 ? 1 + Below(random, 6) : 1;
    const uint32_t step = Below(random, 3) == 0 ? 1000 : 1 + Below(random, 3);
    for (uint32_t i = 0; i < array; ++i) indices[name].push_back(Below(random, 2) + i * step * 2);
  }
  for (uint32_t name = 0; name < name_count; ++name) {
    const spirv::LaunchKind kind = PickKind(random);
    for (uint32_t index : indices[name]) {
      NodeSource& node = nodes.emplace_back(NodeSource{NameOf(name), index, {}});
      FillLaunch(random, kind, node.info);
      node.info.input = {Below(random, 10) * 4, 4};
      node.info.writes_input = Below(random, 3) == 0;
      node.info.finishes_writing = node.info.writes_input && Below(random, 2) == 0;
      node.info.declares_recursion = Below(random, 4) == 0;
      if (node.info.declares_recursion) node.info.max_recursion = 1 + Below(random, 4);
      for (uint32_t outputs = Below(random, 4); outputs-- > 0;) {
        // Only forwards, so that there is no cycle; the last ones find nobody.
        const uint32_t target = name + 1 + Below(random, std::min(name_count - name, 4u));
        spirv::NodeOutputInfo output = MakeOutput(random, NameOf(target));
        if (Below(random, 2) == 0)
          output.constant_indices =
              PickIndices(random, target < name_count ? indices[target] : std::vector<uint32_t>());
        node.info.outputs.push_back(std::move(output));
      }
      if (node.info.max_recursion > 0 && Below(random, 4) != 0) {
        node.info.outputs.push_back(MakeOutput(random, NameOf(name)));
        if (Below(random, 2) == 0) node.info.outputs.back().constant_indices = {index};
      }
      ShareLimits(random, node.info.outputs);
    }
  }
  ShareInputs(random, nodes);
  std::shuffle(nodes.begin(), nodes.end(), random);
  return nodes;
}

bool ResolveEnqueue(const std::vector<NodeSource>& nodes, Activation from, const std::string& name, uint32_t index,
                    Activation& to) {
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].name != name || nodes[node].index != index) continue;
    if (node == from.node) {
      if (from.remaining == 0) return false;
      to = {node, from.remaining - 1};
    } else {
      to = {node, nodes[node].info.max_recursion};
    }
    return true;
  }
  return false;
}

std::vector<Activation> RunsOnInputOf(const std::vector<NodeSource>& nodes, Activation target) {
  std::vector<Activation> all = {target};
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    const spirv::NodeInfo& info = nodes[node].info;
    if (info.shares_input && info.shares_input_with_name == nodes[target.node].name &&
        info.shares_input_with_index == nodes[target.node].index)
      all.push_back({node, info.max_recursion});
  }
  return all;
}

uint32_t PickIndex(Random& random, const std::vector<NodeSource>& nodes, const NodeSource& from,
                   const spirv::NodeOutputInfo& output) {
  // Enqueuing another index of one's own name is forbidden.
  if (output.target_name == from.name) return from.index;
  std::vector<uint32_t> choices;
  if (output.constant_indices) {
    choices = *output.constant_indices;
  } else {
    choices.push_back(Below(random, 20));
    for (const NodeSource& node : nodes)
      if (node.name == output.target_name) choices.push_back(node.index);
  }
  return choices.empty() ? 0x5000 : choices[Below(random, static_cast<uint32_t>(choices.size()))];
}

uint64_t PickWorkgroups(Random& random, const spirv::NodeInfo& info, uint64_t records) {
  uint64_t workgroups = 0;
  switch (info.kind) {
    case spirv::LaunchKind::kStaticGrid:
      return records * info.grid[0] * info.grid[1] * info.grid[2];
    case spirv::LaunchKind::kCoalescing:
      return (records + info.coalesce - 1) / info.coalesce;
    case spirv::LaunchKind::kDynamicGrid:
      for (uint64_t i = 0; i < records; ++i) {
        uint64_t grid = 1;
        for (uint32_t bound : info.grid) grid *= Below(random, (bound == 0 ? 2 : bound) + 1);
        workgroups += grid;
      }
      return workgroups;
  }
  return workgroups;
}

void SendAll(Random& random, const std::vector<NodeSource>& nodes, Activation from, uint64_t workgroups,
             Arrivals& arrivals) {
  const NodeSource& node = nodes[from.node];
  const std::vector<spirv::NodeOutputInfo>& outputs = node.info.outputs;
  std::vector<uint32_t> order(outputs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  std::map<uint32_t, std::vector<uint32_t>> sent;  // by the output that has the limit and by workgroup
  for (const uint32_t number : order) {
    const spirv::NodeOutputInfo& output = outputs[number];
    std::vector<uint32_t>& sent_so_far = sent[output.shares_limit_with.value_or(number)];
    sent_so_far.resize(workgroups);
    if (output.constant_indices && output.constant_indices->empty()) continue;
    const bool as_much_as_possible = Below(random, 2) == 0;
    const bool one_index = Below(random, 2) == 0;
    uint32_t index = PickIndex(random, nodes, node, output);
    for (uint64_t workgroup = 0; workgroup < workgroups; ++workgroup) {
      const uint32_t left = output.max_payloads - sent_so_far[workgroup];
      const uint32_t count = as_much_as_possible ? left : Below(random, left + 1);
      sent_so_far[workgroup] += count;
      for (uint32_t i = 0; i < count; ++i) {
        if (!one_index) index = PickIndex(random, nodes, node, output);
        Activation to;
        if (!ResolveEnqueue(nodes, from, output.target_name, index, to)) continue;
        ++arrivals.records[to];
        if (output.uses_heap) arrivals.heap_bytes += 16 + (output.payload.size + 15) / 16 * 16;
      }
    }
  }
}

}  // namespace trellis::test
