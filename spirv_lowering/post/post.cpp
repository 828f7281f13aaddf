// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/post/post.h"

#include <utility>

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

namespace trellis::spirv {
namespace {

// Collects what SPIRV-Tools has to say, one line a message.
class Messages {
 public:
  spvtools::MessageConsumer Consumer() {
    return [this](spv_message_level_t, const char*, const spv_position_t& position, const char* message) {
      if (!text_.empty()) text_ += '\n';
      if (position.index != 0) text_ += "word " + std::to_string(position.index) + ": ";
      text_ += message;
    };
  }

  [[nodiscard]] Error Take(const char* what) { return Error{std::string(what) + (text_.empty() ? "" : ": ") + text_}; }

 private:
  std::string text_;
};

// A module's own version decides what spirv-opt may emit: lowered modules keep the version of the node's module.
spv_target_env OptimizerEnvironment(std::span<const uint32_t> words) {
  const uint32_t minor = words.size() > 1 ? (words[1] >> 8) & 0xffu : 6;
  return minor <= 5 ? SPV_ENV_VULKAN_1_2 : SPV_ENV_VULKAN_1_3;
}

}  // namespace

Expected<void> Validate(std::span<const uint32_t> words, bool vulkan12) {
  Messages messages;
  spvtools::SpirvTools validator(vulkan12 ? SPV_ENV_VULKAN_1_2 : SPV_ENV_VULKAN_1_3);
  if (!validator.IsValid()) return Error{"SPIRV-Tools could not be started"};
  validator.SetMessageConsumer(messages.Consumer());
  spvtools::ValidatorOptions options;
  options.SetScalarBlockLayout(true);
  if (!validator.Validate(words.data(), words.size(), options)) return messages.Take("spirv-val");
  return {};
}

Expected<std::vector<uint32_t>> Optimize(std::span<const uint32_t> words) {
  Messages messages;
  spvtools::Optimizer optimizer(OptimizerEnvironment(words));
  optimizer.SetMessageConsumer(messages.Consumer());
  optimizer.RegisterPerformancePasses();
  spvtools::OptimizerOptions options;
  // The caller validates with its own options, scalar layout among them.
  options.set_run_validator(false);
  options.set_preserve_spec_constants(true);
  std::vector<uint32_t> result;
  if (!optimizer.Run(words.data(), words.size(), &result, options)) return messages.Take("spirv-opt");
  return result;
}

Expected<std::string> Disassemble(std::span<const uint32_t> words) {
  Messages messages;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer(messages.Consumer());
  std::string text;
  const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  if (!tools.Disassemble(words.data(), words.size(), &text, options)) return messages.Take("spirv-dis");
  return text;
}

Expected<std::vector<uint32_t>> Assemble(std::string_view text) {
  Messages messages;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer(messages.Consumer());
  std::vector<uint32_t> words;
  if (tools.Assemble(text.data(), text.size(), &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) return words;
  Error error = messages.Take("spirv-as");
  // Older ones know the extension's first revision at most.
  if (text.find("AMDX") != std::string_view::npos) {
    error.message += std::string("\n(this is SPIRV-Tools ") + spvSoftwareVersionString() +
                     "; SPV_AMDX_shader_enqueue revision 2 needs v2025.1 or newer)";
  }
  return error;
}

}  // namespace trellis::spirv
