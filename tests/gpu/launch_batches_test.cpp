// SPDX-License-Identifier: Apache-2.0
// Nodes of arrays that share one shader: their launches as one dispatch, and the same graphs with a dispatch for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "tests/gpu/leaf_nodes.h"
#include "tests/gpu/logged_device.h"
#include "tests/gpu/small_ring.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

struct Mode {
  const char* name;
  const char* batches;
  const char* validate = "false";
  const char* max_workgroups =
      "0";  // of a node's packed ones; 0: so many that lavapipe's rows are too short for counts
  const char* packs = "true";
  const char* target = "gpu";  // what nodes are lowered for
};

void AddSettings(const Mode& mode, std::vector<EnvironmentSetting>& settings) {
  settings.push_back({"TRELLIS_LAUNCH_BATCHES", mode.batches});
  settings.push_back({"TRELLIS_VALIDATE", mode.validate});
  settings.push_back({"TRELLIS_MAX_PACKED_WORKGROUPS", mode.max_workgroups});
  settings.push_back({"TRELLIS_PACK_WORKGROUPS", mode.packs});
  settings.push_back({"TRELLIS_SHADER_TARGET", mode.target});
  settings.push_back({"TRELLIS_SIZE_LEVELS", "auto"});
}

// What "Bin" is: one workgroup for up to 5 records, for each record, or six for each record.
enum class Kind : uint8_t { kCoalescing, kThread, kStaticGrid };
constexpr Kind kKinds[] = {Kind::kCoalescing, Kind::kThread, Kind::kStaticGrid};

constexpr uint32_t kGridX = 2, kGridY = 3;
constexpr uint32_t kBinWords = 0;      // by index
constexpr uint32_t kLastWords = 256;   // by index
constexpr uint32_t kOtherWord = 1000;  // of "Other"

constexpr uint32_t kAutoMembers = 16;  // fewer are no batch, unless the setting is "always"
constexpr uint32_t kMaxCounted = 128;
constexpr uint32_t kLasts = 17;

using Fill = std::vector<uint32_t>;  // records by bin

class LaunchBatching : public LoggedDeviceTest, public testing::WithParamInterface<Mode> {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    std::vector<EnvironmentSetting> settings = LogSettings("info");
    AddSettings(GetParam(), settings);
    return settings;
  }
  // Of the last graph; 0 if nothing was said.
  [[nodiscard]] static uint32_t Dispatches() {
    const std::string log = Log();
    uint32_t dispatches = 0;
    const std::regex told("([0-9]+) dispatches, ");
    for (auto match = std::sregex_iterator(log.begin(), log.end(), told); match != std::sregex_iterator(); ++match)
      dispatches = static_cast<uint32_t>(std::stoul((*match)[1]));
    return dispatches;
  }
  [[nodiscard]] static bool MakesBatchesOf(uint32_t launches) {
    const std::string batches = GetParam().batches;
    return batches == "always" ? launches > 1 : batches == "auto" && launches >= kAutoMembers;
  }

  void Check(Kind kind, const Fill& fill);
};

// Thread node: {bin, value} goes to Bin[bin], if value is not 0; what is odd, to "Other" as a grid too.
void AddRoot(NodeAsm& m, const Id& record, const Id& grid_record, uint32_t bins) {
  const Payload to_bin = m.Output("Bin", record, {.max_payloads = 1, .array_size = bins});
  const Payload to_other = m.Output("Other", grid_record, {.max_payloads = 1});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id bin = m.Get(m.NodeInput(), 0, 0);
  const Id value = m.Get(m.NodeInput(), 0, 1);
  m.If(m.NotEqual(value, 0), [&] {
    const Records one = m.Allocate(to_bin, Scope::kInvocation, 1, bin);
    SetLeaf(m, one, 0, bin, value);
    m.Enqueue(one);
    m.If(m.Equal(m.And(value, 1), 1), [&] {
      const Records grid = m.Allocate(to_other, Scope::kInvocation, 1);
      m.Set(grid, 0, 0, m.Add(m.Mod(value, 3), 1));
      m.Set(grid, 0, 1, value);
      m.Enqueue(grid);
    });
  });
  m.EndNode();
}

// A node "Bin" of this kind.
void BeginBin(NodeAsm& m, Kind kind, const Id& record) {
  NodeOptions options = {.name = "Bin", .launch = Launch::kCoalescing, .shader_index = 0};
  if (kind == Kind::kStaticGrid) {
    options.launch = Launch::kStaticGrid;
    options.grid = {kGridX, kGridY, 1};
  }
  const bool is_coalescing = kind == Kind::kCoalescing;
  if (is_coalescing) options.local_size = {8, 1, 1};
  options.input = is_coalescing ? m.Input(record, 5) : m.Input(record);
  m.BeginNode(options);
}

