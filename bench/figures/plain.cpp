// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <optional>

#include "bench/figures/figures.h"
#include "bench/framework/devices.h"
#include "bench_figures/device_commands.h"
#include "bench_shaders/empty.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kDispatches = 20000;
constexpr uint32_t kRecordings = 20;
constexpr uint32_t kNamesInNote = 8;

// A device as an application makes it that has never heard of the extension.
class PlainDevice {
 public:
  explicit PlainDevice(VkPhysicalDevice physical_device) {
    const float priority = 1.0f;
    auto queue = Struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    auto info = Struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    Check(vkCreateDevice(physical_device, &info, nullptr, &device_), "vkCreateDevice");
  }
  ~PlainDevice() { vkDestroyDevice(device_, nullptr); }
  PlainDevice(const PlainDevice&) = delete;
  PlainDevice& operator=(const PlainDevice&) = delete;

  [[nodiscard]] VkDevice handle() const { return device_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
};

// Records dispatches of an empty shader.
class DispatchRecorder {
 public:
  explicit DispatchRecorder(VkPhysicalDevice physical_device) : device_(physical_device) {
    MakePipeline();
    auto pool = Struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    Check(vkCreateCommandPool(device_.handle(), &pool, nullptr, &pool_), "vkCreateCommandPool");
  }
  ~DispatchRecorder() {
    vkDestroyCommandPool(device_.handle(), pool_, nullptr);
    vkDestroyPipeline(device_.handle(), pipeline_, nullptr);
    vkDestroyPipelineLayout(device_.handle(), layout_, nullptr);
  }
  DispatchRecorder(const DispatchRecorder&) = delete;
  DispatchRecorder& operator=(const DispatchRecorder&) = delete;

  // Nanoseconds a dispatch, in the fastest of many recordings.
  [[nodiscard]] double FastestDispatch() const {
    auto allocation = Struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocation.commandPool = pool_;
    allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocation.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    Check(vkAllocateCommandBuffers(device_.handle(), &allocation, &commands), "vkAllocateCommandBuffers");
    double best = Record(commands);
    for (uint32_t i = 0; i < kRecordings; ++i) best = std::min(best, Record(commands));
    return best;
  }

 private:
  void MakePipeline() {
    const auto layout = Struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    Check(vkCreatePipelineLayout(device_.handle(), &layout, nullptr, &layout_), "vkCreatePipelineLayout");
    auto module_info = Struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module_info.codeSize = sizeof(kEmptySpv);
    module_info.pCode = kEmptySpv;
    VkShaderModule module = VK_NULL_HANDLE;
    Check(vkCreateShaderModule(device_.handle(), &module_info, nullptr, &module), "vkCreateShaderModule");
    auto info = Struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = Struct<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout_;
    Check(vkCreateComputePipelines(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
          "vkCreateComputePipelines");
    vkDestroyShaderModule(device_.handle(), module, nullptr);
  }

  [[nodiscard]] double Record(VkCommandBuffer commands) const {
    const auto begin_info = Struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    Check(vkBeginCommandBuffer(commands, &begin_info), "vkBeginCommandBuffer");
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    const auto begin = std::chrono::steady_clock::now();
    for (uint32_t i = 0; i < kDispatches; ++i) vkCmdDispatch(commands, 1, 1, 1);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    return time.count() / kDispatches;
  }

  const PlainDevice device_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

// The file that a function's code is in.
std::string LibraryOf(PFN_vkVoidFunction function) {
  Dl_info info = {};
  if (function == nullptr || dladdr(reinterpret_cast<void*>(function), &info) == 0 || info.dli_fname == nullptr)
    return {};
  return info.dli_fname;
}

// The commands of a device that lead into `library`.
std::vector<std::string> CommandsIn(const std::string& library, VkDevice device) {
  std::vector<std::string> names;
  for (const char* name : kDeviceCommands)
    if (LibraryOf(vkGetDeviceProcAddr(device, name)) == library) names.emplace_back(name);
  return names;
}

// As an application of its own, with an instance of its own.
std::vector<std::string> CommandsOfPlainDeviceIn(const std::string& library, unsigned number) {
  const VkInstance instance = CreateInstance();
  std::vector<std::string> names;
  {
    const PlainDevice plain(ListDevices(instance)[number]);
    names = CommandsIn(library, plain.handle());
  }
  vkDestroyInstance(instance, nullptr);
  return names;
}

// The library that the extension's commands lead to is the layer; what else leads there is hooked.
Figure HookedCommands(const Gpu& gpu, unsigned number) {
  const std::string layer = LibraryOf(reinterpret_cast<PFN_vkVoidFunction>(gpu.graph().CmdDispatchGraph));
  const std::vector<std::string> hooked = CommandsOfPlainDeviceIn(layer, number);
  std::string note = "of " + std::to_string(std::size(kDeviceCommands)) + "; " +
                     std::to_string(CommandsIn(layer, gpu.device()).size()) + " with the extension";
  for (size_t i = 0; i < hooked.size() && i < kNamesInNote; ++i) note += (i == 0 ? "; " : ", ") + hooked[i];
  return {"P10", "device commands hooked without the extension", "commands", double(hooked.size()), 0.0, note};
}

std::optional<unsigned> NumberOf(const Gpu& gpu) {
  const std::vector<VkPhysicalDevice> devices = ListDevices(gpu.instance());
  for (unsigned i = 0; i < devices.size(); ++i)
    if (devices[i] == gpu.physical_device()) return i;
  return std::nullopt;
}

// Runs this program with --plain-dispatches. `setting`: before the command, as in a shell.
std::optional<double> CostInChild(const std::string& setting, unsigned device) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0) return std::nullopt;
  const std::string program(path, static_cast<size_t>(length));
  const std::string command = setting + " '" + program + "' --plain-dispatches --device " + std::to_string(device);
  std::FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return std::nullopt;
  double nanoseconds = 0;
  const bool found = std::fscanf(output, "%lf", &nanoseconds) == 1;
  return pclose(output) == 0 && found ? std::optional(nanoseconds) : std::nullopt;
}

}  // namespace

std::vector<Figure> PlainApplications(const Gpu& gpu, bool quick) {
  const std::optional<unsigned> number = NumberOf(gpu);
  if (!number) return {};
  std::vector<Figure> figures = {HookedCommands(gpu, *number)};
  if (quick) return figures;
  const std::optional<double> with = CostInChild("", *number);
  const std::optional<double> without = CostInChild("TRELLIS_DISABLE=1", *number);
  if (!with || !without) return figures;
  char note[96];
  std::snprintf(note, sizeof(note), "%.1f ns with the layer, %.1f ns without, each in a process of its own", *with,
                *without);
  figures.push_back({"P10", "recording a plain dispatch, with / without", "", *with / *without, std::nullopt, note});
  return figures;
}

void PrintPlainDispatchCost(unsigned number) {
  const VkInstance instance = CreateInstance();
  const std::vector<VkPhysicalDevice> devices = ListDevices(instance);
  if (number >= devices.size()) Fail("no device of that number");
  std::printf("%f\n", DispatchRecorder(devices[number]).FastestDispatch());
  vkDestroyInstance(instance, nullptr);
}

}  // namespace trellis::bench
