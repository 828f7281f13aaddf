// SPDX-License-Identifier: Apache-2.0
// An ordinary application that says what the loader gives it: one line `name = value` a fact. For loader_test.py.
//
// usage: loader_probe [ROUNDS]     instances made and destroyed one after the other, 1 unless given
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/support/loaded_libraries.h"

#ifndef VK_AMDX_shader_enqueue
#error "compile with VK_ENABLE_BETA_EXTENSIONS"
#endif

namespace {

constexpr const char* kGraphCommands[] = {"vkCreateExecutionGraphPipelinesAMDX",
                                          "vkGetExecutionGraphPipelineScratchSizeAMDX",
                                          "vkGetExecutionGraphPipelineNodeIndexAMDX",
                                          "vkCmdInitializeGraphScratchMemoryAMDX",
                                          "vkCmdDispatchGraphAMDX",
                                          "vkCmdDispatchGraphIndirectAMDX",
                                          "vkCmdDispatchGraphIndirectCountAMDX"};

void Print(const char* name, uint64_t value) { std::printf("%s = %llu\n", name, (unsigned long long)value); }

std::vector<VkExtensionProperties> Extensions(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  return extensions;
}

size_t Count(const std::vector<VkExtensionProperties>& extensions, const char* name) {
  return std::count_if(extensions.begin(), extensions.end(), [name](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

void PrintFeaturesAndLimits(VkPhysicalDevice device) {
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {};
  enqueue.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;
  VkPhysicalDeviceMeshShaderFeaturesEXT mesh = {};
  mesh.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT;
  if (Count(Extensions(device), VK_EXT_MESH_SHADER_EXTENSION_NAME) != 0) enqueue.pNext = &mesh;
  VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue, {}};
  vkGetPhysicalDeviceFeatures2(device, &features);
  Print("meshShader", mesh.meshShader);
  Print("shaderEnqueue", enqueue.shaderEnqueue);
  Print("shaderMeshEnqueue", enqueue.shaderMeshEnqueue);

  VkPhysicalDeviceShaderEnqueuePropertiesAMDX limits = {};
  limits.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX;
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits, {}};
  vkGetPhysicalDeviceProperties2(device, &properties);
  Print("maxExecutionGraphDepth", limits.maxExecutionGraphDepth);
  Print("maxExecutionGraphShaderOutputNodes", limits.maxExecutionGraphShaderOutputNodes);
  Print("maxExecutionGraphShaderPayloadSize", limits.maxExecutionGraphShaderPayloadSize);
  Print("maxExecutionGraphShaderPayloadCount", limits.maxExecutionGraphShaderPayloadCount);
  Print("executionGraphDispatchAddressAlignment", limits.executionGraphDispatchAddressAlignment);
  Print("maxExecutionGraphWorkgroupCount",
        *std::min_element(limits.maxExecutionGraphWorkgroupCount, limits.maxExecutionGraphWorkgroupCount + 3));
  Print("maxExecutionGraphWorkgroups", limits.maxExecutionGraphWorkgroups);
}

VkDevice MakeDevice(VkPhysicalDevice physical_device, const std::vector<const char*>& extensions, const void* chain) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = chain;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  if (vkCreateDevice(physical_device, &info, nullptr, &device) != VK_SUCCESS) return VK_NULL_HANDLE;
  return device;
}

size_t CountGraphCommands(VkDevice device) {
  return std::count_if(std::begin(kGraphCommands), std::end(kGraphCommands),
                       [device](const char* name) { return vkGetDeviceProcAddr(device, name) != nullptr; });
}

void PrintDevices(VkPhysicalDevice physical_device, bool offered) {
  const VkDevice plain = MakeDevice(physical_device, {}, nullptr);
  Print("plain device", plain != VK_NULL_HANDLE);
  if (plain) {
    Print("graph commands of the plain device", CountGraphCommands(plain));
    vkDestroyDevice(plain, nullptr);
  }
  if (!offered) return;
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {};
  enqueue.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;
  enqueue.shaderEnqueue = VK_TRUE;
  VkPhysicalDeviceMaintenance5Features maintenance5 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES,
                                                       &enqueue, VK_TRUE};
  const VkDevice graphs = MakeDevice(physical_device,
                                     {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                      VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME},
                                     &maintenance5);
  Print("graph device", graphs != VK_NULL_HANDLE);
  if (!graphs) return;
  Print("graph commands", CountGraphCommands(graphs));
  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(graphs, 0, 0, &queue);
  Print("submits", vkQueueSubmit(queue, 0, nullptr, VK_NULL_HANDLE) == VK_SUCCESS);
  vkDestroyDevice(graphs, nullptr);
}

constexpr const char* kLayerLibrary = "VkLayer_TRELLIS_shader_enqueue";

// What an application does from beginning to end.
bool Run() {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS) return false;
  uint32_t count = 1;
  VkPhysicalDevice device = VK_NULL_HANDLE;
  vkEnumeratePhysicalDevices(instance, &count, &device);
  if (!device) return false;

  const auto extensions = Extensions(device);
  const size_t listed = Count(extensions, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
  Print("extension listed", listed);
  Print("maintenance5 listed", Count(extensions, VK_KHR_MAINTENANCE_5_EXTENSION_NAME));
  PrintFeaturesAndLimits(device);
  PrintDevices(device, listed != 0);
  Print("layer loaded", trellis::test::IsLoaded(kLayerLibrary));
  trellis::test::KeepLibrariesLoaded(kLayerLibrary);
  vkDestroyInstance(instance, nullptr);
  Print("layer left behind", trellis::test::IsLoaded(kLayerLibrary));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round)
    if (!Run()) return 1;
  std::printf("done\n");
  return 0;
}
