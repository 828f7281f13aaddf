// SPDX-License-Identifier: Apache-2.0
// What a recorded stream has pushed at some point of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "layer/objects/pipeline_layout.h"
#include "tests/replay/checked_memory.h"
#include "tests/support/command_stream.h"

namespace trellis::test {

class PushedBytes {
 public:
  // Pushing with another layout leaves the bytes pushed before undefined.
  void Push(const Command& command) {
    if (command.layout != layout_) bytes_.clear();
    layout_ = command.layout;
    since_dispatch_ = true;
    for (size_t i = 0; i < command.bytes.size(); ++i)
      bytes_[command.first + static_cast<uint32_t>(i)] = command.bytes[i];
  }
  void Dispatched() { since_dispatch_ = false; }

  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }
  [[nodiscard]] std::optional<uint8_t> Byte(uint32_t offset) const {
    const auto byte = bytes_.find(offset);
    return byte == bytes_.end() ? std::nullopt : std::optional<uint8_t>(byte->second);
  }
  // Every dispatch has an address of its own: one that is left over from the dispatch before points to something else.
  [[nodiscard]] std::optional<uint64_t> Address(uint32_t offset) const {
    if (!since_dispatch_) return std::nullopt;
    uint64_t address = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      const std::optional<uint8_t> byte = Byte(offset + i);
      if (!byte) return std::nullopt;
      address |= uint64_t{*byte} << (8 * i);
    }
    return address;
  }

 private:
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  bool since_dispatch_ = false;
  std::map<uint32_t, uint8_t> bytes_;
};

// What is wrong with what nodes see of the application's push constants; null if nothing is.
inline const char* WrongApplicationBytes(const PushedBytes& pushed, const PipelineLayout& layout,
                                         const std::vector<uint8_t>& expected) {
  if (pushed.layout() != layout.node_layout) return " runs with push constants of another layout";
  const std::optional<uint64_t> copy = layout.copy_offset ? pushed.Address(*layout.copy_offset) : std::nullopt;
  for (uint32_t i = 0; i < layout.push_constant_end; ++i) {
    const std::optional<uint8_t> byte = copy ? At<uint8_t>(*copy, i) : pushed.Byte(i);
    if (!byte) return " lacks the application's push constants";
    if (i < expected.size() && *byte != expected[i]) return " sees wrong push constants";
  }
  return nullptr;
}

}  // namespace trellis::test
