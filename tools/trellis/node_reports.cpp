// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/node_reports.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "spirv_lowering/reflect/node_module.h"

namespace trellis::tool {
namespace {

using spirv::ExecutionModel;
using spirv::LaunchKind;
using spirv::NodeInfo;

std::string Number(uint64_t value) { return std::to_string(value); }
std::string Bool(bool value) { return value ? "true" : "false"; }

std::string By(const std::array<uint32_t, 3>& size) {
  return Number(size[0]) + "x" + Number(size[1]) + "x" + Number(size[2]);
}

std::string Array(const std::array<uint32_t, 3>& size) {
  return "[" + Number(size[0]) + ", " + Number(size[1]) + ", " + Number(size[2]) + "]";
}

std::string KindName(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::kStaticGrid:
      return "static_grid";
    case LaunchKind::kDynamicGrid:
      return "dynamic_grid";
    case LaunchKind::kCoalescing:
      return "coalescing";
  }
  return "";
}

std::string StageName(ExecutionModel model) { return model == ExecutionModel::kMeshEXT ? "mesh" : "compute"; }

std::string Launch(const NodeInfo& info) {
  switch (info.kind) {
    case LaunchKind::kStaticGrid:
      return "static grid of " + By(info.grid) + " workgroups a payload";
    case LaunchKind::kCoalescing:
      return "coalescing, up to " + Number(info.coalesce) + " payload(s) a workgroup";
    case LaunchKind::kDynamicGrid:
      break;
  }
  std::string text = "grid in the payload";
  if (info.grid_member) {
    text += " (" + Number(info.grid_member->component_count) + " x " + Number(8 * info.grid_member->component_width) +
            " bits at byte " + Number(info.grid_member->offset) + ")";
  }
  return info.grid[0] == 0 ? text : text + ", at most " + By(info.grid) + " workgroups";
}

std::string Layout(const spirv::PayloadLayout& layout) {
  return layout.size == 0 ? "empty" : Number(layout.size) + " bytes, aligned to " + Number(layout.alignment);
}

std::string OutputText(const spirv::NodeOutputInfo& output) {
  std::string text = "  output:   to '" + output.target_name + "', up to " + Number(output.max_payloads) +
                     " payload(s) a workgroup, " + Layout(output.payload);
  if (output.array_size != 0) text += "; array of " + Number(output.array_size);
  if (output.max_payloads_per_node) text += "; up to " + Number(*output.max_payloads_per_node) + " a node";
  if (output.base_index != 0) text += "; base index " + Number(output.base_index);
  if (output.sparse) text += "; sparse";
  if (output.uses_heap) text += "; placed at enqueue";
  return text + "\n";
}

std::string OutputJson(const spirv::NodeOutputInfo& output) {
  std::string text =
      "{\"node\": " + JsonString(output.target_name) + ", \"max_payloads\": " + Number(output.max_payloads) +
      ", \"payload_size\": " + Number(output.payload.size) +
      ", \"payload_alignment\": " + Number(output.payload.alignment) +
      ", \"base_index\": " + Number(output.base_index) + ", \"array_size\": " + Number(output.array_size) +
      ", \"sparse\": " + Bool(output.sparse) + ", \"placed_at_enqueue\": " + Bool(output.uses_heap);
  if (output.max_payloads_per_node) text += ", \"max_payloads_per_node\": " + Number(*output.max_payloads_per_node);
  if (output.constant_indices) {
    std::string indices;
    for (const uint32_t index : *output.constant_indices) indices += (indices.empty() ? "" : ", ") + Number(index);
    text += ", \"indices\": [" + indices + "]";
  }
  return text + "}";
}

std::string EntryName(const spirv::Instruction& entry) {
  return spirv::DecodeString(entry.operands.data() + 2, entry.operands.size() - 2);
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      quoted += {'\\', byte};
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      std::array<char, 8> escape;
      (void)std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(byte));
      quoted += escape.data();
    } else {
      quoted += byte;
    }
  }
  return quoted + "\"";
}

std::vector<std::string> NodeNames(const spirv::Module& module) {
  std::vector<std::string> names;
  for (const spirv::Instruction& entry : module.entry_points) {
    if (spirv::NodeModelOf(entry)) names.push_back(EntryName(entry));
  }
  return names;
}

std::string Listed(const std::vector<std::string>& words, std::string_view last_joint) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " " + std::string(last_joint) + " ";
    text += "'" + words[i] + "'";
  }
  return text;
}

