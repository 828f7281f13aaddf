// SPDX-License-Identifier: Apache-2.0
// Devices of applications that write their features in every way there is, and for every version of Vulkan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

#include "layer/dispatch/struct_chain.h"
#include "layer/objects/registry.h"
#include "tests/layer/fake_driver/messenger.h"

namespace trellis::test {
namespace {

using ::testing::Contains;
using ::testing::Not;

enum class Ours : uint8_t { kAbsent, kFirst, kLast, kTwice };          // VkPhysicalDeviceShaderEnqueueFeaturesAMDX
enum class Needed : uint8_t { kUnmentioned, kSingle, kCore };          // structures of features that the layer needs
enum class Base : uint8_t { kNeither, kFeatures2, kEnabledFeatures };  // where the features of Vulkan 1.0 are

struct ChainShape {
  uint32_t api_version = VK_API_VERSION_1_3;  // of application and device
  Ours ours = Ours::kAbsent;
  Needed needed = Needed::kUnmentioned;
  Base base = Base::kNeither;
  bool reconvergence_offered = false;
  bool reconvergence_chained = false;
  bool native_maintenance5 = false;
};

std::ostream& operator<<(std::ostream& out, const ChainShape& shape) {
  return out << "Vulkan 1." << VK_API_VERSION_MINOR(shape.api_version) << ", ours " << static_cast<int>(shape.ours)
             << ", needed " << static_cast<int>(shape.needed) << ", base " << static_cast<int>(shape.base)
             << ", reconvergence " << shape.reconvergence_offered << shape.reconvergence_chained << ", maintenance5 "
             << shape.native_maintenance5;
}

std::vector<ChainShape> AllShapes() {
  std::vector<ChainShape> shapes;
  for (const uint32_t version : {VK_API_VERSION_1_2, VK_API_VERSION_1_3, VK_API_VERSION_1_4})
    for (const Ours ours : {Ours::kAbsent, Ours::kFirst, Ours::kLast, Ours::kTwice})
      for (const Needed needed : {Needed::kUnmentioned, Needed::kSingle, Needed::kCore})
        for (const Base base : {Base::kNeither, Base::kFeatures2, Base::kEnabledFeatures})
          for (const bool native : {false, true}) {
            if (version == VK_API_VERSION_1_4 && !native) continue;  // Vulkan 1.4 has it
            shapes.push_back({version, ours, needed, base, false, false, native});
            shapes.push_back({version, ours, needed, base, true, false, native});
            shapes.push_back({version, ours, needed, base, true, true, native});
          }
  return shapes;
}

DriverOptions OptionsFor(const ChainShape& shape) {
  DriverOptions options;
  options.api_version = shape.api_version;
  options.extensions = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME,
                        VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, VK_KHR_MAINTENANCE_4_EXTENSION_NAME};
  options.maintenance4 = true;
  options.maximal_reconvergence = options.shader_int64 = shape.reconvergence_offered;
  if (shape.reconvergence_offered) options.extensions.push_back(VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME);
  if (shape.native_maintenance5) options.extensions.push_back(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  return options;
}

// What the application chains. Of each structure it sets one feature that the layer has no interest in.
class Application {
 public:
  explicit Application(const ChainShape& shape) {
    enqueue_.shaderEnqueue = enqueue_again_.shaderEnqueue = VK_TRUE;
    if (shape.ours == Ours::kFirst || shape.ours == Ours::kTwice) Link(enqueue_);
    features2_.features.shaderInt64 = features_.shaderInt64 = VK_TRUE;
    if (shape.base == Base::kFeatures2) Link(features2_);
    if (shape.base == Base::kEnabledFeatures) enabled_features_ = &features_;
    if (shape.needed == Needed::kSingle) LinkSingle(shape.api_version);
    if (shape.needed == Needed::kCore) LinkCore(shape.api_version);
    if (shape.reconvergence_chained) Link(reconvergence_);
    maintenance5_.maintenance5 = VK_TRUE;
    if (shape.api_version < VK_API_VERSION_1_4 || shape.needed != Needed::kCore) Link(maintenance5_);
    if (shape.ours == Ours::kLast || shape.ours == Ours::kTwice) Link(enqueue_again_);
    for (const VkBaseOutStructure* structure : chain_) before_.push_back(BytesOf(*structure));
  }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  [[nodiscard]] const void* chain() const { return chain_.empty() ? nullptr : chain_.front(); }
  [[nodiscard]] const VkPhysicalDeviceFeatures* features() const { return enabled_features_; }

