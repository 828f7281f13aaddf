// SPDX-License-Identifier: Apache-2.0
// Instances and devices of the device profile layer, for its tests.
#pragma once

#include <string>
#include <vector>

#include "tests/support/messages.h"
#include "tests/support/vulkan.h"

namespace trellis::test {

template <typename Function>
Function Load(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

// A profile with little of everything. Its second queue family has two queues, for compute and transfers.
extern const char* const kSmallProfile;
// Its memory types that are host-visible.
inline constexpr uint32_t kIncoherentType = 1, kCoherentType = 2;

enum class Validation { kOff, kOn };

// An instance of Vulkan 1.3 with the layer and a profile, and the driver's first physical device.
class ProfiledInstance {
 public:
  // `profile`: the JSON text, or null for an instance without the layer. With validation, the validation layer lies
  // above.
  explicit ProfiledInstance(const char* profile, Validation validation = Validation::kOff);
  ~ProfiledInstance();
  ProfiledInstance(const ProfiledInstance&) = delete;
  ProfiledInstance& operator=(const ProfiledInstance&) = delete;

  // Returns the texts of the layer's messages.
  [[nodiscard]] std::vector<std::string> Reports() const;

  MessageLog messages;
  VkResult result = VK_SUCCESS;
  VkInstance handle = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;

 private:
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

struct DeviceRequest {
  VkPhysicalDeviceFeatures features = {};
  std::vector<const char*> extensions = {};
  bool synchronization2 = true;
  uint32_t more_queues = 0;  // than the family has
};

// A device with all queues of the last family.
class ProfiledDevice {
 public:
  explicit ProfiledDevice(const ProfiledInstance& instance, const DeviceRequest& request = {});
  ~ProfiledDevice();
  ProfiledDevice(const ProfiledDevice&) = delete;
  ProfiledDevice& operator=(const ProfiledDevice&) = delete;

  // Returns an executable command buffer. The device owns it.
  template <typename Record>
  [[nodiscard]] VkCommandBuffer Commands(const Record& record) const {
    const VkCommandBuffer command_buffer = Begin();
    record(command_buffer);
    End(command_buffer);
    return command_buffer;
  }
  // Executes commands on the first queue and waits for them.
  template <typename Record>
  void Run(const Record& record) const {
    Execute(Commands(record));
  }

  VkResult result = VK_SUCCESS;
  VkDevice handle = VK_NULL_HANDLE;
  uint32_t family = 0;
  std::vector<VkQueue> queues;

 private:
  [[nodiscard]] VkCommandBuffer Begin() const;
  static void End(VkCommandBuffer command_buffer);
  void Execute(VkCommandBuffer command_buffer) const;

  VkCommandPool pool_ = VK_NULL_HANDLE;
};

// A buffer of kBytes bytes in mapped memory of one type.
class MappedBuffer {
 public:
  static constexpr VkDeviceSize kBytes = 1024;

  MappedBuffer(const ProfiledDevice& device, uint32_t type);
  ~MappedBuffer();
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;

  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  [[nodiscard]] uint32_t* words() const { return words_; }
  [[nodiscard]] uint32_t type_bits() const { return type_bits_; }  // VkMemoryRequirements::memoryTypeBits
  [[nodiscard]] VkMappedMemoryRange Range(VkDeviceSize offset, VkDeviceSize size) const;

 private:
  VkDevice device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  uint32_t type_bits_ = 0;
  uint32_t* words_ = nullptr;
};

// An image of 4 x 4 texels in optimal tiling.
class Image {
 public:
  Image(const ProfiledDevice& device, VkFormat format, VkImageUsageFlags usage);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  [[nodiscard]] VkImage handle() const { return image_; }

 private:
  VkDevice device_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

// A compute pipeline without descriptors. A creation that fails leaves handles null.
class ComputePipeline {
 public:
  template <size_t kWords>
  ComputePipeline(const ProfiledDevice& device, const uint32_t (&code)[kWords], uint32_t push_constant_bytes = 0)
      : ComputePipeline(device.handle, code, sizeof(code), push_constant_bytes) {}
  ~ComputePipeline();
  ComputePipeline(const ComputePipeline&) = delete;
  ComputePipeline& operator=(const ComputePipeline&) = delete;

  void Bind(VkCommandBuffer command_buffer) const;

 private:
  ComputePipeline(VkDevice device, const uint32_t* code, size_t code_bytes, uint32_t push_constant_bytes);

  VkDevice device_;
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace trellis::test
