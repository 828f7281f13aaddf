// SPDX-License-Identifier: Apache-2.0
// Small workgroups, several of which run as one of the driver, and the same graphs without that: thread nodes, grids,
// coalescing nodes.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include "tests/gpu/leaf_nodes.h"
#include "tests/gpu/logged_device.h"
#include "tests/gpu/variant.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kCounts[] = {0, 1, 127, 128, 129, 300};

struct Mode {
  const char* name;
  const char* packs;
  const char* aggregation;  // over subgroups, where the device has what that takes
  const char* max_workgroups = "4294967295";
  const char* target = "auto";
};

class Packing : public LoggedDeviceTest, public testing::WithParamInterface<Mode> {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    std::vector<EnvironmentSetting> settings = LogSettings("debug");
    settings.push_back({"TRELLIS_PACK_WORKGROUPS", GetParam().packs});
    settings.push_back({"TRELLIS_AGGREGATION", GetParam().aggregation});
    settings.push_back({"TRELLIS_MAX_PACKED_WORKGROUPS", GetParam().max_workgroups});
    settings.push_back({"TRELLIS_SHADER_TARGET", GetParam().target});
    return settings;
  }
  [[nodiscard]] bool IsOn() const { return std::string(GetParam().packs) == "true"; }
  [[nodiscard]] bool IsForGpus() const {
    const bool is_gpu = context().properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
    return GetParam().target == std::string("gpu") || is_gpu;
  }

  // The same words, whether "Source" sends the payloads of `input` or they come from the host.
  void ExpectPlaces(const NodeAsm& m, const GraphInput& input, const std::vector<uint32_t>& expected) {
    for (const bool from_host : {false, true}) {
      GraphRun run(context(), {.words = static_cast<uint32_t>(expected.size()) + 64});
      run.Nodes(m.Text(), {"Source", "Small"});
      run.Input(from_host ? input : GraphInput{.node = "Source", .count = 1});
      ASSERT_TRUE(run.Execute()) << from_host;
      EXPECT_TRUE(run.Matches(expected)) << from_host;
    }
  }
};

// Records {i, i + 1}, one after the other.
std::vector<uint8_t> CountingRecords(uint32_t count) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < count; ++i) words.insert(words.end(), {i, i + 1});
  return Bytes(words);
}

TEST_P(Packing, EveryRecordOnce) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  AddThreadLeaf(m, "Thread", words, LeafRecord(m));
  for (const uint32_t count : {0u, 1u, 63u, 64u, 65u, 100000u}) {
    GraphRun run(context(), {.words = 100064});
    run.Nodes(m.Text(), {"Thread"});
    run.Input({.node = "Thread", .count = count, .payloads = CountingRecords(count), .stride = 8});
    ASSERT_TRUE(run.Execute()) << count;
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < count; ++i) expected.push_back(i + 1);
    EXPECT_TRUE(run.Matches(expected)) << count;
  }
  EXPECT_EQ(Log().find("packed by 128") != std::string::npos, IsOn());
}

// A static grid of one workgroup of one invocation: the same, and the input is a bare structure.
TEST_P(Packing, StaticGridsOfOne) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  m.BeginNode({.name = "Single",
               .launch = Launch::kStaticGrid,
               .grid = {1, 1, 1},
               .shader_index = 0,
               .input = {.array = {}, .record = record}});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, index, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  for (const uint32_t count : kCounts) {
    GraphRun run(context());
    run.Nodes(m.Text(), {"Single"});
    run.Input({.node = "Single", .count = count, .payloads = CountingRecords(count), .stride = 8});
    ASSERT_TRUE(run.Execute()) << count;
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < count; ++i) expected.push_back(i + 1);
    EXPECT_TRUE(run.Matches(expected)) << count;
  }
}

