// SPDX-License-Identifier: Apache-2.0
// trellis-doctor: one command for someone whose device the project does not have.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tools/self_test/bench.h"
#include "tools/self_test/device_report.h"
#include "tools/self_test/environment.h"
#include "tools/self_test/graph.h"
#include "tools/self_test/options.h"
#include "tools/self_test/report.h"
#include "trellis_version.h"

namespace trellis::self_test {
namespace {

constexpr const char* kLayer = "VK_LAYER_TRELLIS_shader_enqueue";

// Where the messenger writes: the device that is being looked at.
struct MessageTarget {
  DeviceEntry* entry = nullptr;
};

VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  DeviceEntry* const entry = static_cast<MessageTarget*>(user_data)->entry;
  const char* const id = data->pMessageIdName == nullptr ? "" : data->pMessageIdName;
  if (entry == nullptr || std::strncmp(id, "TRELLIS-", 8) != 0) return VK_FALSE;
  JsonObject message;
  message.Number("severity", severity);
  message.Text("id", id);
  message.Text("text", data->pMessage);
  entry->messages.Add(message.str());
  if (std::strcmp(id, "TRELLIS-emulation-decision") == 0) std::printf("  %s\n", data->pMessage);
  return VK_FALSE;
}

bool HasDebugUtils() {
  uint32_t count = 0;
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr), "vkEnumerateInstanceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()),
        "vkEnumerateInstanceExtensionProperties");
  return std::any_of(extensions.begin(), extensions.end(), [](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0;
  });
}

