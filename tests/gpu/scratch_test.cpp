// SPDX-License-Identifier: Apache-2.0
// Scratch memory where applications put it: at an offset, in memory that other buffers share, in every size.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/gpu/queue_work.h"
#include "tests/gpu/recent_extension_test.h"
#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

// Where a structure says that a buffer is for scratch.
enum class UsageForm : uint8_t { kMember, kFlags2 };

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

// A VkBufferCreateInfo of scratch, in either form.
struct ScratchInfo {
  ScratchInfo(VkDeviceSize size, UsageForm form) {
    flags2.usage = kUsage;
    info.size = size;
    if (form == UsageForm::kFlags2) {
      info.pNext = &flags2;
    } else {
      info.usage = kUsage;
    }
  }
  ScratchInfo(const ScratchInfo&) = delete;
  ScratchInfo& operator=(const ScratchInfo&) = delete;

  VkBufferUsageFlags2CreateInfoKHR flags2 = MakeStruct<VkBufferUsageFlags2CreateInfoKHR>();
  VkBufferCreateInfo info = MakeStruct<VkBufferCreateInfo>();
};

// Buffers over one piece of device memory, each at an offset and with an address.
class SharedAllocation {
 public:
  SharedAllocation(const Context& context, VkDeviceSize size, UsageForm form = UsageForm::kMember)
      : context_(context), form_(form) {
    const VkBuffer probe = CreateBuffer(size);
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(context.device, probe, &requirements);
    vkDestroyBuffer(context.device, probe, nullptr);
    alignment_ = requirements.alignment;
    auto flags = MakeStruct<VkMemoryAllocateFlagsInfo>();
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    auto info = MakeStruct<VkMemoryAllocateInfo>(&flags);
    info.allocationSize = requirements.size;
    info.memoryTypeIndex = context.MemoryType(requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    EXPECT_EQ(vkAllocateMemory(context.device, &info, nullptr, &memory_), VK_SUCCESS);
  }
  ~SharedAllocation() { vkFreeMemory(context_.device, memory_, nullptr); }
  SharedAllocation(const SharedAllocation&) = delete;
  SharedAllocation& operator=(const SharedAllocation&) = delete;

  // What offsets must be multiples of, and at least what scratch addresses must be.
  [[nodiscard]] VkDeviceSize alignment() const { return std::max<VkDeviceSize>(alignment_, 64); }

  // The caller destroys the buffer. `address` gets its device address.
  [[nodiscard]] VkBuffer BufferAt(VkDeviceSize offset, VkDeviceSize size, VkDeviceAddress& address) const {
    const VkBuffer buffer = CreateBuffer(size);
    VkMemoryRequirements requirements;  // the validation layer wants them asked for
    vkGetBufferMemoryRequirements(context_.device, buffer, &requirements);
    EXPECT_EQ(vkBindBufferMemory(context_.device, buffer, memory_, offset), VK_SUCCESS);
    auto info = MakeStruct<VkBufferDeviceAddressInfo>();
    info.buffer = buffer;
    address = vkGetBufferDeviceAddress(context_.device, &info);
    return buffer;
  }

 private:
  [[nodiscard]] VkBuffer CreateBuffer(VkDeviceSize size) const {
    const ScratchInfo scratch(size, form_);
    VkBuffer buffer = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateBuffer(context_.device, &scratch.info, nullptr, &buffer), VK_SUCCESS);
    return buffer;
  }

  const Context& context_;
  const UsageForm form_;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceSize alignment_ = 0;
};

class Scratch : public RecentExtensionTest {
 protected:
  explicit Scratch(uint32_t first_version = 0) : RecentExtensionTest(first_version) {}
  void SetUp() override {
    RecentExtensionTest::SetUp();
    if (!HasFatalFailure()) run_ = KeyedRun(context(), kKey);
  }
  void TearDown() override {
    run_.reset();
    RecentExtensionTest::TearDown();
  }

