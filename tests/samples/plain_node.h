// SPDX-License-Identifier: Apache-2.0
// One node of a sample as a plain compute shader: compiled with plain/trellis/node_payload.glsl, dispatched and read
// back by the host.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "spirv_lowering/reflect/node_info.h"
#include "tests/samples/samples.h"
#include "tests/support/run.h"

namespace trellis::test {

// A record that a node sends.
struct PlainRecord {
  std::string node;
  uint32_t index = 0;
  std::vector<uint8_t> bytes;
};

class PlainNode {
 public:
  // Null with a message in `error`.
  static std::unique_ptr<PlainNode> Create(const Context& context, const SampleNode& node, std::string& error);
  ~PlainNode();
  PlainNode(const PlainNode&) = delete;
  PlainNode& operator=(const PlainNode&) = delete;

  [[nodiscard]] const spirv::NodeInfo& info() const { return info_; }  // of the real node
  [[nodiscard]] const std::string& name() const { return name_; }

  // What the built-ins and Type_valid() answer.
  struct Answers {
    uint32_t remaining_recursion = 0;
    uint32_t valid_index = ~0u;
  };
  // One launch with these records (coalescing: one workgroup; else one record) and this many workgroups. Gives what was
  // enqueued.
  [[nodiscard]] std::vector<PlainRecord> Run(const std::vector<std::vector<uint8_t>>& records,
                                             std::array<uint32_t, 3> workgroups, const Answers& answers,
                                             std::span<uint32_t> results);

 private:
  explicit PlainNode(const Context& context) : context_(context) {}
  bool Compile(const SampleNode& node, std::string& error);
  bool MakePipeline(const SampleNode& node, const std::vector<uint32_t>& words, std::string& error);
  [[nodiscard]] std::vector<PlainRecord> ReadHeap(const std::vector<uint32_t>& heap) const;

  const Context& context_;
  std::string name_;
  spirv::NodeInfo info_;
  std::map<uint32_t, std::pair<std::string, std::string>> outputs_;  // line of NODE_OUTPUT -> type, node
  std::map<std::string, uint32_t> strides_;                          // block -> stride of its array, bytes
  uint32_t input_stride_ = 4;
  std::unique_ptr<Layout> layout_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace trellis::test