class Instance {
 public:
  explicit Instance(MessageTarget& target) {
    const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const bool has_messages = HasDebugUtils();
    auto application = MakeStruct<VkApplicationInfo>();
    application.pApplicationName = "trellis-doctor";
    application.apiVersion = VK_API_VERSION_1_3;
    auto info = MakeStruct<VkInstanceCreateInfo>();
    info.pApplicationInfo = &application;
    info.enabledExtensionCount = has_messages ? 1 : 0;
    info.ppEnabledExtensionNames = &extension;
    Check(vkCreateInstance(&info, nullptr, &handle_), "vkCreateInstance");
    if (!has_messages) return;
    auto messenger = MakeStruct<VkDebugUtilsMessengerCreateInfoEXT>();
    messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
                                VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = OnMessage;
    messenger.pUserData = &target;
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(handle_, "vkCreateDebugUtilsMessengerEXT"));
    Check(create(handle_, &messenger, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
  }
  ~Instance() {
    if (messenger_ != VK_NULL_HANDLE) {
      reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
          vkGetInstanceProcAddr(handle_, "vkDestroyDebugUtilsMessengerEXT"))(handle_, messenger_, nullptr);
    }
    vkDestroyInstance(handle_, nullptr);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] std::vector<VkPhysicalDevice> Devices() const {
    uint32_t count = 0;
    Check(vkEnumeratePhysicalDevices(handle_, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    Check(vkEnumeratePhysicalDevices(handle_, &count, devices.data()), "vkEnumeratePhysicalDevices");
    return devices;
  }

 private:
  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

std::string DescribeLoader(bool& found_layer) {
  JsonObject json;
  uint32_t version = VK_API_VERSION_1_0;
  Check(vkEnumerateInstanceVersion(&version), "vkEnumerateInstanceVersion");
  json.Text("api_version",
            "1." + std::to_string(VK_API_VERSION_MINOR(version)) + "." + std::to_string(VK_API_VERSION_PATCH(version)));
  uint32_t count = 0;
  Check(vkEnumerateInstanceLayerProperties(&count, nullptr), "vkEnumerateInstanceLayerProperties");
  std::vector<VkLayerProperties> layers(count);
  Check(vkEnumerateInstanceLayerProperties(&count, layers.data()), "vkEnumerateInstanceLayerProperties");
  JsonObject names;
  for (const VkLayerProperties& layer : layers) {
    names.Number(layer.layerName, layer.implementationVersion);
    found_layer = found_layer || std::strcmp(layer.layerName, kLayer) == 0;
  }
  json.Add("layers", names.str());
  return json.str();
}

// Compares a run with the CPU's reference; returns an empty text if it is right.
std::string Mistake(const std::vector<uint32_t>& words, std::vector<uint32_t> expected) {
  expected.resize(words.size());
  size_t wrong = 0, first = 0;
  for (size_t i = words.size(); i-- > 0;) {
    if (words[i] == expected[i]) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return {};
  return std::to_string(wrong) + " words are wrong; word " + std::to_string(first) + " is " +
         std::to_string(words[first]) + ", expected " + std::to_string(expected[first]);
}

std::string Outcome(Graph& graph, const Sample& sample, DispatchCommand command) {
  try {
    return Mistake(graph.Run(command), sample.expected);
  } catch (const Failure& failure) {
    return failure.what();
  }
}

// Returns the number of failures.
int TestSample(const Device& device, const Sample& sample, DeviceEntry& entry, Report& report) {
  int failures = 0;
  const auto add = [&](const char* command, const std::string& mistake) {
    JsonObject test;
    test.Text("graph", sample.name);
    test.Text("command", command);
    test.Truth("passed", mistake.empty());
    if (!mistake.empty()) {
      test.Text("mistake", mistake);
      std::printf("  FAIL %s, %s: %s\n", sample.name.c_str(), command, mistake.c_str());
      ++failures;
    }
    entry.tests.Add(test.str());
  };
  report.Begin("creation of the graph " + sample.name);
  try {
    Graph graph(device, sample);
    for (const DispatchCommand command : kDispatchCommands) {
      report.Begin(sample.name + " with " + NameOf(command));
      add(NameOf(command), Outcome(graph, sample, command));
    }
  } catch (const Failure& failure) {
    add("creation", failure.what());
  }
  if (failures == 0) std::printf("  pass %s, with all three dispatch commands\n", sample.name.c_str());
  std::fflush(stdout);
  return failures;
}

int TestDevice(VkPhysicalDevice physical, const Options& options, DeviceEntry& entry, Report& report) {
  int failures = 0;
  report.Begin("vkCreateDevice");
  const Device device(physical);
  for (const std::vector<Sample>& samples : {AllSamples(), SamplesForNodesOnly()}) {
    for (const Sample& sample : samples) failures += TestSample(device, sample, entry, report);
  }
  if (!options.bench || failures != 0) return failures;
  report.Begin("bench");
  entry.bench = RunBench(device);
  std::puts("  the bench is in the file");
  return failures;
}

struct Outcomes {
  int offering = 0;
  int failures = 0;
};

void LookAt(VkPhysicalDevice physical, const Options& options, DeviceEntry& entry, Report& report, Outcomes& outcomes) {
  try {
    report.Begin("queries of a device");
    entry.offers_graphs = OffersGraphs(physical);
    entry.description = DescribeDevice(physical);
    if (!entry.offers_graphs) return;
    ++outcomes.offering;
    outcomes.failures += TestDevice(physical, options, entry, report);
  } catch (const Failure& failure) {
    JsonObject test;
    test.Text("graph", "none");
    test.Text("command", "none");
    test.Truth("passed", false);
    test.Text("mistake", failure.what());
    entry.tests.Add(test.str());
    std::printf("  FAIL %s\n", failure.what());
    ++outcomes.failures;
  }
}

std::string Examine(const Options& options, Report& report, Outcomes& outcomes) {
  MessageTarget target;
  report.Begin("vkCreateInstance");
  const Instance instance(target);
  const std::vector<VkPhysicalDevice> devices = instance.Devices();
  if (devices.empty())
    return "there is no Vulkan device: install a driver (mesa-vulkan-drivers has one that needs no GPU)";
  if (options.device && *options.device >= devices.size())
    return "there is no device " + std::to_string(*options.device) + "; there are " + std::to_string(devices.size());
  for (size_t i = 0; i < devices.size(); ++i) {
    if (options.device && *options.device != i) continue;
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(devices[i], &properties);
    std::printf("device %zu: %s\n", i, properties.deviceName);
    target.entry = &report.devices().emplace_back();
    LookAt(devices[i], options, *target.entry, report, outcomes);
    if (!target.entry->offers_graphs) std::puts("  offers no graphs");
  }
  if (outcomes.failures != 0) return std::to_string(outcomes.failures) + " checks failed";
  if (outcomes.offering == 0) return "no device offers VK_AMDX_shader_enqueue; the messages above say why";
  return "all checks passed";
}

int Main(const Options& options) {
  Report report(options.output);
  report.head().Number("schema", 1);
  report.head().Text("trellis", TRELLIS_VERSION);
  report.head().Add("system", DescribeSystem());
  report.head().Add("environment", DescribeEnvironment());
  const std::string manifest = EnableLayer();
  report.head().Text("manifest_folder", manifest.empty() ? "the loader's choice" : manifest);
  if (!report.Begin("the loader")) return 2;
  std::puts("trellis doctor " TRELLIS_VERSION);
  Outcomes outcomes;
  std::string verdict;
  try {
    bool found_layer = false;
    report.head().Add("loader", DescribeLoader(found_layer));
    if (!found_layer) {
      std::puts("the loader does not find the layer: is the package trellis-layer installed?");
      report.head().Truth("layer_found", false);
    }
    verdict = Examine(options, report, outcomes);
  } catch (const Failure& failure) {
    verdict = failure.what();
  }
  if (!report.Finish(verdict)) return 2;
  std::printf("verdict: %s\nthe file %s says everything; attach it to an issue\n", verdict.c_str(),
              options.output.c_str());
  std::fflush(stdout);
  return verdict == "all checks passed" ? 0 : 1;
}

}  // namespace
}  // namespace trellis::self_test

int main(int argc, char** argv) {
  using namespace trellis::self_test;
  const std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) return 2;
  if (options->help) {
    PrintHelp();
    return 0;
  }
  return Main(*options);
}
