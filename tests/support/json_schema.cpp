// SPDX-License-Identifier: Apache-2.0
#include "tests/support/json_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace trellis::test {
namespace {

using nlohmann::json;

class Checker {
 public:
  explicit Checker(const json& root) : root_(root) {}

  std::string Check(const json& schema, const json& value, const std::string& at) const {
    if (schema.contains("$ref")) return Check(Resolve(schema["$ref"]), value, at);
    for (const auto& keyword : schema.items())
      if (kKnown.count(keyword.key()) == 0) return at + ": unknown keyword " + keyword.key();
    if (schema.contains("const") && value != schema["const"]) return at + ": is not " + schema["const"].dump();
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return at + ": " + value.dump() + " is none of " + schema["enum"].dump();
    if (schema.contains("type") && !HasType(schema["type"], value)) return at + ": is no " + schema["type"].dump();
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) return at + ": is too small";
    if (value.is_object()) return CheckObject(schema, value, at);
    return value.is_array() ? CheckArray(schema, value, at) : "";
  }

 private:
  [[nodiscard]] const json& Resolve(const std::string& reference) const {
    return root_.at(json::json_pointer(reference.substr(1)));
  }

  static bool HasType(const json& type, const json& value) {
    if (type.is_array())
      return std::any_of(type.begin(), type.end(), [&value](const json& each) { return HasType(each, value); });
    if (type == "integer") return value.is_number_integer();
    return type == value.type_name();
  }

  std::string CheckObject(const json& schema, const json& value, const std::string& at) const {
    for (const json& name : schema.value("required", json::array()))
      if (!value.contains(name.get<std::string>())) return at + ": lacks " + name.dump();
    const json properties = schema.value("properties", json::object());
    const json others = schema.value("additionalProperties", json(true));
    for (const auto& member : value.items()) {
      const std::string place = at + "/" + member.key();
      if (!properties.contains(member.key()) && others == json(false)) return place + ": is not in the schema";
      const json& of_member = properties.contains(member.key()) ? properties[member.key()] : others;
      if (!of_member.is_object()) continue;
      if (const std::string wrong = Check(of_member, member.value(), place); !wrong.empty()) return wrong;
    }
    return "";
  }

  std::string CheckArray(const json& schema, const json& value, const std::string& at) const {
    if (value.size() < schema.value("minItems", size_t{0}) || value.size() > schema.value("maxItems", SIZE_MAX))
      return at + ": has " + std::to_string(value.size()) + " elements";
    for (size_t i = 0; schema.contains("items") && i < value.size(); ++i)
      if (const std::string wrong = Check(schema["items"], value[i], at + "/" + std::to_string(i)); !wrong.empty())
        return wrong;
    return "";
  }

  inline static const std::set<std::string> kKnown = {
      "$schema", "title",    "$defs",    "type",       "const",
      "enum",    "minimum",  "required", "properties", "additionalProperties",
      "items",   "minItems", "maxItems"};
  const json& root_;
};

}  // namespace

std::string SchemaViolation(const json& schema, const json& value) { return Checker(schema).Check(schema, value, ""); }

}  // namespace trellis::test