// Whether the invocation has a record.
Id HasRecord(NodeAsm& m, Kind kind) {
  return kind == Kind::kCoalescing ? m.Less(m.LocalIndex(), m.Length(m.NodeInput())) : m.Equal(m.LocalIndex(), 0);
}

// For each record, and each step of a grid: words[index of the node] += value * (step + 1), and
// {index, value + step} for Last[(index + step) % kLasts].
void AddBin(NodeAsm& m, Kind kind, const Id& words, const Id& record) {
  const uint32_t most = kind == Kind::kCoalescing ? 5 : 1;
  const Payload to_last = m.Output("Last", record, {.max_payloads = most, .array_size = kLasts});
  BeginBin(m, kind, record);
  const Id has_record = HasRecord(m, kind);
  const Id value = m.Get(m.NodeInput(), m.LocalIndex(), 1);
  const Id index = m.ShaderIndex();
  const Id step = kind == Kind::kStaticGrid ? m.Add(m.GroupId(0), m.Mul(m.GroupId(1), kGridX)) : m.Constant(0);
  const Records last =
      m.Allocate(to_last, Scope::kInvocation, m.Select(has_record, 1, 0), m.Mod(m.Add(index, step), kLasts));
  m.If(has_record, [&] {
    m.AddWord(words, m.Add(index, kBinWords), m.Mul(value, m.Add(step, 1)));
    SetLeaf(m, last, 0, index, m.Add(value, step));
  });
  m.Enqueue(last);
  m.EndNode();
}

