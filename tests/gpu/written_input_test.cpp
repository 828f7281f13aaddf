// SPDX-License-Identifier: Apache-2.0
// What invocations and workgroups do to a payload that they share: atomics of every kind, barriers as compilers emit
// them, members of every width.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kWritingLanes = 16;
constexpr uint32_t kGroups = 12;
constexpr uint32_t kWritingInvocations = kWritingLanes * kGroups;
constexpr uint32_t kWrittenRecords = 6;

// Parameter: the Vulkan memory model.
class WrittenInput : public GpuTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && GetParam() && !context().features.vulkan_memory_model) GTEST_SKIP() << "no vulkanMemoryModel";
  }
  [[nodiscard]] NodeAsm Begin() const {
    NodeAsm m;
    if (GetParam()) m.UseVulkanMemoryModel();
    return m;
  }
  // One coalescing invocation sends kWrittenRecords records, filled by `fill`.
  static void AddRoot(NodeAsm& m, const Id& record, const std::function<void(const Records&, const Id&)>& fill) {
    const Payload to = m.Output("Writer", record, {.max_payloads = kWrittenRecords});
    m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
    const Records records = m.Allocate(to, Scope::kInvocation, kWrittenRecords);
    m.For(kWrittenRecords, [&](const Id& r) { fill(records, r); });
    m.Enqueue(records);
    m.EndNode();
  }
  static void BeginWriter(NodeAsm& m, const Id& record, uint32_t groups) {
    m.BeginNode({.name = "Writer",
                 .launch = Launch::kStaticGrid,
                 .local_size = {kWritingLanes, 1, 1},
                 .grid = {groups, 1, 1},
                 .shader_index = 0,
                 .input = m.Input(record)});
  }
  testing::AssertionResult Gives(const NodeAsm& m, const std::vector<uint32_t>& expected) {
    GraphRun run(context());
    run.Nodes(m.Text(), {"Root", "Writer"});
    run.Input({.node = "Root", .count = 1});
    if (const testing::AssertionResult ran = run.Execute(); !ran) return ran;
    return run.Matches(expected);
  }

  // Atomics of every kind on members of `width` bits: {record, operands…}. All invocations of the launch take part, the
  // last workgroup writes what came of it.
  void TestAtomics(uint32_t width);
};

struct AtomicCase {
  const char* opcode;
  uint64_t start;
  bool has_operand;
};
// Member i of the record starts as `start`; the operand of invocation v is v + 1, except for bits, where it is 1 << v
// % 16.
constexpr AtomicCase kAtomics[] = {{"OpAtomicIAdd", 5, true},
                                   {"OpAtomicISub", 5, true},
                                   {"OpAtomicIIncrement", 7, false},
                                   {"OpAtomicIDecrement", 7, false},
                                   {"OpAtomicUMin", 1000, true},
                                   {"OpAtomicUMax", 3, true},
                                   {"OpAtomicSMin", 0xffff, true},
                                   {"OpAtomicSMax", 0, true},
                                   {"OpAtomicAnd", 0xffffff, true},
                                   {"OpAtomicOr", 0x100000, true},
                                   {"OpAtomicXor", 0x100000, true},
                                   {"OpAtomicExchange", 0, true},
                                   {"OpAtomicCompareExchange", 9, true},
                                   {"OpAtomicStore", 0, true}};

bool IsOneOf(const std::string& opcode, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), opcode) != names.end();
}
// All invocations write the same value where the last one would win.
bool TakesConstant(const std::string& opcode) {
  return IsOneOf(opcode, {"OpAtomicExchange", "OpAtomicCompareExchange", "OpAtomicStore"});
}
bool TakesBit(const std::string& opcode) { return IsOneOf(opcode, {"OpAtomicAnd", "OpAtomicOr", "OpAtomicXor"}); }
constexpr uint32_t kConstant = 77;

uint64_t Outcome(const AtomicCase& atomic) {
  const std::string opcode = atomic.opcode;
  uint64_t value = atomic.start;
  for (uint64_t v = 0; v < kWritingInvocations; ++v) {
    const uint64_t operand = v + 1;
    const uint64_t bit = 1u << v % 16;
    if (opcode == "OpAtomicIAdd") value += operand;
    if (opcode == "OpAtomicISub") value -= operand;
    if (opcode == "OpAtomicIIncrement") ++value;
    if (opcode == "OpAtomicIDecrement") --value;
    if (IsOneOf(opcode, {"OpAtomicUMin", "OpAtomicSMin"})) value = std::min(value, operand);
    if (IsOneOf(opcode, {"OpAtomicUMax", "OpAtomicSMax"})) value = std::max(value, operand);
    if (opcode == "OpAtomicAnd") value &= ~bit;
    if (opcode == "OpAtomicOr") value |= bit;
    if (opcode == "OpAtomicXor") value ^= bit;
  }
  return TakesConstant(opcode) ? kConstant : value;
}

