// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/report.h"

#include <cinttypes>
#include <cstdio>

namespace trellis::bench {
namespace {

std::string Time(double nanoseconds) {
  char text[32];
  if (nanoseconds < 1e6)
    std::snprintf(text, sizeof(text), "%.1f us", nanoseconds / 1e3);
  else
    std::snprintf(text, sizeof(text), "%.2f ms", nanoseconds / 1e6);
  return text;
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// Members of one JSON object.
class Members {
 public:
  void Text(const char* key, const std::string& text) { Add(key, Quoted(text)); }
  void Value(const char* key, double value) { Add(key, Number(value)); }
  void Value(const char* key, const std::optional<double>& value) { Add(key, value ? Number(*value) : "null"); }
  void Values(const char* key, const std::vector<double>& values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + Number(value);
    Add(key, "[" + list + "]");
  }
  void Truth(const char* key, bool value) { Add(key, value ? "true" : "false"); }
  [[nodiscard]] std::string Object() const { return "{" + members_ + "}"; }

 private:
  void Add(const char* key, const std::string& value) {
    if (!members_.empty()) members_ += ", ";
    members_ += Quoted(key) + ": " + value;
  }
  std::string members_;
};

void AddTimes(Members& members, const std::string& who, const Times& times, const std::vector<double>& forms) {
  members.Value((who + "_min_ns").c_str(), times.minimum);
  members.Value((who + "_cold_ns").c_str(), times.cold);
  members.Values((who + "_forms_ns").c_str(), forms);
}

std::string RowObject(const std::string& device, const ReportRow& row) {
  const Comparison& comparison = row.comparison;
  Members members;
  members.Text("id", row.id);
  members.Text("name", row.name);
  members.Text("size", row.size);
  members.Text("device", device);
  members.Value("ours_ns", comparison.ours.median);
  members.Value("theirs_ns", comparison.theirs.median);
  members.Value("ratio", comparison.Ratio());
  members.Value("target", row.target ? std::optional<double>(row.target->value) : std::nullopt);
  members.Text("target_of", row.target && row.target->is_time ? "ours_ns" : "ratio");
  AddTimes(members, "ours", comparison.ours, comparison.our_forms);
  AddTimes(members, "theirs", comparison.theirs, comparison.their_forms);
  members.Value("baseline_share", comparison.baseline_share);
  members.Truth("correct", comparison.mistake.empty());
  return members.Object();
}

std::string FigureObject(const std::string& device, const Figure& figure) {
  Members members;
  members.Text("id", figure.id);
  members.Text("name", figure.name);
  members.Text("device", device);
  members.Text("unit", figure.unit);
  members.Value("value", figure.value);
  members.Value("target", figure.target);
  members.Text("target_of", "value");
  members.Text("note", figure.note);
  return members.Object();
}

std::string TargetText(const std::optional<Target>& target) {
  if (!target) return "";
  return "<= " + (target->is_time ? Time(target->value) : Number(target->value));
}

std::string BaselineText(const std::optional<double>& share) {
  if (!share) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f %%%s", *share * 100, *share < kBaselineShare ? " (low)" : "");
  return text;
}

}  // namespace

void PrintHeading(const Gpu& gpu, const Rates& rates) {
  std::printf("device: %s\n", gpu.properties().deviceName);
  std::printf("clock:  %s\n", gpu.timestamp_bits() != 0 ? "timestamps of the device" : "submission to completion");
  std::printf(
      "rates:  copy %.1f GB/s (read + written), %.2f empty workgroups/ns, %.1f empty invocations/ns, %.2f us a step\n",
      rates.bytes_per_nanosecond, rates.workgroups_per_nanosecond, rates.invocations_per_nanosecond,
      rates.nanoseconds_per_step / 1e3);
  std::printf("%-5s %-22s %-20s %11s %11s %11s %11s %11s %11s %7s %-10s %s\n", "id", "workload", "size", "ours", "min",
              "cold", "baseline", "min", "cold", "ratio", "target", "baseline's share of its bound");
}

void PrintRow(const ReportRow& row) {
  const Comparison& c = row.comparison;
  std::printf("%-5s %-22s %-20s %11s %11s %11s %11s %11s %11s %7.3f %-10s %s%s%s\n", row.target ? row.id.c_str() : "",
              row.name.c_str(), row.size.c_str(), Time(c.ours.median).c_str(), Time(c.ours.minimum).c_str(),
              Time(c.ours.cold).c_str(), Time(c.theirs.median).c_str(), Time(c.theirs.minimum).c_str(),
              Time(c.theirs.cold).c_str(), c.Ratio(), TargetText(row.target).c_str(),
              BaselineText(c.baseline_share).c_str(), c.mistake.empty() ? "" : "  WRONG: ", c.mistake.c_str());
  std::fflush(stdout);
}

void PrintFigure(const Figure& figure) {
  const std::string target = figure.target ? ", target <= " + Number(*figure.target) : "";
  std::printf("%-5s %-43s %s %s%s (%s)\n", figure.id.c_str(), figure.name.c_str(), Number(figure.value).c_str(),
              figure.unit.c_str(), target.c_str(), figure.note.c_str());
  std::fflush(stdout);
}

std::string Json(const std::string& device, const std::vector<ReportRow>& rows, const std::vector<Figure>& figures) {
  std::string text = "[";
  const auto add = [&](const std::string& object) { text += (text.size() > 1 ? ",\n " : "\n ") + object; };
  for (const ReportRow& row : rows) add(RowObject(device, row));
  for (const Figure& figure : figures) add(FigureObject(device, figure));
  return text + "\n]\n";
}

}  // namespace trellis::bench
