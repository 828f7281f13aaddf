// SPDX-License-Identifier: Apache-2.0
// What records hold: every width, vectors without padding, matrices, nested structures, whole copies. A root writes
// records, a leaf reads them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Layouts = ShapedGpuTest;

constexpr uint32_t kLaidOutRecords = 5;

uint32_t FloatBits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// "Root", thread, sends kLaidOutRecords records; `write` fills one. "Leaf", thread: `read` gives words, which go to
// words[number * 16 + i].
struct LayoutProgram {
  using Write = std::function<void(NodeAsm&, const Records&, const Id& element)>;
  using Read = std::function<std::vector<Id>(NodeAsm&, const Records&)>;

  static std::string Text(Shape shape, const std::function<Id(NodeAsm&)>& make_record, const Id& number_is_member,
                          const Write& write, const Read& read) {
    NodeAsm m(shape);
    const Id words = m.StorageBuffer(0);
    const Id record = make_record(m);
    const Payload to = m.Output("Leaf", record, {.max_payloads = static_cast<int>(kLaidOutRecords)});
    m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
    const Records records = m.Allocate(to, Scope::kInvocation, static_cast<int>(kLaidOutRecords));
    m.For(static_cast<int>(kLaidOutRecords), [&](const Id& i) {
      m.Set(records, i, static_cast<uint32_t>(std::stoul(number_is_member)), i);
      write(m, records, i);
    });
    m.Enqueue(records);
    m.EndNode();
    m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
    const Id base = m.Mul(m.Get(m.NodeInput(), 0, static_cast<uint32_t>(std::stoul(number_is_member))), 16);
    const std::vector<Id> values = read(m, m.NodeInput());
    for (uint32_t i = 0; i < values.size(); ++i) m.AddWord(words, m.Add(base, i), values[i]);
    m.EndNode();
    return m.Text();
  }
};

testing::AssertionResult RunLayout(GraphRun& run, const std::string& text) {
  run.Nodes(text, {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  return run.Execute();
}

// {uint number; vec3 at 4; uint at 16; vec2 at 20}: offsets that only scalar layout allows.
TEST_P(Layouts, ScalarVectors) {
  const auto record = [](NodeAsm& m) {
    return m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 3), 4}, {m.Uint(), 16}, {m.Vector(m.Float(), 2), 20}});
  };
  const auto write = [](NodeAsm& m, const Records& records, const Id& i) {
    const Id v3 = m.Vector(m.Uint(), 3);
    const Id vector = m.Op("OpCompositeConstruct", v3, m.Add(i, 1), m.Add(i, 2), m.Add(i, 3));
    m.Store(m.Field(records, v3, i, {1}), vector);
    // One component again, through a pointer to it.
    m.Store(m.Field(records, m.Uint(), i, {1, 1}), m.Add(i, 50));
    m.Set(records, i, 2, m.Mul(i, 7));
    const Id number = m.Op("OpConvertUToF", m.Float(), i);
    m.Store(m.Field(records, m.Float(), i, {3, 0}), number);
    m.Store(m.Field(records, m.Float(), i, {3, 1}), m.Op("OpFAdd", m.Float(), number, m.Constant(m.Float(), "0.5")));
  };
  const auto read = [](NodeAsm& m, const Records& input) {
    const Id vector = m.Load(m.Vector(m.Uint(), 3), m.Field(input, m.Vector(m.Uint(), 3), 0, {1}));
    const Id pair = m.Load(m.Vector(m.Float(), 2), m.Field(input, m.Vector(m.Float(), 2), 0, {3}));
    std::vector<Id> values;
    for (int c = 0; c < 3; ++c) values.push_back(m.Op("OpCompositeExtract", m.Uint(), vector, Id(std::to_string(c))));
    values.push_back(m.Get(input, 0, 2));
    for (int c = 0; c < 2; ++c) {
      values.push_back(m.Op("OpBitcast", m.Uint(), m.Op("OpCompositeExtract", m.Float(), pair, Id(std::to_string(c)))));
    }
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "0", write, read)));
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    const std::vector<uint32_t> words = {i + 1, i + 50, i + 3, i * 7, FloatBits(float(i)), FloatBits(float(i) + 0.5f)};
    std::copy(words.begin(), words.end(), expected.begin() + i * 16);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Arrays of structures of arrays, with a dynamic index.
