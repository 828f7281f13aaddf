// SPDX-License-Identifier: Apache-2.0
// Payload memory by every instruction that reaches it: paths in several steps, copies, whole records.
#include <gtest/gtest.h>

#include <bit>

#include "tests/gpu/root_and_leaf.h"

namespace trellis::test {
namespace {

using AccessShapes = ShapedGpuTest;

const char* StorageOf(Shape shape) { return shape == Shape::kDxc ? "Function" : "NodePayloadAMDX"; }

// {uint index; struct {vec3 at 4; mat2x3 (columns of 12 bytes) at 16; uint[2][3]} at 4}, 64 bytes
struct DeepRecord {
  explicit DeepRecord(NodeAsm& m)
      : vector(m.Vector(m.Uint(), 3)),
        column(m.Vector(m.Float(), 3)),
        matrix(m.Type("OpTypeMatrix " + column + " 2")),
        row(m.Array(m.Uint(), 3, 4)),
        table(m.Array(row, 2, 12)),
        inner(m.Struct({{vector, 0}, {matrix, 12, false, "ColMajor;MatrixStride 12"}, {table, 36}})),
        record(m.Struct({{m.Uint(), 0}, {inner, 4}})) {}
  static constexpr uint32_t kWords = 16;

  Id vector, column, matrix, row, table, inner, record;
};

// Fills record `element` by chains on chains. Word w of record r becomes 100 * r + w; floats hold that number.
void FillInSteps(NodeAsm& m, const DeepRecord& deep, const Records& records, const Id& element, const Id& number) {
  const auto chain = [&](const char* opcode, const Id& type, const Id& base, const std::string& indices) {
    return m.Op(opcode, m.Pointer(records.storage, type), Id(base + " " + indices));
  };
  const auto word = [&](int w) { return m.Add(m.Mul(number, 100), w); };
  const auto real = [&](int w) { return m.Op("OpConvertUToF", m.Float(), word(w)); };
  const Id record = chain("OpAccessChain", deep.record, records.pointer, element);
  m.Store(chain("OpInBoundsAccessChain", m.Uint(), record, m.Constant(0)), word(0));
  const Id inner = chain("OpInBoundsAccessChain", deep.inner, record, m.Constant(1));
  const Id vector = chain("OpAccessChain", deep.vector, inner, m.Constant(0));
  for (int i : {0, 1, 2}) m.Store(chain("OpAccessChain", m.Uint(), vector, m.Constant(i)), word(1 + i));
  const Id matrix = m.Op("OpCopyObject", m.Pointer(records.storage, deep.matrix),
                         chain("OpAccessChain", deep.matrix, inner, m.Constant(1)));
  const Id first = chain("OpAccessChain", deep.column, matrix, m.Constant(0));
  m.Store(first, m.Op("OpCompositeConstruct", deep.column, real(4), real(5), real(6)));
  for (int i : {0, 1, 2})
    m.Store(chain("OpAccessChain", m.Float(), matrix, m.Constant(1) + " " + m.Constant(i)), real(7 + i));
  const Id table = chain("OpAccessChain", deep.table, inner, m.Constant(2));
  m.For(2, [&](const Id& i) {
    const Id row = chain("OpInBoundsAccessChain", deep.row, table, i);
    m.For(3, [&](const Id& k) {
      m.Store(chain("OpAccessChain", m.Uint(), row, k), m.Add(m.Add(word(10), m.Mul(i, 3)), k));
    });
  });
}

std::vector<uint32_t> DeepWords(uint32_t number) {
  std::vector<uint32_t> words;
  for (uint32_t w = 0; w < DeepRecord::kWords; ++w) {
    const uint32_t value = 100 * number + w;
    words.push_back(w >= 4 && w < 10 ? std::bit_cast<uint32_t>(static_cast<float>(value)) : value);
  }
  return words;
}

// Writes the words of its record to words[first + 16 * ...]: where, the record's first word tells (100 * number).
void AddWordLeaf(NodeAsm& m, const Id& words) {
  const Id raw = m.Struct({{m.Array(m.Uint(), DeepRecord::kWords, 4), 0}});
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(raw)});
  const Id first = m.Mul(m.Div(m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {0, 0})), 100), 16);
  m.For(static_cast<int>(DeepRecord::kWords), [&](const Id& i) {
    m.StoreWord(words, m.Add(first, i), m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {0, i})));
  });
  m.EndNode();
}

