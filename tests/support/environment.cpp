// SPDX-License-Identifier: Apache-2.0
#include "tests/support/environment.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>

#include "tests/platform/platform.h"

namespace trellis::test {
namespace {

constexpr std::string_view kPrefix = "TRELLIS_TEST_";

// Takes the value over; returns what is allowed if this is not.
using Setter = std::function<const char*(TestVariables&, const std::string& value)>;

Setter Flag(bool TestVariables::*member) {
  return [member](TestVariables& variables, const std::string& value) -> const char* {
    variables.*member = value == "1";
    return value == "0" || value == "1" ? nullptr : "0 or 1";
  };
}

Setter Number(std::optional<uint32_t> TestVariables::*member) {
  return [member](TestVariables& variables, const std::string& value) -> const char* {
    variables.*member = ParseNumber(value);
    return variables.*member ? nullptr : "a decimal number below 2^32";
  };
}

Setter Count(uint32_t TestVariables::*member) {
  return [member](TestVariables& variables, const std::string& value) -> const char* {
    variables.*member = ParseNumber(value).value_or(0);
    return variables.*member != 0 ? nullptr : "a decimal number from 1 to 2^32 - 1";
  };
}

const char* SetPart(TestVariables& variables, const std::string& value) {
  variables.all_parts = value == "all";
  const std::optional<uint32_t> number = ParseNumber(value);
  variables.part = number.value_or(0);
  return variables.all_parts || number ? nullptr : "all or a decimal number below 2^32";
}

const char* SetDevice(TestVariables& variables, const std::string& value) {
  variables.hardware = value == "hardware";
  return variables.hardware ? nullptr : "hardware";
}

const char* SetDispatch(TestVariables& variables, const std::string& value) {
  static const std::map<std::string, DispatchCommand> commands = {{"host", DispatchCommand::kHost},
                                                                  {"indirect", DispatchCommand::kIndirect},
                                                                  {"indirect_count", DispatchCommand::kIndirectCount}};
  const auto found = commands.find(value);
  if (found == commands.end()) return "host, indirect or indirect_count";
  variables.dispatch = found->second;
  return nullptr;
}

const char* SetDeviceProfile(TestVariables& variables, const std::string& value) {
  variables.device_profile = value;
  return value.empty() ? "a file" : nullptr;
}

const char* SetDump(TestVariables& variables, const std::string& value) {
  variables.dump = value;
  return value.empty() ? "a folder" : nullptr;
}

const std::map<std::string, Setter>& Setters() {
  static const std::map<std::string, Setter> setters = {
      {"DEVICE", SetDevice},
      {"DEVICE_PROFILE", SetDeviceProfile},
      {"DISPATCH", SetDispatch},
      {"DUMP", SetDump},
      {"NO_VALIDATION", Flag(&TestVariables::no_validation)},
      {"ONE_QUEUE", Flag(&TestVariables::one_queue)},
      {"PART", SetPart},
      {"PARTS", Count(&TestVariables::parts)},
      {"RANDOM_GRAPHS", Number(&TestVariables::random_graphs)},
      {"RANDOM_PARTS", Count(&TestVariables::random_parts)},
      {"RANDOM_SEED", Number(&TestVariables::random_seed)},
      {"RANDOM_STEPPED", Number(&TestVariables::random_stepped)},
      {"SMALLER_PARTS", Count(&TestVariables::smaller_parts)},
      {"SOAK_SECONDS", Number(&TestVariables::soak_seconds)},
      {"SUBGROUP_SIZE", Number(&TestVariables::subgroup_size)},
  };
  return setters;
}

std::string KnownNames() {
  std::string names;
  for (const auto& [name, setter] : Setters()) names += (names.empty() ? "" : ", ") + std::string(kPrefix) + name;
  return names;
}

[[noreturn]] void Refuse(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

}  // namespace

Expected<TestVariables> ParseTestVariables(const char* const* environment) {
  TestVariables variables;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (!entry.starts_with(kPrefix)) continue;
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const auto setter = Setters().find(std::string(entry.substr(kPrefix.size(), equals - kPrefix.size())));
    if (setter == Setters().end())
      return Error{std::string(entry) + ": no test reads this variable; there are " + KnownNames()};
    if (const char* allowed = setter->second(variables, std::string(entry.substr(equals + 1))))
      return Error{std::string(entry) + ": the value has to be " + allowed};
  }
  return variables;
}

TestVariables ReadTestVariables() {
  Expected<TestVariables> variables = ParseTestVariables(EnvironmentEntries());
  if (!variables) Refuse(variables.error().message);
  return *std::move(variables);
}

std::optional<uint32_t> ParseNumber(const std::string& text) {
  uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

uint32_t NumberFromEnvironment(const char* name, uint32_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const std::optional<uint32_t> number = ParseNumber(text);
  if (!number) Refuse(std::string(name) + "=" + text + ": the value has to be a decimal number below 2^32");
  return *number;
}

bool IsCi() {
  const char* const value = std::getenv("CI");
  return value != nullptr && std::strcmp(value, "true") == 0;
}

}  // namespace trellis::test
