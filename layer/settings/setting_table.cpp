// SPDX-License-Identifier: Apache-2.0
#include "layer/settings/setting_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace trellis {

namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

template <bool Settings::*member>
bool SetBool(Settings& settings, const SettingRow& /*row*/, std::string_view text) {
  const std::string lower = LowerCase(text);
  if (lower != "true" && lower != "false" && lower != "1" && lower != "0") return false;
  settings.*member = lower == "true" || lower == "1";
  return true;
}

template <uint32_t Settings::*member>
bool SetUint(Settings& settings, const SettingRow& /*row*/, std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  settings.*member = value;
  return true;
}

template <std::string Settings::*member>
bool SetString(Settings& settings, const SettingRow& /*row*/, std::string_view text) {
  settings.*member = text;
  return true;
}

// The values are in the order of the enumeration, or of false and true.
template <auto member>
bool SetEnum(Settings& settings, const SettingRow& row, std::string_view text) {
  const std::string wanted = LowerCase(text);
  std::string_view left = row.values;
  for (int index = 0; !left.empty(); ++index) {
    const std::string_view value = left.substr(0, left.find('|'));
    left.remove_prefix(std::min(value.size() + 1, left.size()));
    if (value != wanted) continue;
    settings.*member = static_cast<std::decay_t<decltype(settings.*member)>>(index);
    return true;
  }
  return false;
}

bool SetPayloadDumps(Settings& settings, const SettingRow& /*row*/, std::string_view text) {
  std::optional<std::vector<PayloadDumpSetting>> dumps = ParsePayloadDumps(text);
  if (!dumps) return false;
  settings.dump_payloads = *std::move(dumps);
  return true;
}