// Records 0 and 1 of an allocation: the first filled in steps, the second made of it by `copy`.
void ExpectCopies(Context& context, Shape shape,
                  const std::function<void(NodeAsm&, const DeepRecord&, const Id& from, const Id& to)>& copy) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const DeepRecord deep(m);
  const Payload to = m.Output("Leaf", deep.record, {.max_payloads = 2});
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .grid = {3, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  const Id number = m.Mul(m.GroupId(0), 2);
  FillInSteps(m, deep, records, m.Constant(0), number);
  copy(m, deep, m.Chain(records.storage, deep.record, records.pointer, {0}),
       m.Chain(records.storage, deep.record, records.pointer, {1}));
  m.Set(records, 1, 0, m.Mul(m.Add(number, 1), 100));
  m.Enqueue(records);
  m.EndNode();
  AddWordLeaf(m, words);
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 6; ++i) {
    std::vector<uint32_t> record = DeepWords(i / 2 * 2);
    record[0] = 100 * i;
    expected.insert(expected.end(), record.begin(), record.end());
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(AccessShapes, WholeRecordAsAValue) {
  ExpectCopies(context(), shape(), [](NodeAsm& m, const DeepRecord& deep, const Id& from, const Id& to) {
    m.Store(to, m.Load(deep.record, from));
  });
}

TEST_P(AccessShapes, CopyMemoryOfARecord) {
  ExpectCopies(context(), shape(), [](NodeAsm& m, const DeepRecord&, const Id& from, const Id& to) {
    m.Do("OpCopyMemory " + to + " " + from);
  });
}

// Member by member, through variables on the way.
TEST_P(AccessShapes, CopyMemoryOfMembersThroughVariables) {
  const Shape how = shape();
  ExpectCopies(context(), how, [how](NodeAsm& m, const DeepRecord& deep, const Id& from, const Id& to) {
    const auto copy = [&](const Id& type, const std::vector<Value>& path) {
      const Id variable = m.Local(type);
      m.Do("OpCopyMemory " + variable + " " + m.Chain(StorageOf(how), type, from, path));
      m.Do("OpCopyMemory " + m.Chain(StorageOf(how), type, to, path) + " " + variable);
    };
    copy(deep.vector, {1, 0});
    copy(deep.matrix, {1, 1});
    // Word by word: a variable in Function may not have the array's stride.
    for (int row : {0, 1})
      for (int column : {0, 1, 2}) copy(m.Uint(), {1, 2, row, column});
  });
}

// A loaded record is an ordinary value: taken apart, indexed, put together.
TEST_P(AccessShapes, PartsOfALoadedRecord) {
  ExpectCopies(context(), shape(), [](NodeAsm& m, const DeepRecord& deep, const Id& from, const Id& to) {
    const Id value = m.Load(deep.record, from);
    const Id vector = m.Op("OpCompositeExtract", deep.vector, value, Id("1 0"));
    const Id one = m.Op("OpVectorExtractDynamic", m.Uint(), vector, m.Add(m.LocalIndex(), 1));
    const Id other = m.Op("OpVectorInsertDynamic", deep.vector, vector, one, m.Add(m.LocalIndex(), 1));
    const Id matrix = m.Op("OpCompositeExtract", deep.matrix, value, Id("1 1"));
    const Id table = m.Op("OpCompositeExtract", deep.table, value, Id("1 2"));
    const Id inner = m.Op("OpCompositeConstruct", deep.inner, other, matrix, table);
    m.Store(to, m.Op("OpCompositeInsert", deep.record, inner, value, Id("1")));
  });
}

// The handle as a value: OpCompositeExtract reads a payload, OpCompositeInsert writes it.
TEST_P(AccessShapes, HandleAsAComposite) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 8});
  p.Begin(4, 1);
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  SetLeaf(m, records, 0, m.GlobalId(0), 30);
  const Id value = m.Load(to.array, records.pointer);
  const Id first = m.Op("OpCompositeExtract", p.record, value, Id("0"));
  const Id whole = m.Op("OpCompositeInsert", to.array, first, value, Id("1"));
  const Id doubled = m.Mul(m.Op("OpCompositeExtract", m.Uint(), whole, Id("1 1")), 2);
  (void)m.Op("OpCompositeInsert", to.array, doubled, whole, Id("1 1"));
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(4, 90)));
}

