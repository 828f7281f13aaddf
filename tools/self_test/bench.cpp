// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/bench.h"

#include <algorithm>
#include <chrono>

#include "tools/self_test/graph.h"
#include "tools/self_test/json.h"

namespace trellis::self_test {
namespace {

constexpr int kRepetitions = 3;

const Sample& Named(const std::vector<Sample>& samples, const std::string& name) {
  return *std::find_if(samples.begin(), samples.end(), [&](const Sample& sample) { return sample.name == name; });
}

// Returns the shortest time of a run, in seconds.
double Shortest(Graph& graph, uint32_t dispatches) {
  double best = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    static_cast<void>(graph.Run(DispatchCommand::kHost, dispatches));
    best = std::min(best, graph.seconds());
  }
  return best;
}

std::string Figure(const char* name, const char* unit, double value) {
  JsonObject figure;
  figure.Text("name", name);
  figure.Text("unit", unit);
  figure.Decimal("value", value);
  return figure.str();
}

}  // namespace

std::string RunBench(const Device& device) {
  JsonArray figures;
  const std::vector<Sample> samples = AllSamples();
  const auto begin = std::chrono::steady_clock::now();
  Graph three_nodes(device, Named(samples, "D3D12HelloWorkGraphs"));
  const double creation = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  figures.Add(Figure("creation of a graph of three nodes, driver's cache as it is", "ms", creation * 1e3));

  constexpr uint32_t kMany = 64;
  const double one = Shortest(three_nodes, 1);
  figures.Add(Figure("one dispatch of three levels, with submission and waiting", "us", one * 1e6));
  const double more = Shortest(three_nodes, 1 + kMany);
  figures.Add(Figure("each further dispatch of three levels in a command buffer", "us", (more - one) / kMany * 1e6));

  Sample ticks = Named(samples, "Ticks");
  ticks.input.count = 256;
  Graph many_records(device, ticks);
  const std::vector<uint32_t> words = many_records.Run(DispatchCommand::kHost);
  if (words[0] != 32 * ticks.input.count) throw Failure("the bench counted " + std::to_string(words[0]) + " records");
  const double records = Shortest(many_records, 1);
  figures.Add(Figure("empty records enqueued and consumed, 16384 workgroups", "million records/s",
                     32 * ticks.input.count / records / 1e6));
  return figures.str();
}

}  // namespace trellis::self_test
