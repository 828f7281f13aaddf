// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/report_payloads.h"

#include <algorithm>

#include "layer/replay/json_writer.h"

namespace trellis {
namespace {

constexpr uint64_t kMaxDumpBytes = 16u << 20;

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

std::string Hexadecimal(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace

void PayloadDump::Append(const PayloadDump& other) {
  capacity = std::max(capacity, other.capacity);
  payload_bytes = other.payload_bytes;
  const size_t room = size_t{capacity} * payload_bytes - bytes.size();
  const auto taken = std::span(other.bytes).first(std::min(room, other.bytes.size()));
  bytes.insert(bytes.end(), taken.begin(), taken.end());
}

uint32_t DumpedRecordsOf(const Graph& graph, uint32_t slot, std::span<const PayloadDumpSetting> dumps) {
  if (slot >= graph.slots.size()) return 0;  // the heap
  const Node& node = graph.nodes[graph.slots[slot].node];
  if (node.input_bytes == 0) return 0;
  uint32_t most = 0;
  for (const PayloadDumpSetting& dump : dumps)
    if (dump.Names(node.name, node.index)) most = std::max(most, dump.count);
  return most;
}

std::vector<DumpRequest> RequestDumps(const Graph& graph, std::span<const shared::RegionPlan> openings,
                                      std::span<const PayloadDumpSetting> dumps) {
  std::vector<DumpRequest> requests;
  uint64_t left = dumps.empty() ? 0 : kMaxDumpBytes;
  for (uint32_t i = 0; i < openings.size() && left != 0; ++i) {
    const uint64_t asked = DumpedRecordsOf(graph, openings[i].slot, dumps);
    const uint64_t record_bytes = uint64_t{openings[i].stride} + 3;
    const auto records = static_cast<uint32_t>(std::min(asked, left / record_bytes));
    if (records == 0) continue;
    requests.push_back({i, records, graph.nodes[graph.slots[openings[i].slot].node].input_bytes});
    left -= records * record_bytes;
  }
  return requests;
}

PayloadDump FirstPayloads(const Graph& graph, const RootInput& root, std::span<const PayloadDumpSetting> dumps) {
  PayloadDump dump;
  dump.capacity = DumpedRecordsOf(graph, root.slot, dumps);
  if (dump.capacity == 0) return dump;
  dump.payload_bytes = graph.nodes[root.node].input_bytes;
  for (const PayloadRun& run : root.runs)
    for (uint32_t i = 0; i < run.count && dump.bytes.size() < size_t{dump.capacity} * dump.payload_bytes; ++i) {
      const std::byte* const payload = run.payloads + i * run.stride;
      dump.bytes.insert(dump.bytes.end(), payload, payload + dump.payload_bytes);
    }
  return dump;
}

void WriteDump(JsonWriter& json, uint32_t level, uint32_t slot, const PayloadDump& dump) {
  json.BeginObject();
  json.Member("level", level);
  json.Member("slot", slot);
  json.Key("payloads");
  json.BeginArray();
  const std::span<const std::byte> bytes = dump.bytes;
  for (size_t at = 0; at < bytes.size(); at += dump.payload_bytes)
    json.String(Hexadecimal(bytes.subspan(at, dump.payload_bytes)));
  json.EndArray();
  json.EndObject();
}

void WriteScalars(JsonWriter& json, std::span<const spirv::PayloadScalar> scalars) {
  json.Key("scalars");
  json.BeginArray();
  for (const spirv::PayloadScalar& scalar : scalars) {
    json.BeginObject();
    json.Member("name", scalar.name);
    json.Member("offset", scalar.offset);
    json.Member("type", KindName(scalar.kind));
    json.Member("bits", scalar.bits);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace trellis
