// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/report_forms.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
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
  // Steps are not counted, but what they drop is found.
  std::vector<uint64_t> found(sums.size());
  for (const json& finding : report.at("findings")) {
    const auto slot = finding.at("slot").get<size_t>();
    if (finding.at("graph") == graph.at("id") && finding.at("id") == "TRELLIS-records-lost" && slot < slots.size())
      found.at(slots[slot].at("node").get<size_t>()) += finding.at("records").get<uint64_t>();
  }
  for (size_t i = 0; i < sums.size(); ++i) sums[i].dropped = std::max(sums[i].dropped, found[i]);
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

// Steps in the order of one execution: those before the levels, level after level, and those behind them.
using StepOrder = std::tuple<int64_t, int64_t>;

StepOrder OrderOf(const json& step) {
  const std::string what = step.at("what");
  if (step.at("level").is_null()) return {what == "draws" || what == "steps" || what == "end" ? INT64_MAX : -1, 0};
  return {step.at("level").get<int64_t>(), step.at("slot").is_null() ? -1 : step.at("slot").get<int64_t>()};
}

// The events of one graph, a process. Each mean follows the one before, so that slices of a track do not overlap.
class TraceOfGraph {
 public:
  TraceOfGraph(json& events, const json& graph) : events_(events), id_(graph.at("id")), process_(id_.get<uint64_t>()) {
    Name(0, "process_name", NameOf(graph));
  }

  void AddCpu(const json& dispatch) {
    for (const auto& [key, track] : {std::pair{"recording", "CPU recording"}, {"submission", "CPU submission"}})
      if (dispatch.contains(key) && dispatch[key].at("count") != 0)
        AddMean(track, dispatch.at("command"), dispatch[key], dispatch[key].at("count"), json::object());
  }

  void AddGpu(const json& times) {
    std::map<StepOrder, std::vector<const json*>> order;
    for (const json& time : times)
      if (time.at("graph") == id_) order[OrderOf(time)].push_back(&time);
    json level_number;  // null outside of levels
    for (const auto& [at, steps] : order)
      for (const json* step : steps) {
        if (step->at("level") != level_number) {
          level_number = step->at("level");
          if (!level_number.is_null()) OpenLevel(level_number);
        }
        AddMean(step->at("what"), step->at("what"), *step, step->at("executions"), {{"level", step->at("level")}});
        if (!level_number.is_null()) events_[level_]["dur"] = now_ - events_[level_]["ts"].get<double>();
      }
  }

 private:
  void Name(uint64_t track, const char* what, const std::string& name) {
    events_.push_back({{"ph", "M"}, {"pid", process_}, {"tid", track}, {"name", what}, {"args", {{"name", name}}}});
  }

  uint64_t TrackOf(const std::string& name) {
    const auto [track, is_new] = tracks_.try_emplace(name, tracks_.size() + 1);
    if (is_new) Name(track->second, "thread_name", name);
    return track->second;
  }

  // Microseconds.
  void AddSlice(const std::string& track, const std::string& name, double duration, const json& arguments) {
    const uint64_t number = TrackOf(track);
    events_.push_back({{"ph", "X"},
                       {"pid", process_},
                       {"tid", number},
                       {"name", name},
                       {"ts", now_},
                       {"dur", duration},
                       {"args", arguments}});
  }

  void AddMean(const std::string& track, const std::string& name, const json& sums, const json& count,
               const json& arguments) {
    const double mean = sums.at("total_ns").get<double>() / count.get<double>() / 1000;
    AddSlice(track, name, mean, arguments);
    now_ += mean;
  }

  // Its duration grows with its steps.
  void OpenLevel(const json& number) {
    AddSlice("GPU levels", "level " + number.dump(), 0, json::object());
    level_ = events_.size() - 1;
  }

  json& events_;
  const json id_;
  const uint64_t process_;
  std::map<std::string, uint64_t> tracks_;
  double now_ = 0;    // microseconds
  size_t level_ = 0;  // the event of the level that is open
};

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
    TraceOfGraph trace(events, graph);
    for (const json& dispatch : report.at("dispatches"))
      if (dispatch.at("graph") == graph.at("id")) trace.AddCpu(dispatch);
    trace.AddGpu(report.at("times"));
  }
  return json{{"displayTimeUnit", "ns"}, {"traceEvents", events}}.dump(1) + "\n";
}

}  // namespace trellis::tool