  [[nodiscard]] bool IsUntouched() const {
    for (size_t i = 0; i < chain_.size(); ++i)
      if (BytesOf(*chain_[i]) != before_[i]) return false;
    return true;
  }

 private:
  template <typename Struct>
  void Link(Struct& structure) {
    structure.sType = kStructureType<Struct>;
    auto* linked = reinterpret_cast<VkBaseOutStructure*>(&structure);
    if (!chain_.empty()) chain_.back()->pNext = linked;
    chain_.push_back(linked);
  }
  void LinkSingle(uint32_t version) {
    timeline_.timelineSemaphore = address_.bufferDeviceAddressCaptureReplay = VK_TRUE;
    storage16_.uniformAndStorageBuffer16BitAccess = storage8_.uniformAndStorageBuffer8BitAccess = VK_TRUE;
    Link(timeline_);
    Link(address_);
    Link(scalar_);
    Link(storage16_);
    Link(storage8_);
    if (version >= VK_API_VERSION_1_3) Link(maintenance4_);
  }
  void LinkCore(uint32_t version) {
    vulkan11_.multiview = vulkan12_.timelineSemaphore = vulkan13_.dynamicRendering = VK_TRUE;
    vulkan14_.maintenance5 = VK_TRUE;
    Link(vulkan12_);
    Link(vulkan11_);
    if (version >= VK_API_VERSION_1_3) Link(vulkan13_);
    if (version >= VK_API_VERSION_1_4) Link(vulkan14_);
  }
  static std::string BytesOf(const VkBaseOutStructure& structure) {
    return {reinterpret_cast<const char*>(&structure), StructSize(structure.sType)};
  }

  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue_ = {}, enqueue_again_ = {};
  VkPhysicalDeviceMaintenance5Features maintenance5_ = {};
  VkPhysicalDeviceFeatures2 features2_ = {};
  VkPhysicalDeviceFeatures features_ = {};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline_ = {};
  VkPhysicalDeviceBufferDeviceAddressFeatures address_ = {};
  VkPhysicalDeviceScalarBlockLayoutFeatures scalar_ = {};
  VkPhysicalDevice16BitStorageFeatures storage16_ = {};
  VkPhysicalDevice8BitStorageFeatures storage8_ = {};
  VkPhysicalDeviceMaintenance4Features maintenance4_ = {};
  VkPhysicalDeviceVulkan11Features vulkan11_ = {};
  VkPhysicalDeviceVulkan12Features vulkan12_ = {};
  VkPhysicalDeviceVulkan13Features vulkan13_ = {};
  VkPhysicalDeviceVulkan14Features vulkan14_ = {};
  VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR reconvergence_ = {};
  const VkPhysicalDeviceFeatures* enabled_features_ = nullptr;
  std::vector<VkBaseOutStructure*> chain_;
  std::vector<std::string> before_;
};

// The structure as it reached the driver, if it did.
template <typename Struct>
std::optional<Struct> Received(const FakeDriver& driver) {
  const auto found = driver.device_features.find(kStructureType<Struct>);
  if (found == driver.device_features.end()) return std::nullopt;
  Struct structure = {};
  std::memcpy(reinterpret_cast<char*>(&structure) + sizeof(VkBaseInStructure), found->second.data(),
              found->second.size() * sizeof(VkBool32));
  return structure;
}

void ExpectNeededFeatures(const FakeDriver& driver, const ChainShape& shape) {
  if (shape.needed == Needed::kCore) {
    const auto vulkan11 = Received<VkPhysicalDeviceVulkan11Features>(driver);
    const auto vulkan12 = Received<VkPhysicalDeviceVulkan12Features>(driver);
    ASSERT_TRUE(vulkan11 && vulkan12);
    EXPECT_TRUE(vulkan11->storageBuffer16BitAccess && vulkan11->multiview);
    EXPECT_TRUE(vulkan12->bufferDeviceAddress && vulkan12->scalarBlockLayout && vulkan12->storageBuffer8BitAccess);
    EXPECT_TRUE(vulkan12->timelineSemaphore);
    // VUID-VkDeviceCreateInfo-pNext-02829 and -02830.
    for (const VkStructureType type : {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES})
      EXPECT_THAT(driver.device_chain, Not(Contains(type)));
    return;
  }
  const auto address = Received<VkPhysicalDeviceBufferDeviceAddressFeatures>(driver);
  const auto scalar = Received<VkPhysicalDeviceScalarBlockLayoutFeatures>(driver);
  const auto storage16 = Received<VkPhysicalDevice16BitStorageFeatures>(driver);
  const auto storage8 = Received<VkPhysicalDevice8BitStorageFeatures>(driver);
  ASSERT_TRUE(address && scalar && storage16 && storage8);
  EXPECT_TRUE(address->bufferDeviceAddress && scalar->scalarBlockLayout);
  EXPECT_TRUE(storage16->storageBuffer16BitAccess && storage8->storageBuffer8BitAccess);
  const VkBool32 others = shape.needed == Needed::kSingle;
  EXPECT_EQ(address->bufferDeviceAddressCaptureReplay, others);
  EXPECT_EQ(storage16->uniformAndStorageBuffer16BitAccess, others);
  EXPECT_EQ(storage8->uniformAndStorageBuffer8BitAccess, others);
}

// Vulkan 1.2 has it as an extension only.
void ExpectMaintenance4(const FakeDriver& driver, const ChainShape& shape) {
  const auto single = Received<VkPhysicalDeviceMaintenance4Features>(driver);
  const auto core = Received<VkPhysicalDeviceVulkan13Features>(driver);
  const bool vulkan13 = shape.api_version >= VK_API_VERSION_1_3;
  EXPECT_EQ(
      std::count(driver.device_extensions.begin(), driver.device_extensions.end(), VK_KHR_MAINTENANCE_4_EXTENSION_NAME),
      vulkan13 ? 0 : 1);
  if (vulkan13 && shape.needed == Needed::kCore) {
    EXPECT_TRUE(core && core->maintenance4 && core->dynamicRendering && !single);
  } else {
    EXPECT_TRUE(single && single->maintenance4 && !core);
  }
}

void ExpectOthers(const FakeDriver& driver, const ChainShape& shape) {
  EXPECT_THAT(driver.device_chain, Not(Contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX)));
  const auto count = [&](VkStructureType type) {
    return std::count(driver.device_chain.begin(), driver.device_chain.end(), type);
  };
  const bool in_core = shape.api_version >= VK_API_VERSION_1_4 && shape.needed == Needed::kCore;
  EXPECT_EQ(count(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES), shape.native_maintenance5 && !in_core);
  EXPECT_EQ(count(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES), in_core);
  const auto reconvergence = Received<VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR>(driver);
  EXPECT_EQ(reconvergence && reconvergence->shaderMaximalReconvergence, shape.reconvergence_offered);
  EXPECT_EQ(count(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2), shape.base == Base::kFeatures2);
  // VUID-VkDeviceCreateInfo-pNext-00373: one of the two at most. The drivers that offer reconvergence have 64-bit
  // integers too, which the layer enables.
  const bool is_added = shape.base == Base::kNeither && shape.reconvergence_offered;
  EXPECT_EQ(driver.enabled_features.has_value(), shape.base == Base::kEnabledFeatures || is_added);
  if (driver.enabled_features) {
    EXPECT_TRUE(driver.enabled_features->shaderInt64);
  }
}

TEST(DeviceChains, of_every_shape) {
  for (const ChainShape& shape : AllShapes()) {
    std::ostringstream text;
    text << shape;
    SCOPED_TRACE(text.str());
    FakeDriver driver(OptionsFor(shape));
    const TestInstance instance(driver, {}, nullptr, shape.api_version);
    const Application application(shape);
    std::vector<const char*> extensions = kGraphExtensions;
    if (shape.reconvergence_chained) extensions.push_back(VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME);
    const TestDevice device(instance, extensions, application.chain(), application.features());
    ASSERT_EQ(device.result(), VK_SUCCESS);
    EXPECT_TRUE(application.IsUntouched());

    const std::set<VkStructureType> types(driver.device_chain.begin(), driver.device_chain.end());
    EXPECT_EQ(types.size(), driver.device_chain.size()) << "a structure went down twice";
    const std::set<std::string> names(driver.device_extensions.begin(), driver.device_extensions.end());
    EXPECT_EQ(names.size(), driver.device_extensions.size()) << "an extension went down twice";
    ExpectNeededFeatures(driver, shape);
    ExpectMaintenance4(driver, shape);
    ExpectOthers(driver, shape);

    const auto object = FindDevice(device.handle());
    EXPECT_EQ(object->shader_enqueue_enabled, shape.ours != Ours::kAbsent);
    EXPECT_EQ(object->traits.shader_int64, shape.base != Base::kNeither || shape.reconvergence_offered);
    EXPECT_EQ(object->traits.api_version, shape.api_version);
    EXPECT_EQ(object->traits.maximal_reconvergence, shape.reconvergence_offered);
    EXPECT_TRUE(object->traits.buffer_device_address && object->traits.scalar_block_layout);
    EXPECT_TRUE(object->traits.maintenance4);
  }
}

// The older version of the two counts: neither may use what the other does not have.
TEST(DeviceChains, versions_of_application_and_device_differ) {
  const auto offers = [](uint32_t application, uint32_t device, std::vector<std::string> extensions) {
    DriverOptions options;
    options.api_version = device;
    options.extensions = std::move(extensions);
    FakeDriver driver(options);
    const TestInstance instance(driver, {}, nullptr, application);
    const std::vector<std::string> offered = instance.DeviceExtensions();
    return std::count(offered.begin(), offered.end(), VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) == 1;
  };
  const std::vector<std::string> for_vulkan12 = {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME,
                                                 VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME};
  EXPECT_TRUE(offers(VK_API_VERSION_1_4, VK_API_VERSION_1_3, {}));
  EXPECT_TRUE(offers(VK_API_VERSION_1_3, VK_API_VERSION_1_4, {}));
  EXPECT_FALSE(offers(VK_API_VERSION_1_2, VK_API_VERSION_1_4, {}));
  EXPECT_TRUE(offers(VK_API_VERSION_1_2, VK_API_VERSION_1_4, for_vulkan12));
  EXPECT_FALSE(offers(VK_API_VERSION_1_4, VK_API_VERSION_1_2, {}));
  EXPECT_TRUE(offers(VK_API_VERSION_1_4, VK_API_VERSION_1_2, for_vulkan12));
  EXPECT_FALSE(offers(VK_API_VERSION_1_1, VK_API_VERSION_1_4, for_vulkan12));
  EXPECT_FALSE(offers(VK_API_VERSION_1_4, VK_API_VERSION_1_1, for_vulkan12));
}

// The bit may be that of another extension, which the layer does not know.
TEST(DeviceChains, partitions_come_with_their_extension) {
  for (const bool offered : {true, false}) {
    SCOPED_TRACE(offered);
    DriverOptions options;
    options.subgroup_operations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;
    if (offered) options.extensions.push_back(VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME);
    FakeDriver driver(options);
    const TestInstance instance(driver);
    const TestDevice device(instance);
    ASSERT_EQ(device.result(), VK_SUCCESS);
    EXPECT_THAT(driver.device_extensions,
                Contains(VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME).Times(offered ? 1 : 0));
    EXPECT_EQ(FindDevice(device.handle())->traits.subgroup_operations,
              offered ? options.subgroup_operations : VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT});
  }
}