void WrittenInput::TestAtomics(uint32_t width) {
  NodeAsm m = Begin();
  const bool wide = width == 64;
  if (wide) {
    m.Capability("Int64");
    m.Capability("Int64Atomics");
  }
  const Id type = m.Type("OpTypeInt " + std::to_string(width) + " 0");
  const auto constant = [&](uint64_t value) { return m.Constant(type, std::to_string(value)); };
  const auto widen = [&](const Id& value) { return wide ? m.Op("OpUConvert", type, value) : value; };
  const Id words = m.StorageBuffer(0);
  const uint32_t count = std::size(kAtomics);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(type, count, width / 8), 8}});
  m.Track(record);
  AddRoot(m, record, [&](const Records& records, const Id& r) {
    m.Set(records, r, 0, r);
    for (uint32_t i = 0; i < count; ++i) m.Store(m.Field(records, type, r, {1, i}), constant(kAtomics[i].start));
  });
  BeginWriter(m, record, kGroups);
  const Records& input = m.NodeInput();
  const Id invocation = m.GlobalId(0);
  const Id operand = widen(m.Add(invocation, 1));
  const Id bit = widen(m.Op("OpShiftLeftLogical", m.Uint(), 1, m.Mod(invocation, 16)));
  for (uint32_t i = 0; i < count; ++i) {
    const std::string opcode = kAtomics[i].opcode;
    const Id member = m.Field(input, type, 0, {1, i});
    const Id what = TakesConstant(opcode)     ? constant(kConstant)
                    : opcode == "OpAtomicAnd" ? m.Op("OpNot", type, bit)
                    : TakesBit(opcode)        ? bit
                                              : operand;
    if (opcode == "OpAtomicStore") {
      m.Do("OpAtomicStore " + member + " " + m.Constant(1) + " " + m.Constant(0) + " " + what);
    } else if (opcode == "OpAtomicCompareExchange") {
      m.Op(opcode, type, member, 1, 0, 0, what, constant(kAtomics[i].start));
    } else if (kAtomics[i].has_operand) {
      m.Op(opcode, type, member, 1, 0, what);
    } else {
      m.Op(opcode, type, member, 1, 0);
    }
  }
  const Id last = m.Op("OpLogicalAnd", m.Bool(), m.FinishWriting(), m.Equal(m.LocalIndex(), 0));
  m.If(last, [&] {
    const Id base = m.Mul(m.Get(input, 0, 0), 2 * count);
    for (uint32_t i = 0; i < count; ++i) {
      const Id value = m.Op("OpAtomicLoad", type, m.Field(input, type, 0, {1, i}), 1, 0);
      const Id high = wide ? m.Op("OpUConvert", m.Uint(), m.Op("OpShiftRightLogical", type, value, 32)) : m.Constant(0);
      m.StoreWord(words, m.Add(base, 2 * i), wide ? m.Op("OpUConvert", m.Uint(), value) : value);
      m.StoreWord(words, m.Add(base, 2 * i + 1), high);
    }
  });
  m.EndNode();
  std::vector<uint32_t> expected;
  for (uint32_t r = 0; r < kWrittenRecords; ++r) {
    for (const AtomicCase& atomic : kAtomics) {
      const uint64_t value = Outcome(atomic);
      expected.insert(expected.end(), {static_cast<uint32_t>(value), wide ? static_cast<uint32_t>(value >> 32) : 0});
    }
  }
  EXPECT_TRUE(Gives(m, expected));
}

TEST_P(WrittenInput, AtomicsOn32Bits) { TestAtomics(32); }

TEST_P(WrittenInput, AtomicsOn64Bits) {
  if (!context().features.int64 || !context().features.int64_atomics) GTEST_SKIP() << "no shaderBufferInt64Atomics";
  TestAtomics(64);
}

