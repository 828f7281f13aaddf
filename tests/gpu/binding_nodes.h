// SPDX-License-Identifier: Apache-2.0
// Nodes that show what is bound for a graph.
#pragma once

#include <string>
#include <vector>

#include "tests/gpu/leaf_nodes.h"

namespace trellis::test {

// "Root" (broadcast, 2 workgroups of 4) sends a record per invocation to "Leaf". Both add push constants to words
// [0, 8) of sets 0 and 1, two bindings each: word 0 to buffer 0, word 1 to buffer 1, word 2 to buffer 2, the last word
// to buffer 3.
inline std::string BindingsModule(uint32_t push_words) {
  NodeAsm m;
  std::vector<Id> buffers;
  for (uint32_t set = 0; set < 2; ++set) {
    for (uint32_t binding = 0; binding < 2; ++binding) buffers.push_back(m.StorageBuffer(binding, set));
  }
  const Id push = m.PushConstants(push_words);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 4});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {4, 1, 1}, .grid = {2, 1, 1}, .shader_index = 0});
  const Id lane = m.GlobalId(0);
  m.AddWord(buffers[0], lane, m.PushWord(push, 0));
  m.AddWord(buffers[1], lane, m.PushWord(push, 1));
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, lane, 1);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(buffers[2], index, m.PushWord(push, 2));
  m.AddWord(buffers[3], index, m.PushWord(push, push_words - 1));
  m.EndNode();
  return m.Text();
}

// "Count" (thread): adds 1 + binding to word 0 of each buffer of set 0.
inline std::string CountBindingsModule(uint32_t bindings) {
  NodeAsm m;
  std::vector<Id> buffers;
  for (uint32_t binding = 0; binding < bindings; ++binding) buffers.push_back(m.StorageBuffer(binding));
  m.BeginNode({.name = "Count", .launch = Launch::kCoalescing, .shader_index = 0});
  for (uint32_t binding = 0; binding < bindings; ++binding) m.AddWord(buffers[binding], 0, 1 + binding);
  m.EndNode();
  return m.Text();
}

}  // namespace trellis::test