TEST_P(Packing, StridesOfTheApplication) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  AddThreadLeaf(m, "Thread", words, LeafRecord(m));
  constexpr uint32_t kCount = 70;
  for (const uint64_t stride : {uint64_t{0}, uint64_t{8}, uint64_t{13}, uint64_t{4096}}) {
    std::vector<uint8_t> payloads(stride * kCount + 8, 0xEE);
    std::vector<uint32_t> expected(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      const uint32_t index = stride == 0 ? 5 : i;
      const std::vector<uint8_t> record = Bytes({index, index + 1});
      std::copy(record.begin(), record.end(), payloads.begin() + static_cast<ptrdiff_t>(i * stride));
      expected[index] += index + 1;
    }
    GraphRun run(context());
    run.Nodes(m.Text(), {"Thread"});
    run.Input({.node = "Thread", .count = kCount, .payloads = payloads, .stride = stride});
    ASSERT_TRUE(run.Execute()) << stride;
    EXPECT_TRUE(run.Matches(expected)) << stride;
  }
}

// Each invocation is the first and only one of its workgroup, whichever others run at the same time.
TEST_P(Packing, PlacesAndLength) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Thread", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(LeafRecord(m))});
  Id sum = m.LocalIndex();
  for (uint32_t component = 0; component < 3; ++component)
    for (const Id& place : {m.LocalId(component), m.GroupId(component), m.GlobalId(component)}) sum = m.Add(sum, place);
  m.AddWord(words, 0, sum);
  m.AddWord(words, 1, m.Length(m.NodeInput()));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Thread"});
  run.Input({.node = "Thread", .count = 200, .payloads = CountingRecords(200), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 200}));
}

// Small workgroups of several invocations.
struct SmallGrid {
  std::array<uint32_t, 3> local_size;
  std::array<uint32_t, 3> grid;

  [[nodiscard]] uint32_t Invocations() const { return local_size[0] * local_size[1] * local_size[2]; }
  [[nodiscard]] uint32_t Workgroups() const { return grid[0] * grid[1] * grid[2]; }
};
// Grids of which several fit into 128 invocations, one does, a part does, and none does in equal parts.
constexpr SmallGrid kGrids[] = {{{32, 1, 1}, {1, 1, 1}}, {{8, 2, 2}, {2, 1, 1}},  {{4, 2, 1}, {3, 2, 1}},
                                {{8, 2, 2}, {2, 2, 1}},  {{33, 1, 1}, {3, 1, 1}}, {{1, 1, 1}, {5, 3, 2}},
                                {{1, 32, 1}, {4, 1, 3}}, {{20, 1, 1}, {7, 1, 1}}};

Id Flat(NodeAsm& m, const std::array<uint32_t, 3>& size, const Id& x, const Id& y, const Id& z) {
  return m.Add(x, m.Mul(m.Add(y, m.Mul(z, size[1])), size[0]));
}

// Each invocation of each workgroup has a word: the record's value, and where it believes to be.
void AddPlaces(NodeAsm& m, const Id& words, const Id& record, const Id& workgroup, const SmallGrid& shape) {
  const Id local = Flat(m, shape.local_size, m.LocalId(0), m.LocalId(1), m.LocalId(2));
  const Id word = m.Add(m.Mul(m.Add(record, workgroup), shape.Invocations()), local);
  const Id global = m.Add(m.GlobalId(0), m.Add(m.Mul(m.GlobalId(1), 100), m.Mul(m.GlobalId(2), 10000)));
  m.AddWord(words, word, m.Add(m.Add(m.Mul(m.LocalIndex(), 1000000), global), 1));
}

uint32_t ExpectedPlace(const SmallGrid& shape, uint32_t workgroup, uint32_t local) {
  const auto coordinates = [](const std::array<uint32_t, 3>& size, uint32_t flat) {
    return std::array{flat % size[0], flat / size[0] % size[1], flat / size[0] / size[1]};
  };
  const std::array<uint32_t, 3> group = coordinates(shape.grid, workgroup);
  const std::array<uint32_t, 3> invocation = coordinates(shape.local_size, local);
  uint32_t global = 0;
  for (const size_t i : {2u, 1u, 0u}) global = global * 100 + group[i] * shape.local_size[i] + invocation[i];
  return local * 1000000 + global + 1;
}

