// SPDX-License-Identifier: Apache-2.0
// Payloads of a report.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/trellis/report_forms.h"

namespace trellis::tool {
namespace {

using nlohmann::json;

std::vector<uint8_t> BytesOf(const std::string& digits) {
  std::vector<uint8_t> bytes;
  for (size_t at = 0; at + 1 < digits.size(); at += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + at, digits.data() + at + 2, byte, 16);
    bytes.push_back(byte);
  }
  return bytes;
}

double FromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double size = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0) size = std::ldexp(fraction, -24);
  if (exponent == 31)
    size = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  return (bits & 0x8000) != 0 ? -size : size;
}

// The shortest text that gives the same number.
template <typename T>
std::string TextOf(T number) {
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

std::string TextOfFloat(uint64_t value, uint32_t bits) {
  if (bits == 16) return TextOf(FromHalf(static_cast<uint16_t>(value)));
  if (bits == 64) return TextOf(std::bit_cast<double>(value));
  return TextOf(std::bit_cast<float>(static_cast<uint32_t>(value)));
}

// Nothing behind the end of the payload.
std::optional<std::string> Decode(const std::vector<uint8_t>& bytes, const json& scalar) {
  const auto offset = scalar.at("offset").get<size_t>();
  const auto bits = scalar.at("bits").get<uint32_t>();
  if (bits > 64 || offset > bytes.size() || bytes.size() - offset < bits / 8) return std::nullopt;
  uint64_t value = 0;
  for (uint32_t i = bits / 8; i-- > 0;) value = value << 8 | bytes[offset + i];
  const std::string type = scalar.at("type");
  if (type == "float") return TextOfFloat(value, bits);
  if (type == "bool") return value != 0 ? "true" : "false";
  if (type == "int") return TextOf(static_cast<int64_t>(value << (64 - bits)) >> (64 - bits));
  return TextOf(value);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

json DecodePayloads(const json& report) {
  json all = json::array();
  for (const json& dispatch : report.at("dispatches"))
    for (const json& dump : dispatch.at("payloads"))
      for (const json& graph : report.at("graphs")) {
        if (graph.at("id") != dispatch.at("graph")) continue;
        const auto number = graph.at("slots").at(dump.at("slot").get<size_t>()).at("node").get<size_t>();
        const json& node = graph.at("nodes").at(number);
        uint32_t rank = 0;
        for (const json& digits : dump.at("payloads")) {
          const std::vector<uint8_t> bytes = BytesOf(digits);
          json members = json::array();
          for (const json& scalar : node.at("scalars"))
            if (const std::optional<std::string> value = Decode(bytes, scalar))
              members.push_back({{"name", scalar.at("name")}, {"value", *value}});
          all.push_back({{"graph", graph.at("id")},
                         {"node", node.at("name")},
                         {"index", node.at("index")},
                         {"level", dump.at("level")},
                         {"payload", rank++},
                         {"members", members},
                         {"bytes", digits}});
        }
      }
  return all;
}

std::string PayloadsAsCsv(const json& report) {
  std::string text = "graph,node,index,level,payload,member,value\n";
  for (const json& payload : DecodePayloads(report)) {
    const std::string begin = payload.at("graph").dump() + "," + Quoted(payload.at("node")) + "," +
                              payload.at("index").dump() + "," + payload.at("level").dump() + "," +
                              payload.at("payload").dump() + ",";
    for (const json& member : payload.at("members"))
      text += begin + Quoted(member.at("name")) + "," + member.at("value").get<std::string>() + "\n";
  }
  return text;
}

}  // namespace trellis::tool