TEST_P(Layouts, NestedArrays) {
  const auto record = [](NodeAsm& m) {
    const Id inner = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 3, 4), 4}});
    return m.Struct({{m.Array(inner, 2, 16), 0}, {m.Uint(), 32}});
  };
  const auto write = [](NodeAsm& m, const Records& records, const Id& i) {
    m.For(2, [&](const Id& s) {
      m.Store(m.Field(records, m.Uint(), i, {0, s, 0}), m.Add(m.Mul(i, 100), s));
      m.For(3, [&](const Id& k) {
        m.Store(m.Field(records, m.Uint(), i, {0, s, 1, k}), m.Add(m.Add(i, m.Mul(s, 10)), k));
      });
    });
  };
  const auto read = [](NodeAsm& m, const Records& input) {
    std::vector<Id> values;
    for (int s = 0; s < 2; ++s) {
      values.push_back(m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {0, s, 0})));
      for (int k = 0; k < 3; ++k) values.push_back(m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {0, s, 1, k})));
    }
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "1", write, read)));
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    for (uint32_t s = 0; s < 2; ++s) {
      expected[i * 16 + s * 4] = i * 100 + s;
      for (uint32_t k = 0; k < 3; ++k) expected[i * 16 + s * 4 + 1 + k] = i + s * 10 + k;
    }
  }
  EXPECT_TRUE(run.Matches(expected));
}

