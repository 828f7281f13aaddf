// SPDX-License-Identifier: Apache-2.0
// A layer Device whose driver executes nothing and remembers every command. Device memory is host memory, and an
// address is a pointer.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/objects/instance.h"
#include "layer/objects/physical_device.h"
#include "layer/objects/queue.h"
#include "tests/support/command_stream.h"
#include "tests/support/zeroed_memory.h"

namespace trellis::test {

// A buffer of the layer's with its memory. `address`: of its first byte.
struct CheckedBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceAddress address = 0;
  VkDeviceSize size = 0;
};

class RecordingDevice {
 public:
  // `queues`: that it was created with, of the command buffer's family.
  explicit RecordingDevice(Settings settings = {}, uint32_t queues = 1);
  ~RecordingDevice();
  RecordingDevice(const RecordingDevice&) = delete;
  RecordingDevice& operator=(const RecordingDevice&) = delete;

  [[nodiscard]] Device& device() { return *device_; }
  // A command buffer that the layer tracks, ready to record; and what has been recorded into it.
  [[nodiscard]] CommandBuffer& command_buffer() { return *command_buffer_; }
  [[nodiscard]] const CommandStream& stream() const { return stream_; }
  // As vkBeginCommandBuffer: forgets the recording.
  void Begin();
  // As vkEndCommandBuffer.
  void End();

  // A buffer for scratch with its address known to the layer. Lives as long as the device.
  VkDeviceAddress MakeScratch(VkDeviceSize bytes);
  // A pipeline handle of its own.
  [[nodiscard]] VkPipeline MakePipeline() { return NewHandle<VkPipeline>(); }
  // Makes vkAllocateMemory fail from now on.
  void FailAllocations(bool fail) { max_memory_ = fail ? 0 : UINT64_MAX; }
  // Makes it fail where more than `bytes` would be allocated at a time.
  void LimitMemory(VkDeviceSize bytes) { max_memory_ = bytes; }
  [[nodiscard]] VkDeviceSize AllocatedBytes() const { return memory_; }  // and not yet freed
  // Name that the layer gave an object; empty if none.
  [[nodiscard]] std::string NameOf(uint64_t handle) const;
  // Those that exist and have this name.
  [[nodiscard]] std::vector<CheckedBuffer> BuffersNamed(const std::string& name) const;
  // Objects made and not yet destroyed: buffers, memories, pipelines, layouts, modules.
  [[nodiscard]] int LiveObjects() const { return live_objects_; }
  // Calls of vkAllocateMemory that succeeded.
  [[nodiscard]] int Allocations() const { return allocations_; }
  // Queue families that share the buffer made last; empty if it belongs to one.
  [[nodiscard]] const std::vector<uint32_t>& LastSharing() const { return last_sharing_; }

 private:
  friend struct RecordingDriver;
  struct FakeBuffer {
    VkDeviceSize size = 0;
    VkDeviceMemory memory = VK_NULL_HANDLE;
  };

  template <typename Handle>
  Handle NewHandle() {
    next_handle_ += 16;
    return (Handle)(next_handle_);  // C cast: a pointer or an integer, by platform
  }

  CommandStream stream_;
  std::map<VkBuffer, FakeBuffer> buffers_;
  std::map<VkDeviceMemory, ZeroedMemory> memories_;
  std::map<uint64_t, std::string> names_;
  uint64_t next_handle_ = 0x1000;
  VkDeviceSize max_memory_ = UINT64_MAX;
  VkDeviceSize memory_ = 0;  // allocated and not yet freed
  int allocations_ = 0;
  int live_objects_ = 0;
  std::vector<uint32_t> last_sharing_;

  // Last, because what they own is destroyed through what stands above.
  std::shared_ptr<Instance> instance_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<CommandBuffer> command_buffer_;
};

}  // namespace trellis::test
