// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/fake_driver/fake_driver.h"

#include <algorithm>
#include <iterator>

#include "tests/layer/fake_driver/driver_function.h"

namespace trellis::test {

DriverOptions WithMeshShaders() {
  DriverOptions options;
  options.extensions.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
  options.mesh_shader = true;
  return options;
}

FakeDriver::FakeDriver(DriverOptions driver_options) : options(std::move(driver_options)) {}

FakeDriver::~FakeDriver() = default;

void* FakeDriver::MakeDispatchable(const void* parent) {
  const std::lock_guard lock(objects_mutex_);
  if (!parent) loader_tables_.push_back(std::make_unique<char>());
  const void* table = parent ? static_cast<const Object*>(parent)->loader_table : loader_tables_.back().get();
  objects_.push_back(std::make_unique<Object>(Object{table, this}));
  return objects_.back().get();
}

VkQueue FakeDriver::QueueOf(VkDevice device, uint32_t family, uint32_t index) {
  const std::lock_guard lock(queues_mutex_);
  VkQueue& queue = queues_[{device, family, index}];
  if (queue == VK_NULL_HANDLE) queue = static_cast<VkQueue>(MakeDispatchable(device));
  return queue;
}

std::vector<DriverCall> FakeDriver::CallsOf(const std::string& name) const {
  std::vector<DriverCall> found;
  std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(found),
               [&](const DriverCall& call) { return call.name == name; });
  return found;
}

size_t FakeDriver::LiveObjects() const {
  std::set<uint64_t> objects;
  for (const DriverCall& call : calls_) {
    if (call.object == 0) continue;
    if (call.name.starts_with("Create")) objects.insert(call.object);
    if (call.name.starts_with("Destroy")) objects.erase(call.object);
  }
  const size_t devices = CountOf("CreateDevice") - CountOf("DestroyDevice");
  const size_t instances = CountOf("CreateInstance") - CountOf("DestroyInstance");
  return instances + devices + objects.size() + memories.size();
}

PFN_vkVoidFunction FakeDriver::DeviceFunction(const char* name) const {
  const ScopedDriverCall call;
  if (options.missing_commands.count(name)) return nullptr;
  if (const auto stray = options.stray_commands.find(name); stray != options.stray_commands.end()) return stray->second;
  if (const std::string text = name; text.ends_with("AMDX") && !options.shader_enqueue_commands) return nullptr;
  if (const PFN_vkVoidFunction function = FakeDeviceFunction(name)) return function;
  if (const PFN_vkVoidFunction function = FakeRenderPassFunction(name)) return function;
  if (const PFN_vkVoidFunction function = FakeDynamicStateFunction(name)) return function;
  return FakeCommandFunction(name);
}

}  // namespace trellis::test