// A 3x2 matrix by columns and a 2x3 matrix by rows: whole, by column, by element.
TEST_P(Layouts, Matrices) {
  const auto columns3 = [](NodeAsm& m) { return m.Type("OpTypeMatrix " + m.Vector(m.Float(), 2) + " 3"); };
  const auto columns2 = [](NodeAsm& m) { return m.Type("OpTypeMatrix " + m.Vector(m.Float(), 3) + " 2"); };
  const auto record = [&](NodeAsm& m) {
    return m.Struct({{m.Uint(), 0},
                     {columns3(m), 4, false, "ColMajor;MatrixStride 8"},
                     {columns2(m), 28, false, "RowMajor;MatrixStride 8"}});
  };
  const auto write = [&](NodeAsm& m, const Records& records, const Id& i) {
    const Id number = m.Op("OpConvertUToF", m.Float(), i);
    const auto element = [&](int n) {
      return m.Op("OpFAdd", m.Float(), number, m.Constant(m.Float(), std::to_string(n)));
    };
    const Id v2 = m.Vector(m.Float(), 2), v3 = m.Vector(m.Float(), 3);
    // The first one column by column.
    for (int c = 0; c < 3; ++c) {
      const Id column = m.Op("OpCompositeConstruct", v2, element(c * 2), element(c * 2 + 1));
      m.Store(m.Field(records, v2, i, {1, c}), column);
    }
    // The second one whole, then one element.
    const Id first = m.Op("OpCompositeConstruct", v3, element(10), element(11), element(12));
    const Id second = m.Op("OpCompositeConstruct", v3, element(13), element(14), element(15));
    m.Store(m.Field(records, columns2(m), i, {2}), m.Op("OpCompositeConstruct", columns2(m), first, second));
    m.Store(m.Field(records, m.Float(), i, {2, 1, 2}), element(99));
  };
  const auto read = [&](NodeAsm& m, const Records& input) {
    std::vector<Id> values;
    const Id matrix = m.Load(columns3(m), m.Field(input, columns3(m), 0, {1}));
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 2; ++r) {
        const Id place = Id(std::to_string(c) + " " + std::to_string(r));
        values.push_back(m.Op("OpBitcast", m.Uint(), m.Op("OpCompositeExtract", m.Float(), matrix, place)));
      }
    }
    for (int c = 0; c < 2; ++c) {
      for (int r = 0; r < 3; ++r)
        values.push_back(m.Op("OpBitcast", m.Uint(), m.Load(m.Float(), m.Field(input, m.Float(), 0, {2, c, r}))));
    }
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "0", write, read)));
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    for (uint32_t n = 0; n < 6; ++n) expected[i * 16 + n] = FloatBits(float(i + n));
    for (uint32_t n = 0; n < 6; ++n) expected[i * 16 + 6 + n] = FloatBits(float(i + (n == 5 ? 99 : 10 + n)));
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(Layouts, Members64Bit) {
  if (!context().features.int64) GTEST_SKIP() << "no shaderInt64";
  const auto type = [](NodeAsm& m) { return m.Type("OpTypeInt 64 0"); };
  const auto record = [&](NodeAsm& m) {
    m.Capability("Int64");
    return m.Struct({{m.Uint(), 0}, {type(m), 8}, {m.Vector(type(m), 3), 16}});
  };
  const auto write = [&](NodeAsm& m, const Records& records, const Id& i) {
    const Id wide = m.Op("OpUConvert", type(m), i);
    const Id big = m.Op("OpIAdd", type(m), wide, m.Constant(type(m), "81985529216486895"));  // 0x0123456789abcdef
    m.Store(m.Field(records, type(m), i, {1}), big);
    const Id v3 = m.Vector(type(m), 3);
    m.Store(m.Field(records, v3, i, {2}), m.Op("OpCompositeConstruct", v3, wide, big, wide));
    m.Store(m.Field(records, type(m), i, {2, 2}), big);
  };
  const auto read = [&](NodeAsm& m, const Records& input) {
    std::vector<Id> values;
    const auto split = [&](const Id& value) {
      values.push_back(m.Op("OpUConvert", m.Uint(), value));
      values.push_back(m.Op("OpUConvert", m.Uint(), m.Op("OpShiftRightLogical", type(m), value, 32)));
    };
    split(m.Load(type(m), m.Field(input, type(m), 0, {1})));
    const Id vector = m.Load(m.Vector(type(m), 3), m.Field(input, m.Vector(type(m), 3), 0, {2}));
    for (int c = 0; c < 3; ++c) split(m.Op("OpCompositeExtract", type(m), vector, Id(std::to_string(c))));
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "0", write, read)));
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    const uint32_t low = 0x89abcdef + i, high = 0x01234567;
    const std::vector<uint32_t> words = {low, high, i, 0, low, high, low, high};
    std::copy(words.begin(), words.end(), expected.begin() + i * 16);
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(Layouts, Members16Bit) {
  if (!context().features.int16) GTEST_SKIP() << "no shaderInt16";
  if (!context().features.float16) GTEST_SKIP() << "no shaderFloat16";
  const auto u16 = [](NodeAsm& m) { return m.Type("OpTypeInt 16 0"); };
  const auto f16 = [](NodeAsm& m) { return m.Type("OpTypeFloat 16"); };
  const auto record = [&](NodeAsm& m) {
    m.Capability("Int16");
    m.Capability("Float16");
    // ushort2 at an odd multiple of 2, float right behind a half.
    return m.Struct({{u16(m), 0}, {m.Vector(u16(m), 2), 2}, {f16(m), 6}, {m.Float(), 8}, {m.Uint(), 12}});
  };
  const auto write = [&](NodeAsm& m, const Records& records, const Id& i) {
    const Id small = m.Op("OpUConvert", u16(m), i);
    const Id v2 = m.Vector(u16(m), 2);
    m.Store(m.Field(records, u16(m), i, {0}), small);
    m.Store(m.Field(records, v2, i, {1}),
            m.Op("OpCompositeConstruct", v2, small, m.Op("OpIMul", u16(m), small, m.Constant(u16(m), "1000"))));
    m.Store(m.Field(records, f16(m), i, {2}), m.Op("OpConvertUToF", f16(m), i));
    m.Store(m.Field(records, m.Float(), i, {3}), m.Op("OpConvertUToF", m.Float(), m.Mul(i, 3)));
  };
  const auto read = [&](NodeAsm& m, const Records& input) {
    const auto widen = [&](const Id& value) { return m.Op("OpUConvert", m.Uint(), value); };
    std::vector<Id> values = {widen(m.Load(u16(m), m.Field(input, u16(m), 0, {0})))};
    const Id pair = m.Load(m.Vector(u16(m), 2), m.Field(input, m.Vector(u16(m), 2), 0, {1}));
    for (int c = 0; c < 2; ++c)
      values.push_back(widen(m.Op("OpCompositeExtract", u16(m), pair, Id(std::to_string(c)))));
    values.push_back(m.Op("OpConvertFToU", m.Uint(), m.Load(f16(m), m.Field(input, f16(m), 0, {2}))));
    values.push_back(m.Op("OpConvertFToU", m.Uint(), m.Load(m.Float(), m.Field(input, m.Float(), 0, {3}))));
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "4", write, read)));
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    const std::vector<uint32_t> words = {i, i, i * 1000, i, i * 3};
    std::copy(words.begin(), words.end(), expected.begin() + i * 16);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Bytes next to each other, and vectors of them at any offset.