constexpr SettingRow kTable[] = {
    {"log_level", SettingType::kEnum, "warning", "error|warning|info|debug",
     "Minimum severity of the messages that are logged.", SetEnum<&Settings::log_level>},
    {"log_file", SettingType::kString, "", "", "File that messages are appended to. Empty: standard error.",
     SetString<&Settings::log_file>},
    {"labels", SettingType::kBool, "true", "", "Names every phase and node dispatch with a debug label.",
     SetBool<&Settings::labels>},
    {"enable_debug_utils", SettingType::kBool, "false", "",
     "Enables VK_EXT_debug_utils for applications that do not enable it, so that debuggers show the labels.",
     SetBool<&Settings::enable_debug_utils>},
    {"maintenance5", SettingType::kBool, "true", "",
     "Offers VK_KHR_maintenance5 where the device lacks it. VK_AMDX_shader_enqueue depends on it.",
     SetBool<&Settings::maintenance5>},
    {"ring_budget", SettingType::kUint, "0", "",
     "Maximum memory for payloads in flight, per ring, in MiB. 0: a quarter of the device-local memory, at most 1 GiB; "
     "an eighth where a graph would run in steps with less.",
     SetUint<&Settings::ring_budget>},
    {"max_rounds", SettingType::kUint, "0", "",
     "Maximum number of extra passes recorded for a graph whose worst case exceeds the ring. 0: as many as the worst "
     "case requires, where it is bounded.",
     SetUint<&Settings::max_rounds>},
    {"optimize", SettingType::kBool, "false", "",
     "Runs the SPIR-V optimiser on lowered shaders before the driver compiles them.", SetBool<&Settings::optimize>},
    {"validate_lowered", SettingType::kBool, "false", "",
     "Checks every lowered shader with the SPIR-V validator. A pipeline whose shader fails is not created.",
     SetBool<&Settings::validate_lowered>},
    {"dump_dir", SettingType::kString, "", "",
     "Directory that node shaders are written to, before and after lowering. Empty: none.",
     SetString<&Settings::dump_dir>},
    {"force_emulation", SettingType::kBool, "false", "", "Emulates the extension even on a device that implements it.",
     SetBool<&Settings::force_emulation>},
    {"threads", SettingType::kUint, "0", "",
     "Maximum number of threads that lower and compile nodes and internal kernels for one pipeline creation. 0: one "
     "per core.",
     SetUint<&Settings::threads>},
    {"validate", SettingType::kBool, "false", "",
     "Reports calls that break the extension's valid usage rules, with the name of the rule.",
     SetBool<&Settings::validate>},
    {"timing", SettingType::kBool, "false", "",
     "Reports the GPU time of each graph dispatch, by level and node. The log level is info at least.",
     SetBool<&Settings::timing>},
    {"report", SettingType::kString, "", "",
     "File that a report about all graphs is written to: a page if it ends in .html, otherwise JSON. Empty: none.",
     SetString<&Settings::report>},
    {"report_interval", SettingType::kUint, "0", "",
     "Seconds between two writes of the report. 0: it is written when the device is destroyed or lost.",
     SetUint<&Settings::report_interval>},
    {"dump_payloads", SettingType::kString, "", kPayloadDumpForm,
     "Nodes whose first payloads the report holds, as \"cull:16,draw[3]\": 16 of the nodes named cull, 64 of draw with "
     "the index 3. Empty: none.",
     SetPayloadDumps},
    {"size_levels", SettingType::kEnum, "auto", "auto|always",
     "Levels whose launches are sized by a kernel: those that need it, or every one.",
     SetEnum<&Settings::size_every_level>},
    {"shader_target", SettingType::kEnum, "auto", "auto|gpu|cpu",
     "Kind of device that nodes are compiled and dispatched for: what the device reports, a GPU, or a CPU driver.",
     SetEnum<&Settings::shader_target>},
    {"aggregation", SettingType::kEnum, "auto", "auto|workgroup|subgroup|none",
     "Scope at which payload allocations share one atomic: workgroup, subgroup, or none.",
     SetEnum<&Settings::aggregation>},
    {"int64_addresses", SettingType::kBool, "true", "",
     "Computes payload addresses with 64-bit integers, where the device has them.",
     SetBool<&Settings::int64_addresses>},
    {"subgroup_partition", SettingType::kBool, "true", "",
     "Finds the invocations of a subgroup that enqueue to the same node with one instruction, where the device has it.",
     SetBool<&Settings::subgroup_partition>},
    {"prepare_regions", SettingType::kBool, "true", "",
     "Lets each execution of a graph prepare the memory regions of the next one, where one queue runs all of them. "
     "Off: every execution begins with a kernel that does.",
     SetBool<&Settings::prepare_regions>},
    {"pack_workgroups", SettingType::kBool, "true", "",
     "Runs several small workgroups of a node (fewer than 64 invocations) as one, where the shader cannot tell.",
     SetBool<&Settings::pack_workgroups>},
    {"max_packed_workgroups", SettingType::kUint, "0", "",
     "Maximum number of workgroups in a launch of packed workgroups; on GPUs, of nodes that enqueue nothing. Beyond "
     "it, "
     "each workgroup does the work of several. 0: chosen for the device.",
     SetUint<&Settings::max_packed_workgroups>},
    {"launch_batches", SettingType::kEnum, "auto", "auto|always|never",
     "Launches of nodes with the same compiled shader that become one dispatch: many in a level, any two, or none.",
     SetEnum<&Settings::launch_batches>},
    {"split_render_passes", SettingType::kEnum, "default", "default|on|off",
     "Stores attachments that an application does not store, so that graphs can be dispatched inside its render "
     "passes: on devices with shaderMeshEnqueue, on every device with graphs, or on none.",
     SetEnum<&Settings::split_render_passes>},
};

}  // namespace

std::span<const SettingRow> SettingTable() { return kTable; }

std::string EnvironmentName(std::string_view key) {
  std::string name = "TRELLIS_";
  for (const char c : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string AllowedValues(const SettingRow& row) {
  switch (row.type) {
    case SettingType::kBool:
      return "true, false, 1 or 0";
    case SettingType::kUint:
      return "an integer from 0 to " + std::to_string(UINT32_MAX);
    case SettingType::kString:
      return row.values.empty() ? "any text" : std::string(row.values);
    case SettingType::kEnum:
      break;
  }
  std::string text(row.values);
  const size_t last = text.rfind('|');
  text.replace(last, 1, " or ");
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, ", ");
  return text;
}

bool IsSettingGroup(std::string_view key) {
  static constexpr std::string_view kGroups[] = {"messages", "debugging", "memory", "compatibility", "tuning"};
  return std::find(std::begin(kGroups), std::end(kGroups), key) != std::end(kGroups);
}

const SettingRow* FindSetting(std::string_view key) {
  const auto* found =
      std::find_if(std::begin(kTable), std::end(kTable), [&](const auto& row) { return row.key == key; });
  return found == std::end(kTable) ? nullptr : found;
}

}  // namespace trellis