Expected<std::vector<std::string>> ChooseNodes(const spirv::Module& module, const std::string& wanted) {
  std::vector<std::string> names = NodeNames(module);
  if (names.empty()) return Error{"no compute or mesh entry point, so there is no node in it"};
  if (wanted.empty()) return names;
  if (std::find(names.begin(), names.end(), wanted) == names.end()) {
    return Error{"there is no node '" + wanted + "'; " + (names.size() == 1 ? "the only one is " : "there are ") +
                 Listed(names, "and")};
  }
  return std::vector<std::string>{wanted};
}

Expected<NodeInfo> ReflectNode(const spirv::Module& module, const std::string& entry_point,
                               const spirv::Specialization& specialization) {
  ExecutionModel model = ExecutionModel::kMeshEXT;
  for (const spirv::Instruction& entry : module.entry_points) {
    if (spirv::NodeModelOf(entry) == ExecutionModel::kGLCompute && EntryName(entry) == entry_point)
      model = ExecutionModel::kGLCompute;
  }
  return Reflect(module, entry_point, specialization, model);
}

std::string AsText(const NodeInfo& info) {
  std::string text = "node '" + info.entry_point + "', shader index " + Number(info.shader_index) + ", " +
                     StageName(info.execution_model) + "\n";
  text += "  launch:   " + Launch(info) + "; local size " + By(info.local_size) + "\n";
  text += "  input:    " + Layout(info.input) + (info.writes_input ? ", written" : "") + "\n";
  if (info.shares_input)
    text += "  shares:   the input of '" + info.shares_input_with_name + "', shader index " +
            Number(info.shares_input_with_index) + "\n";
  if (info.max_recursion != 0) text += "  recursion: " + Number(info.max_recursion) + " level(s)\n";
  for (const spirv::NodeOutputInfo& output : info.outputs) text += OutputText(output);
  if (!info.is_api_entry) text += "  not launched by the application\n";
  if (info.push_constant_end != 0) text += "  push constants: " + Number(info.push_constant_end) + " bytes\n";
  return text;
}

std::string AsJson(const NodeInfo& info) {
  std::string text =
      "{\"entry_point\": " + JsonString(info.entry_point) +
      ", \"stage\": " + JsonString(StageName(info.execution_model)) +
      ", \"shader_index\": " + Number(info.shader_index) + ", \"launch\": " + JsonString(KindName(info.kind)) +
      ", \"grid\": " + Array(info.grid) + ", \"local_size\": " + Array(info.local_size) +
      ", \"coalesce\": " + Number(info.coalesce) + ", \"is_api_entry\": " + Bool(info.is_api_entry) +
      ", \"max_recursion\": " + Number(info.max_recursion) + ", \"input_size\": " + Number(info.input.size) +
      ", \"input_alignment\": " + Number(info.input.alignment) + ", \"writes_input\": " + Bool(info.writes_input);
  if (info.grid_member) {
    text += ", \"grid_member\": {\"offset\": " + Number(info.grid_member->offset) +
            ", \"component_width\": " + Number(info.grid_member->component_width) +
            ", \"component_count\": " + Number(info.grid_member->component_count) + "}";
  }
  if (info.shares_input) {
    text += ", \"shares_input_with\": {\"node\": " + JsonString(info.shares_input_with_name) +
            ", \"shader_index\": " + Number(info.shares_input_with_index) + "}";
  }
  std::string outputs;
  for (const spirv::NodeOutputInfo& output : info.outputs)
    outputs += (outputs.empty() ? "" : ", ") + OutputJson(output);
  return text + ", \"outputs\": [" + outputs + "], \"push_constant_end\": " + Number(info.push_constant_end) +
         ", \"vulkan_memory_model\": " + Bool(info.vulkan_memory_model) + "}";
}

Expected<spirv::Specialization> ParseSpecialization(const std::vector<std::string>& settings) {
  spirv::Specialization specialization;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    uint32_t id = 0;
    const char* const end = setting.data() + std::min(equals, setting.size());
    const auto [rest, error] = std::from_chars(setting.data(), end, id);
    if (equals == std::string::npos || error != std::errc() || rest != end)
      return Error{"'" + setting + "' is not ID=VALUE"};
    const std::string value = setting.substr(equals + 1);
    int64_t number = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
    bool is_number = !value.empty() && parsed.ec == std::errc() && parsed.ptr == value.data() + value.size();
    if (value == "true" || value == "false") {
      is_number = true;
      number = value == "true" ? 1 : 0;
    }
    if (is_number && (number < INT32_MIN || number > UINT32_MAX))
      return Error{"'" + setting + "': the value does not fit in 32 bits"};
    std::vector<uint8_t>& bytes = specialization[id];
    if (is_number) {
      const auto word = static_cast<uint32_t>(number);
      bytes.resize(sizeof(word));
      std::memcpy(bytes.data(), &word, sizeof(word));
    } else {
      bytes.assign(value.begin(), value.end());
    }
  }
  return specialization;
}

}  // namespace trellis::tool