  void BindGraph(VkCommandBuffer command_buffer, const GraphRun& run) const {
    vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.graph().handle());
    vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.layout().handle(), 0, 1,
                            run.descriptor_sets().sets().data(), 0, nullptr);
  }
  void Initialize(VkCommandBuffer command_buffer, const GraphRun& run, VkDeviceAddress scratch,
                  VkDeviceSize size) const {
    context().graph.CmdInitializeGraphScratchMemory(command_buffer, run.graph().handle(), scratch, size);
    OrderComputeWork(command_buffer);
  }
  void Dispatch(VkCommandBuffer command_buffer, const GraphRun& run, VkDeviceAddress scratch, VkDeviceSize size,
                uint32_t key = kKey) const {
    const VkDispatchGraphInfoAMDX info = {run.graph().NodeIndex("Root"), 1,
                                          VkDeviceOrHostAddressConstAMDX{.hostAddress = &key}, sizeof(key)};
    const VkDispatchGraphCountInfoAMDX counts = {1, VkDeviceOrHostAddressConstAMDX{.hostAddress = &info}, sizeof(info)};
    context().graph.CmdDispatchGraph(command_buffer, scratch, size, &counts);
  }
  // The run's graph, once, on this scratch.
  void DispatchOn(VkDeviceAddress scratch, VkDeviceSize size) {
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    BindGraph(command_buffer, *run_);
    Initialize(command_buffer, *run_, scratch, size);
    Dispatch(command_buffer, *run_, scratch, size);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_TRUE(run_->Matches(KeyedWords(kKey, ++times_)));
  }
  [[nodiscard]] VkExecutionGraphPipelineScratchSizeAMDX Size() const { return run_->graph().ScratchSize(); }

  static constexpr uint32_t kKey = 17;
  std::unique_ptr<GraphRun> run_;
  uint32_t times_ = 0;
};

class ScratchByStructure : public Scratch {
 protected:
  // The first that knows VkBufferUsageFlags2CreateInfo.
  ScratchByStructure() : Scratch(VK_MAKE_API_VERSION(0, 1, 3, 260)) {}
};

