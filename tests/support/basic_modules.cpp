// SPDX-License-Identifier: Apache-2.0
#include "tests/support/basic_modules.h"

#include <algorithm>

namespace trellis::test {
namespace {

// z * 100 + y * 10 + x of the global invocation.
Id GlobalWord(NodeAsm& m) {
  const Id z = m.Mul(m.GlobalId(2), 100);
  const Id y = m.Mul(m.GlobalId(1), 10);
  return m.Add(m.Add(z, y), m.GlobalId(0));
}

}  // namespace

std::string BroadcastGridModule(Shape shape) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Vector(m.Uint(), 3), 0, true}});
  m.BeginNode({.name = "BroadcastNode",
               .local_size = {2, 3, 4},
               .grid = {2, 2, 2},
               .shader_index = 0,
               .input = m.Input(record)});
  m.AddWord(words, GlobalWord(m), 1);
  m.EndNode();
  return m.Text();
}

std::string BroadcastStaticModule(Shape shape) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  m.BeginNode({.name = "BroadcastNode",
               .launch = Launch::kStaticGrid,
               .local_size = {2, 3, 4},
               .grid = {3, 3, 2},
               .shader_index = 0,
               .input = m.Input(record)});
  const Id value = m.Xor(m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.AddWord(words, GlobalWord(m), value);
  m.EndNode();
  return m.Text();
}

std::string ThreadModule(Shape shape) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  m.BeginNode({.name = "ThreadNode", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, index, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  return m.Text();
}

std::string CoalescingModule(Shape shape) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  m.BeginNode({.name = "CoalescingNode",
               .launch = Launch::kCoalescing,
               .local_size = {24, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, 3)});
  const Id thread = m.LocalIndex();
  m.For(m.Length(m.NodeInput()), [&](const Id& i) {
    const Id index = m.Add(m.Get(m.NodeInput(), i, 0), thread);
    m.AddWord(words, index, m.Get(m.NodeInput(), i, 1));
  });
  m.EndNode();
  return m.Text();
}

std::string ChainModule(Shape shape) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id grid_record = m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}});
  const Id sum_record = m.Struct({{m.Uint(), 0}});
  const Payload to_grid = m.Output("Grid", grid_record, {.max_payloads = 5});
  const Payload to_sum = m.Output("Sum", sum_record, {.max_payloads = 4});

  m.BeginNode({.name = "Source", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records grids = m.Allocate(to_grid, Scope::kInvocation, 5);
  m.For(5, [&](const Id& r) {
    m.Set(grids, r, 0, r);
    m.Set(grids, r, 1, m.Mul(r, 100));
  });
  m.Enqueue(grids);
  m.EndNode();

  m.BeginNode(
      {.name = "Grid", .local_size = {4, 1, 1}, .grid = {16, 1, 1}, .shader_index = 0, .input = m.Input(grid_record)});
  const Records sums = m.Allocate(to_sum, Scope::kWorkgroup, 4);
  const Id thread = m.LocalIndex();
  m.Set(sums, thread, 0, m.Add(m.Get(m.NodeInput(), 0, 1), m.GlobalId(0)));
  m.Enqueue(sums);
  m.EndNode();

  m.BeginNode({.name = "Sum",
               .launch = Launch::kCoalescing,
               .local_size = {8, 1, 1},
               .shader_index = 0,
               .input = m.Input(sum_record, 8)});
  const Id lane = m.LocalIndex();
  m.If(m.Less(lane, m.Length(m.NodeInput())), [&] { m.AddWord(words, m.Get(m.NodeInput(), lane, 0), 1); });
  m.EndNode();
  return m.Text();
}

std::vector<uint32_t> ChainResult(uint32_t runs) {
  std::vector<uint32_t> words(416);
  for (uint32_t record = 0; record < 5; ++record) std::fill_n(words.begin() + 100 * record, 4 * record, runs);
  return words;
}

std::vector<NamedModule> BasicModules() {
  return {{"broadcast_grid", BroadcastGridModule},
          {"broadcast_static", BroadcastStaticModule},
          {"thread", ThreadModule},
          {"coalescing", CoalescingModule},
          {"chain", ChainModule}};
}

}  // namespace trellis::test
