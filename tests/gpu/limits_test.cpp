// SPDX-License-Identifier: Apache-2.0
// What the device says about the extension.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

using Limits = GpuTest;

TEST_F(Limits, AtLeastWhatIsRequired) {
  const VkPhysicalDeviceShaderEnqueuePropertiesAMDX& limits = context().enqueue_properties;
  EXPECT_GE(limits.maxExecutionGraphDepth, 32u);
  EXPECT_GE(limits.maxExecutionGraphShaderOutputNodes, 256u);
  EXPECT_GE(limits.maxExecutionGraphShaderPayloadSize, 32768u);
  EXPECT_GE(limits.maxExecutionGraphShaderPayloadCount, 256u);
  EXPECT_LE(limits.executionGraphDispatchAddressAlignment, 4u);
  EXPECT_GE(limits.executionGraphDispatchAddressAlignment, 1u);
  for (const uint32_t count : limits.maxExecutionGraphWorkgroupCount) EXPECT_GE(count, 65535u);
  EXPECT_GE(limits.maxExecutionGraphWorkgroups, (1u << 24) - 1);
}

TEST_F(Limits, ListedOnceAtRevisionTwo) {
  uint32_t count = 0;
  ASSERT_EQ(vkEnumerateDeviceExtensionProperties(context().physical_device, nullptr, &count, nullptr), VK_SUCCESS);
  std::vector<VkExtensionProperties> extensions(count);
  ASSERT_EQ(vkEnumerateDeviceExtensionProperties(context().physical_device, nullptr, &count, extensions.data()),
            VK_SUCCESS);
  ASSERT_EQ(extensions.size(), count);
  int enqueue = 0, maintenance5 = 0;
  for (const VkExtensionProperties& extension : extensions) {
    if (std::strcmp(extension.extensionName, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) == 0) {
      ++enqueue;
      EXPECT_EQ(extension.specVersion, 2u);
    }
    if (std::strcmp(extension.extensionName, VK_KHR_MAINTENANCE_5_EXTENSION_NAME) == 0) ++maintenance5;
  }
  EXPECT_EQ(enqueue, 1);
  EXPECT_EQ(maintenance5, 1);
  // Too little room: VK_INCOMPLETE, and no more than that is written.
  uint32_t fewer = count - 1;
  EXPECT_EQ(vkEnumerateDeviceExtensionProperties(context().physical_device, nullptr, &fewer, extensions.data()),
            VK_INCOMPLETE);
  EXPECT_EQ(fewer, count - 1);
}

TEST_F(Limits, Features) {
  auto maintenance5 = MakeStruct<VkPhysicalDeviceMaintenance5FeaturesKHR>();
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(&maintenance5);
  auto mesh = MakeStruct<VkPhysicalDeviceMeshShaderFeaturesEXT>();
  if (HasExtension(context().physical_device, VK_EXT_MESH_SHADER_EXTENSION_NAME)) maintenance5.pNext = &mesh;
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&enqueue);
  vkGetPhysicalDeviceFeatures2(context().physical_device, &features);
  EXPECT_EQ(enqueue.shaderEnqueue, VK_TRUE);
  EXPECT_EQ(enqueue.shaderMeshEnqueue, mesh.meshShader);
  EXPECT_EQ(maintenance5.maintenance5, VK_TRUE);
}

// What the layer passes down when the device is made is beyond reproach.
TEST_F(Limits, NoMessageAboutTheDevice) {
  for (const Message& message : context().creation_messages) ADD_FAILURE() << message.id << ": " << message.text;
}

}  // namespace
}  // namespace trellis::test
