// SPDX-License-Identifier: Apache-2.0
// Forms of a report, of a literal one with two nodes.
#include "tools/trellis/report_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0]["dur"], 1.0);
  EXPECT_EQ(slices[1]["ts"], 1.0);
  EXPECT_EQ(slices[1]["dur"], 3.0);
  EXPECT_NE(slices[0]["tid"], slices[1]["tid"]);
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
