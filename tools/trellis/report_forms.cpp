// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/report_forms.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "trellis_report_page.h"

namespace trellis::tool {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

struct NodeSums {
  uint64_t records = 0;
  uint64_t dropped = 0;
};

// By position of the node, over all dispatches of the graph.
std::vector<NodeSums> SumsOf(const json& report, const json& graph) {
  std::vector<NodeSums> sums(graph.at("nodes").size());
  const json& slots = graph.at("slots");
  for (const json& dispatch : report.at("dispatches")) {
    if (dispatch.at("graph") != graph.at("id")) continue;
    for (const json& place : dispatch.at("slots")) {
      const auto slot = place.at("slot").get<size_t>();
      if (slot >= slots.size()) continue;  // the heap
      NodeSums& sum = sums.at(slots[slot].at("node").get<size_t>());
      sum.records += place.at("records").get<uint64_t>();
      sum.dropped += place.at("dropped").get<uint64_t>();
    }
  }
  return sums;
}

// Positions of producer and consumer, each pair once.
std::set<std::pair<size_t, size_t>> EdgesOf(const json& graph) {
  std::set<std::pair<size_t, size_t>> edges;
  const auto node_of = [&graph](const json& slot) {
    return graph.at("slots").at(slot.get<size_t>()).at("node").get<size_t>();
  };
  for (const json& edge : graph.at("edges")) edges.insert({node_of(edge.at("from")), node_of(edge.at("to"))});
  return edges;
}

std::string LabelOf(const json& node) {
  return node.at("name").get<std::string>() + "[" + std::to_string(node.at("index").get<uint32_t>()) + "]";
}

std::string NameOf(const json& graph) {
  const std::string name = graph.at("name");
  return name.empty() ? "graph " + std::to_string(graph.at("id").get<uint64_t>()) : name;
}

std::string CountsOf(const NodeSums& sums) {
  return std::to_string(sums.records) + " in" +
         (sums.dropped == 0 ? "" : ", " + std::to_string(sums.dropped) + " dropped");
}

// For text between double quotes.
std::string InDot(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string InMermaid(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '<' || c == '>' || c == '#' || c == '&')
      quoted += "#" + std::to_string(static_cast<unsigned char>(c)) + ";";
    else
      quoted += c;
  }
  return quoted;
}

std::string IdOf(const json& graph, size_t node) {
  return "g" + std::to_string(graph.at("id").get<uint64_t>()) + "n" + std::to_string(node);
}

json Track(uint64_t process, uint64_t track, const char* what, const std::string& name) {
  return {{"ph", "M"}, {"pid", process}, {"tid", track}, {"name", what}, {"args", {{"name", name}}}};
}

}  // namespace

Expected<json> ParseReport(std::string_view text) {
  json report = json::parse(text, nullptr, false);
  if (report.is_discarded()) return Error{"the file is no JSON"};
  if (!report.is_object() || !report.contains("schema")) return Error{"the file is no report: it has no 'schema'"};
  if (report["schema"] != kSchema)
    return Error{"the report has schema " + report["schema"].dump() + "; this program reads schema " +
                 std::to_string(kSchema)};
  for (const char* member : {"graphs", "dispatches", "findings", "times"})
    if (!report.contains(member) || !report[member].is_array())
      return Error{std::string("the file is no report: '") + member + "' is no array"};
  return report;
}

std::string ReportAsPage(const json& report) {
  std::string data = report.dump(-1, ' ', false, json::error_handler_t::replace);
  // '<' would end the element that holds the data.
  for (size_t at = 0; (at = data.find('<', at)) != std::string::npos;) data.replace(at, 1, "\\u003c");
  std::string page(reinterpret_cast<const char*>(kReportPageHead), sizeof(kReportPageHead));
  page += data;
  page.append(reinterpret_cast<const char*>(kReportPageTail), sizeof(kReportPageTail));
  return page;
}

std::string ReportAsDot(const json& report) {
  std::string text = "digraph report {\n  node [shape=box, style=rounded];\n";
  for (const json& graph : report.at("graphs")) {
    const std::vector<NodeSums> sums = SumsOf(report, graph);
    text += "  subgraph cluster_" + std::to_string(graph.at("id").get<uint64_t>()) + " {\n    label=\"" +
            InDot(NameOf(graph)) + "\";\n";
    for (size_t i = 0; i < sums.size(); ++i)
      text += "    " + IdOf(graph, i) + " [label=\"" + InDot(LabelOf(graph.at("nodes")[i])) + "\\n" +
              CountsOf(sums[i]) + "\"" + (sums[i].records == 0 ? ", color=gray" : "") + "];\n";
    for (const auto& [from, to] : EdgesOf(graph))
      text += "    " + IdOf(graph, from) + " -> " + IdOf(graph, to) +
              (sums.at(to).dropped != 0                                 ? " [color=red, style=dashed]"
               : sums.at(from).records == 0 || sums.at(to).records == 0 ? " [color=gray]"
                                                                        : "") +
              ";\n";
    text += "  }\n";
  }
  return text + "}\n";
}

std::string ReportAsMermaid(const json& report) {
  std::string text = "flowchart TB\n";
  for (const json& graph : report.at("graphs")) {
    const std::vector<NodeSums> sums = SumsOf(report, graph);
    text +=
        "  subgraph g" + std::to_string(graph.at("id").get<uint64_t>()) + " [\"" + InMermaid(NameOf(graph)) + "\"]\n";
    for (size_t i = 0; i < sums.size(); ++i)
      text += "    " + IdOf(graph, i) + "[\"" + InMermaid(LabelOf(graph.at("nodes")[i])) + "<br>" + CountsOf(sums[i]) +
              "\"]\n";
    for (const auto& [from, to] : EdgesOf(graph))
      text += "    " + IdOf(graph, from) + (sums.at(to).dropped != 0 ? " -. dropped .-> " : " --> ") + IdOf(graph, to) +
              "\n";
    text += "  end\n";
  }
  return text;
}

std::string ReportAsTrace(const json& report) {
  json events = json::array();
  for (const json& graph : report.at("graphs")) {
    const auto process = graph.at("id").get<uint64_t>();
    events.push_back(Track(process, 0, "process_name", NameOf(graph)));
    std::map<std::string, uint64_t> tracks;
    // By level; steps outside of levels come first.
    double now = 0;
    std::map<int64_t, std::vector<const json*>> levels;
    for (const json& time : report.at("times"))
      if (time.at("graph") == graph.at("id"))
        levels[time.at("level").is_null() ? -1 : time.at("level").get<int64_t>()].push_back(&time);
    for (const auto& [level, steps] : levels)
      for (const json* step : steps) {
        const std::string what = step->at("what");
        const auto [track, is_new] = tracks.try_emplace(what, tracks.size() + 1);
        if (is_new) events.push_back(Track(process, track->second, "thread_name", what));
        const double mean = step->at("total_ns").get<double>() / step->at("executions").get<double>() / 1000;
        events.push_back({{"ph", "X"},
                          {"pid", process},
                          {"tid", track->second},
                          {"name", what},
                          {"ts", now},
                          {"dur", mean},
                          {"args", {{"level", step->at("level")}}}});
        now += mean;
      }
  }
  return json{{"displayTimeUnit", "ns"}, {"traceEvents", events}}.dump(1) + "\n";
}

}  // namespace trellis::tool
