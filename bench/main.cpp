// SPDX-License-Identifier: Apache-2.0
// trellis_bench: what the extension costs compared with hand-written compute. docs/performance.md describes the
// workloads.
#include <algorithm>
#include <cstdio>
#include <functional>

#include "bench/figures/figures.h"
#include "bench/framework/compare.h"
#include "bench/framework/devices.h"
#include "bench/framework/report.h"
#include "bench/growth.h"
#include "bench/options.h"
#include "bench/workloads/workloads.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kRepetitions = 20;
constexpr uint32_t kQuickRepetitions = 3;

std::string IdOf(const WorkloadEntry& entry) { return entry.target ? entry.target->id : entry.name; }

// Ids of targets are compared as a whole: P1 is not a part of P10.
bool IsTargetId(const std::string& text) {
  return text.size() > 1 && (text[0] == 'P' || text[0] == 'M') &&
         text.find_first_not_of("0123456789", 1) == std::string::npos;
}

// `filter`: texts between commas, one of which has to match. An empty one always does.
bool IsChosen(const std::string& id, const std::string& description, const std::string& filter) {
  for (size_t begin = 0; begin <= filter.size();) {
    const size_t end = std::min(filter.find(',', begin), filter.size());
    const std::string text = filter.substr(begin, end - begin);
    if (IsTargetId(text) ? id == text : (id + " " + description).find(text) != std::string::npos) return true;
    begin = end + 1;
  }
  return false;
}

bool IsChosen(const WorkloadEntry& entry, const std::string& filter) {
  return IsChosen(IdOf(entry), entry.name + " " + entry.size, filter);
}

void List(const Options& options) {
  for (const WorkloadEntry& entry : AllWorkloads(options.quick)) {
    if (IsChosen(entry, options.filter))
      std::printf("%-10s %-20s %s\n", IdOf(entry).c_str(), entry.name.c_str(), entry.size.c_str());
  }
}

uint32_t RepetitionsOf(const Options& options) {
  if (options.repetitions != 0) return options.repetitions;
  return options.quick ? kQuickRepetitions : kRepetitions;
}

std::vector<ReportRow> RunWorkloads(const Gpu& gpu, const Options& options) {
  std::vector<ReportRow> rows;
  for (const WorkloadEntry& entry : AllWorkloads(options.quick)) {
    if (!IsChosen(entry, options.filter)) continue;
    const std::unique_ptr<Workload> workload = entry.make(gpu);
    const Comparison comparison = Compare(gpu, *workload, RepetitionsOf(options), options.quick);
    rows.push_back({IdOf(entry), entry.name, entry.size, comparison, entry.target});
    PrintRow(rows.back());
  }
  return rows;
}

struct FigureEntry {
  const char* id;
  const char* name;
  std::function<std::vector<Figure>()> measure;
};

std::vector<FigureEntry> AllFigures(const Gpu& gpu, const Options& options) {
  const bool quick = options.quick;
  return {{"P5", "launched workgroups", [&gpu, quick] { return LaunchedWorkgroups(gpu, quick); }},
          {"P7", "recording", [&gpu, quick] { return RecordingCost(gpu, quick); }},
          {"P7", "recording, command buffers", [&gpu, quick] { return CommandBufferCost(gpu, quick); }},
          {"payloads", "host payloads", [&gpu, quick] { return HostPayloads(gpu, quick); }},
          {"P8", "creation", [&gpu, quick] { return CreationCost(gpu, quick); }},
          {"P9", "memory", [&options, quick] { return MemoryPerRecord(options.device, quick); }},
          {"P10", "plain applications", [&gpu, quick] { return PlainApplications(gpu, quick); }},
          {"steps", "unused steps", [&options, quick] { return UnusedSteps(options.device, quick); }},
          {"M1", "draws", [&options, quick] { return DrawCost(options.device, quick); }},
          {"M2", "picked draws", [&options, quick] { return PickedDrawCost(options.device, quick); }},
          {"M4", "few of many draws", [&options, quick] { return FewOfManyDrawCost(options.device, quick); }},
          {"M3", "splits", [&options, quick] { return SplitCost(options.device, quick); }},
          {"cold", "cold first dispatch", [&options] { return ColdDispatch(options.device); }}};
}

std::vector<Figure> MeasureFigures(const Gpu& gpu, const Options& options) {
  std::vector<Figure> figures;
  for (const FigureEntry& entry : AllFigures(gpu, options)) {
    if (!IsChosen(entry.id, entry.name, options.filter)) continue;
    const std::vector<Figure> measured = entry.measure();
    if (measured.empty()) std::printf("%-5s %s: this platform cannot tell\n", entry.id, entry.name);
    for (const Figure& figure : measured) PrintFigure(figure);
    figures.insert(figures.end(), measured.begin(), measured.end());
  }
  return figures;
}

bool AllCorrect(const std::vector<ReportRow>& rows) {
  for (const ReportRow& row : rows)
    if (!row.comparison.mistake.empty()) return false;
  return true;
}

void Write(const std::string& file, const std::string& text) {
  std::FILE* const out = file == "-" ? stdout : std::fopen(file.c_str(), "w");
  if (out == nullptr || std::fputs(text.c_str(), out) < 0) Fail("cannot write " + file);
  if (out != stdout) std::fclose(out);
}

int ListDevicesOnly() {
  const VkInstance instance = CreateInstance();
  PrintDevices(instance);
  vkDestroyInstance(instance, nullptr);
  return 0;
}

int RunGrowth(const Options& options) {
  const Gpu gpu(options.device);
  const std::vector<GrowthPoint> points = MeasureGrowth(gpu, options.quick);
  Write(options.growth, GrowthJson(gpu.properties().deviceName, points));
  return std::all_of(points.begin(), points.end(), [](const GrowthPoint& point) { return point.is_correct; }) ? 0 : 1;
}

int Run(const Options& options) {
  const Gpu gpu(options.device);
  PrintHeading(gpu, MeasureRates(gpu, options.quick));
  const std::vector<ReportRow> rows = RunWorkloads(gpu, options);
  const std::vector<Figure> figures = MeasureFigures(gpu, options);
  if (!options.json.empty()) Write(options.json, Json(gpu.properties().deviceName, rows, figures));
  return AllCorrect(rows) ? 0 : 1;
}

}  // namespace
}  // namespace trellis::bench

int main(int argc, char** argv) {
  using namespace trellis::bench;
  const std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) return 2;
  if (options->help) {
    PrintHelp();
    return 0;
  }
  if (options->list_devices) return ListDevicesOnly();
  if (options->list) {
    List(*options);
    return 0;
  }
  if (options->plain_dispatches) {
    PrintPlainDispatchCost(options->device.empty() ? 0 : static_cast<unsigned>(std::stoul(options->device)));
    return 0;
  }
  return options->growth.empty() ? Run(*options) : RunGrowth(*options);
}
