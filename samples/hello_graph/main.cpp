// SPDX-License-Identifier: Apache-2.0
// hello_graph: the smallest complete use of a work graph. Start reading at work_graph.cpp.
#include <cstdio>

#include "samples/hello_graph/failure.h"
#include "samples/hello_graph/gpu.h"
#include "samples/hello_graph/instance.h"
#include "samples/hello_graph/options.h"
#include "samples/hello_graph/records.h"
#include "samples/hello_graph/work_graph.h"

namespace hello {

const char* const kProgram = "hello_graph";

namespace {

void PrintDevices(const std::vector<DeviceChoice>& devices) {
  for (size_t i = 0; i < devices.size(); ++i) {
    std::printf("%zu: %s (%s)%s\n", i, devices[i].properties.deviceName, KindOfDevice(devices[i]),
                devices[i].offers_graphs ? "" : ", without VK_AMDX_shader_enqueue");
  }
}

void PrintHowToEnable() {
  std::fputs(
      "hello_graph: no device offers VK_AMDX_shader_enqueue, revision 2.\n"
      "Trellis gives it to any driver of Vulkan 1.3. Enable the layer with one of\n"
      "  TRELLIS_ENABLE=1 hello_graph                                          (Trellis is installed)\n"
      "  XDG_CONFIG_DIRS=<build folder>:/etc/xdg TRELLIS_ENABLE=1 hello_graph  (from its build tree)\n"
      "or run scripts/run_demo.sh, which does that. TRELLIS_DISABLE must not be set. If the layer is enabled, "
      "TRELLIS_LOG_LEVEL=info says\n"
      "what the device lacks, and VK_LOADER_DEBUG=layer shows which layers the loader found.\n",
      stderr);
}

bool PrintResults(const ResultWords& words, const ResultWords& expected) {
  std::puts("results: word  written  expected");
  bool same = true;
  for (uint32_t i = 0; i < kResultWords; ++i) {
    const bool right = words[i] == expected[i];
    std::printf("         %4u  %7u  %8u%s\n", i, words[i], expected[i], right ? "" : "  <- wrong");
    same = same && right;
  }
  return same;
}

int Main(const Options& options) {
  const Instance instance(options.validate);
  const std::vector<DeviceChoice> devices = ListDevices(instance);
  if (options.list_devices) {
    PrintDevices(devices);
    return 0;
  }
  const DeviceChoice* choice = BestDevice(devices);
  if (options.device) {
    if (*options.device >= devices.size()) {
      PrintDevices(devices);
      Fail("there is no device " + std::to_string(*options.device) + ": --device takes one of the numbers above");
    }
    choice = &devices[*options.device];
  }
  if (choice == nullptr || !choice->offers_graphs) {
    PrintDevices(devices);
    PrintHowToEnable();
    return 1;
  }
  std::printf("device:  %s (%s)\n", choice->properties.deviceName, KindOfDevice(*choice));
  WorkGraph::Print();

  const EntryRecords records = MakeEntryRecords();
  ResultWords words = {};
  {
    const Gpu gpu(choice->handle);
    WorkGraph graph(gpu);
    words = graph.Run(records);
  }
  const std::string& became = instance.messages().dispatch_graph;
  std::printf("became:  %s\n", became.empty() ? "(the implementation does not say)" : became.c_str());
  bool passed = PrintResults(words, ComputeExpectedWords(records));
  if (instance.messages().errors != 0) {
    std::printf("errors:  %u, see above\n", instance.messages().errors);
    passed = false;
  }
  std::puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace hello

int main(int argc, char** argv) {
  const std::optional<hello::Options> options = hello::ParseOptions(argc, argv);
  if (!options) return 2;
  if (options->help) {
    hello::PrintHelp();
    return 0;
  }
  return hello::Main(*options);
}
