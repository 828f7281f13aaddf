// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/plain_node.h"

#include <algorithm>
#include <cstring>
#include <regex>
#include <sstream>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/reflect.h"
#include "tools/trellis/files.h"
#include "tools/trellis/glslang.h"

namespace trellis::test {
namespace {

// As in plain/trellis/node_payload.glsl.
constexpr uint32_t kHeaderWords = 4;
constexpr uint32_t kRecordWords = 64;
constexpr uint32_t kHeapStart = 8;  // words of the block in front of the heap
constexpr size_t kHeapWords = 1 << 17;
constexpr uint32_t kResultWords = 1024;

const LayoutOptions kLayout{.sets = 2, .buffers_per_set = 2};

// NODE_OUTPUT(Record, Type, "node", …) by line.
std::map<uint32_t, std::pair<std::string, std::string>> FindOutputs(const std::string& source) {
  static const std::regex kOutput("NODE_OUTPUT\\(\\w+, (\\w+), \"([^\"]+)\"");
  std::map<uint32_t, std::pair<std::string, std::string>> outputs;
  std::istringstream lines(source);
  uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, kOutput)) outputs[number] = {match[1], match[2]};
  }
  return outputs;
}

// Of each block with one runtime array: the array's stride.
std::map<std::string, uint32_t> FindStrides(spirv::Module& module) {
  std::map<std::string, uint32_t> strides;
  const spirv::Types types(module);
  for (const spirv::Instruction& global : module.globals) {
    if (global.opcode != spv::Op::OpTypeStruct || global.operands.size() != 1) continue;
    const std::optional<uint32_t> stride = FindDecoration(module, global.operands[0], spv::Decoration::ArrayStride);
    if (stride) strides[NameOf(module, global.result_id)] = *stride;
  }
  return strides;
}

}  // namespace

std::unique_ptr<PlainNode> PlainNode::Create(const Context& context, const SampleNode& node, std::string& error) {
  std::unique_ptr<PlainNode> plain(new PlainNode(context));
  plain->name_ = node.name;
  Expected<spirv::Module> real = spirv::ReadModule(CompiledNode(node));
  if (!real) {
    error = node.file + ": " + real.error().message;
    return nullptr;
  }
  spirv::Specialization specialization;
  if (node.spec0) specialization[0] = Spec(0, *node.spec0).data;
  Expected<spirv::NodeInfo> info = Reflect(*real, "main", specialization);
  if (!info) {
    error = node.file + ": " + info.error().message;
    return nullptr;
  }
  plain->info_ = *std::move(info);
  return plain->Compile(node, error) ? std::move(plain) : nullptr;
}

PlainNode::~PlainNode() { vkDestroyPipeline(context_.device, pipeline_, nullptr); }

bool PlainNode::Compile(const SampleNode& node, std::string& error) {
  const tool::TemporaryFolder folder;
  const std::string binary = (folder.path() / "plain.spv").string();
  const std::string source = std::string(TRELLIS_SAMPLE_SOURCES) + "/" + node.file + ".comp";
  std::vector<std::string> command = {TRELLIS_GLSLANG,           "-V", "--quiet", "--target-env", "vulkan1.2",
                                      "-I" TRELLIS_PLAIN_HEADER, "-o", binary,    source};
  if (node.scalar) command.insert(command.begin() + 1, "-DSCALAR");
  Expected<tool::ProgramResult> ran = tool::RunProgram(command);
  if (!ran || ran->exit_code != 0 || ran->signal != 0) {
    error = ran ? ran->output : ran.error().message;
    return false;
  }
  Expected<std::vector<uint32_t>> words = tool::ReadWords(binary);
  Expected<std::string> text = tool::ReadText(source);
  Expected<spirv::Module> module = words ? spirv::ReadModule(*words) : Expected<spirv::Module>(words.error());
  if (!text || !module) {
    error = text ? module.error().message : text.error().message;
    return false;
  }
  outputs_ = FindOutputs(*text);
  strides_ = FindStrides(*module);
  input_stride_ = std::max(info_.input.size, 4u);
  for (const auto& [block, stride] : strides_) {
    if (block.starts_with("node_input_")) input_stride_ = stride;
  }
  return MakePipeline(node, *words, error);
}

