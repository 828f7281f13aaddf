// SPDX-License-Identifier: Apache-2.0
// The samples' graphs created, recorded and submitted while memory runs out.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <ostream>

#include "spirv_lowering/post/post.h"
#include "tests/faults/command_attempt.h"
#include "tests/samples/sample_graphs.h"

namespace trellis::test {
namespace {

// What a stage of a sample is made of.
struct SampleStage {
  std::vector<uint32_t> words;
  std::string entry;
  std::optional<std::string> name = {};
  std::optional<uint32_t> spec0 = {};
};

struct SampleProgram {
  std::string name;
  std::vector<SampleStage> stages;
  SampleInput input;  // its node is the first stage
};

void PrintTo(const SampleProgram& program, std::ostream* out) { *out << program.name; }

SampleProgram FromGlsl(const Sample& sample) {
  SampleProgram program{sample.name, {}, sample.input};
  for (const SampleNode& node : sample.nodes)
    program.stages.push_back({CompiledNode(node), "main", node.name, node.spec0});
  return program;
}

// samples/hello_graph: three nodes in one module of SPIR-V.
SampleProgram HelloGraph() {
  std::ifstream file(TRELLIS_SOURCE_DIR "/samples/hello_graph/hello_graph.spvasm");
  const Expected<std::vector<uint32_t>> words =
      spirv::Assemble(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
  EXPECT_TRUE(words);
  SampleProgram program{"HelloGraph", {}, {"firstNode", 0, 1, {1, 0}, 8}};
  for (const char* entry : {"firstNode", "secondNode", "thirdNode"}) program.stages.push_back({*words, entry});
  return program;
}

// What samples.h leaves out because it reads a list at an address.
Sample Links() {
  return {"Links", {{"links/follow", "follow"}, {"links/end", "end"}}, {"follow", 0, 1, {0, 0, 1, 0}, 16}, {}};
}

std::vector<SampleProgram> AllPrograms() {
  std::vector<SampleProgram> programs = {HelloGraph(), FromGlsl(Links())};
  for (const std::vector<Sample>& samples : {AllSamples(), SamplesForNodesOnly()})
    for (const Sample& sample : samples) programs.push_back(FromGlsl(sample));
  return programs;
}

// Modules and stages of a program; nothing fails while they are made.
class SampleStages {
 public:
  SampleStages(const TestDevice& device, const SampleProgram& program)
      : device_(device), nodes_(program.stages.size()), constants_(program.stages.size()) {
    for (size_t i = 0; i < program.stages.size(); ++i) Add(program.stages[i], i);
  }
  ~SampleStages() {
    for (const VkPipelineShaderStageCreateInfo& stage : stages_)
      TRELLIS_CALL(device_, DestroyShaderModule)(device_.handle(), stage.module, nullptr);
  }
  SampleStages(const SampleStages&) = delete;
  SampleStages& operator=(const SampleStages&) = delete;

  [[nodiscard]] const std::vector<VkPipelineShaderStageCreateInfo>& stages() const { return stages_; }

 private:
  void Add(const SampleStage& sample, size_t i) {
    static constexpr VkSpecializationMapEntry kFirst = {0, 0, sizeof(uint32_t)};
    VkPipelineShaderStageCreateInfo& stage = stages_.emplace_back(MakeStruct<VkPipelineShaderStageCreateInfo>());
    stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    stage.pName = sample.entry.c_str();
    auto info = MakeStruct<VkShaderModuleCreateInfo>();
    info.codeSize = sample.words.size() * sizeof(uint32_t);
    info.pCode = sample.words.data();
    TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &info, nullptr, &stage.module);
    if (sample.name) {
      nodes_[i] = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, nullptr, sample.name->c_str(),
                   VK_SHADER_INDEX_UNUSED_AMDX};
      stage.pNext = &nodes_[i];
    }
    if (sample.spec0) {
      constants_[i] = {1, &kFirst, sizeof(uint32_t), &*sample.spec0};
      stage.pSpecializationInfo = &constants_[i];
    }
  }

  const TestDevice& device_;
  std::vector<VkPipelineShaderStageNodeCreateInfoAMDX> nodes_;
  std::vector<VkSpecializationInfo> constants_;
  std::vector<VkPipelineShaderStageCreateInfo> stages_;
};

// Creates the graph, records a dispatch of it and submits that.
class SampleAttempt : public CommandAttempt {
 public:
  explicit SampleAttempt(const SampleProgram& program)
      : program_(program), stages_(*device_, program), queue_(MakeQueue()) {}

  VkResult Run() override {
    VkResult result = Create();
    if (result == VK_SUCCESS) result = RecordAll();
    if (result == VK_SUCCESS) result = Submit(queue_);
    if (result != VK_SUCCESS) Release();
    return result;
  }
  void Release() override {
    TRELLIS_CALL(*device_, DestroyPipeline)(handle(), graph_, nullptr);
    graph_ = VK_NULL_HANDLE;
  }

 private:
  VkResult Create() {
    VkExecutionGraphPipelineCreateInfoAMDX info = parts().GraphInfo();
    info.stageCount = static_cast<uint32_t>(stages_.stages().size());
    info.pStages = stages_.stages().data();
    return Call(TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX), handle(), VkPipelineCache{VK_NULL_HANDLE}, 1,
                &info, nullptr, &graph_);
  }

  VkResult RecordAll() {
    const size_t before = driver_.CountOf("CmdDispatchIndirect");
    const VkResult result = Record();
    EXPECT_TRUE(driver_.CountOf("CmdDispatchIndirect") > before || result != VK_SUCCESS) << "nothing was recorded";
    return result;
  }

  void Dispatch() override {
    auto node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
    node.pName = program_.input.node.c_str();
    node.index = program_.input.index;
    VkDispatchGraphInfoAMDX info = {};
    EXPECT_EQ(TRELLIS_CALL(*device_, GetExecutionGraphPipelineNodeIndexAMDX)(handle(), graph_, &node, &info.nodeIndex),
              VK_SUCCESS);
    info.payloadCount = program_.input.count;
    info.payloads.hostAddress = program_.input.payloads.data();
    info.payloadStride = program_.input.stride;
    VkDispatchGraphCountInfoAMDX counts = {};
    counts.count = 1;
    counts.infos.hostAddress = &info;
    counts.stride = sizeof(info);
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphAMDX), command_buffer(), scratch(), Scratch::kBytes, &counts);
  }

  const SampleProgram& program_;
  const SampleStages stages_;
  const VkQueue queue_;
};

class SampleFaults : public testing::TestWithParam<SampleProgram> {
 protected:
  [[nodiscard]] static MakeAttempt Make() {
    return [] { return std::make_unique<SampleAttempt>(GetParam()); };
  }
};

TEST_P(SampleFaults, WithoutMemory) { FailAllocations(Make()); }
TEST_P(SampleFaults, OnAFailingDriver) { FailDriverCommands(Make()); }

INSTANTIATE_TEST_SUITE_P(Samples, SampleFaults, testing::ValuesIn(AllPrograms()),
                         [](const testing::TestParamInfo<SampleProgram>& info) { return info.param.name; });

}  // namespace
}  // namespace trellis::test
