// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/order_globals.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

std::vector<Id> Order(const Module& module) {
  std::vector<Id> ids;
  for (const Instruction& global : module.globals)
    ids.push_back(global.result_id != kNoId ? global.result_id : 1000 + global.operands[0]);
  return ids;
}

Module WithGlobals(std::vector<Instruction> globals) {
  Module module;
  module.bound = 100;
  module.globals = std::move(globals);
  return module;
}

TEST(OrderGlobals, DefinitionsBeforeUses) {
  Module module = WithGlobals({
      {spv::Op::OpTypeStruct, kNoId, 4, {2, 3}},
      {spv::Op::OpTypePointer, kNoId, 5, {12, 4}},
      {spv::Op::OpVariable, 5, 6, {12}},
      {spv::Op::OpTypeVector, kNoId, 3, {2, 4}},
      {spv::Op::OpConstant, 2, 7, {1}},
      {spv::Op::OpTypeInt, kNoId, 2, {32, 0}},
  });
  OrderGlobals(module);
  EXPECT_EQ(Order(module), (std::vector<Id>{2, 3, 4, 5, 6, 7}));
}

TEST(OrderGlobals, WhatIsInOrderStays) {
  Module module = WithGlobals({
      {spv::Op::OpTypeInt, kNoId, 2, {32, 0}},
      {spv::Op::OpTypeVoid, kNoId, 9, {}},
      {spv::Op::OpConstant, 2, 7, {3}},
      {spv::Op::OpTypeArray, kNoId, 4, {2, 7}},
  });
  OrderGlobals(module);
  EXPECT_EQ(Order(module), (std::vector<Id>{2, 9, 7, 4}));
}

TEST(OrderGlobals, ForwardPointersMayPointAhead) {
  Module module = WithGlobals({
      {spv::Op::OpTypeForwardPointer, kNoId, kNoId, {5, 5349}},
      {spv::Op::OpTypeStruct, kNoId, 4, {5, 2}},
      {spv::Op::OpTypePointer, kNoId, 5, {5349, 4}},
      {spv::Op::OpTypeInt, kNoId, 2, {32, 0}},
  });
  OrderGlobals(module);
  EXPECT_EQ(Order(module), (std::vector<Id>{1005, 2, 4, 5}));
}

TEST(OrderGlobals, LongChainsNeedNoStack) {
  Module module;
  module.bound = 300000;
  for (Id id = 200000; id > 2; --id)
    module.globals.emplace_back(spv::Op::OpSpecConstantOp, 2, id, std::vector<uint32_t>{128, id - 1, id - 1});
  module.globals.emplace_back(spv::Op::OpTypeInt, kNoId, 2, std::vector<uint32_t>{32, 0});
  OrderGlobals(module);
  EXPECT_EQ(module.globals.front().result_id, 2u);
  EXPECT_EQ(module.globals.back().result_id, 200000u);
}

}  // namespace
}  // namespace trellis::spirv
