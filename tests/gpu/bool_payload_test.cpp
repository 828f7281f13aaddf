// SPDX-License-Identifier: Apache-2.0
// Booleans in payloads: written and read one by one, as vectors and arrays, and in whole structures.
#include <gtest/gtest.h>

#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using BoolPayloads = ShapedGpuTest;

constexpr uint32_t kRecords = 16;

// {uint number; bool; bvec3; {bool[3]; uint}}: seven booleans in 36 bytes.
struct FlagRecord {
  explicit FlagRecord(NodeAsm& m) : vector(m.Vector(m.Bool(), 3)) {
    const Id inner = m.Struct({{m.Array(m.Bool(), 3, 4), 0}, {m.Uint(), 12}});
    type = m.Struct({{m.Uint(), 0}, {m.Bool(), 4}, {vector, 8}, {inner, 20}});
  }
  Id vector, type;
};

Id Bit(NodeAsm& m, const Id& bits, uint32_t i) { return m.NotEqual(m.And(m.Shift(bits, i), 1), 0); }

// Boolean i becomes bit i of `bits`, the last member `bits` itself.
void WriteFlags(NodeAsm& m, const FlagRecord& record, const Records& records, const Id& element, const Id& bits) {
  m.Store(m.Field(records, m.Bool(), element, {1}), Bit(m, bits, 0));
  m.Store(m.Field(records, record.vector, element, {2}),
          m.Op("OpCompositeConstruct", record.vector, Bit(m, bits, 1), Bit(m, bits, 2), Bit(m, bits, 0)));
  m.Store(m.Field(records, m.Bool(), element, {2, 2}), Bit(m, bits, 3));
  for (uint32_t i = 0; i < 3; ++i) m.Store(m.Field(records, m.Bool(), element, {3, 0, i}), Bit(m, bits, 4 + i));
  m.Store(m.Field(records, m.Uint(), element, {3, 1}), bits);
}

// "Leaf", thread: words[2 number] += the booleans as bits, words[2 number + 1] += the last member.
void AddFlagLeaf(NodeAsm& m, const Id& words, const FlagRecord& record) {
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record.type)});
  const Records& input = m.NodeInput();
  const Id whole = m.Load(record.type, m.Field(input, record.type, 0, {}));
  const std::vector<Id> flags = {
      m.Load(m.Bool(), m.Field(input, m.Bool(), 0, {1})),
      m.Op("OpCompositeExtract", m.Bool(), m.Load(record.vector, m.Field(input, record.vector, 0, {2})), Id("0")),
      m.Load(m.Bool(), m.Field(input, m.Bool(), 0, {2, 1})),
      m.Op("OpCompositeExtract", m.Bool(), whole, Id("2 2")),
      m.Op("OpCompositeExtract", m.Bool(), whole, Id("3 0 0")),
      m.Load(m.Bool(), m.Field(input, m.Bool(), 0, {3, 0, 1})),
      m.Op("OpCompositeExtract", m.Bool(), whole, Id("3 0 2"))};
  const Id place = m.Mul(m.Get(input, 0, 0), 2);
  for (uint32_t i = 0; i < flags.size(); ++i) m.AddWord(words, place, m.Select(flags[i], 1u << i, 0));
  m.AddWord(words, m.Add(place, 1), m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {3, 1})));
  m.EndNode();
}

// Bits of record `number`.
uint32_t Pattern(uint32_t number) { return number * 37 % 128; }

void SendPatterns(NodeAsm& m, const FlagRecord& record, const std::string& target) {
  const Payload to = m.Output(target, record.type, {.max_payloads = static_cast<int>(kRecords)});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, static_cast<int>(kRecords));
  m.For(static_cast<int>(kRecords), [&](const Id& i) {
    m.Set(records, i, 0, i);
    WriteFlags(m, record, records, i, m.Mod(m.Mul(i, 37), 128));
  });
  m.Enqueue(records);
  m.EndNode();
}

TEST_P(BoolPayloads, MembersVectorsAndArrays) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const FlagRecord record(m);
  SendPatterns(m, record, "Leaf");
  AddFlagLeaf(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < kRecords; ++i) expected.insert(expected.end(), {Pattern(i), Pattern(i)});
  EXPECT_TRUE(run.Matches(expected));
}

// "Middle" hands each record on as a whole: loaded and stored, with its first boolean turned round; and copied from
// record to record.
TEST_P(BoolPayloads, WholeStructures) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const FlagRecord record(m);
  SendPatterns(m, record, "Middle");
  const Payload to = m.Output("Leaf", record.type, {.max_payloads = 3});
  m.BeginNode({.name = "Middle", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record.type)});
  const Records records = m.Allocate(to, Scope::kInvocation, 3);
  const Id input = m.Field(m.NodeInput(), record.type, 0, {});
  const auto output = [&](uint32_t i) { return m.Field(records, record.type, i, {}); };
  const Id loaded = m.Load(record.type, input);
  const Id first = m.Op("OpLogicalNot", m.Bool(), m.Op("OpCompositeExtract", m.Bool(), loaded, Id("1")));
  m.Store(output(0), m.Op("OpCompositeInsert", record.type, first, loaded, Id("1")));
  m.Do("OpCopyMemory " + output(1) + " " + input);
  m.Do("OpCopyMemory " + output(2) + " " + output(1));
  for (uint32_t i = 0; i < 3; ++i) m.Set(records, i, 0, m.Add(m.Mul(m.Get(m.NodeInput(), 0, 0), 3), i));
  m.Enqueue(records);
  m.EndNode();
  AddFlagLeaf(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Middle", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < kRecords; ++i) {
    const uint32_t bits = Pattern(i);
    expected.insert(expected.end(), {bits ^ 1, bits, bits, bits, bits, bits});
  }
  EXPECT_TRUE(run.Matches(expected));
}

// The application's payloads: any word but 0 is true.
TEST_P(BoolPayloads, FromTheApplication) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const FlagRecord record(m);
  AddFlagLeaf(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Leaf"});
  run.Input({.node = "Leaf",
             .count = 2,
             .payloads = Bytes({0, 1, 0, 7, 0x80000000, 0, 0x100, 0, 99,  //
                                1, 0, 0xffffffff, 0, 0, 2, 0, 1, 98}),
             .stride = 36});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0b0101101, 99, 0b1010010, 98}));
}

TRELLIS_BOTH_SHAPES(BoolPayloads);

}  // namespace
}  // namespace trellis::test
