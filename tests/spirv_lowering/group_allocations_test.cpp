// SPDX-License-Identifier: Apache-2.0
// Allocations of which an invocation wants one at most are reserved in one go; others stay apart.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

// A node that sends to "target" and "other".
NodeParts Sending(const std::string& body) {
  NodeParts parts;
  parts.variables = "%kind_var = OpVariable %fn_uint Function\n%count_var = OpVariable %fn_uint Function";
  parts.body = "%kind = OpNodePayloadArrayLengthAMDX %uint %input\nOpStore %kind_var %kind\n" + body;
  return parts;
}

std::string Allocate(const std::string& name, const std::string& pointer, const std::string& count,
                     const std::string& index = "%uint_0") {
  return "%" + name + " = OpAllocateNodePayloadsAMDX " + pointer + " %uint_4 " + count + " " + index +
         "\nOpEnqueueNodePayloadsAMDX %" + name + "\n";
}

// %count_<n>: 1 where %<value> is the constant.
std::string CountIf(const std::string& n, const std::string& value, const std::string& constant) {
  return "%is_" + n + " = OpIEqual %bool %" + value + " " + constant + "\n%count_" + n + " = OpSelect %uint %is_" + n +
         " %uint_1 %uint_0\n";
}

const std::string kToTarget = CountIf("a", "kind", "%uint_1") + Allocate("a", "%out_ptr", "%count_a");
const std::string kToOther = CountIf("b", "kind", "%uint_2") + Allocate("b", "%out2_ptr", "%count_b");

// The reservations of "main" in their order: 'c' for one of a group, with a digit for each of its members behind it;
// 'i' for one alone.
std::string Reservations(const NodeParts& parts) {
  const std::string main = FunctionText(LowerParts(parts), "main");
  std::string found;
  std::istringstream lines(main);
  for (std::string line; std::getline(lines, line);) {
    if (HasLine(line, "* = OpFunctionCall * %trellis_reserve_chosen ...")) found += 'c';
    if (HasLine(line, "* = OpFunctionCall %v4uint %trellis_reserve_invocation ...")) found += 'i';
    for (const char digit : {'0', '1', '2', '3'})
      if (HasLine(line, std::string("* = OpFunctionCall %v4uint %trellis_handle_of * %uint_") + digit)) found += digit;
  }
  return found;
}

TEST(GroupAllocations, OneValueWithTwoConstants) {
  EXPECT_EQ(Reservations(Sending(kToTarget + kToOther)), "c01");
  EXPECT_EQ(Reservations(
                Sending(kToTarget + CountIf("b", "kind", "%uint_2") + Allocate("b", "%out2_ptr", "%count_b", "%kind"))),
            "c01")
      << "with an index";
}

TEST(GroupAllocations, ConditionsWithAnd) {
  const std::string and_kind =
      "%some = OpUGreaterThan %bool %kind %uint_0\n"
      "%is_b = OpIEqual %bool %kind %uint_2\n%both = OpLogicalAnd %bool %some %is_b\n"
      "%count_b = OpSelect %uint %both %uint_3 %uint_0\n";
  EXPECT_EQ(Reservations(Sending(kToTarget + and_kind + Allocate("b", "%out2_ptr", "%count_b"))), "c01");
}

// As compilers write `some && kind == 2 ? 1 : 0` without optimisation.
TEST(GroupAllocations, BranchesAndVariables) {
  const std::string branches = R"(
%some = OpUGreaterThan %bool %kind %uint_0
OpSelectionMerge %join None
OpBranchConditional %some %then %join
%then = OpLabel
%again = OpLoad %uint %kind_var
%half = OpUDiv %uint %again %uint_2
%is_b = OpIEqual %bool %half %uint_2
OpBranch %join
%join = OpLabel
%both = OpPhi %bool %some %main_begin %is_b %then
%number = OpSelect %uint %both %uint_1 %uint_0
OpStore %count_var %number
%count_b = OpLoad %uint %count_var
)";
  const std::string first = "%before = OpLoad %uint %kind_var\n%quotient = OpUDiv %uint %before %uint_2\n" +
                            CountIf("a", "quotient", "%uint_1") + Allocate("a", "%out_ptr", "%count_a");
  EXPECT_EQ(Reservations(Sending(first + branches + Allocate("b", "%out2_ptr", "%count_b"))), "c01");
  EXPECT_EQ(
      Reservations(Sending(first + "OpStore %kind_var %uint_7\n" + branches + Allocate("b", "%out2_ptr", "%count_b"))),
      "ii")
      << "the variable has another value by then";
}

TEST(GroupAllocations, TwoThatOneMayWantStayApart) {
  const std::string same = CountIf("b", "kind", "%uint_1");
  EXPECT_EQ(Reservations(Sending(kToTarget + same + Allocate("b", "%out2_ptr", "%count_b"))), "ii");
  EXPECT_EQ(Reservations(Sending(kToTarget + Allocate("b", "%out2_ptr", "%uint_1"))), "ii");
  EXPECT_EQ(Reservations(Sending(kToTarget + "%c = OpIAdd %uint %kind %uint_1\n" + CountIf("b", "c", "%uint_2") +
                                 Allocate("b", "%out2_ptr", "%count_b"))),
            "ii")
      << "of another value";
  const std::string or_kind = "%is_b = OpIEqual %bool %kind %uint_2\n%count_b = OpSelect %uint %is_b %uint_1 %uint_2\n";
  EXPECT_EQ(Reservations(Sending(kToTarget + or_kind + Allocate("b", "%out2_ptr", "%count_b"))), "ii") << "never none";
  const std::string reversed =
      "%is_b = OpIEqual %bool %kind %uint_2\n%count_b = OpSelect %uint %is_b %uint_0 %uint_1\n";
  EXPECT_EQ(Reservations(Sending(kToTarget + reversed + Allocate("b", "%out2_ptr", "%count_b"))), "ii")
      << "where it is not equal";
}

TEST(GroupAllocations, WhatOnlySomeGetToStaysApart) {
  const std::string branch =
      "%some = OpUGreaterThan %bool %kind %uint_0\nOpSelectionMerge %join None\n"
      "OpBranchConditional %some %then %join\n%then = OpLabel\n" +
      kToOther + "OpBranch %join\n%join = OpLabel\n";
  EXPECT_EQ(Reservations(Sending(kToTarget + branch)), "ii");
}

TEST(GroupAllocations, OperandsThatAreNotThereYetKeepItApart) {
  const std::string quotient = "%divisor = OpISub %uint %kind %uint_1\n%index = OpUDiv %uint %uint_8 %divisor\n" +
                               CountIf("b", "kind", "%uint_2");
  EXPECT_EQ(Reservations(Sending(kToTarget + quotient + Allocate("b", "%out2_ptr", "%count_b", "%index"))), "ii")
      << "a division that may trap";
}

TEST(GroupAllocations, FourAreAGroup) {
  std::string body;
  for (const char* constant : {"0", "1", "2", "3", "4", "5"}) {
    const std::string n = constant;
    body += CountIf(n, "kind", "%uint_" + n) + Allocate("a" + n, n < "3" ? "%out_ptr" : "%out2_ptr", "%count_" + n);
  }
  EXPECT_EQ(Reservations(Sending(body)), "c0123c01");
}

}  // namespace
}  // namespace trellis::spirv
