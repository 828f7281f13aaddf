// SPDX-License-Identifier: Apache-2.0
// Where settings come from. Precedence, strongest first: environment, file, VK_EXT_layer_settings.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "layer/settings/settings.h"

namespace trellis {

struct SettingSources {
  // Value of an environment variable, nothing when it is not set. Asked for TRELLIS_<KEY>, the key in capitals.
  std::function<std::optional<std::string>(const std::string& name)> environment;
  // Names of the environment's variables. Those that begin with TRELLIS_ and mean nothing are reported: as problems if
  // they resemble a name that means something, else as notes.
  std::vector<std::string> environment_names;
  // Text of vk_layer_settings.txt: lines `trellis_shader_enqueue.key = value`; '#' starts a comment.
  std::string file_text;
  std::string file_name;  // for messages
  // pNext of VkInstanceCreateInfo: VkLayerSettingsCreateInfoEXT structures for the layer's name are looked for in it.
  const void* api_chain = nullptr;
};

struct LoadedSettings {
  Settings settings;
  std::vector<std::string> problems;  // unknown keys and values that were ignored, one sentence each
  std::vector<std::string> notes;     // what may be meant for another program, one sentence each
};

// Pure.
[[nodiscard]] LoadedSettings LoadSettings(const SettingSources& sources);

// The sources of this process. The file is the first that exists of:
// the one that vkconfig writes (SystemSettingsFiles), VK_LAYER_SETTINGS_PATH (a file, or a folder that holds
// vk_layer_settings.txt), vk_layer_settings.txt in the working folder. In a process with raised privileges neither
// environment nor file counts: its user is not trusted with its files.
[[nodiscard]] SettingSources ProcessSettingSources(const void* api_chain);

}  // namespace trellis