// What lies before and behind the scratch in the same buffer stays as it is.
TEST_F(Scratch, AtAnOffsetInALargerBuffer) {
  constexpr uint32_t kMark = 0xABCD1234;
  const VkDeviceSize size = Size().minSize;
  for (const VkDeviceSize offset : {VkDeviceSize{64}, VkDeviceSize{192}, VkDeviceSize{4096 + 64}}) {
    const GuardedBuffer buffer(context(), offset + size + 8192, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
    const VkDeviceAddress start = (buffer.address() + 63) / 64 * 64 + offset;
    std::fill(buffer.words().begin(), buffer.words().end(), kMark);
    DispatchOn(start, size);
    const size_t first = (start - buffer.address()) / 4;
    const auto words = buffer.words();
    const auto is_mark = [](uint32_t word) { return word == kMark; };
    EXPECT_TRUE(std::all_of(words.begin(), words.begin() + first, is_mark)) << "before " << offset;
    EXPECT_TRUE(std::all_of(words.begin() + first + size / 4, words.end(), is_mark)) << "behind " << offset;
    EXPECT_TRUE(buffer.GuardsIntact());
  }
}

// Applications that bind where a driver's requirements allow get such addresses. Nothing outside of the range that they
// name is touched.
TEST_F(Scratch, AtAddressesThatAreAlignedLess) {
  context().messages.Expect("TRELLIS-scratch-alignment");
  constexpr uint32_t kMark = 0xABCD1234;
  const VkDeviceSize size = Size().minSize;
  for (const VkDeviceSize offset : {4, 16, 32, 60}) {
    const GuardedBuffer buffer(context(), size + 4096, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
    const VkDeviceAddress start = (buffer.address() + 63) / 64 * 64 + offset;
    std::fill(buffer.words().begin(), buffer.words().end(), kMark);
    DispatchOn(start, size);
    const size_t first = (start - buffer.address()) / 4;
    const auto words = buffer.words();
    const auto is_mark = [](uint32_t word) { return word == kMark; };
    EXPECT_TRUE(std::all_of(words.begin(), words.begin() + first, is_mark)) << "before " << offset;
    EXPECT_TRUE(std::all_of(words.begin() + first + size / 4, words.end(), is_mark)) << "behind " << offset;
  }
}

// Everything from minSize upwards is legal, also what is no minSize + k * sizeGranularity, and what is above maxSize.
TEST_F(Scratch, InEverySize) {
  const auto size = Size();
  ASSERT_GT(size.sizeGranularity, 0u);
  const VkDeviceSize granularity = size.sizeGranularity;
  for (const VkDeviceSize bytes :
       {size.minSize, size.minSize + 1, size.minSize + granularity / 2, size.minSize + granularity,
        size.minSize + 3 * granularity + 4, size.maxSize, size.maxSize + 4 * granularity, 10 * size.maxSize + 36}) {
    // Words end where scratchSize says, rounded up to 4, and guards begin there.
    const GuardedBuffer buffer(context(), bytes, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
    DispatchOn(buffer.address(), bytes);
    EXPECT_TRUE(buffer.GuardsIntact()) << bytes << " bytes";
  }
}

// Buffers that share memory: one is the other's beginning, one lies in the middle of it. They come and go, and the
// address stays good as long as one of them is there.
TEST_F(Scratch, InBuffersThatShareMemory) {
  const VkDeviceSize size = Size().minSize;
  const SharedAllocation memory(context(), 4 * size + 65536);
  const VkDeviceSize middle = (size + memory.alignment() - 1) / memory.alignment() * memory.alignment();
  VkDeviceAddress whole_address = 0, same_address = 0, short_address = 0, middle_address = 0;
  const VkBuffer whole = memory.BufferAt(0, 4 * size, whole_address);
  const VkBuffer same = memory.BufferAt(0, 4 * size, same_address);
  const VkBuffer beginning = memory.BufferAt(0, 64, short_address);
  const VkBuffer inside = memory.BufferAt(middle, size, middle_address);
  // Drivers may give buffers addresses of their own, so each is used by the one that it got.
  DispatchOn(whole_address, size);
  DispatchOn(same_address, size);
  DispatchOn(middle_address, size);
  DispatchOn(whole_address + middle, size);
  vkDestroyBuffer(context().device, beginning, nullptr);
  vkDestroyBuffer(context().device, inside, nullptr);
  DispatchOn(whole_address + middle, size);
  vkDestroyBuffer(context().device, same, nullptr);
  DispatchOn(whole_address, size);
  DispatchOn(whole_address + 64, size);
  vkDestroyBuffer(context().device, whole, nullptr);
}

TEST_F(ScratchByStructure, WithUsageFlagsOfMaintenance5) {
  const VkDeviceSize size = Size().minSize;
  const SharedAllocation memory(context(), size, UsageForm::kFlags2);
  VkDeviceAddress address = 0;
  const VkBuffer buffer = memory.BufferAt(0, size, address);
  DispatchOn(address, size);
  vkDestroyBuffer(context().device, buffer, nullptr);
}

// A buffer that does not exist needs what it will need when it does.
TEST_F(ScratchByStructure, RequirementsWithoutABuffer) {
  if (context().properties.apiVersion < VK_API_VERSION_1_3) GTEST_SKIP() << "no Vulkan 1.3";
  const auto get_requirements = reinterpret_cast<PFN_vkGetDeviceBufferMemoryRequirements>(
      vkGetDeviceProcAddr(context().device, "vkGetDeviceBufferMemoryRequirements"));
  ASSERT_NE(get_requirements, nullptr) << "Vulkan 1.3 has it";
  for (const UsageForm form : {UsageForm::kMember, UsageForm::kFlags2}) {
    const ScratchInfo scratch(Size().minSize, form);
    auto query = MakeStruct<VkDeviceBufferMemoryRequirements>();
    query.pCreateInfo = &scratch.info;
    auto told = MakeStruct<VkMemoryRequirements2>();
    get_requirements(context().device, &query, &told);
    VkBuffer buffer = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateBuffer(context().device, &scratch.info, nullptr, &buffer), VK_SUCCESS);
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(context().device, buffer, &needed);
    vkDestroyBuffer(context().device, buffer, nullptr);
    EXPECT_EQ(told.memoryRequirements.size, needed.size);
    EXPECT_EQ(told.memoryRequirements.alignment, needed.alignment);
    EXPECT_EQ(needed.alignment % 256, 0u);
    EXPECT_EQ(told.memoryRequirements.memoryTypeBits, needed.memoryTypeBits);
  }
}

// What drivers say of external scratch is what they say of the usages that Trellis makes of it.
TEST_F(ScratchByStructure, ExternalBuffers) {
  const auto properties_of = [&](VkBufferUsageFlags usage, const void* chain) {
    auto info = MakeStruct<VkPhysicalDeviceExternalBufferInfo>(chain);
    info.usage = usage;
    info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    auto answer = MakeStruct<VkExternalBufferProperties>();
    vkGetPhysicalDeviceExternalBufferProperties(context().physical_device, &info, &answer);
    const VkExternalMemoryProperties& external = answer.externalMemoryProperties;
    return std::array{external.externalMemoryFeatures, external.exportFromImportedHandleTypes,
                      external.compatibleHandleTypes};
  };
  const ScratchInfo scratch(0, UsageForm::kFlags2);
  const auto expected = properties_of(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                          VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      nullptr);
  EXPECT_EQ(properties_of(kUsage, nullptr), expected);
  EXPECT_EQ(properties_of(0, scratch.info.pNext), expected);
}

// Two graphs in turn on one scratch, without a barrier of the application in between.
TEST_F(Scratch, OfSeveralGraphsWithoutBarriers) {
  const auto other = KeyedRun(context(), 5);
  const VkDeviceSize size = std::max(Size().maxSize, other->graph().ScratchSize().maxSize);
  const GuardedBuffer buffer(context(), size, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  constexpr uint32_t kTurns = 8;
  for (uint32_t turn = 0; turn < kTurns; ++turn) {
    for (const GraphRun* run : {run_.get(), other.get()}) {
      BindGraph(command_buffer, *run);
      context().graph.CmdInitializeGraphScratchMemory(command_buffer, run->graph().handle(), buffer.address(), size);
      for (uint32_t i = 0; i < 4; ++i) Dispatch(command_buffer, *run, buffer.address(), size, 1 + turn);
    }
  }
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run_->Matches(KeyedWords(4 * kTurns * (kTurns + 1) / 2, 1)));
  EXPECT_TRUE(other->Matches(KeyedWords(4 * kTurns * (kTurns + 1) / 2, 1)));
  EXPECT_TRUE(buffer.GuardsIntact());
}

// Other commands overwrite it between two executions; initialised again it is as good as new.
TEST_F(Scratch, InitialisedAgainAfterOthersWroteToIt) {
  const VkDeviceSize size = Size().minSize;
  const GuardedBuffer buffer(context(), size,
                             VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  BindGraph(command_buffer, *run_);
  const auto barrier = [&](VkPipelineStageFlags from, VkPipelineStageFlags to) {
    auto memory = MakeStruct<VkMemoryBarrier>();
    memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(command_buffer, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
  };
  for (const uint32_t word : {0xFFFFFFFFu, 0u, 0x80000001u, 7u}) {
    // All that the application knows is that graphs use scratch in compute shaders.
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
    vkCmdFillBuffer(command_buffer, buffer.handle(), buffer.offset(), size, word);
    barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    Initialize(command_buffer, *run_, buffer.address(), size);
    Dispatch(command_buffer, *run_, buffer.address(), size);
  }
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run_->Matches(KeyedWords(kKey, 4)));
  EXPECT_TRUE(buffer.GuardsIntact());
}

}  // namespace
}  // namespace trellis::test
