// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/report_payloads.h"

#include <algorithm>

#include "layer/replay/reports/json_writer.h"

namespace trellis {
namespace {

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
