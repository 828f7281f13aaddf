// SPDX-License-Identifier: Apache-2.0
// Forms of a report, of a literal one with two nodes.
#include "tools/trellis/report_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

namespace trellis::tool {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

json TwoNodes(const std::string& name = "a") {
  const auto node = [](const std::string& of, uint32_t slot) {
    return json{{"name", of}, {"index", 0}, {"first_slot", slot}, {"slot_count", 1}};
  };
  json report = json::parse(R"({"schema": 1, "findings": [], "settings": {},
    "graphs": [{"id": 7, "name": "", "slots": [{"node": 0}, {"node": 1}], "edges": [{"from": 0, "to": 1}]}],
    "dispatches": [{"graph": 7, "slots": [
      {"level": 0, "slot": 0, "records": 2, "dropped": 0}, {"level": 1, "slot": 1, "records": 30, "dropped": 0},
      {"level": 2, "slot": 1, "records": 4, "dropped": 0}, {"level": 1, "slot": 2, "records": 9, "dropped": 0}]}],
    "times": [{"graph": 7, "what": "begin", "level": null, "slot": null, "executions": 2, "total_ns": 2000},
              {"graph": 7, "what": "b", "level": 1, "slot": 1, "executions": 2, "total_ns": 6000}]})");
  report["graphs"][0]["nodes"] = json::array({node(name, 0), node("b", 1)});
  return report;
}

TEST(ReportForms, NumbersAreSumsOverLevels) {
  EXPECT_THAT(ReportAsDot(TwoNodes()), HasSubstr("b[0]\\n34 in"));
  EXPECT_THAT(ReportAsMermaid(TwoNodes()), HasSubstr("b[0]<br>34 in"));
  EXPECT_THAT(ReportAsDot(TwoNodes()), HasSubstr("g7n0 -> g7n1;"));
}

TEST(ReportForms, DropsAreMarked) {
  json report = TwoNodes();
  report["dispatches"][0]["slots"][1]["dropped"] = 5;
  EXPECT_THAT(ReportAsDot(report), HasSubstr("34 in, 5 dropped"));
  EXPECT_THAT(ReportAsDot(report), HasSubstr("g7n0 -> g7n1 [color=red, style=dashed]"));
}

TEST(ReportForms, DropsThatOnlyFindingsTellAreMarked) {
  json report = TwoNodes();
  report["findings"] = json::parse(R"([
    {"graph": 7, "id": "TRELLIS-records-lost", "slot": 1, "records": 3},
    {"graph": 7, "id": "TRELLIS-records-lost", "slot": 1, "records": 2},
    {"graph": 7, "id": "TRELLIS-records-lost", "slot": 2, "records": 9},
    {"graph": 8, "id": "TRELLIS-records-lost", "slot": 0, "records": 9},
    {"graph": 7, "id": "TRELLIS-dispatch-graph", "slot": 0, "records": 9}])");
  EXPECT_THAT(ReportAsDot(report), HasSubstr("34 in, 5 dropped"));
  EXPECT_THAT(ReportAsDot(report), Not(HasSubstr("9 dropped")));
}

TEST(ReportForms, NamesAreQuoted) {
  const json report = TwoNodes("x\"</script>");
  EXPECT_THAT(ReportAsPage(report), Not(HasSubstr("x\\\"</script>")));
  EXPECT_THAT(ReportAsDot(report), HasSubstr("x\\\"</script>"));
  EXPECT_THAT(ReportAsMermaid(report), HasSubstr("x#34;#60;/script#62;"));
}