TEST_P(Layouts, Members8Bit) {
  if (!context().features.int8) GTEST_SKIP() << "no 8-bit payloads";
  const auto u8 = [](NodeAsm& m) { return m.Type("OpTypeInt 8 0"); };
  const auto record = [&](NodeAsm& m) {
    m.Capability("Int8");
    return m.Struct({{u8(m), 0}, {m.Vector(u8(m), 3), 1}, {u8(m), 4}, {m.Array(u8(m), 3, 1), 5}, {m.Uint(), 8}});
  };
  const auto write = [&](NodeAsm& m, const Records& records, const Id& i) {
    const auto byte = [&](int factor) { return m.Op("OpUConvert", u8(m), m.Add(m.Mul(i, factor), factor)); };
    const Id v3 = m.Vector(u8(m), 3);
    m.Store(m.Field(records, u8(m), i, {0}), byte(1));
    m.Store(m.Field(records, v3, i, {1}), m.Op("OpCompositeConstruct", v3, byte(2), byte(3), byte(4)));
    m.Store(m.Field(records, u8(m), i, {1, 1}), byte(40));
    m.Store(m.Field(records, u8(m), i, {2}), byte(5));
    for (int k = 0; k < 3; ++k) m.Store(m.Field(records, u8(m), i, {3, k}), byte(6 + k));
  };
  const auto read = [&](NodeAsm& m, const Records& input) {
    const auto widen = [&](const Id& value) { return m.Op("OpUConvert", m.Uint(), value); };
    std::vector<Id> values = {widen(m.Load(u8(m), m.Field(input, u8(m), 0, {0})))};
    const Id vector = m.Load(m.Vector(u8(m), 3), m.Field(input, m.Vector(u8(m), 3), 0, {1}));
    for (int c = 0; c < 3; ++c)
      values.push_back(widen(m.Op("OpCompositeExtract", u8(m), vector, Id(std::to_string(c)))));
    values.push_back(widen(m.Load(u8(m), m.Field(input, u8(m), 0, {2}))));
    for (int k = 0; k < 3; ++k) values.push_back(widen(m.Load(u8(m), m.Field(input, u8(m), 0, {3, k}))));
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "4", write, read)));
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    const std::vector<uint32_t> factors = {1, 2, 40, 4, 5, 6, 7, 8};
    for (uint32_t n = 0; n < factors.size(); ++n) expected[i * 16 + n] = (factors[n] * (i + 1)) & 0xFF;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// double and a vector of them, at offsets that are multiples of 8.
TEST_P(Layouts, MembersDouble) {
  if (!context().features.float64) GTEST_SKIP() << "no shaderFloat64";
  const auto f64 = [](NodeAsm& m) { return m.Type("OpTypeFloat 64"); };
  const auto record = [&](NodeAsm& m) {
    m.Capability("Float64");
    return m.Struct({{m.Uint(), 0}, {f64(m), 8}, {m.Vector(f64(m), 2), 16}});
  };
  const auto write = [&](NodeAsm& m, const Records& records, const Id& i) {
    const Id number = m.Op("OpConvertUToF", f64(m), i);
    // Not a float: the low half counts.
    const Id big = m.Op("OpFAdd", f64(m), number, m.Constant(f64(m), "4503599627370496"));
    const Id v2 = m.Vector(f64(m), 2);
    m.Store(m.Field(records, f64(m), i, {1}), big);
    m.Store(m.Field(records, v2, i, {2}), m.Op("OpCompositeConstruct", v2, number, big));
  };
  const auto read = [&](NodeAsm& m, const Records& input) {
    const Id pair = m.Vector(m.Uint(), 2);
    std::vector<Id> values;
    const auto split = [&](const Id& value) {
      const Id halves = m.Op("OpBitcast", pair, value);
      for (int c = 0; c < 2; ++c) values.push_back(m.Op("OpCompositeExtract", m.Uint(), halves, Id(std::to_string(c))));
    };
    split(m.Load(f64(m), m.Field(input, f64(m), 0, {1})));
    const Id vector = m.Load(m.Vector(f64(m), 2), m.Field(input, m.Vector(f64(m), 2), 0, {2}));
    for (int c = 0; c < 2; ++c) split(m.Op("OpCompositeExtract", f64(m), vector, Id(std::to_string(c))));
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "0", write, read)));
  const auto push = [](std::vector<uint32_t>& words, double value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    words.insert(words.end(), {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)});
  };
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    std::vector<uint32_t> row;
    push(row, 4503599627370496.0 + i);
    push(row, i);
    push(row, 4503599627370496.0 + i);
    std::copy(row.begin(), row.end(), expected.begin() + i * 16);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// std430: vectors of three at multiples of 16, array and matrix strides of 16, holes that nobody may touch.