// Sends record i of `count` to "Small", with what `set` makes of it.
void AddSource(NodeAsm& m, const Id& record, uint32_t count,
               const std::function<void(const Records&, const Id&)>& set) {
  const Payload to_small = m.Output("Small", record, {.max_payloads = count});
  m.BeginNode({.name = "Source", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  const Records all = m.Allocate(to_small, Scope::kInvocation, count);
  m.For(count, [&](const Id& i) { set(all, i); });
  m.Enqueue(all);
  m.EndNode();
}

TEST_P(Packing, PlacesInStaticGrids) {
  constexpr uint32_t kRecords = 11;
  for (const SmallGrid& shape : kGrids) {
    NodeAsm m;
    const Id words = m.StorageBuffer(0);
    const Id record = LeafRecord(m);
    AddSource(m, record, kRecords, [&](const Records& all, const Id& i) { SetLeaf(m, all, i, i, 0); });
    m.BeginNode({.name = "Small",
                 .launch = Launch::kStaticGrid,
                 .local_size = {shape.local_size[0], shape.local_size[1], shape.local_size[2]},
                 .grid = {shape.grid[0], shape.grid[1], shape.grid[2]},
                 .shader_index = 0,
                 .input = {.array = {}, .record = record}});
    const Id group = Flat(m, shape.grid, m.GroupId(0), m.GroupId(1), m.GroupId(2));
    AddPlaces(m, words, m.Mul(m.Get(m.NodeInput(), 0, 0), shape.Workgroups()), group, shape);
    m.EndNode();
    std::vector<uint32_t> expected;
    for (uint32_t workgroup = 0; workgroup < kRecords * shape.Workgroups(); ++workgroup)
      for (uint32_t local = 0; local < shape.Invocations(); ++local)
        expected.push_back(ExpectedPlace(shape, workgroup % shape.Workgroups(), local));
    SCOPED_TRACE(std::to_string(shape.Invocations()) + " x " + std::to_string(shape.Workgroups()));
    ExpectPlaces(m, {.node = "Small", .count = kRecords, .payloads = CountingRecords(kRecords), .stride = 8}, expected);
  }
  EXPECT_EQ(Log().find("packed by 4,") != std::string::npos, IsOn());
}

// Records ask for 0 to 3 workgroups.
TEST_P(Packing, PlacesInGridsFromRecords) {
  constexpr uint32_t kRecords = 40, kMax = 3;
  for (const std::array<uint32_t, 3>& local_size :
       {kGrids[0].local_size, kGrids[1].local_size, kGrids[4].local_size, kGrids[5].local_size}) {
    const SmallGrid shape = {local_size, {kMax, 1, 1}};
    NodeAsm m;
    const Id words = m.StorageBuffer(0);
    const Id record = m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}});
    AddSource(m, record, kRecords, [&](const Records& all, const Id& i) {
      m.Set(all, i, 0, m.Mod(m.Mul(i, 7), kMax + 1));
      m.Set(all, i, 1, i);
    });
    m.BeginNode({.name = "Small",
                 .launch = Launch::kDynamicGrid,
                 .local_size = {local_size[0], local_size[1], local_size[2]},
                 .grid = {kMax, 1, 1},
                 .shader_index = 0,
                 .input = m.Input(record)});
    AddPlaces(m, words, m.Mul(m.Get(m.NodeInput(), 0, 1), kMax), m.GroupId(0), shape);
    m.EndNode();
    std::vector<uint32_t> expected, payloads;
    for (uint32_t i = 0; i < kRecords; ++i) {
      payloads.insert(payloads.end(), {i * 7 % (kMax + 1), i});
      for (uint32_t group = 0; group < kMax; ++group)
        for (uint32_t local = 0; local < shape.Invocations(); ++local)
          expected.push_back(group < i * 7 % (kMax + 1) ? ExpectedPlace(shape, group, local) : 0u);
    }
    SCOPED_TRACE(shape.Invocations());
    ExpectPlaces(m, {.node = "Small", .count = kRecords, .payloads = Bytes(payloads), .stride = 8}, expected);
  }
  // Where bounds are launched, those of two records, if the device allows as many invocations. `validate` looks at
  // every grid, so that nothing is launched by bounds.
  const bool of_two =
      IsForGpus() && !RunsWithValidate() && context().properties.limits.maxComputeWorkGroupInvocations >= 192;
  EXPECT_EQ(Log().find(of_two ? "packed by 6," : "packed by 4,") != std::string::npos, IsOn());
}