TEST(ReportForms, ThePageHoldsTheReport) {
  const std::string page = ReportAsPage(TwoNodes());
  EXPECT_EQ(page.find("<!doctype html>"), 0u);
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const size_t data = page.find(begin) + begin.size();
  EXPECT_EQ(json::parse(page.substr(data, page.find("</script>", data) - data)), TwoNodes());
  EXPECT_LT(page.size(), 200'000u);
}

TEST(ReportForms, SlicesOfATrackDoNotOverlap) {
  const json events = json::parse(ReportAsTrace(TwoNodes())).at("traceEvents");
  std::vector<json> slices;
  std::copy_if(events.begin(), events.end(), std::back_inserter(slices), [](const json& e) { return e["ph"] == "X"; });
  std::map<std::pair<int, int>, double> ends;  // by process and track
  for (const json& slice : slices) {
    double& end = ends[{slice["pid"], slice["tid"]}];
    EXPECT_GE(slice["ts"].get<double>(), end) << slice;
    end = slice["ts"].get<double>() + slice["dur"].get<double>();
  }
  EXPECT_EQ(slices.size(), 3u);
  EXPECT_EQ(ends.size(), 3u);
}

struct Slice {
  std::string track, name;
  double begin = 0, end = 0;
  bool operator==(const Slice&) const = default;
};

std::vector<Slice> SlicesOf(const json& report) {
  const json events = json::parse(ReportAsTrace(report)).at("traceEvents");
  std::map<int, std::string> tracks;
  std::vector<Slice> slices;
  for (const json& event : events) {
    if (event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
    if (event["ph"] == "X")
      slices.push_back({tracks.at(event["tid"]), event["name"], event["ts"],
                        event["ts"].get<double>() + event["dur"].get<double>()});
  }
  return slices;
}

TEST(ReportForms, CpuAndLevelsHaveTracksOfTheirOwn) {
  json report = TwoNodes();
  json& dispatch = report["dispatches"][0];
  dispatch["command"] = "vkCmdDispatchGraphAMDX";
  dispatch["recording"] = {{"count", 1}, {"total_ns", 8000}, {"min_ns", 8000}, {"max_ns", 8000}};
  dispatch["submission"] = {{"count", 2}, {"total_ns", 4000}, {"min_ns", 1000}, {"max_ns", 3000}};
  report["times"].push_back(
      {{"graph", 7}, {"what", "sizing"}, {"level", 1}, {"slot", nullptr}, {"executions", 1}, {"total_ns", 500}});
  report["times"].push_back(
      {{"graph", 7}, {"what", "end"}, {"level", nullptr}, {"slot", nullptr}, {"executions", 1}, {"total_ns", 1000}});
  EXPECT_EQ(SlicesOf(report), (std::vector<Slice>{{"CPU recording", "vkCmdDispatchGraphAMDX", 0, 8},
                                                  {"CPU submission", "vkCmdDispatchGraphAMDX", 8, 10},
                                                  {"begin", "begin", 10, 11},
                                                  {"GPU levels", "level 1", 11, 14.5},
                                                  {"sizing", "sizing", 11, 11.5},
                                                  {"b", "b", 11.5, 14.5},
                                                  {"end", "end", 14.5, 15.5}}));
}

// A command that was recorded and not submitted, and a report of an older version.
TEST(ReportForms, TracesHoldWhatThereIs) {
  json report = TwoNodes();
  EXPECT_EQ(SlicesOf(report)[0].track, "begin");
  json& dispatch = report["dispatches"][0];
  dispatch["command"] = "c";
  dispatch["recording"] = {{"count", 1}, {"total_ns", 8000}, {"min_ns", 8000}, {"max_ns", 8000}};
  dispatch["submission"] = {{"count", 0}, {"total_ns", 0}, {"min_ns", 0}, {"max_ns", 0}};
  report["times"] = json::array();
  EXPECT_EQ(SlicesOf(report), (std::vector<Slice>{{"CPU recording", "c", 0, 8}}));
}

// Bytes of two payloads of node b, the second one short.
json WithPayloads() {
  json report = TwoNodes();
  report["graphs"][0]["nodes"][1]["scalars"] = json::parse(R"([
    {"name": "half", "offset": 0, "type": "float", "bits": 16}, {"name": "sign", "offset": 2, "type": "int", "bits": 8},
    {"name": "on", "offset": 4, "type": "bool", "bits": 32}, {"name": "at.x", "offset": 8, "type": "float", "bits": 32},
    {"name": "big", "offset": 12, "type": "uint", "bits": 64}])");
  report["dispatches"][0]["payloads"] =
      json::parse(R"([{"level": 1, "slot": 1, "payloads": ["00c0fe00010000000000803fffffffffffffffff", "003c"]}])");
  return report;
}

TEST(ReportForms, PayloadsAreDecoded) {
  const json payloads = DecodePayloads(WithPayloads());
  ASSERT_EQ(payloads.size(), 2u);
  EXPECT_EQ(payloads[0]["node"], "b");
  EXPECT_EQ(payloads[0]["bytes"], "00c0fe00010000000000803fffffffffffffffff");
  EXPECT_EQ(PayloadsAsCsv(WithPayloads()),
            "graph,node,index,level,payload,member,value\n7,\"b\",0,1,0,\"half\",-2\n7,\"b\",0,1,0,\"sign\",-2\n"
            "7,\"b\",0,1,0,\"on\",true\n7,\"b\",0,1,0,\"at.x\",1\n7,\"b\",0,1,0,\"big\",18446744073709551615\n"
            "7,\"b\",0,1,1,\"half\",1\n");
}

TEST(ReportForms, OtherFilesAreRefused) {
  EXPECT_THAT(ParseReport("{").error().message, HasSubstr("no JSON"));
  EXPECT_THAT(ParseReport("{}").error().message, HasSubstr("no report"));
  EXPECT_THAT(ParseReport(R"({"schema": 2})").error().message, HasSubstr("schema 2"));
  EXPECT_THAT(ParseReport(R"({"schema": 1})").error().message, HasSubstr("'graphs'"));
  EXPECT_TRUE(ParseReport(TwoNodes().dump()));
}

}  // namespace
}  // namespace trellis::tool