// Barrier() of HLSL in DXC's words: scope of the memory, and semantics. Every invocation writes its cell, and reads its
// neighbour's behind the barrier.
TEST_P(WrittenInput, BarriersOfEveryForm) {
  constexpr uint32_t kScopes[] = {2, 5};
  constexpr uint32_t kSemantics[] = {0x8 | 0x40, 0x8 | 0x100, 0x8 | 0x1000, 0x1148};
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), kWritingLanes, 4), 4}});
  AddRoot(m, record, [&](const Records& records, const Id& r) { m.Set(records, r, 0, r); });
  BeginWriter(m, record, 1);
  const Records& input = m.NodeInput();
  const auto cell = [&](const Id& lane) { return m.Field(input, m.Uint(), 0, {1, lane}); };
  const Id lane = m.LocalIndex();
  const Id neighbour = m.Mod(m.Add(lane, 1), kWritingLanes);
  Id seen = m.Get(input, 0, 0);
  uint32_t step = 0;
  for (const uint32_t scope : kScopes) {
    for (const uint32_t semantics : kSemantics) {
      const std::string memory = m.Constant(scope) + " " + m.Constant(semantics);
      const std::string barrier = "OpControlBarrier " + m.Constant(2) + " " + memory;
      m.Store(cell(lane), m.Add(m.Mul(lane, 100), ++step));
      m.Do(barrier);
      seen = m.Add(m.Mul(seen, 3), m.Load(m.Uint(), cell(neighbour)));
      // The same in two instructions, and one at scope Invocation, which orders nothing.
      m.Do("OpMemoryBarrier " + memory);
      m.Do("OpMemoryBarrier " + m.Constant(4) + " " + m.Constant(semantics));
      m.Do(barrier);
    }
  }
  m.AddWord(words, m.Add(m.Mul(m.Get(input, 0, 0), kWritingLanes), lane), seen);
  m.EndNode();
  std::vector<uint32_t> expected;
  for (uint32_t r = 0; r < kWrittenRecords; ++r) {
    for (uint32_t l = 0; l < kWritingLanes; ++l) {
      uint32_t value = r;
      for (uint32_t s = 1; s <= 8; ++s) value = value * 3 + (l + 1) % kWritingLanes * 100 + s;
      expected.push_back(value);
    }
  }
  EXPECT_TRUE(Gives(m, expected));
}

// Cells of one width, written by one workgroup each and read by the last one.
TEST_P(WrittenInput, MembersOfEveryWidth) {
  struct Width {
    uint32_t bits;
    const char* capability;
    bool there;
  };
  const ShaderFeatures& features = context().features;
  uint32_t tested = 0;
  for (const Width& width : {Width{8, "Int8", features.int8}, Width{16, "Int16", features.int16},
                             Width{32, "Shader", true}, Width{64, "Int64", features.int64}}) {
    if (!width.there) continue;
    ++tested;
    NodeAsm m = Begin();
    m.Capability(width.capability);
    const bool is_word = width.bits == 32;
    const Id type = m.Type("OpTypeInt " + std::to_string(width.bits) + " 0");
    const Id words = m.StorageBuffer(0);
    const Id record = m.Struct({{m.Uint(), 0}, {m.Array(type, kWritingInvocations, width.bits / 8), 8}});
    m.Track(record);
    AddRoot(m, record, [&](const Records& records, const Id& r) { m.Set(records, r, 0, r); });
    BeginWriter(m, record, kGroups);
    const Records& input = m.NodeInput();
    const Id value = m.And(m.Add(m.GlobalId(0), m.Get(input, 0, 0)), 0x7f);
    m.Store(m.Field(input, type, 0, {1, m.GlobalId(0)}), is_word ? value : m.Op("OpUConvert", type, value));
    m.If(m.FinishWriting(), [&] {
      m.For(kGroups, [&](const Id& group) {
        const Id place = m.Add(m.Mul(group, kWritingLanes), m.LocalIndex());
        const Id read = m.Load(type, m.Field(input, type, 0, {1, place}));
        m.AddWord(words, m.Add(m.Mul(m.Get(input, 0, 0), kWritingLanes), m.LocalIndex()),
                  is_word ? read : m.Op("OpUConvert", m.Uint(), read));
      });
    });
    m.EndNode();
    std::vector<uint32_t> expected(kWrittenRecords * kWritingLanes);
    for (uint32_t r = 0; r < kWrittenRecords; ++r)
      for (uint32_t i = 0; i < kWritingInvocations; ++i)
        expected[r * kWritingLanes + i % kWritingLanes] += (i + r) & 0x7f;
    EXPECT_TRUE(Gives(m, expected)) << width.bits << " bits";
  }
  EXPECT_GE(tested, 1u);
}

INSTANTIATE_TEST_SUITE_P(MemoryModels, WrittenInput, testing::Bool(), [](const testing::TestParamInfo<bool>& info) {
  return info.param ? std::string("vulkan") : std::string("glsl450");
});

}  // namespace
}  // namespace trellis::test
