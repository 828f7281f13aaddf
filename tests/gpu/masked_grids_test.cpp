// Grids from records with a small bound: workgroups that a record's grid lacks leave, and no kernel counts the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/gpu/leaf_nodes.h"
#include "tests/gpu/logged_device.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Grid = std::array<uint32_t, 3>;

constexpr uint32_t kRecords = 75;
constexpr uint32_t kMostInvocations = 64;

struct Bound {
  const char* name;
  Grid grid;
  uint32_t components = 3;  // of the record's member
  Grid local_size = {1, 1, 1};
};
// Where several records fit into a workgroup of the dispatch, one does, and none does.
constexpr Bound kBounds[] = {{"one", {1, 1, 1}, 1},
                             {"row", {4, 1, 1}, 1, {8, 4, 1}},
                             {"row_of_threads", {3, 1, 1}},
                             {"column", {1, 4, 1}, 2, {16, 1, 1}},
                             {"square", {2, 2, 1}, 2, {4, 4, 4}},
                             {"deep", {1, 2, 2}, 3, {20, 1, 1}}};

uint32_t Flat(const Grid& size, uint32_t x, uint32_t y, uint32_t z) { return x + size[0] * (y + size[1] * z); }

// What record `id` asks for: nothing, all, and more than there may be, in each dimension.
Grid AskedFor(const Bound& bound, uint32_t id) {
  const uint32_t sides[] = {id % (bound.grid[0] + 2), id / 3 % (bound.grid[1] + 2), id / 7 % (bound.grid[2] + 2)};
  Grid grid = {1, 1, 1};
  for (uint32_t i = 0; i < bound.components; ++i) grid[i] = sides[i];
  return grid;
}

class MaskedGrids : public LoggedDeviceTest, public testing::WithParamInterface<Bound> {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    std::vector<EnvironmentSetting> settings = LogSettings("debug");
    settings.push_back({"TRELLIS_VALIDATE", validate_});
    return settings;
  }

  const char* validate_ = "false";
};

// {id, value, grid}; the grid's member may be a scalar.
Id GridRecord(NodeAsm& m, uint32_t components) {
  const Id grid = components == 1 ? m.Uint() : m.Vector(m.Uint(), components);
  return m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {.type = grid, .offset = 8, .grid = true}});
}
constexpr uint32_t kRecordWords = 5;

// "Root" hands its record on to "Masked". Each invocation of "Masked" adds the record's value to a word of its own, and
// each workgroup sends it to "Leaf".
std::string Module(const Bound& bound) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = GridRecord(m, bound.components);
  const Id leaf_record = LeafRecord(m);
  const uint32_t invocations = bound.local_size[0] * bound.local_size[1] * bound.local_size[2];
  const uint32_t workgroups = bound.grid[0] * bound.grid[1] * bound.grid[2];
  const Payload to_leaf = m.Output("Leaf", leaf_record, {.max_payloads = 1});
  m.BeginNode({.name = "Masked",
               .local_size = {bound.local_size[0], bound.local_size[1], bound.local_size[2]},
               .grid = {bound.grid[0], bound.grid[1], bound.grid[2]},
               .shader_index = 0,
               .input = {.array = {}, .record = record}});
  const Id id = m.Get(m.NodeInput(), 0, 0);
  const Id value = m.Get(m.NodeInput(), 0, 1);
  const Id row = m.Add(m.GroupId(1), m.Mul(m.GroupId(2), bound.grid[1]));
  const Id place = m.Add(m.Mul(id, workgroups), m.Add(m.GroupId(0), m.Mul(row, bound.grid[0])));
  m.AddWord(words, m.Add(m.Mul(place, invocations), m.LocalIndex()), value);
  const Records sent = m.Allocate(to_leaf, Scope::kWorkgroup, 1);
  m.If(m.Equal(m.LocalIndex(), 0), [&] { SetLeaf(m, sent, 0, m.Add(place, kRecords * 4 * kMostInvocations), value); });
  m.Enqueue(sent);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, leaf_record);
  const Payload to_masked = m.Output("Masked", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records one = m.Allocate(to_masked, Scope::kInvocation, 1);
  m.Store(m.Field(one, record, 0, {}), m.Load(record, m.Field(m.NodeInput(), record, 0, {})));
  m.Enqueue(one);
  m.EndNode();
  return m.Text();
}