// Up to five records a workgroup, of which each invocation adds up one, and the first one their number.
TEST_P(Packing, SmallWorkgroupsThatCoalesce) {
  constexpr uint32_t kEach = 5, kCountWord = 400;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Small",
               .launch = Launch::kCoalescing,
               .local_size = {16, 1, 1},
               .shader_index = 0,
               .input = m.Input(LeafRecord(m), kEach)});
  const Id local = m.LocalIndex();
  const Id length = m.Length(m.NodeInput());
  m.If(m.Less(local, length),
       [&] { m.AddWord(words, m.Get(m.NodeInput(), local, 0), m.Get(m.NodeInput(), local, 1)); });
  m.If(m.Equal(local, 0), [&] { m.AddWord(words, kCountWord, length); });
  m.If(m.Equal(local, 15), [&] { m.AddWord(words, kCountWord + 1, 1); });
  m.EndNode();
  for (const uint32_t count : {0u, 1u, 5u, 6u, 39u, 40u, 41u, 300u}) {
    GraphRun run(context());
    run.Nodes(m.Text(), {"Small"});
    run.Input({.node = "Small", .count = count, .payloads = CountingRecords(count), .stride = 8});
    ASSERT_TRUE(run.Execute()) << count;
    std::vector<uint32_t> expected(kCountWord + 2);
    for (uint32_t i = 0; i < count; ++i) expected[i] = i + 1;
    expected[kCountWord] = count;
    expected[kCountWord + 1] = (count + kEach - 1) / kEach;
    EXPECT_TRUE(run.Matches(expected)) << count;
  }
}

// Each invocation sends up to two records, to words of its workgroup's group of 128.
void SendSome(NodeAsm& m, const Payload& to_leaf, const Id& index) {
  const Id local = m.LocalIndex();
  const Id count = m.Mod(m.Add(index, local), 3);
  const Records leaves = m.Allocate(to_leaf, Scope::kInvocation, count);
  m.For(count, [&](const Id& i) { SetLeaf(m, leaves, i, m.Add(m.Mul(m.GroupId(0), 128), index), m.Add(i, local)); });
  m.Enqueue(leaves);
}

// Some invocations of some workgroups send, each for itself.
TEST_P(Packing, SmallWorkgroupsThatSend) {
  constexpr uint32_t kRecords = 90, kInvocations = 24;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to_leaf = m.Output("Leaf", record, {.max_payloads = 2 * kInvocations});
  m.BeginNode({.name = "Small",
               .launch = Launch::kStaticGrid,
               .local_size = {kInvocations, 1, 1},
               .grid = {2, 1, 1},
               .shader_index = 0,
               .input = {.array = {}, .record = record}});
  SendSome(m, to_leaf, m.Get(m.NodeInput(), 0, 0));
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Small", "Leaf"});
  run.Input({.node = "Small", .count = kRecords, .payloads = CountingRecords(kRecords), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(128 + kRecords);
  for (uint32_t record_index = 0; record_index < kRecords; ++record_index)
    for (uint32_t invocation = 0; invocation < kInvocations; ++invocation)
      for (uint32_t i = 0; i < (record_index + invocation) % 3; ++i)
        for (const uint32_t group : {0u, 128u}) expected[group + record_index] += i + invocation;
  EXPECT_TRUE(run.Matches(expected));
}

// The same of grids from records, of 0 to 3 workgroups, whose records the node may write.
TEST_P(Packing, SmallGridsFromRecordsThatSend) {
  constexpr uint32_t kRecords = 90, kInvocations = 24, kMax = 3, kWritten = 1;
  for (const bool writes : {false, true}) {
    NodeAsm m;
    const Id words = m.StorageBuffer(0);
    const Id leaf = LeafRecord(m);
    const Id record = m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}});
    const Payload to_leaf = m.Output("Leaf", leaf, {.max_payloads = 2 * kInvocations});
    m.BeginNode({.name = "Small",
                 .launch = Launch::kDynamicGrid,
                 .local_size = {kInvocations, 1, 1},
                 .grid = {kMax, 1, 1},
                 .shader_index = 0,
                 .input = m.Input(record)});
    const Id index = m.Get(m.NodeInput(), 0, 1);
    if (writes) m.Set(m.NodeInput(), 0, 0, kWritten);
    SendSome(m, to_leaf, index);
    m.EndNode();
    AddThreadLeaf(m, "Leaf", words, leaf);
    std::vector<uint32_t> payloads, expected(128 * (kMax - 1) + kRecords);
    for (uint32_t i = 0; i < kRecords; ++i) {
      payloads.insert(payloads.end(), {i * 7 % (kMax + 1), i});
      for (uint32_t group = 0; group < i * 7 % (kMax + 1); ++group)
        for (uint32_t invocation = 0; invocation < kInvocations; ++invocation)
          for (uint32_t sent = 0; sent < (i + invocation) % 3; ++sent) expected[group * 128 + i] += sent + invocation;
    }
    GraphRun run(context());
    run.Nodes(m.Text(), {"Small", "Leaf"});
    run.Input({.node = "Small", .count = kRecords, .payloads = Bytes(payloads), .stride = 8});
    ASSERT_TRUE(run.Execute()) << writes;
    EXPECT_TRUE(run.Matches(expected)) << writes;
  }
}

