// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/report_graph.h"

#include "layer/replay/reports/json_writer.h"
#include "layer/replay/reports/report_payloads.h"

namespace trellis {
namespace {

const char* LaunchName(const spirv::NodeInfo& info) {
  if (info.IsMesh()) return "mesh";
  switch (info.kind) {
    case spirv::LaunchKind::kStaticGrid:
      return "static";
    case spirv::LaunchKind::kDynamicGrid:
      return "dynamic";
    case spirv::LaunchKind::kCoalescing:
      return "coalescing";
  }
  return "";
}

void WriteTriple(JsonWriter& json, std::string_view key, const std::array<uint32_t, 3>& values) {
  json.Key(key);
  json.BeginArray();
  for (const uint32_t value : values) json.Number(value);
  json.EndArray();
}

void WriteOutput(JsonWriter& json, const spirv::NodeOutputInfo& output) {
  json.BeginObject();
  json.Member("target", output.target_name);
  json.Member("base_index", output.base_index);
  json.Member("array_size", output.array_size);
  json.Member("sparse", output.sparse);
  json.Member("max_payloads", output.max_payloads);
  json.Member("payload_bytes", output.payload.size);
  json.Member("uses_heap", output.uses_heap);
  json.EndObject();
}

void WriteNode(JsonWriter& json, const Node& node) {
  json.BeginObject();
  json.Member("name", node.name);
  json.Member("index", node.index);
  json.Member("launch", LaunchName(node.info));
  WriteTriple(json, "grid", node.info.grid);
  WriteTriple(json, "workgroup_size", node.info.local_size);
  json.Member("coalesce", node.info.coalesce);
  json.Member("payload_bytes", node.info.input.size);
  json.Member("max_recursion", node.info.max_recursion);
  json.Member("first_slot", node.first_slot);
  json.Member("slot_count", node.slot_count);
  json.Key("sharers");
  json.BeginArray();
  for (const uint32_t sharer : node.sharers) json.Number(sharer);
  json.EndArray();
  WriteScalars(json, node.info.input_scalars);
  json.Key("outputs");
  json.BeginArray();
  for (const spirv::NodeOutputInfo& output : node.info.outputs) WriteOutput(json, output);
  json.EndArray();
  json.EndObject();
}

void WriteEdges(JsonWriter& json, const Graph& graph) {
  for (uint32_t slot = 0; slot < graph.slots.size(); ++slot)
    for (const SlotEdge& edge : graph.slots[slot].edges) {
      json.BeginObject();
      json.Member("from", slot);
      json.Member("to", edge.slot);
      json.Member("max_payloads", edge.payloads);
      json.EndObject();
    }
}

}  // namespace

std::string GraphMembers(const Graph& graph, uint32_t id) {
  JsonWriter json;
  json.Member("id", id);
  json.Member("depth", graph.depth);
  json.Key("nodes");
  json.BeginArray();
  for (const Node& node : graph.nodes) WriteNode(json, node);
  json.EndArray();
  json.Key("slots");
  json.BeginArray();
  for (const Slot& slot : graph.slots) {
    json.BeginObject();
    json.Member("node", slot.node);
    json.Member("remaining_recursion", slot.remaining_recursion);
    json.Member("record_bytes", slot.record_stride);
    json.EndObject();
  }
  json.EndArray();
  json.Key("edges");
  json.BeginArray();
  WriteEdges(json, graph);
  json.EndArray();
  return json.text();
}

}  // namespace trellis
