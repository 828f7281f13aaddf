// SPDX-License-Identifier: Apache-2.0
#include "tests/random/device.h"

#include <algorithm>
#include <regex>

#include "tests/random/batch.h"
#include "tests/support/environment.h"

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
  std::smatch match;
  const std::regex steps(" used ([0-9]+) of ");
  for (const Message& message : context_.messages.Find("TRELLIS-dispatch-graph")) {
    if (!std::regex_search(message.text, match, steps)) continue;
    ++results.stepped;
    results.used_steps = std::max(results.used_steps, ParseNumber(match[1]).value());
  }
  if (!batch.GuardsIntact()) results.error += "\nsomething was written around a buffer";
  bool lacks_only_rounds = results.error.empty();
  const std::regex advice(".* were dropped when all steps had run; set max_rounds to more than ([0-9]+)");
  for (const Message& message : context_.messages.Unexpected()) {
    results.error += "\n" + message.id + ": " + message.text;
    lacks_only_rounds &= message.id == "TRELLIS-records-lost" && std::regex_match(message.text, match, advice);
    if (lacks_only_rounds) results.spent_rounds = ParseNumber(match[1]).value();
  }
  if (!lacks_only_rounds) results.spent_rounds = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto words = batch.Results(i);
    results.words.emplace_back(words.begin(), words.end());
  }
  return results;
}

}  // namespace trellis::test::random_graphs
