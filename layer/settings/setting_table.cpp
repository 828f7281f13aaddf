#include "layer/settings/setting_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace trellis {

namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

template <bool Settings::*member>
bool SetBool(Settings& settings, std::string_view text) {
  const std::string lower = LowerCase(text);
  if (lower != "true" && lower != "false" && lower != "1" && lower != "0") return false;
  settings.*member = lower == "true" || lower == "1";
  return true;
}

template <uint32_t Settings::*member>
bool SetUint(Settings& settings, std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  settings.*member = value;
  return true;
}

template <std::string Settings::*member>
bool SetString(Settings& settings, std::string_view text) {
  settings.*member = text;
  return true;
}

// `names`: in the order of the enumeration, or of false and true.
template <typename T, size_t kCount>
bool SetEnum(T& value, const std::string_view (&names)[kCount], std::string_view text) {
  const auto* found = std::find(std::begin(names), std::end(names), LowerCase(text));
  if (found == std::end(names)) return false;
  value = static_cast<T>(found - names);
  return true;
}

bool SetLogLevel(Settings& settings, std::string_view text) {
  return SetEnum(settings.log_level, {"error", "warning", "info", "debug"}, text);
}

bool SetCloseLevels(Settings& settings, std::string_view text) {
  return SetEnum(settings.close_every_level, {"auto", "always"}, text);
}

bool SetShaderTarget(Settings& settings, std::string_view text) {
  return SetEnum(settings.shader_target, {"auto", "gpu", "cpu"}, text);
}

bool SetAggregation(Settings& settings, std::string_view text) {
  return SetEnum(settings.aggregation, {"auto", "workgroup", "subgroup", "none"}, text);
}

bool SetLaunchBatches(Settings& settings, std::string_view text) {
  return SetEnum(settings.launch_batches, {"auto", "always", "never"}, text);
}

bool SetSplitRenderPasses(Settings& settings, std::string_view text) {
  return SetEnum(settings.split_render_passes, {"default", "on", "off"}, text);
}

constexpr SettingRow kTable[] = {
    {"log_level", SettingType::kEnum, "warning", "error|warning|info|debug",
     "The least severe messages that are logged.", SetLogLevel},
    {"log_file", SettingType::kString, "", "", "Where messages are written. Empty: standard error.",
     SetString<&Settings::log_file>},
    {"labels", SettingType::kBool, "true", "", "Name every phase and node dispatch with a debug label.",
     SetBool<&Settings::labels>},
    {"enable_debug_utils", SettingType::kBool, "false", "",
     "Enable VK_EXT_debug_utils below for applications that do not, so that debuggers see the labels.",
     SetBool<&Settings::enable_debug_utils>},
    {"maintenance5", SettingType::kBool, "true", "",
     "Offer VK_KHR_maintenance5, on which VK_AMDX_shader_enqueue depends, where the device lacks it.",
     SetBool<&Settings::maintenance5>},
    {"ring_budget", SettingType::kUint, "0", "",
     "Most memory for payloads in flight, for each ring. 0: a quarter of the device-local memory, at most 1 GiB; an "
     "eighth where a graph would run in steps with less.",
     SetUint<&Settings::ring_budget>},
    {"max_rounds", SettingType::kUint, "0", "",
     "Most steps, beyond one for each level, of graphs that do not fit into the ring. 0: what the worst case needs, if "
     "it is bounded.",
     SetUint<&Settings::max_rounds>},
    {"optimize", SettingType::kBool, "false", "",
     "Run the SPIR-V optimiser over lowered shaders before the driver compiles them.", SetBool<&Settings::optimize>},
    {"validate_lowered", SettingType::kBool, "false", "",
     "Check every lowered shader with the SPIR-V validator; a pipeline whose shader does not pass is not created.",
     SetBool<&Settings::validate_lowered>},
    {"dump_dir", SettingType::kString, "", "",
     "Folder into which node shaders are written before and after lowering. Empty: none.",
     SetString<&Settings::dump_dir>},
    {"force_emulation", SettingType::kBool, "false", "", "Emulate the extension even on a device that implements it.",
     SetBool<&Settings::force_emulation>},
    {"threads", SettingType::kUint, "0", "",
     "Most threads that lower and compile the nodes and internal kernels of one pipeline creation. 0: one per core.",
     SetUint<&Settings::threads>},
    {"validate", SettingType::kBool, "false", "",
     "Report use of the extension that its valid usage rules forbid, with the rule's name.",
     SetBool<&Settings::validate>},
    {"timing", SettingType::kBool, "false", "",
     "Report what each graph dispatch took on the GPU, by level and node; log_level is info at least.",
     SetBool<&Settings::timing>},
    {"close_levels", SettingType::kEnum, "auto", "auto|always",
     "Which levels are closed by a kernel: those that need it, or every one.", SetCloseLevels},
    {"shader_target", SettingType::kEnum, "auto", "auto|gpu|cpu",
     "What nodes, and the way they are dispatched, are made for: what the device says it is, a GPU, or a CPU driver.",
     SetShaderTarget},
    {"aggregation", SettingType::kEnum, "auto", "auto|workgroup|subgroup|none",
     "Which invocations take the places of payloads together: those of a workgroup, of a subgroup, or none.",
     SetAggregation},
    {"int64_addresses", SettingType::kBool, "true", "",
     "Compute the addresses of payloads with 64-bit integers, where the device has them.",
     SetBool<&Settings::int64_addresses>},
    {"subgroup_partition", SettingType::kBool, "true", "",
     "Find the invocations of a subgroup that send to the same node by one instruction, where the device has it.",
     SetBool<&Settings::subgroup_partition>},
    {"prepare_regions", SettingType::kBool, "true", "",
     "Let each execution of a graph make ready what the next one begins with, where one queue runs all of them, "
     "instead "
     "of beginning each with a kernel that does.",
     SetBool<&Settings::prepare_regions>},
    {"pack_workgroups", SettingType::kBool, "true", "",
     "Run several small workgroups of a node (fewer than 64 invocations) as one, where the shader cannot tell.",
     SetBool<&Settings::pack_workgroups>},
    {"max_packed_workgroups", SettingType::kUint, "0", "",
     "Most workgroups of a launch whose workgroups are packed and send nothing: each does the work of several, one "
     "after another, if there are more. 0: chosen for the device.",
     SetUint<&Settings::max_packed_workgroups>},
    {"launch_batches", SettingType::kEnum, "auto", "auto|always|never",
     "Which launches of nodes that share a compiled shader become one dispatch: many in a level, any two, or none.",
     SetLaunchBatches},
    {"split_render_passes", SettingType::kEnum, "default", "default|on|off",
     "Store attachments that an application does not store, so that graphs can be dispatched inside its render pass "
     "instances: on devices with shaderMeshEnqueue, on every device with graphs, or on none.",
     SetSplitRenderPasses},
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
      return "any text";
    case SettingType::kEnum:
      break;
  }
  std::string text(row.values);
  const size_t last = text.rfind('|');
  text.replace(last, 1, " or ");
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, ", ");
  return text;
}

const SettingRow* FindSetting(std::string_view key) {
  const auto* found =
      std::find_if(std::begin(kTable), std::end(kTable), [&](const auto& row) { return row.key == key; });
  return found == std::end(kTable) ? nullptr : found;
}

}  // namespace trellis