class DeviceGroups : public ::testing::Test {
 protected:
  [[nodiscard]] VkDeviceGroupDeviceCreateInfo GroupOf(uint32_t count) const {
    return {VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO, nullptr, count, physical_devices_};
  }

  FakeDriver driver_;
  TestInstance instance_{driver_};
  const VkPhysicalDevice physical_devices_[2] = {instance_.physical_device(), instance_.physical_device()};
};

TEST_F(DeviceGroups, of_one_device_are_devices) {
  const VkDeviceGroupDeviceCreateInfo group = GroupOf(1);
  const TestDevice device(instance_, kGraphExtensions, &group);
  ASSERT_EQ(device.result(), VK_SUCCESS);
  EXPECT_THAT(driver_.device_chain, Contains(VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO));

  // Masks, bases and the structure for submissions reach the driver.
  const VkCommandBuffer command_buffer = device.Begin();
  TRELLIS_CALL(device, CmdSetDeviceMask)(command_buffer, 1);
  TRELLIS_CALL(device, CmdDispatchBase)(command_buffer, 1, 2, 3, 4, 5, 6);
  EXPECT_EQ(driver_.CallsOf("CmdSetDeviceMask").at(0).flags, 1u);
  EXPECT_THAT(driver_.CallsOf("CmdDispatchBase").at(0).dynamic_offsets, ::testing::ElementsAre(1, 2, 3, 4, 5, 6));
  const uint32_t mask = 1;
  auto masks = MakeStruct<VkDeviceGroupSubmitInfo>();
  masks.commandBufferCount = 1;
  masks.pCommandBufferDeviceMasks = &mask;
  auto submit = MakeStruct<VkSubmitInfo>(&masks);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer;
  VkQueue queue = VK_NULL_HANDLE;
  TRELLIS_CALL(device, GetDeviceQueue)(device.handle(), 0, 0, &queue);
  EXPECT_EQ(TRELLIS_CALL(device, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_THAT(driver_.CallsOf("QueueSubmit").at(0).chain,
              ::testing::ElementsAre(VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO));
}

TEST_F(DeviceGroups, of_several_devices_have_no_graphs) {
  const VkDeviceGroupDeviceCreateInfo group = GroupOf(2);
  {
    const TestDevice device(instance_, kGraphExtensions, &group);
    EXPECT_EQ(device.result(), VK_ERROR_EXTENSION_NOT_PRESENT);
  }
  EXPECT_EQ(driver_.CountOf("CreateDevice"), 0u);
  const TestDevice without_graphs(instance_, {VK_KHR_MAINTENANCE_5_EXTENSION_NAME}, &group);
  EXPECT_EQ(without_graphs.result(), VK_SUCCESS);
  EXPECT_THAT(driver_.device_chain, Contains(VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO));
}

TEST_F(DeviceGroups, of_several_devices_say_why) {
  std::vector<std::string> names;
  const TestInstance instance(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const Messenger messenger(instance,
                            [&names](const HeardMessage& message) { names.emplace_back(message.data.pMessageIdName); });
  const VkDeviceGroupDeviceCreateInfo group = GroupOf(2);
  const TestDevice device(instance, kGraphExtensions, &group);
  EXPECT_THAT(names, ::testing::ElementsAre("TRELLIS-device-group"));
}

}  // namespace
}  // namespace trellis::test