TEST_P(Layouts, Std430) {
  const auto columns = [](NodeAsm& m) { return m.Type("OpTypeMatrix " + m.Vector(m.Float(), 3) + " 2"); };
  const auto record = [&](NodeAsm& m) {
    const Id v3 = m.Vector(m.Uint(), 3);
    return m.Struct(
        {{m.Uint(), 0}, {v3, 16}, {m.Array(v3, 2, 16), 32}, {columns(m), 64, false, "ColMajor;MatrixStride 16"}});
  };
  const auto write = [&](NodeAsm& m, const Records& records, const Id& i) {
    const Id v3 = m.Vector(m.Uint(), 3);
    const auto vector = [&](int n) {
      return m.Op("OpCompositeConstruct", v3, m.Add(i, n), m.Add(i, n + 1), m.Add(i, n + 2));
    };
    m.Store(m.Field(records, v3, i, {1}), vector(10));
    m.Store(m.Field(records, v3, i, {2, 0}), vector(20));
    m.Store(m.Field(records, v3, i, {2, 1}), vector(30));
    for (int c = 0; c < 2; ++c) {
      for (int r = 0; r < 3; ++r) {
        const Id element = m.Op("OpConvertUToF", m.Float(), m.Add(i, 40 + 3 * c + r));
        m.Store(m.Field(records, m.Float(), i, {3, c, r}), element);
      }
    }
  };
  const auto read = [&](NodeAsm& m, const Records& input) {
    std::vector<Id> values;
    for (int c = 0; c < 3; ++c) values.push_back(m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {1, c})));
    for (int e = 0; e < 2; ++e) {
      for (int c = 0; c < 3; ++c) values.push_back(m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {2, e, c})));
    }
    const Id matrix = m.Load(columns(m), m.Field(input, columns(m), 0, {3}));
    for (int c = 0; c < 2; ++c) {
      for (int r = 0; r < 3; ++r) {
        const Id place = Id(std::to_string(c) + " " + std::to_string(r));
        values.push_back(m.Op("OpConvertFToU", m.Uint(), m.Op("OpCompositeExtract", m.Float(), matrix, place)));
      }
    }
    return values;
  };
  GraphRun run(context());
  ASSERT_TRUE(RunLayout(run, LayoutProgram::Text(shape(), record, "0", write, read)));
  std::vector<uint32_t> expected(16 * kLaidOutRecords);
  for (uint32_t i = 0; i < kLaidOutRecords; ++i) {
    for (uint32_t n = 0; n < 9; ++n) expected[i * 16 + n] = i + 10 * (n / 3 + 1) + n % 3;
    for (uint32_t n = 0; n < 6; ++n) expected[i * 16 + 9 + n] = i + 40 + n;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// A node in the middle hands its record on as one value.
TEST_P(Layouts, WholeRecordCopy) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id inner = m.Struct({{m.Array(m.Uint(), 3, 4), 0}, {m.Uint(), 12}});
  const Id record = m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 3), 4}, {inner, 16}});
  const Payload on = m.Output("Leaf", record, {.max_payloads = 2});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(on, Scope::kInvocation, 2);
  const Id whole = m.Load(record, m.Field(m.NodeInput(), record, 0, {}));
  m.Store(m.Field(records, record, 0, {}), whole);
  m.Store(m.Field(records, record, 1, {}), whole);
  // From the first output record to the second, one structure inside.
  m.Store(m.Field(records, m.Uint(), 0, {2, 1}), m.Constant(77));
  m.Store(m.Field(records, inner, 1, {2}), m.Load(inner, m.Field(records, inner, 0, {2})));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  // A copy in a local variable of the leaf's own.
  const Id value = m.Load(record, m.Field(m.NodeInput(), record, 0, {}));
  const Id base = m.Mul(m.Op("OpCompositeExtract", m.Uint(), value, "0"), 16);
  const std::vector<Id> places = {"0", "1 0", "1 1", "1 2", "2 0 0", "2 0 1", "2 0 2", "2 1"};
  for (uint32_t i = 0; i < places.size(); ++i)
    m.AddWord(words, m.Add(base, i), m.Op("OpCompositeExtract", m.Uint(), value, places[i]));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root",
             .count = 2,
             .payloads = Bytes({0, 1, 2, 3, 4, 5, 6, 7, 1, 11, 12, 13, 14, 15, 16, 17}),
             .stride = 32});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(32);
  for (uint32_t r = 0; r < 2; ++r) {
    const std::vector<uint32_t> row = {r, 10 * r + 1, 10 * r + 2, 10 * r + 3, 10 * r + 4, 10 * r + 5, 10 * r + 6, 77};
    for (uint32_t i = 0; i < row.size(); ++i) expected[r * 16 + i] = 2 * row[i];
  }
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(Layouts);

}  // namespace
}  // namespace trellis::test