std::string Module(Kind kind, uint32_t bins) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Id grid_record = m.Struct({{.type = m.Uint(), .offset = 0, .grid = true}, {m.Uint(), 4}});
  AddRoot(m, record, grid_record, bins);
  AddBin(m, kind, words, record);
  m.BeginNode({.name = "Last", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Add(m.ShaderIndex(), kLastWords), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  m.BeginNode({.name = "Other", .grid = {4, 1, 1}, .shader_index = 0, .input = {.array = {}, .record = grid_record}});
  m.AddWord(words, kOtherWord, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  return m.Text();
}

// {bin, value} of every record, those of all bins mixed; at least one, which goes nowhere.
std::vector<uint32_t> RecordsFor(const Fill& fill) {
  std::vector<uint32_t> records = {0, 0};
  const uint32_t most = *std::max_element(fill.begin(), fill.end());
  for (uint32_t i = 0; i < most; ++i)
    for (uint32_t bin = 0; bin < fill.size(); ++bin)
      if (i < fill[bin]) records.insert(records.end(), {bin, 1 + i * 7 + bin});
  return records;
}

std::vector<uint32_t> ExpectedWords(Kind kind, const std::vector<uint32_t>& records) {
  std::vector<uint32_t> words(kOtherWord + 1);
  const uint32_t steps = kind == Kind::kStaticGrid ? kGridX * kGridY : 1;
  for (size_t i = 0; i < records.size(); i += 2) {
    const uint32_t bin = records[i], value = records[i + 1];
    if (value == 0) continue;
    if (value % 2 == 1) words[kOtherWord] += value * (value % 3 + 1);
    for (uint32_t step = 0; step < steps; ++step) {
      words[kBinWords + bin] += value * (step + 1);
      words[kLastWords + (bin + step) % kLasts] += value + step;
    }
  }
  return words;
}

void LaunchBatching::Check(Kind kind, const Fill& fill) {
  const auto bins = static_cast<uint32_t>(fill.size());
  GraphRun run(context(), {.words = kOtherWord + 8, .submits = 2});
  const std::string module = Module(kind, bins);
  run.Nodes(module, {"Root", "Other"});
  for (uint32_t i = 0; i < bins; ++i) run.Node({.text = module, .entry = "Bin", .index = i});
  for (uint32_t i = 0; i < kLasts; ++i) run.Node({.text = module, .entry = "Last", .index = i});
  const std::vector<uint32_t> records = RecordsFor(fill);
  run.Input(
      {.node = "Root", .count = static_cast<uint32_t>(records.size() / 2), .payloads = Bytes(records), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected = ExpectedWords(kind, records);
  for (uint32_t& word : expected) word *= 2;
  EXPECT_TRUE(run.Matches(expected));
  if (DefaultDispatchCommand() != DispatchCommand::kHost) return;  // what bounds it there is the ring
  const size_t steps = kind == Kind::kStaticGrid ? kGridX * kGridY : 1;
  if (GetParam().batches == std::string("auto") && records.size() / 2 * steps > kAutoMembers)
    return;                   // may be too many
  const uint32_t others = 3;  // begin or regions, "Root" and "Other"
  const uint32_t release = context().HasOneQueue() ? 0 : 1;
  const bool packs = GetParam().packs == std::string("true");
  if (!packs && records.size() > 100) return;  // then one row of workgroups is too short for what may arrive
  // On a GPU producers count for a few nodes whose workgroups take whole records, those of packed grids too; for the
  // others there is a kernel.
  const bool counts = GetParam().target == std::string("gpu");
  const auto dispatches_of = [counts](uint32_t launches, bool are_counted) {
    if (!MakesBatchesOf(launches)) return launches;
    return counts && are_counted && launches <= kMaxCounted ? 1u : 2u;
  };
  const bool are_counted = packs || kind != Kind::kStaticGrid;
  const uint32_t kernels = MakesBatchesOf(bins) && dispatches_of(bins, are_counted) == 2 ? 1 : 0;
  const uint32_t first = dispatches_of(bins, are_counted) - kernels;
  // Each execution prepares the regions of the bins for the next one, where there are few dispatches and the CPU can
  // write device-local memory. There is one for either set then.
  constexpr VkMemoryPropertyFlags kWritable =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const bool prepares = release == 0 && first <= 32 && context().MemoryType(~0u, kWritable) != ~0u;
  // The grids of "Other" are counted between the levels, unless its bounds are launched: made of its region, of either.
  const bool launches_bounds = counts && GetParam().validate == std::string("false");
  const uint32_t sized = launches_bounds && !prepares ? 0 : 1;
  // Coalescing, the code of "Bin" does not tell that it keeps its limit; a claim of a ring may fail; and the kernel
  // turns to what has been prepared.
  const uint32_t losses = kind == Kind::kCoalescing || release != 0 || prepares ? 1 : 0;
  EXPECT_EQ(Dispatches(),
            others + losses + release + sized + kernels + first * (prepares ? 2 : 1) + dispatches_of(kLasts, true));
}

Fill Uneven(uint32_t bins) {
  Fill fill(bins);
  for (uint32_t i = 0; i < bins; ++i) fill[i] = i * i % 23;
  return fill;
}
Fill Only(uint32_t bins, uint32_t bin, uint32_t records) {
  Fill fill(bins);
  fill[bin] = records;
  return fill;
}

TEST_P(LaunchBatching, UnevenFilling) {
  for (const Kind kind : kKinds)
    for (const uint32_t bins : {15u, 16u, 129u}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + ", bins: " + std::to_string(bins));
      Check(kind, Uneven(bins));
      if (HasFatalFailure()) return;
    }
}

TEST_P(LaunchBatching, NothingArrives) {
  for (const Kind kind : kKinds) Check(kind, Fill(40));
}

TEST_P(LaunchBatching, OneRecord) {
  for (const Kind kind : kKinds)
    for (const uint32_t bin : {0u, 39u}) Check(kind, Only(40, bin, 1));
}

TEST_P(LaunchBatching, AllRecordsForOneNode) {
  for (const Kind kind : kKinds) Check(kind, Only(40, 21, 3001));
}

// "A" is reached after one level and after two, so that launches with different levels left run side by side.
TEST_P(LaunchBatching, LevelsOfOneNodesRecursion) {
  constexpr uint32_t kRecursion = 4, kRoots = 67;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const auto add_sender = [&](const char* name, std::initializer_list<const char*> targets) {
    std::vector<Payload> outputs;
    for (const char* target : targets) outputs.push_back(m.Output(target, record, {.max_payloads = 1}));
    m.BeginNode({.name = name, .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
    const Id value = m.Get(m.NodeInput(), 0, 1);
    for (const Payload& output : outputs) {
      const Records one = m.Allocate(output, Scope::kInvocation, 1);
      SetLeaf(m, one, 0, 0, value);
      m.Enqueue(one);
    }
    m.EndNode();
  };
  add_sender("Root", {"A", "Middle"});
  add_sender("Middle", {"A"});
  const Payload self = m.Output("A", record, {.max_payloads = 1});
  m.BeginNode({.name = "A",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(kRecursion),
               .input = m.Input(record)});
  const Id value = m.Get(m.NodeInput(), 0, 1);
  m.AddWord(words, m.RemainingRecursion(), value);
  m.If(m.IsValid(self, 0), [&] {
    const Records one = m.Allocate(self, Scope::kInvocation, 1);
    SetLeaf(m, one, 0, 0, m.Add(value, 1));
    m.Enqueue(one);
  });
  m.EndNode();

  std::vector<uint32_t> inputs, expected(kRecursion + 1);
  for (uint32_t i = 0; i < kRoots; ++i) {
    inputs.insert(inputs.end(), {0, i});
    for (uint32_t step = 0; step <= kRecursion; ++step) expected[kRecursion - step] += 2 * (i + step);
  }
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Middle", "A"});
  run.Input({.node = "Root", .count = kRoots, .payloads = Bytes(inputs), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// A ring of 1 MiB.
class LaunchBatchesInASmallRing : public SmallRingTest, public testing::WithParamInterface<Mode> {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    std::vector<EnvironmentSetting> settings = SmallRingTest::Settings();
    AddSettings(GetParam(), settings);
    return settings;
  }
  // Enqueues all records but one for one of 20 nodes. Expects that each record runs once, at its node, or is reported
  // as dropped. Returns the number of dropped records in `dropped`.
  void Check(Kind kind, uint32_t count, DispatchCommand command, uint32_t& dropped);
};

void LaunchBatchesInASmallRing::Check(Kind kind, uint32_t count, DispatchCommand command, uint32_t& dropped) {
  constexpr uint32_t kBins = 20, kFull = 7, kSeenWords = 64;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to_bin = m.Output("Bin", record, {.max_payloads = 1, .array_size = kBins});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records one = m.Allocate(to_bin, Scope::kInvocation, 1, m.Get(m.NodeInput(), 0, 0));
  SetLeaf(m, one, 0, m.Get(m.NodeInput(), 0, 1), 0);
  m.Enqueue(one);
  m.EndNode();
  BeginBin(m, kind, record);
  m.If(HasRecord(m, kind), [&] {
    m.AddWord(words, m.ShaderIndex(), 1);
    m.AddWord(words, m.Add(m.Get(m.NodeInput(), m.LocalIndex(), 0), kSeenWords), 1);
  });
  m.EndNode();

  std::vector<uint32_t> inputs;
  for (uint32_t i = 0; i < count; ++i) inputs.insert(inputs.end(), {i == 5 ? kFull + 1 : kFull, i});
  GraphRun run(context(), {.words = kSeenWords + count, .command = command});
  run.Nodes(m.Text(), {"Root"});
  for (uint32_t i = 0; i < kBins; ++i) run.Node({.text = m.Text(), .entry = "Bin", .index = i});
  run.Input({.node = "Root", .count = count, .payloads = Bytes(inputs), .stride = 8});
  const uint32_t dropped_before = LostRecords();
  ASSERT_TRUE(run.Execute());
  dropped = LostRecords() - dropped_before;
  const uint32_t each = kind == Kind::kStaticGrid ? kGridX * kGridY : 1;
  std::vector<uint32_t> expected(kSeenWords);
  expected[kFull + 1] = each;
  expected[kFull] = (count - dropped - 1) * each;
  const std::span<const uint32_t> counts = run.Words();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), counts.begin()));
  EXPECT_EQ(std::count(counts.begin() + kSeenWords, counts.end(), each), count - dropped);
  EXPECT_EQ(std::count(counts.begin() + kSeenWords, counts.end(), 0u), dropped);
}

// All records fit, but not if each node had space for all of them.
TEST_P(LaunchBatchesInASmallRing, AllRecordsForOneNode) {
  for (const Kind kind : kKinds) {
    uint32_t dropped = 0;
    ASSERT_NO_FATAL_FAILURE(Check(kind, 30000, DispatchCommand::kHost, dropped));
    EXPECT_EQ(dropped, 0u);
  }
}

// Half of the ring holds the inputs of "Root", but no region takes all of a half. The graph runs in one pass, because
// infos on the device give no bound at record time.
TEST_P(LaunchBatchesInASmallRing, MoreRecordsForOneNodeThanHaveRoom) {
  for (const Kind kind : kKinds) {
    uint32_t dropped = 0;
    ASSERT_NO_FATAL_FAILURE(Check(kind, 62000, DispatchCommand::kIndirect, dropped));
    EXPECT_GT(dropped, 1000u);
    EXPECT_LT(dropped, 62000u) << "how much depends on which segments come first";
  }
}

// Producers count the workgroups of the batch, or a kernel adds up those of its members, or it multiplies their
// records.
INSTANTIATE_TEST_SUITE_P(Setting, LaunchBatchesInASmallRing,
                         testing::Values(Mode{"for_gpu", "always"},
                                         Mode{"for_cpu", "always", "false", "0", "true", "cpu"},
                                         Mode{"unpacked", "always", "false", "0", "false"}),
                         [](const testing::TestParamInfo<Mode>& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Setting, LaunchBatching,
                         testing::Values(Mode{"automatic", "auto"}, Mode{"always", "always", "false", "100"},
                                         Mode{"never", "never"}, Mode{"always_validated", "always", "true", "100"},
                                         Mode{"always_striding", "always", "false", "1"},
                                         Mode{"always_unpacked", "always", "false", "0", "false"},
                                         Mode{"automatic_for_cpu", "auto", "false", "0", "true", "cpu"},
                                         Mode{"always_for_cpu", "always", "false", "3", "true", "cpu"}),
                         [](const testing::TestParamInfo<Mode>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trellis::test