// A store through the allocation's own pointer stores the payloads; an array that is longer keeps its last ones.
TEST_P(AccessShapes, WholeArrays) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 28});
  p.Begin(4, 2);
  const Id pointer_type = m.Pointer("NodePayloadAMDX", to.array);
  const auto allocate = [&](int count) { return m.Op("OpAllocateNodePayloadsAMDX", pointer_type, 4, count, 0); };
  const Records from = {allocate(2), "NodePayloadAMDX"};
  const Records stored = {allocate(3), "NodePayloadAMDX"};
  const Records copied = {allocate(2), "NodePayloadAMDX"};
  const Id lane = m.GlobalId(0);
  for (int i : {0, 1}) SetLeaf(m, from, i, m.Add(lane, 10 * i), 7);
  SetLeaf(m, stored, 2, 30, 1);
  m.Store(stored.pointer, m.Load(to.array, from.pointer));
  m.Do("OpCopyMemory " + copied.pointer + " " + from.pointer);
  m.Set(copied, 1, 1, 100);
  for (const Records& records : {from, stored, copied}) m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(31);
  for (uint32_t i = 0; i < 8; ++i) {
    expected[i] = 3 * 7;
    expected[10 + i] = 7 + 7 + 100;
  }
  expected[30] = 8;
  EXPECT_TRUE(run.Matches(expected));
}

// Atomics on payloads of a Workgroup allocation, and the parts of a number through an out parameter.
TEST_P(AccessShapes, AtomicsAndOutParameters) {
  context().messages.Expect("PayloadNodeNameAMDX-09139");  // with the setting `validate`: prefixes work, but break it
  Program p(shape());
  NodeAsm& m = p.m;
  const Id glsl = m.ImportSet("GLSL.std.450");
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Float(), 8}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = 1});
  p.Begin(32, 3);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 1);
  m.If(m.Equal(m.LocalIndex(), 0), [&] { SetLeaf(m, records, 0, m.GroupId(0), 0); });
  m.Do("OpControlBarrier " + m.Constant(2) + " " + m.Constant(2) + " " + m.Constant(0x148));
  (void)m.Op("OpAtomicIAdd", m.Uint(), m.Field(records, m.Uint(), 0, {1}), 2, 0, m.LocalIndex());
  m.If(m.Equal(m.LocalIndex(), 0), [&] {
    const Id fraction = m.Op("OpExtInst", m.Float(), glsl, Id("Modf"), m.Constant(m.Float(), "12.25"),
                             m.Field(records, m.Float(), 0, {2}));
    const Id quarter = m.Op("OpConvertFToU", m.Uint(), m.Op("OpFMul", m.Float(), fraction, m.Constant(m.Float(), "4")));
    const Id integer = m.Op("OpConvertFToU", m.Uint(), m.Load(m.Float(), m.Field(records, m.Float(), 0, {2})));
    m.StoreWord(p.words, m.Add(m.GroupId(0), 10), m.Add(integer, m.Mul(quarter, 100)));
  });
  m.Do("OpControlBarrier " + m.Constant(2) + " " + m.Constant(2) + " " + m.Constant(0x148));
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(13);
  for (uint32_t i = 0; i < 3; ++i) {
    expected[i] = 31 * 32 / 2;
    expected[10 + i] = 112;
  }
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(AccessShapes);

}  // namespace
}  // namespace trellis::test
