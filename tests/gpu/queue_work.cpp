#include "tests/gpu/queue_work.h"

#include <cstdio>
#include <cstdlib>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint64_t kTimeoutNanoseconds = 300ull * 1000 * 1000 * 1000;

VkResult SubmitFirstForm(const Submission& submission) {
  const VkPipelineStageFlags wait_stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  const SemaphorePoint wait = submission.wait.value_or(SemaphorePoint{});
  const SemaphorePoint signal = submission.signal.value_or(SemaphorePoint{});
  auto values = Struct<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  values.waitSemaphoreValueCount = submission.wait ? 1 : 0;
  values.pWaitSemaphoreValues = &wait.value;
  values.signalSemaphoreValueCount = submission.signal ? 1 : 0;
  values.pSignalSemaphoreValues = &signal.value;
  auto info = Struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO, &values);
  info.waitSemaphoreCount = values.waitSemaphoreValueCount;
  info.pWaitSemaphores = &wait.semaphore;
  info.pWaitDstStageMask = &wait_stage;
  info.commandBufferCount = static_cast<uint32_t>(submission.command_buffers.size());
  info.pCommandBuffers = submission.command_buffers.data();
  info.signalSemaphoreCount = values.signalSemaphoreValueCount;
  info.pSignalSemaphores = &signal.semaphore;
  return vkQueueSubmit(submission.queue, 1, &info, submission.fence);
}

VkSemaphoreSubmitInfo PointInfo(const SemaphorePoint& point) {
  auto info = Struct<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  info.semaphore = point.semaphore;
  info.value = point.value;
  info.stageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  return info;
}

VkResult SubmitSecondForm(const Submission& submission) {
  const VkSemaphoreSubmitInfo wait = PointInfo(submission.wait.value_or(SemaphorePoint{}));
  const VkSemaphoreSubmitInfo signal = PointInfo(submission.signal.value_or(SemaphorePoint{}));
  std::vector<VkCommandBufferSubmitInfo> command_buffers;
  for (VkCommandBuffer command_buffer : submission.command_buffers) {
    command_buffers.push_back(Struct<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO));
    command_buffers.back().commandBuffer = command_buffer;
  }
  auto info = Struct<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = submission.wait ? 1 : 0;
  info.pWaitSemaphoreInfos = &wait;
  info.commandBufferInfoCount = static_cast<uint32_t>(command_buffers.size());
  info.pCommandBufferInfos = command_buffers.data();
  info.signalSemaphoreInfoCount = submission.signal ? 1 : 0;
  info.pSignalSemaphoreInfos = &signal;
  return vkQueueSubmit2(submission.queue, 1, &info, submission.fence);
}

}  // namespace

std::string KeyedModule() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id key_record = m.Struct({{m.Uint(), 0}});
  const Id record = LeafRecord(m);
  const Payload to_middle = m.Output("Middle", record, {.max_payloads = kLanes});
  const Payload to_leaf = m.Output("Leaf", record, {.max_payloads = kLanes});

  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {kKeyedWords / kLanes, 1, 1},
               .shader_index = 0,
               .input = m.Input(key_record)});
  const Records middles = m.Allocate(to_middle, Scope::kWorkgroup, kLanes);
  SetLeaf(m, middles, m.LocalIndex(), m.GlobalId(0), m.Get(m.NodeInput(), 0, 0));
  m.Enqueue(middles);
  m.EndNode();

  m.BeginNode({.name = "Middle",
               .launch = Launch::kCoalescing,
               .local_size = {kLanes, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, kLanes)});
  const Id lane = m.LocalIndex();
  const Id length = m.Length(m.NodeInput());
  const Records leaves = m.Allocate(to_leaf, Scope::kWorkgroup, length);
  m.If(m.Less(lane, length),
       [&] { SetLeaf(m, leaves, lane, m.Get(m.NodeInput(), lane, 0), m.Get(m.NodeInput(), lane, 1)); });
  m.Enqueue(leaves);
  m.EndNode();
  AddCoalescingLeaf(m, "Leaf", words, record, kLanes);
  return m.Text();
}

std::unique_ptr<GraphRun> KeyedRun(Context& context, uint32_t key, uint32_t count) {
  auto run = std::make_unique<GraphRun>(context);
  run->Nodes(KeyedModule(), {"Root", "Middle", "Leaf"});
  // With a stride of 0 every record is the same one.
  run->Input({.node = "Root", .count = count, .payloads = Bytes({key}), .stride = 0});
  EXPECT_TRUE(run->Prepare());
  return run;
}

std::vector<uint32_t> KeyedWords(uint32_t key, uint32_t times) {
  return std::vector<uint32_t>(kKeyedWords, key * times);
}

CommandPool::CommandPool(const Context& context, uint32_t family, VkCommandPoolCreateFlags flags) : context_(context) {
  auto info = Struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.flags = flags;
  info.queueFamilyIndex = family;
  EXPECT_EQ(vkCreateCommandPool(context.device, &info, nullptr, &pool_), VK_SUCCESS);
}

CommandPool::~CommandPool() { vkDestroyCommandPool(context_.device, pool_, nullptr); }

VkCommandBuffer CommandPool::Allocate() const {
  auto info = Struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateCommandBuffers(context_.device, &info, &command_buffer), VK_SUCCESS);
  return command_buffer;
}

VkCommandBuffer CommandPool::Record(GraphRun& run, VkCommandBufferUsageFlags usage) const {
  const VkCommandBuffer command_buffer = Allocate();
  RecordInto(command_buffer, run, usage);
  return command_buffer;
}

void RecordInto(VkCommandBuffer command_buffer, GraphRun& run, VkCommandBufferUsageFlags usage) {
  auto begin = Struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = usage;
  EXPECT_EQ(vkBeginCommandBuffer(command_buffer, &begin), VK_SUCCESS);
  run.RecordGraph(command_buffer);
  auto barrier = Struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                       0, nullptr, 0, nullptr);
  EXPECT_EQ(vkEndCommandBuffer(command_buffer), VK_SUCCESS);
}

Semaphore::Semaphore(const Context& context, VkSemaphoreType type) : context_(context) {
  auto type_info = Struct<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type_info.semaphoreType = type;
  const auto info = Struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type_info);
  EXPECT_EQ(vkCreateSemaphore(context.device, &info, nullptr, &semaphore_), VK_SUCCESS);
}

Semaphore::~Semaphore() { vkDestroySemaphore(context_.device, semaphore_, nullptr); }

VkResult Submit(SubmitCommand command, const Submission& submission) {
  return command == SubmitCommand::kQueueSubmit ? SubmitFirstForm(submission) : SubmitSecondForm(submission);
}

void WaitForQueues(const Context& context) {
  std::vector<VkFence> fences;
  for (const ComputeQueue& queue : context.queues) {
    const auto info = Struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    EXPECT_EQ(vkCreateFence(context.device, &info, nullptr, &fences.emplace_back()), VK_SUCCESS);
    EXPECT_EQ(vkQueueSubmit(queue.handle, 0, nullptr, fences.back()), VK_SUCCESS);
  }
  const VkResult waited = vkWaitForFences(context.device, static_cast<uint32_t>(fences.size()), fences.data(), VK_TRUE,
                                          kTimeoutNanoseconds);
  if (waited == VK_TIMEOUT) {
    std::fprintf(stderr, "the device did not finish in time\n");
    std::abort();
  }
  EXPECT_EQ(waited, VK_SUCCESS);
  for (VkFence fence : fences) vkDestroyFence(context.device, fence, nullptr);
}

}  // namespace trellis::test
