// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/graph_kinds.h"

#include "tests/support/basic_modules.h"
#include "tests/support/node_asm.h"

namespace trellis::test {
namespace {

std::string Leaf() { return ThreadModule(Shape::kDxc); }
std::string Chain() { return ChainModule(Shape::kDxc); }

// "Source" sends 64 records of 256 bytes from each of 4 workgroups to "Sink". `api_entries`: whether the application
// may launch them.
std::string TwoNodes(bool api_entries) {
  NodeAsm m;
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 63, 4), 4}});
  const Payload to = m.Output("Sink", record, {.max_payloads = 64});
  m.BeginNode({.name = "Source",
               .launch = Launch::kStaticGrid,
               .local_size = {64, 1, 1},
               .grid = {4, 1, 1},
               .shader_index = 0,
               .is_api_entry = api_entries});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 64);
  m.Set(records, m.LocalIndex(), 0, m.LocalIndex());
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Sink",
               .launch = Launch::kCoalescing,
               .local_size = {64, 1, 1},
               .shader_index = 0,
               .is_api_entry = api_entries,
               .input = m.Input(record, 64)});
  m.EndNode();
  return m.Text();
}
std::string Pair() { return TwoNodes(true); }
std::string WithoutEntries() { return TwoNodes(false); }

// A node alone that writes its input.
std::string Writer() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  m.BeginNode({.name = "Writer", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.Set(m.NodeInput(), 0, 1, m.Mul(m.Get(m.NodeInput(), 0, 1), 10));
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  return m.Text();
}

// "Source" sends a record to one of the nodes "Bin", which have static grids.
std::string Array() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Bin", record, {.array_size = 1024, .sparse = true});
  m.BeginNode({.name = "Source", .launch = Launch::kCoalescing, .shader_index = 0});
  m.Enqueue(m.Allocate(to, Scope::kInvocation, 1, m.GlobalId(0)));
  m.EndNode();
  m.BeginNode({.name = "Bin",
               .launch = Launch::kStaticGrid,
               .local_size = {64, 1, 1},
               .grid = {2, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.AddWord(words, m.ShaderIndex(), 1);
  m.EndNode();
  return m.Text();
}

// A node that enqueues itself.
std::string Recursive(uint32_t levels) {
  NodeAsm m;
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload self = m.Output("Self", record);
  m.BeginNode({.name = "Self",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(levels),
               .input = m.Input(record)});
  m.If(m.IsValid(self, 0), [&] { m.Enqueue(m.Allocate(self, Scope::kInvocation, 1)); });
  m.EndNode();
  return m.Text();
}
std::string Recursion() { return Recursive(5); }

// "Base" by static grids, and a node that shares its input and has grids from records.
std::string Sharing() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{.type = m.Uint(), .grid = true, .decorations = "NonWritable"},
                              {.type = m.Uint(), .offset = 4, .decorations = "NonWritable"}});
  m.BeginNode({.name = "Base",
               .launch = Launch::kStaticGrid,
               .grid = {2, 1, 1},
               .shader_index = 0,
               .input = m.Input(m.Struct({{m.Uint(), 0}, {m.Uint(), 4}}))});
  m.AddWord(words, 0, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  m.BeginNode({.name = "Sharer",
               .grid = {4, 1, 1},
               .shader_index = 0,
               .shares_input = SharedInput{m.String("Base")},
               .input = m.Input(record)});
  m.AddWord(words, 1, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  return m.Text();
}

}  // namespace

const std::vector<GraphKind>& GraphKinds() {
  static const std::vector<GraphKind> kinds = {
      {"Leaf",
       Leaf,
       {{"ThreadNode"}},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses"},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "report_losses"}},
      {"TwoNodes",
       Pair,
       {{"Source"}, {"Sink"}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph",
        "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses"}},
      {"TwoNodesInSteps",
       Pair,
       {{"Source"}, {"Sink"}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph",
        "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph",
        "report_losses"},
       [](Settings& settings) { settings.ring_budget = 1; }},
      {"TwoNodesOnSeveralQueues",
       Pair,
       {{"Source"}, {"Sink"}},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph", "report_losses",
        "release_ring"},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses", "release_ring"},
       nullptr,
       2},
      {"TwoNodesWithoutPreparedRegions",
       Pair,
       {{"Source"}, {"Sink"}},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph", "report_losses"},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses"},
       [](Settings& settings) { settings.prepare_regions = false; }},
      {"TwoNodesWithSizedLevels",
       Pair,
       {{"Source"}, {"Sink"}},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph", "report_losses"},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches"},
       [](Settings& settings) { settings.size_every_level = true; }},
      {"WithoutEntries",
       WithoutEntries,
       {{"Source"}, {"Sink"}},
       {"begin_graph", "open_regions", "size_launches", "step_graph", "report_losses"},
       {"open_regions", "report_losses"}},
      {"EveryLaunch",
       Chain,
       {{"Source"}, {"Grid"}, {"Sum"}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "sum_grids", "size_launches",
        "step_graph", "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "sum_grids", "size_launches",
        "report_losses"}},
      {"WrittenInput",
       Writer,
       {{"Writer"}},
       {"begin_graph", "copy_inputs", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses"},
       {"begin_graph", "copy_inputs", "count_infos", "append_infos", "copy_chunks", "report_losses"}},
      {"SharedInput",
       Sharing,
       {{"Base"}, {"Sharer"}},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "sum_grids", "size_launches", "report_losses"},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "sum_grids", "size_launches", "report_losses"}},
      {"ArrayOf15",
       Array,
       {{"Source"}, {"Bin", 15}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph",
        "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses"}},
      {"ArrayOf16",
       Array,
       {{"Source"}, {"Bin", 16}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "launch_batches",
        "step_graph", "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "launch_batches",
        "report_losses"}},
      {"ArrayWithoutBatches",
       Array,
       {{"Source"}, {"Bin", 16}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph",
        "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses"},
       [](Settings& settings) { settings.launch_batches = LaunchBatches::kNever; }},
      // 200 nodes have more regions than the begin kernel has invocations.
      {"LargeArrayOnSeveralQueues",
       Array,
       {{"Source"}, {"Bin", 200}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "launch_batches",
        "step_graph", "report_losses", "release_ring"},
       {"begin_graph", "count_infos", "append_infos", "copy_chunks", "size_launches", "launch_batches", "report_losses",
        "release_ring"},
       nullptr,
       2},
      // Level 0 opens more regions than the begin kernel opens itself.
      {"LargeArrayWithSizedLevels",
       Array,
       {{"Source"}, {"Bin", 600}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph",
        "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches"},
       [](Settings& settings) { settings.size_every_level = true; }},
      {"Recursion",
       Recursion,
       {{"Self"}},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "step_graph",
        "report_losses"},
       {"begin_graph", "open_regions", "count_infos", "append_infos", "copy_chunks", "size_launches", "report_losses"}},
  };
  return kinds;
}

}  // namespace trellis::test
