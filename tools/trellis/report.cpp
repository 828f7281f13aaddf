// SPDX-License-Identifier: Apache-2.0
// trellis report: what the layer wrote about its graphs, for people and for other programs.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/report_forms.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

constexpr std::string_view kHelp =
    "usage: trellis report REPORT.json [--payloads] -o OUTPUT\n\n"
    "Renders a report that the layer wrote (setting 'report').\n\n"
    "  -o OUTPUT   OUTPUT.html (one page, needs no network), .json, .dot (Graphviz), .mmd (Mermaid), or .trace\n"
    "              (trace events: ui.perfetto.dev opens it; GPU times need the setting 'timing')\n"
    "  --payloads  the decoded payloads alone (setting 'dump_payloads'): OUTPUT.csv or .json\n\n"
    "example: TRELLIS_REPORT=run.json ./application && trellis report run.json -o run.html\n"
    "exit status: 0 done, 1 the input was refused, 2 the command line is wrong\n";

std::string Render(const nlohmann::json& report, const std::string& form) {
  if (form == ".html") return ReportAsPage(report);
  if (form == ".dot") return ReportAsDot(report);
  if (form == ".mmd") return ReportAsMermaid(report);
  if (form == ".trace") return ReportAsTrace(report);
  return report.dump(1) + "\n";
}

bool IsForm(const std::string& form) {
  return form == ".html" || form == ".json" || form == ".dot" || form == ".mmd" || form == ".trace";
}

std::string RenderPayloads(const nlohmann::json& report, const std::string& form) {
  return form == ".csv" ? PayloadsAsCsv(report) : DecodePayloads(report).dump(1) + "\n";
}

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, {{"-o", true}, {"--payloads", false}});
  if (!arguments) return WrongUsage("report", arguments.error().message);
  if (arguments->inputs().size() != 1) return WrongUsage("report", "one report is needed");
  const std::filesystem::path output = arguments->Value("-o");
  const std::string form = output.extension().string();
  const bool payloads = arguments->Has("--payloads");
  if (payloads && form != ".csv" && form != ".json") return WrongUsage("report", "--payloads writes .csv or .json");
  if (!payloads && !IsForm(form))
    return WrongUsage("report", "-o takes a name that ends in .html, .json, .dot, .mmd or .trace");
  const std::string& input = arguments->inputs()[0];
  Expected<std::string> text = ReadText(input);
  if (!text) return Refuse(text.error().message);
  Expected<nlohmann::json> report = ParseReport(*text);
  if (!report) return Refuse(input + ": " + report.error().message);
  try {
    Expected<void> written = WriteText(output, payloads ? RenderPayloads(*report, form) : Render(*report, form));
    return written ? kOk : Refuse(written.error().message);
  } catch (const nlohmann::json::exception& error) {
    return Refuse(input + ": the report does not keep to its schema: " + error.what());
  }
}

}  // namespace

const Verb kReport = {"report", "a report of the layer as a page, a picture or a timeline", kHelp, &Run};

}  // namespace trellis::tool
