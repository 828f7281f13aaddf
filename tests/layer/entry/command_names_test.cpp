// SPDX-License-Identifier: Apache-2.0
// Every vkCmd* of the registry is followed by the layer, or is known to change nothing that it keeps track of; and what
// is followed is followed under all of its names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "layer/entry/neutral_commands.h"
#include "layer/objects/registry.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/layer/hooked_names.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Of the registry that this was built with.
const std::set<std::string> kRegistryCommands = {
#define COMMAND(name) name,
#include "layer/dispatch/registry_names.inc"
#undef COMMAND
};

// On every device with graphs.
const std::set<std::string> kHooked = [] {
#define NAME(name) "vk" #name,
  std::set<std::string> names = {TRELLIS_PROVIDED_GRAPH_HOOKS(NAME)};
#undef NAME
  names.merge(HookedDeviceCommands());
  return names;
}();

// They change what is bound, or how it executes, and have no hook yet: devices that get hold of one are warned about.
const std::set<std::string> kNotFollowed = {"vkCmdBeginConditionalRendering2EXT", "vkCmdBindResourceHeapEXT",
                                            "vkCmdBindSamplerHeapEXT", "vkCmdPushDataEXT"};

TEST(CommandNames, each_of_the_registry_is_hooked_or_neutral) {
  EXPECT_GE(kRegistryCommands.size(), 269u) << "as many as Vulkan 1.4.309 has";
  std::vector<std::string> undecided;
  for (const std::string& name : kRegistryCommands)
    if (!kHooked.count(name) && !entry::IsNeutralCommand(name) && !kNotFollowed.count(name)) undecided.push_back(name);
  EXPECT_THAT(undecided, IsEmpty()) << "does it bind, push, or begin or end something? Then it needs a hook. "
                                       "If not, it belongs into layer/entry/neutral_commands.h";
}

TEST(CommandNames, none_is_both) {
  for (const std::string& name : HookedDeviceCommands()) EXPECT_FALSE(entry::IsNeutralCommand(name)) << name;
  for (const std::string& name : kNotFollowed) EXPECT_FALSE(entry::IsNeutralCommand(name)) << name;
}

// On a driver that has every name of the registry.
TEST(CommandNames, aliases_of_hooked_commands_are_hooked) {
  const FakeDriver few_names;
  DriverOptions options;
  for (const CommandAlias& alias : CommandAliases())
    for (const char* name : {alias.name.data(), alias.command.data()})
      if (!few_names.DeviceFunction(name)) options.stray_commands[name] = [] {};
  FakeDriver driver(options);
  const TestInstance instance(driver);
  const TestDevice device(instance);
  ASSERT_EQ(device.result(), VK_SUCCESS);
  size_t hooked = 0;
  const auto expect_hooked = [&](const auto& object, const CommandAlias& alias) {
    const auto hook = object.template Get<PFN_vkVoidFunction>(alias.command.data());
    EXPECT_NE(hook, driver.DeviceFunction(alias.command.data())) << alias.command;
    EXPECT_EQ(object.template Get<PFN_vkVoidFunction>(alias.name.data()), hook) << alias.name;
    ++hooked;
  };
  const std::set<std::string_view> instance_commands = {
#define NAME(name) "vk" #name,
      TRELLIS_INSTANCE_HOOKS(NAME)
#undef NAME
  };
  for (const CommandAlias& alias : CommandAliases()) {
    if (kHooked.count(std::string(alias.command))) expect_hooked(device, alias);
    if (instance_commands.count(alias.command)) expect_hooked(instance, alias);
  }
  EXPECT_GE(hooked, 30u) << "as many as Vulkan 1.4.309 has";
}

class NewerCommands : public ::testing::Test {
 protected:
  // The messages of `use`, by name.
  template <typename Use>
  std::vector<std::string> Messages(const std::vector<const char*>& extensions, Use&& use) {
    std::vector<std::string> names;
    const TestInstance instance(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
    const Messenger messenger(instance,
                              [&](const HeardMessage& message) { names.push_back(message.data.pMessageIdName); });
    const TestDevice device(instance, extensions);
    use(device);
    return names;
  }

  FakeDriver driver_;
};

constexpr char kNewerExtension[] = "VK_EXT_newer_than_trellis";

TEST_F(NewerCommands, are_passed_on_and_told_of) {
  const auto ask = [](const TestDevice& device) {
    EXPECT_NE(device.Get<PFN_vkVoidFunction>("vkCmdNewerThanTrellis"), nullptr);
    EXPECT_NE(device.Get<PFN_vkVoidFunction>("vkCmdDispatchBase"), nullptr) << "a neutral one";
    EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkCmdNobodyHasThis"), nullptr);
  };
  EXPECT_THAT(Messages({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, kNewerExtension}, ask),
              ElementsAre("TRELLIS-unknown-command"));
  // In newer registries, and not followed all the same.
  for (const char* extension : {"VK_EXT_descriptor_heap", "VK_KHR_device_address_commands"})
    EXPECT_THAT(Messages({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, extension}, ask),
                ElementsAre("TRELLIS-unknown-command"))
        << extension;
  EXPECT_THAT(Messages({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME}, ask), IsEmpty())
      << "some drivers hand out commands of extensions that are not enabled";
  EXPECT_THAT(Messages({kNewerExtension}, ask), IsEmpty()) << "without graphs nothing is tracked";
}

}  // namespace
}  // namespace trellis::test