bool PlainNode::MakePipeline(const SampleNode& node, const std::vector<uint32_t>& words, std::string& error) {
  layout_ = std::make_unique<Layout>(context_, kLayout);
  auto module_info = MakeStruct<VkShaderModuleCreateInfo>();
  module_info.codeSize = words.size() * 4;
  module_info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (vkCreateShaderModule(context_.device, &module_info, nullptr, &module) != VK_SUCCESS) {
    error = "vkCreateShaderModule";
    return false;
  }
  const uint32_t value = node.spec0.value_or(0);
  const VkSpecializationMapEntry entry = {0, 0, sizeof(value)};
  const VkSpecializationInfo specialization = {1, &entry, sizeof(value), &value};
  auto info = MakeStruct<VkComputePipelineCreateInfo>();
  info.stage = MakeStruct<VkPipelineShaderStageCreateInfo>();
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  if (node.spec0) info.stage.pSpecializationInfo = &specialization;
  info.layout = layout_->handle();
  const VkResult result = vkCreateComputePipelines(context_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  vkDestroyShaderModule(context_.device, module, nullptr);
  if (result != VK_SUCCESS) error = "vkCreateComputePipelines returned " + std::to_string(result);
  return result == VK_SUCCESS;
}

std::vector<PlainRecord> PlainNode::Run(const std::vector<std::vector<uint8_t>>& records,
                                        std::array<uint32_t, 3> workgroups, const Answers& answers,
                                        std::span<uint32_t> results) {
  const size_t input_bytes = std::max<size_t>(records.size(), 1) * input_stride_;
  std::vector<GuardedBuffer> buffers;
  buffers.emplace_back(context_, kResultWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  buffers.emplace_back(context_, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  buffers.emplace_back(context_, input_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  buffers.emplace_back(context_, kHeapWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::copy(results.begin(), results.end(), buffers[0].words().begin());
  auto* const input = reinterpret_cast<uint8_t*>(buffers[2].words().data());
  for (size_t i = 0; i < records.size(); ++i)
    std::copy_n(records[i].begin(), std::min<size_t>(records[i].size(), input_stride_), input + i * input_stride_);
  const std::span<uint32_t> heap = buffers[3].words();
  const VkDeviceAddress address = buffers[3].address() + kHeapStart * 4;
  const std::array<uint32_t, kHeapStart> start = {static_cast<uint32_t>(address),
                                                  static_cast<uint32_t>(address >> 32),
                                                  0,
                                                  info_.shader_index,
                                                  answers.remaining_recursion,
                                                  answers.valid_index};
  std::copy(start.begin(), start.end(), heap.begin());

  const DescriptorSets sets(context_, *layout_, kLayout, buffers);
  Commands commands(context_);
  VkCommandBuffer command_buffer = commands.Begin();
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout_->handle(), 0, 2, sets.sets().data(),
                          0, nullptr);
  vkCmdDispatch(command_buffer, workgroups[0], workgroups[1], workgroups[2]);
  EXPECT_EQ(commands.End(), VK_SUCCESS);
  EXPECT_EQ(commands.Submit(), VK_SUCCESS);
  std::copy(buffers[0].words().begin(), buffers[0].words().end(), results.begin());
  return ReadHeap({heap.begin(), heap.end()});
}

std::vector<PlainRecord> PlainNode::ReadHeap(const std::vector<uint32_t>& heap) const {
  std::vector<PlainRecord> sent;
  const uint32_t end = heap[2];
  EXPECT_LE(end, kHeapWords - kHeapStart) << "the heap is too small";
  for (uint32_t at = 0; at < end && end <= kHeapWords - kHeapStart;) {
    const uint32_t* const block = heap.data() + kHeapStart + at;
    const auto output = outputs_.find(block[0]);
    const uint32_t count = block[1];
    if (output == outputs_.end()) {
      ADD_FAILURE() << name_ << ": no NODE_OUTPUT in line " << block[0];
      return sent;
    }
    const auto& [type, node] = output->second;
    const uint32_t stride = strides_.at(type);
    EXPECT_LE(stride, kRecordWords * 4);
    const auto described =
        std::find_if(info_.outputs.begin(), info_.outputs.end(),
                     [&](const spirv::NodeOutputInfo& each) { return each.target_name == output->second.second; });
    const uint32_t base = described == info_.outputs.end() ? 0 : described->base_index;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(block + kHeaderWords);
    for (uint32_t i = 0; i < count && block[3] != 0; ++i) {
      sent.push_back({node, base + block[2], {bytes + size_t{i} * stride, bytes + size_t{i + 1} * stride}});
    }
    at += kHeaderWords + count * kRecordWords;
  }
  return sent;
}

}  // namespace trellis::test
