// SPDX-License-Identifier: Apache-2.0
// A graph whose payloads are many and large.
#pragma once

#include <optional>
#include <string>

#include "tests/support/node_asm.h"

namespace trellis::test {

// A node that gets nothing, but whose grids, and so whatever it could send, nothing bounds: a graph with it runs in one
// pass, where it would run in steps otherwise.
struct OpenNode {
  static constexpr const char* kName = "Open";

  OpenNode(NodeAsm& m, const Payload& target)
      : record(m.Struct({{m.Uint(), 0, true}})), input(m.Output(kName, record)), sends(target) {}

  // In whoever could send to it.
  void SendNothing(NodeAsm& m) const { m.Enqueue(m.Allocate(input, Scope::kWorkgroup, 0)); }
  void Add(NodeAsm& m) const {
    m.BeginNode({.name = kName, .shader_index = 0, .input = m.Input(record)});
    m.Enqueue(m.Allocate(sends, Scope::kWorkgroup, 1));
    m.EndNode();
  }

  Id record;
  Payload input;
  Payload sends;
};

// "Root", `workgroups` of 64 invocations, sends from each invocation {its number, 1, filling of 248 bytes} to "Leaf",
// `launch`: words[0] += value, words[1] += 1 if the record is damaged, words[2 + number % 1000] += 1. `open`: with an
// OpenNode.
inline std::string FloodModule(uint32_t workgroups, Launch launch, Scope scope, bool heap, bool open = false) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record =
      m.Struct({{m.Uint(), 0}, {m.Uint(), 4, launch == Launch::kDynamicGrid}, {m.Array(m.Uint(), 62, 4), 8}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = 64});
  std::optional<OpenNode> open_node;
  if (open) open_node.emplace(m, to);
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {64, 1, 1},
               .grid = {static_cast<int>(workgroups), 1, 1},
               .shader_index = 0});
  const Id global = m.GlobalId(0);
  const bool shared = scope == Scope::kWorkgroup;
  const Records records = m.Allocate(to, scope, shared ? 64 : 1);
  const Id element = shared ? m.LocalIndex() : m.Constant(0);
  m.Set(records, element, 0, global);
  m.Set(records, element, 1, 1);
  m.For(62, [&](const Id& i) { m.Store(m.Field(records, m.Uint(), element, {2, i}), m.Add(global, i)); });
  if (heap) {
    // An enqueue that is not on every path.
    m.If(m.Less(m.GroupId(0), 1u << 20), [&] { m.Enqueue(records); });
  } else {
    m.Enqueue(records);
  }
  if (open_node) open_node->SendNothing(m);
  m.EndNode();
  if (open_node) open_node->Add(m);
  m.BeginNode({.name = "Leaf", .launch = launch, .grid = {1, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, 0, m.Get(m.NodeInput(), 0, 1));
  // The record is whole.
  const Id last = m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {2, 61}));
  m.If(m.NotEqual(last, m.Add(number, 61)), [&] { m.AddWord(words, 1, 1); });
  m.AddWord(words, m.Add(m.Mod(number, 1000), 2), 1);
  m.EndNode();
  return m.Text();
}

}  // namespace trellis::test
