#include "tests/random/device.h"

#include "tests/random/batch.h"

namespace trellis::test::random_graphs {

DeviceResults Device::Run(std::span<const Case> cases) {
  DeviceResults results;
  context_.messages.Clear();
  const std::unique_ptr<Graph> pipeline = shaders_.CreatePipeline(cases[0].graph.topology, results.error);
  if (!results.error.empty()) {
    for (const Message& message : context_.messages.Find("TRELLIS-"))
      results.error += "\n" + message.id + ": " + message.text;
    return results;
  }
  Batch batch(context_, shaders_, *pipeline, cases);
  Commands commands(context_);
  VkCommandBuffer command_buffer = commands.Begin();
  batch.RecordStart(command_buffer);
  batch.RecordDispatches(command_buffer);
  const VkResult recorded = commands.End();
  const VkResult submitted = recorded == VK_SUCCESS ? commands.Submit() : recorded;
  if (submitted != VK_SUCCESS) results.error = "recording or submitting returned " + std::to_string(submitted);
  for (const Message& message : context_.messages.Find("TRELLIS-dispatch-graph"))
    results.stepped += message.text.find(" used ") != std::string::npos ? 1 : 0;
  for (const Message& message : context_.messages.Unexpected())
    results.error += "\n" + message.id + ": " + message.text;
  if (!batch.GuardsIntact()) results.error += "\nsomething was written around a buffer";
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto words = batch.Results(i);
    results.words.emplace_back(words.begin(), words.end());
  }
  return results;
}

}  // namespace trellis::test::random_graphs