constexpr uint32_t kLeafWords = 1024;   // of "Leaf"
constexpr uint32_t kArrayWords = 2048;  // of "Array", by index
constexpr uint32_t kLateWords = 2100;
constexpr uint32_t kEmptyWord = 2900;
constexpr uint32_t kArraySize = 5;

// "Thread" sends, depending on its record {index, value}: up to two records to "Leaf", in any case; one to
// Array[index % 5] from divergent control flow, at Workgroup scope; one whose enqueue is conditional; empty ones.
void AddSender(NodeAsm& m, const Id& record, const Id& nothing) {
  const Payload to_leaf = m.Output("Leaf", record, {.max_payloads = 2});
  const Payload to_array = m.Output("Array", record, {.max_payloads = 1, .array_size = kArraySize});
  const Payload to_late = m.Output("Late", record, {.max_payloads = 1});
  const Payload to_empty = m.Output("Empty", nothing, {.max_payloads = 3});
  m.BeginNode({.name = "Thread", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  const Id value = m.Get(m.NodeInput(), 0, 1);
  const Id count = m.Mod(index, 3);
  const Records leaves = m.Allocate(to_leaf, Scope::kInvocation, count);
  m.For(count, [&](const Id& i) { SetLeaf(m, leaves, i, m.Add(m.Mul(index, 2), i), m.Add(value, i)); });
  m.Enqueue(leaves);
  m.If(m.Equal(m.Mod(index, 2), 1), [&] {
    const Id target = m.Mod(index, kArraySize);
    const Records one = m.Allocate(to_array, Scope::kWorkgroup, 1, target);
    SetLeaf(m, one, 0, m.Add(target, kArrayWords), value);
    m.Enqueue(one);
  });
  const Records late = m.Allocate(to_late, Scope::kWorkgroup, 1);
  SetLeaf(m, late, 0, m.Add(index, kLateWords), value);
  m.If(m.Equal(m.Mod(index, 7), 0), [&] { m.Enqueue(late); });
  m.Increment(to_empty, Scope::kInvocation, m.Mod(index, 4));
  m.EndNode();
}

std::vector<uint32_t> ExpectedFromSenders(uint32_t count) {
  std::vector<uint32_t> expected(kEmptyWord + 1);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t value = i + 1;
    for (uint32_t k = 0; k < i % 3; ++k) expected[i * 2 + k] += value + k;
    if (i % 2 == 1) expected[kArrayWords + i % kArraySize] += value * (i % kArraySize + 1);
    if (i % 7 == 0) expected[kLateWords + i] += value;
    expected[kEmptyWord] += i % 4;
  }
  return expected;
}

TEST_P(Packing, OutputsOfEveryKind) {
  static_assert(300 * 2 <= kLeafWords && kLateWords + 300 < kEmptyWord);
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Id nothing = m.Struct({});
  AddSender(m, record, nothing);
  AddThreadLeaf(m, "Leaf", words, record);
  AddThreadLeaf(m, "Late", words, record);
  m.BeginNode({.name = "Array", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id word = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, word, m.Mul(m.Get(m.NodeInput(), 0, 1), m.Add(m.ShaderIndex(), 1)));
  m.EndNode();
  m.BeginNode({.name = "Empty", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(nothing)});
  m.AddWord(words, kEmptyWord, 1);
  m.EndNode();
  for (const uint32_t count : kCounts) {
    GraphRun run(context(), {.words = kEmptyWord + 64});
    run.Nodes(m.Text(), {"Thread", "Leaf", "Late", "Empty"});
    for (uint32_t i = 0; i < kArraySize; ++i) run.Node({.text = m.Text(), .entry = "Array", .index = i});
    run.Input({.node = "Thread", .count = count, .payloads = CountingRecords(count), .stride = 8});
    ASSERT_TRUE(run.Execute()) << count;
    EXPECT_TRUE(run.Matches(ExpectedFromSenders(count))) << count;
  }
}

// Twice as many records at each level; the words count the invocations that have so many levels left.
TEST_P(Packing, Recursion) {
  constexpr uint32_t kLevels = 5, kRoots = 67;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload self = m.Output("Recursive", record, {.max_payloads = 2});
  m.BeginNode({.name = "Recursive",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(kLevels),
               .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, m.RemainingRecursion(), index);
  m.If(m.IsValid(self, 0), [&] {
    const Records records = m.Allocate(self, Scope::kInvocation, 2);
    m.For(2, [&](const Id& i) { SetLeaf(m, records, i, m.Add(index, i), 0); });
    m.Enqueue(records);
  });
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Recursive"});
  run.Input({.node = "Recursive", .count = kRoots, .payloads = CountingRecords(kRoots), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kLevels + 1), indices;
  for (uint32_t i = 0; i < kRoots; ++i) indices.push_back(i);
  for (uint32_t left = kLevels + 1; left-- > 0;) {
    std::vector<uint32_t> next;
    for (const uint32_t i : indices) {
      expected[left] += i;
      next.insert(next.end(), {i, i + 1});
    }
    indices = next;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// A thread node that writes its records before it passes them on, and a sharer of another one.
TEST_P(Packing, WrittenAndSharedInputs) {
  constexpr uint32_t kCount = 130;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to_base = m.Output("Base", record, {.max_payloads = 1});
  m.BeginNode({.name = "Writer", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.Set(m.NodeInput(), 0, 1, m.Mul(m.Get(m.NodeInput(), 0, 1), 3));
  const Records one = m.Allocate(to_base, Scope::kInvocation, 1);
  SetLeaf(m, one, 0, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.Enqueue(one);
  m.EndNode();
  AddThreadLeaf(m, "Base", words, record);
  m.BeginNode({.name = "Sharer",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .shares_input = SharedInput{m.String("Base")},
               .input = m.Input(m.Struct({{m.Uint(), 0, false, "NonWritable"}, {m.Uint(), 4, false, "NonWritable"}}))});
  m.AddWord(words, m.Add(m.Get(m.NodeInput(), 0, 0), 500), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Writer", "Base", "Sharer"});
  run.Input({.node = "Writer", .count = kCount, .payloads = CountingRecords(kCount), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(500 + kCount);
  for (uint32_t i = 0; i < kCount; ++i) expected[i] = expected[500 + i] = (i + 1) * 3;
  EXPECT_TRUE(run.Matches(expected));
}

// A barrier in a thread node waits for nobody; were it packed, invocations past the last record would be missing.
TEST_P(Packing, BarriersKeepNodesUnpacked) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Thread", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(LeafRecord(m))});
  m.If(m.Less(m.Get(m.NodeInput(), 0, 0), 3), [&] { m.WorkgroupBarrier(); });
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Thread"});
  run.Input({.node = "Thread", .count = 5, .payloads = CountingRecords(5), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({1, 2, 3, 4, 5}));
  EXPECT_NE(Log().find("not packed because of OpControlBarrier"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Setting, Packing,
                         testing::Values(Mode{"packed", "true", "subgroup"}, Mode{"packed_one_by_one", "true", "none"},
                                         Mode{"striding", "true", "subgroup", "2"}, Mode{"unpacked", "false", "auto"},
                                         Mode{"for_gpus", "true", "subgroup", "4294967295", "gpu"},
                                         Mode{"unpacked_for_gpus", "false", "auto", "4294967295", "gpu"}),
                         [](const testing::TestParamInfo<Mode>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trellis::test
