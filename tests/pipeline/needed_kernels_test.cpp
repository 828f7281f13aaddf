// SPDX-License-Identifier: Apache-2.0
// The kernels that are made for each kind of graph; and recording, which compiles nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "layer/objects/registry.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/pipeline/graph_kinds.h"

namespace trellis::test {
namespace {

class NeededKernelsTest : public GraphCreation, public testing::WithParamInterface<GraphKind> {
 protected:
  NeededKernelsTest() : GraphCreation(1, GetParam().queues) {
    if (GetParam().set) GetParam().set(FindDevice(device_.handle())->instance->settings);
    graph_ = MakeKind(GetParam());
  }

  VkPipeline MakeKind(const GraphKind& kind) {
    const VkShaderModule module = MakeModule(Assemble(kind.text()));
    std::vector<VkPipelineShaderStageNodeCreateInfoAMDX> names;
    for (const KindNode& node : kind.nodes)
      for (uint32_t i = 0; i < node.count; ++i)
        names.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, nullptr, node.entry, i});
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (const auto& name : names) stages.push_back(Stage(module, name.pName, &name));
    return Make(GraphInfo(stages, MakeLayout()));
  }

  VkDeviceAddress MakeScratch() {
    auto size = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
    EXPECT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineScratchSizeAMDX)(device_.handle(), graph_, &size),
              VK_SUCCESS);
    scratch_size_ = size.minSize;
    auto info = MakeStruct<VkBufferCreateInfo>();
    info.size = scratch_size_;
    info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer);
    auto allocate = MakeStruct<VkMemoryAllocateInfo>();
    allocate.allocationSize = scratch_size_;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, AllocateMemory)(device_.handle(), &allocate, nullptr, &memory);
    TRELLIS_CALL(device_, BindBufferMemory)(device_.handle(), buffer, memory, 0);
    const VkBufferDeviceAddressInfo query = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    return TRELLIS_CALL(device_, GetBufferDeviceAddress)(device_.handle(), &query);
  }

  // Host infos with few records and with many for the first node, infos on the device, and their number there too.
  void RecordEverything() {
    const VkDeviceAddress scratch = MakeScratch();
    const VkCommandBuffer commands = device_.Begin();
    TRELLIS_CALL(device_, CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph_);
    TRELLIS_CALL(device_, CmdInitializeGraphScratchMemoryAMDX)(commands, graph_, scratch, scratch_size_);
    const std::vector<uint32_t> ones(64, 1);
    VkDispatchGraphInfoAMDX info = {};
    info.nodeIndex = NodeIndex(graph_, GetParam().nodes[0].entry, 0);
    info.payloads.hostAddress = ones.data();  // the stride is 0: all records are alike
    VkDispatchGraphCountInfoAMDX counts = {};
    counts.count = 1;
    counts.stride = sizeof(info);
    for (const uint32_t records : {1u, 256u}) {
      info.payloadCount = records;
      counts.infos.hostAddress = &info;
      TRELLIS_CALL(device_, CmdDispatchGraphAMDX)(commands, scratch, scratch_size_, &counts);
    }
    constexpr VkDeviceAddress kSomewhere = 0x4000;  // nothing reads it
    counts.infos.deviceAddress = kSomewhere;
    TRELLIS_CALL(device_, CmdDispatchGraphIndirectAMDX)(commands, scratch, scratch_size_, &counts);
    TRELLIS_CALL(device_, CmdDispatchGraphIndirectCountAMDX)(commands, scratch, scratch_size_, kSomewhere);
    EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(commands), VK_SUCCESS);
  }

  // Names of the kernels that were bound, in the order of the enumeration. Whatever else was bound must be a node.
  std::vector<std::string> BoundKernels() const {
    std::map<uint64_t, Kernel> kernels;
    for (const ComputeRequest& request : kernel_requests_) kernels[HandleToU64(request.answered)] = *request.kernel;
    std::set<Kernel> bound;
    for (const DriverCall& call : driver_.CallsOf("CmdBindPipeline")) {
      const auto kernel = kernels.find(call.object);
      if (kernel != kernels.end()) {
        bound.insert(kernel->second);
      } else {
        EXPECT_EQ(live_.count(HandleFromU64<VkPipeline>(call.object)), 1u) << "neither a kernel nor a node";
      }
    }
    std::vector<std::string> names;
    for (const Kernel kernel : bound) names.push_back(std::string(KernelName(kernel)).substr(std::strlen("trellis ")));
    return names;
  }

  VkPipeline graph_ = VK_NULL_HANDLE;
  VkDeviceSize scratch_size_ = 0;
};

TEST_P(NeededKernelsTest, AreMadeWithTheGraph) { EXPECT_EQ(RequestedKernels(), GetParam().made); }

TEST_P(NeededKernelsTest, RecordingCompilesNothing) {
  const size_t kernels = kernel_requests_.size();
  const size_t nodes = requests_.size();
  driver_.ForgetCalls();
  RecordEverything();
  EXPECT_EQ(kernel_requests_.size(), kernels);
  EXPECT_EQ(requests_.size(), nodes);
  EXPECT_EQ(driver_.CountOf("CreateShaderModule"), 0u);
  EXPECT_EQ(BoundKernels(), GetParam().recorded);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NeededKernelsTest, testing::ValuesIn(GraphKinds()),
                         [](const auto& info) { return std::string(info.param.name); });

class NoNodes : public GraphCreation {};

TEST_F(NoNodes, NeedNoKernels) {
  Make(GraphInfo({}, MakeLayout()));
  EXPECT_THAT(kernel_requests_, testing::IsEmpty());
}

}  // namespace
}  // namespace trellis::test
