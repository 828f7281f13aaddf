// SPDX-License-Identifier: Apache-2.0
// What a report says of a graph, whether it runs or not.
#include "layer/replay/reports/json_writer.h"
#include "layer/replay/reports/report.h"

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

const char* KindName(spirv::ScalarKind kind) {
  switch (kind) {
    case spirv::ScalarKind::kUint:
      return "uint";
    case spirv::ScalarKind::kInt:
      return "int";
    case spirv::ScalarKind::kFloat:
      return "float";
    case spirv::ScalarKind::kBool:
      return "bool";
  }
  return "";
}

void WriteNode(JsonWriter& json, const Node& node) {
  json.Member("name", node.name);
  json.Member("index", node.index);
  json.Member("launch", LaunchName(node.info));
  json.Numbers("grid", node.info.grid);
  json.Numbers("workgroup_size", node.info.local_size);
  json.Member("coalesce", node.info.coalesce);
  json.Member("payload_bytes", node.info.input.size);
  json.Member("max_recursion", node.info.max_recursion);
  json.Member("first_slot", node.first_slot);
  json.Member("slot_count", node.slot_count);
  json.Numbers("sharers", node.sharers);
  json.Objects("scalars", node.info.input_scalars, [&json](const spirv::PayloadScalar& scalar) {
    json.Member("name", scalar.name);
    json.Member("offset", scalar.offset);
    json.Member("type", KindName(scalar.kind));
    json.Member("bits", scalar.bits);
  });
  json.Objects("outputs", node.info.outputs, [&json](const spirv::NodeOutputInfo& output) {
    json.Member("target", output.target_name);
    json.Member("base_index", output.base_index);
    json.Member("array_size", output.array_size);
    json.Member("sparse", output.sparse);
    json.Member("max_payloads", output.max_payloads);
    json.Member("payload_bytes", output.payload.size);
    json.Member("uses_heap", output.uses_heap);
  });
}

}  // namespace

std::string Report::GraphMembers(const Graph& graph, uint32_t id) {
  JsonWriter json;
  json.Member("id", id);
  json.Member("depth", graph.depth);
  json.Objects("nodes", graph.nodes, [&json](const Node& node) { WriteNode(json, node); });
  json.Objects("slots", graph.slots, [&json](const Slot& slot) {
    json.Member("node", slot.node);
    json.Member("remaining_recursion", slot.remaining_recursion);
    json.Member("record_bytes", slot.record_stride);
  });
  json.BeginArray("edges");
  for (uint32_t slot = 0; slot < graph.slots.size(); ++slot)
    for (const SlotEdge& edge : graph.slots[slot].edges) {
      json.BeginObject();
      json.Member("from", slot);
      json.Member("to", edge.slot);
      json.Member("max_payloads", edge.payloads);
      json.EndObject();
    }
  json.EndArray();
  return json.text();
}

}  // namespace trellis