std::vector<uint32_t> Expected(const Bound& bound, uint32_t dispatches) {
  const uint32_t invocations = bound.local_size[0] * bound.local_size[1] * bound.local_size[2];
  const uint32_t workgroups = bound.grid[0] * bound.grid[1] * bound.grid[2];
  std::vector<uint32_t> words(kRecords * 4 * (kMostInvocations + 1));
  for (uint32_t id = 0; id < kRecords; ++id) {
    const Grid asked = AskedFor(bound, id);
    for (uint32_t z = 0; z < std::min(asked[2], bound.grid[2]); ++z)
      for (uint32_t y = 0; y < std::min(asked[1], bound.grid[1]); ++y)
        for (uint32_t x = 0; x < std::min(asked[0], bound.grid[0]); ++x) {
          const uint32_t place = id * workgroups + Flat(bound.grid, x, y, z);
          for (uint32_t i = 0; i < invocations; ++i) words[place * invocations + i] += (id + 1) * dispatches;
          words[place + kRecords * 4 * kMostInvocations] += (id + 1) * dispatches;
        }
  }
  return words;
}

void ExpectEachGridRuns(Context& context, const Bound& bound) {
  std::vector<uint32_t> payloads;
  for (uint32_t id = 0; id < kRecords; ++id) {
    const Grid asked = AskedFor(bound, id);
    payloads.insert(payloads.end(), {id, id + 1, asked[0], asked[1], asked[2]});
  }
  for (const char* root : {"Root", "Masked"}) {
    GraphRun run(context, {.words = kRecords * 4 * (kMostInvocations + 1) + 64, .dispatches = 2});
    run.Nodes(Module(bound), {"Root", "Masked", "Leaf"});
    run.Input({.node = root, .count = kRecords, .payloads = Bytes(payloads), .stride = kRecordWords * 4});
    ASSERT_TRUE(run.Execute()) << root;
    EXPECT_TRUE(run.Matches(Expected(bound, 2))) << root;
  }
}

TEST_P(MaskedGrids, EachRecordRunsItsGrid) {
  ExpectEachGridRuns(context(), GetParam());
  const Grid& grid = GetParam().grid;
  const std::string runs_as = "grid from its payload, runs as " + std::to_string(grid[0]) + "x" +
                              std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
  EXPECT_NE(Log().find(runs_as), std::string::npos) << Log();
}

INSTANTIATE_TEST_SUITE_P(Bounds, MaskedGrids, testing::ValuesIn(kBounds),
                         [](const testing::TestParamInfo<Bound>& bound) { return bound.param.name; });

// The bound of a grid that is counted: with the setting `validate`, which tells of grids above their bound.
class CountedGrids : public MaskedGrids {
 protected:
  CountedGrids() { validate_ = "true"; }
};

TEST_P(CountedGrids, GridsAboveTheirBoundAreTold) {
  ExpectEachGridRuns(context(), GetParam());
  EXPECT_EQ(Log().find("runs as"), std::string::npos);
  const std::vector<Message> told = context().messages.Unexpected();
  EXPECT_FALSE(told.empty());
  for (const Message& message : told) EXPECT_NE(message.id.find("-09186"), std::string::npos) << message.text;
  context().messages.Clear();
}

INSTANTIATE_TEST_SUITE_P(Bounds, CountedGrids, testing::Values(kBounds[1], kBounds[4]),
                         [](const testing::TestParamInfo<Bound>& bound) { return bound.param.name; });

}  // namespace
}  // namespace trellis::test
