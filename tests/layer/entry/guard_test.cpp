// SPDX-License-Identifier: Apache-2.0
// Exceptions that reach the boundary of the layer.
#include "layer/entry/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/fake_driver/messenger.h"

namespace trellis::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Commands that end with an exception.
template <typename Handle>
VKAPI_ATTR VkResult VKAPI_CALL ThrowsOutOfRange(Handle) {
  throw std::out_of_range("index 7 of 3");
}
template <typename Handle>
VKAPI_ATTR VkResult VKAPI_CALL ThrowsBadAlloc(Handle) {
  throw std::bad_alloc();
}
template <typename Handle>
VKAPI_ATTR void VKAPI_CALL ThrowsNumber(Handle) {
  throw 7;
}

template <typename Handle>
VkResult CallThrowing(Handle handle) {
  return entry::Guarded<&ThrowsOutOfRange<Handle>, "vkThrow">::Call(handle);
}

// Matches the one report of an exception.
auto Reports(const std::string& command, const std::string& what) {
  return ElementsAre(AllOf(StartsWith("TRELLIS-internal-error: " + command + ": "), HasSubstr(what),
                           HasSubstr("a defect of Trellis"), HasSubstr("report it")));
}

class Guard : public ::testing::Test {
 protected:
  std::vector<std::string> Heard() { return std::exchange(heard_, {}); }

  std::vector<std::string> heard_;
  FakeDriver driver_;
  TestInstance instance_{driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}};
  TestDevice device_{instance_};
  const Messenger messenger_{instance_, [this](const HeardMessage& message) {
                               EXPECT_EQ(message.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
                               CollectIn(heard_)(message);
                             }};
};

TEST_F(Guard, unexpected_exceptions_are_reported_whatever_the_object) {
  VkQueue queue = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, GetDeviceQueue)(device_.handle(), 0, 0, &queue);
  const VkCommandBuffer command_buffer = device_.Begin();
  EXPECT_EQ(CallThrowing(instance_.handle()), VK_ERROR_UNKNOWN);
  EXPECT_THAT(Heard(), Reports("vkThrow", "index 7 of 3"));
  EXPECT_EQ(CallThrowing(instance_.physical_device()), VK_ERROR_UNKNOWN);
  EXPECT_THAT(Heard(), Reports("vkThrow", "index 7 of 3"));
  EXPECT_EQ(CallThrowing(device_.handle()), VK_ERROR_UNKNOWN);
  EXPECT_THAT(Heard(), Reports("vkThrow", "index 7 of 3"));
  EXPECT_EQ(CallThrowing(queue), VK_ERROR_UNKNOWN);
  EXPECT_THAT(Heard(), Reports("vkThrow", "index 7 of 3"));
  EXPECT_EQ(CallThrowing(command_buffer), VK_ERROR_UNKNOWN);
  EXPECT_THAT(Heard(), Reports("vkThrow", "index 7 of 3"));
  EXPECT_EQ(CallThrowing(VkDevice{VK_NULL_HANDLE}), VK_ERROR_UNKNOWN);
}

TEST_F(Guard, exhausted_memory_is_not_reported) {
  EXPECT_EQ((entry::Guarded<&ThrowsBadAlloc<VkDevice>, "vkThrow">::Call(device_.handle())),
            VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_THAT(heard_, IsEmpty());
}

TEST_F(Guard, the_end_of_a_recording_returns_the_error) {
  const VkCommandBuffer command_buffer = device_.Begin();
  entry::Guarded<&ThrowsNumber<VkCommandBuffer>, "vkCmdThrow">::Call(command_buffer);
  EXPECT_THAT(Heard(), Reports("vkCmdThrow", "not a std::exception"));
  EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), VK_ERROR_UNKNOWN);
}

// The layer's own commands, by way of exceptions from the driver.
TEST_F(Guard, vkCreateDevice_names_itself) {
  driver_.see_device_chain = [](const void*) { throw std::logic_error("a chain that nothing expects"); };
  EXPECT_EQ(TestDevice(instance_).result(), VK_ERROR_UNKNOWN);
  EXPECT_THAT(Heard(), Reports("vkCreateDevice", "a chain that nothing expects"));
}

TEST_F(Guard, vkCreateInstance_tells_the_messengers_of_its_chain) {
  std::vector<std::string> heard;
  const Hear hear = CollectIn(heard);
  const VkDebugUtilsMessengerCreateInfoEXT info = MessengerInfo(hear);
  driver_.see_instance_chain = [](const void*) { throw std::logic_error("a chain that nothing expects"); };
  EXPECT_EQ(TestInstance(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &info).result(), VK_ERROR_UNKNOWN);
  EXPECT_THAT(heard, Reports("vkCreateInstance", "a chain that nothing expects"));
}

}  // namespace
}  // namespace trellis::test
