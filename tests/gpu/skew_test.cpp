// SPDX-License-Identifier: Apache-2.0
// Records go where shaders send them: how they are spread over the nodes of an array is known to no plan, and nothing
// may be lost, whatever it is.
#include <gtest/gtest.h>

#include "tests/gpu/queue_work.h"
#include "tests/gpu/small_ring.h"

namespace trellis::test {
namespace {

constexpr uint32_t kSkewNodes = 16;
constexpr uint32_t kFavouriteNode = 11;
constexpr uint32_t kSkewLanes = 64;

// Every node gets as much as the others, in turns or by a hash; half of the rest; the k-th one k-th of what the first
// gets; all goes to one; the host chooses the one between executions.
enum class Spread { kEven, kUniform, kHalving, kZipf, kOne, kChosen };
// What reads the records: two of the kinds have two workgroups for each record.
enum class Reader { kThread, kCoalescing7, kStatic, kStaticPair, kDynamicPair };
// What is special about the records: readers write to them, over their grids too; other nodes read them as well; the
// workgroups of a reader count themselves out; or producers enqueue them in a branch, so that they lie on the heap
// first.
enum class Form { kPlain, kWritten, kShared, kFinished, kDeferred };

struct Skew {
  Spread spread = Spread::kOne;
  Reader reader = Reader::kThread;
  Scope scope = Scope::kInvocation;
  uint32_t payloads = 1;  // of each allocation
  uint32_t workgroups = 128;
  Form form = Form::kPlain;
  DispatchCommand command = DefaultDispatchCommand();

  [[nodiscard]] uint32_t Allocations() const { return workgroups * (scope == Scope::kWorkgroup ? 1 : kSkewLanes); }
  [[nodiscard]] uint32_t Sent() const { return Allocations() * payloads; }
  // What a record adds to its word.
  [[nodiscard]] uint32_t Readings() const {
    if (form == Form::kFinished) return 1;
    const uint32_t own = reader == Reader::kStaticPair || reader == Reader::kDynamicPair ? 2 : 1;
    return own + (form == Form::kShared ? 3 : 0);
  }
};

// The words of a record, behind one that is its grid, or nothing.
constexpr uint32_t kNumber = 1;
constexpr uint32_t kSeal = 2;
constexpr uint32_t kSumWord = 3;  // what has a form of its own alone
// What is wrong adds this.
constexpr uint32_t kWrong = 1u << 16;

// Of 65,536, for the nodes before the k-th one and for that.
uint32_t ZipfBelow(uint32_t k) {
  double all = 0;
  double below = 0;
  for (uint32_t i = 0; i < kSkewNodes; ++i) {
    all += 1.0 / (i + 1);
    if (i <= k) below = all;
  }
  return static_cast<uint32_t>(65536 * below / all);
}

// Which node gets what allocation `number` sends. `chosen`: the buffer with the host's choice.
Id Choose(NodeAsm& m, Spread spread, const Id& number, const Id& chosen) {
  constexpr uint32_t kHash = 0x9E3779B1;
  switch (spread) {
    case Spread::kEven:
      return m.Mod(m.Mul(number, 7), kSkewNodes);
    case Spread::kUniform:
      return m.Mod(m.Shift(m.Mul(number, kHash), 16), kSkewNodes);
    case Spread::kHalving: {
      const Id set = m.ImportSet("GLSL.std.450");
      return m.Op("OpExtInst", m.Uint(), set, "FindILsb",
                  m.Op("OpBitwiseOr", m.Uint(), number, 1u << (kSkewNodes - 1)));
    }
    case Spread::kZipf: {
      const Id place = m.Shift(m.Mul(number, kHash), 16);
      Id index = m.Constant(0);
      for (uint32_t k = 0; k + 1 < kSkewNodes; ++k) index = m.Add(index, m.Select(m.Less(place, ZipfBelow(k)), 0, 1));
      return index;
    }
    case Spread::kOne:
      break;
    case Spread::kChosen: {
      const Id favourite = m.LoadWord(chosen, 0);
      return m.Select(m.Less(favourite, kSkewNodes), favourite, m.Mod(number, kSkewNodes));
    }
  }
  // Not a constant: no plan may know it.
  return m.Add(m.Mod(m.Mul(number, kSkewNodes), kSkewNodes), kFavouriteNode);
}

// `options`: name and input.
void WriteReader(NodeAsm& m, NodeOptions options, Reader reader, Form form, const Id& words, uint32_t index) {
  options.shader_index = index;
  switch (reader) {
    case Reader::kThread:
    case Reader::kCoalescing7:
      options.launch = Launch::kCoalescing;
      break;
    case Reader::kStatic:
      options.launch = Launch::kStaticGrid;
      options.grid = {1, 1, 1};
      break;
    case Reader::kStaticPair:
      options.launch = Launch::kStaticGrid;
      options.grid = {2, 1, 1};
      break;
    case Reader::kDynamicPair:
      options.launch = Launch::kDynamicGrid;
      options.grid = {2, 1, 1};
      break;
  }
  m.BeginNode(options);
  const Records& input = m.NodeInput();
  const auto worth = [&](const Id& i) {
    const Id seal = m.Add(m.Mul(m.Get(input, i, kNumber), 5), index);
    return m.Select(m.Equal(m.Get(input, i, kSeal), seal), 1, kWrong);
  };
  if (form == Form::kFinished) {
    const Id record = m.Constant(0);
    m.Op("OpAtomicIAdd", m.Uint(), m.Field(input, m.Uint(), record, {kSumWord}), 1, 0, worth(record));
    m.If(m.FinishWriting(), [&] {
      const Id sum = m.Get(input, record, kSumWord);
      m.AddWord(words, m.Get(input, record, kNumber), m.Select(m.Equal(sum, 2), 1, kWrong));
    });
  } else {
    m.For(m.Length(input), [&](const Id& i) {
      m.AddWord(words, m.Get(input, i, kNumber), worth(i));
      if (form == Form::kWritten) m.Set(input, i, 0, 0xffff);
    });
  }
  m.EndNode();
}

Id SkewRecord(NodeAsm& m, const Skew& skew, const std::string& decorations = {}) {
  std::vector<Member> members = {{m.Uint(), 0, skew.reader == Reader::kDynamicPair, decorations},
                                 {m.Uint(), 4, false, decorations},
                                 {m.Uint(), 8, false, decorations}};
  if (skew.form == Form::kFinished) members.push_back({m.Uint(), 12});
  const Id record = m.Struct(members);
  if (skew.form == Form::kFinished) m.Track(record);
  return record;
}

// Nodes "Leaf0", "Leaf1", ... of the array; where they share their inputs, "Pair0" and "Seven0" with the first one, ...
std::string SkewModule(const Skew& skew) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id chosen = skew.spread == Spread::kChosen ? m.StorageBuffer(1) : Id();
  const Id record = SkewRecord(m, skew);
  const uint32_t most = skew.payloads * (skew.scope == Scope::kWorkgroup ? 1 : kSkewLanes);
  const Payload to = m.Output("Leaf", record, {.max_payloads = most, .array_size = kSkewNodes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kSkewLanes, 1, 1},
               .grid = {skew.workgroups, 1, 1},
               .shader_index = 0});
  const Id sender = skew.scope == Scope::kWorkgroup ? m.GroupId(0) : m.GlobalId(0);
  const Id index = Choose(m, skew.spread, sender, chosen);
  const Records records = m.Allocate(to, skew.scope, skew.payloads, index);
  const auto fill = [&] {
    m.For(skew.payloads, [&](const Id& i) {
      const Id number = m.Add(m.Mul(sender, skew.payloads), i);
      m.Set(records, i, 0, 2);
      m.Set(records, i, kNumber, number);
      m.Set(records, i, kSeal, m.Add(m.Mul(number, 5), index));
      if (skew.form == Form::kFinished) m.Set(records, i, kSumWord, 0);
    });
  };
  if (skew.scope == Scope::kWorkgroup)
    m.If(m.Equal(m.LocalIndex(), 0), fill);
  else
    fill();
  if (skew.form == Form::kDeferred)
    m.If(m.Less(m.GroupId(0), 1u << 20), [&] { m.Enqueue(records); });
  else
    m.Enqueue(records);
  m.EndNode();
  const Payload input = m.Input(record, skew.reader == Reader::kCoalescing7 ? 7 : 1);
  for (uint32_t node = 0; node < kSkewNodes; ++node) {
    WriteReader(m, {.name = "Leaf" + std::to_string(node), .input = input}, skew.reader, skew.form, words, node);
    if (skew.form != Form::kShared) continue;
    const SharedInput shared = {m.String("Leaf"), node};
    const Id read_only = SkewRecord(m, skew, "NonWritable");
    WriteReader(m, {.name = "Pair" + std::to_string(node), .shares_input = shared, .input = m.Input(read_only)},
                Reader::kStaticPair, skew.form, words, node);
    WriteReader(m, {.name = "Seven" + std::to_string(node), .shares_input = shared, .input = m.Input(read_only, 7)},
                Reader::kCoalescing7, skew.form, words, node);
  }
  return m.Text();
}

void AddNodes(GraphRun& run, const Skew& skew) {
  const std::string module = SkewModule(skew);
  run.Node({.text = module, .entry = "Root"});
  for (uint32_t node = 0; node < kSkewNodes; ++node) {
    run.Node({.text = module, .entry = "Leaf" + std::to_string(node), .name = "Leaf"});
    if (skew.form != Form::kShared) continue;
    for (const char* sharer : {"Pair", "Seven"})
      run.Node({.text = module, .entry = sharer + std::to_string(node), .name = sharer});
  }
  run.Input({.node = "Root"});
}

// What is sent fits into half of the ring, so that no steps are taken.
void ExpectOnePass(Context& context) {
  const std::vector<Message> dispatches = context.messages.Find("TRELLIS-dispatch-graph");
  EXPECT_FALSE(dispatches.empty());
  for (const Message& message : dispatches) EXPECT_EQ(message.text.find(" steps"), std::string::npos) << message.text;
}

// Every record is read as often as its readers have workgroups, by the nodes that it was sent to.
void ExpectAllArrive(Context& context, const Skew& skew, uint32_t dispatches) {
  GraphRun run(context, {.words = skew.Sent() + 1, .dispatches = dispatches, .submits = 2, .command = skew.command});
  AddNodes(run, skew);
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(skew.Sent(), skew.Readings() * dispatches * 2)));
  if (skew.command == DispatchCommand::kHost) ExpectOnePass(context);
}

std::string NameOf(const Skew& skew) {
  constexpr const char* kSpreads[] = {"even", "uniform", "halving", "zipf", "one", "chosen"};
  constexpr const char* kReaders[] = {"thread", "coalescing", "static", "pair", "dynamic"};
  constexpr const char* kForms[] = {"", "_written", "_shared", "_finished", "_deferred"};
  return std::string(kSpreads[static_cast<int>(skew.spread)]) + "_" + kReaders[static_cast<int>(skew.reader)] +
         (skew.scope == Scope::kWorkgroup ? "_workgroup" : "_invocation") + std::to_string(skew.payloads) +
         kForms[static_cast<int>(skew.form)];
}

constexpr Reader kAllReaders[] = {Reader::kThread, Reader::kCoalescing7, Reader::kStatic, Reader::kStaticPair,
                                  Reader::kDynamicPair};

std::vector<Skew> AllSkews() {
  std::vector<Skew> all;
  for (const Spread spread : {Spread::kEven, Spread::kUniform, Spread::kHalving, Spread::kZipf, Spread::kOne})
    for (const Reader reader : kAllReaders) all.push_back({.spread = spread, .reader = reader});
  for (const Reader reader : {Reader::kThread, Reader::kCoalescing7, Reader::kDynamicPair}) {
    for (const uint32_t payloads : {3u, 7u})
      all.push_back({.reader = reader, .payloads = payloads, .workgroups = 180 / payloads});
    all.push_back({.reader = reader, .scope = Scope::kWorkgroup, .workgroups = 3000});
    all.push_back({.reader = reader, .scope = Scope::kWorkgroup, .payloads = 7, .workgroups = 1500});
    all.push_back({.reader = reader, .scope = Scope::kWorkgroup, .payloads = 1000, .workgroups = 12});
    // One allocation has everything.
    all.push_back({.reader = reader, .scope = Scope::kWorkgroup, .payloads = 10000, .workgroups = 1});
  }
  for (const Spread spread : {Spread::kHalving, Spread::kOne}) {
    for (const Reader reader : kAllReaders) all.push_back({.spread = spread, .reader = reader, .form = Form::kWritten});
    for (const Reader reader : {Reader::kThread, Reader::kDynamicPair})
      all.push_back({.spread = spread, .reader = reader, .form = Form::kShared});
    for (const Reader reader : {Reader::kStaticPair, Reader::kDynamicPair})
      all.push_back({.spread = spread, .reader = reader, .form = Form::kFinished});
  }
  for (const Reader reader : {Reader::kThread, Reader::kDynamicPair}) {
    all.push_back({.reader = reader, .workgroups = 64, .form = Form::kDeferred});
    all.push_back({.reader = reader, .payloads = 7, .workgroups = 16, .form = Form::kDeferred});
    all.push_back(
        {.reader = reader, .scope = Scope::kWorkgroup, .payloads = 1000, .workgroups = 6, .form = Form::kDeferred});
  }
  return all;
}

// Where a few nodes at most could get everything.
class Skews : public SmallRingTest, public testing::WithParamInterface<Skew> {};

TEST_P(Skews, EveryRecordArrives) {
  ExpectAllArrive(context(), GetParam(), 3);
  EXPECT_EQ(LostRecords(), 0u);
}

const auto kSkewName = [](const testing::TestParamInfo<Skew>& skew) { return NameOf(skew.param); };
INSTANTIATE_TEST_SUITE_P(All, Skews, testing::ValuesIn(AllSkews()), kSkewName);

// Nothing bounds what the device's infos bring: regions get what there is. The suite runs with infos on the device as
// a whole (gpu_*.indirect), these do always.
std::vector<Skew> OnTheDevice() {
  std::vector<Skew> all;
  for (const Reader reader : {Reader::kThread, Reader::kCoalescing7, Reader::kDynamicPair})
    all.push_back({.reader = reader, .command = DispatchCommand::kIndirect});
  all.push_back({.spread = Spread::kZipf, .command = DispatchCommand::kIndirectCount});
  all.push_back({.reader = Reader::kDynamicPair, .form = Form::kFinished, .command = DispatchCommand::kIndirect});
  for (const Reader reader : {Reader::kThread, Reader::kDynamicPair})
    all.push_back({.reader = reader, .form = Form::kDeferred, .command = DispatchCommand::kIndirect});
  return all;
}
INSTANTIATE_TEST_SUITE_P(OnTheDevice, Skews, testing::ValuesIn(OnTheDevice()), kSkewName);

// Regions that are opened anew for each level.
class SizedSkews : public Skews {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return {{"TRELLIS_RING_BUDGET", "1"}, {"TRELLIS_SIZE_LEVELS", "always"}};
  }
};

TEST_P(SizedSkews, EveryRecordArrives) {
  ExpectAllArrive(context(), GetParam(), 3);
  EXPECT_EQ(LostRecords(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Some, SizedSkews,
                         testing::Values(Skew{}, Skew{.spread = Spread::kZipf, .reader = Reader::kDynamicPair},
                                         Skew{.reader = Reader::kStaticPair, .form = Form::kFinished},
                                         Skew{.reader = Reader::kCoalescing7, .form = Form::kDeferred}),
                         kSkewName);

// One recording, of which several executions are pending at once, and between which the host turns to another node.
class ChosenSkews : public SmallRingTest {};

TEST_F(ChosenSkews, EveryExecutionHasAnotherDistribution) {
  for (const Reader reader : {Reader::kThread, Reader::kDynamicPair}) {
    const Skew skew = {.spread = Spread::kChosen, .reader = reader};
    GraphRun run(context(), {.words = skew.Sent() + 1, .layout = {.buffers_per_set = 2}});
    AddNodes(run, skew);
    ASSERT_TRUE(run.Prepare());
    const CommandPool pool(context(), context().queue_family);
    const VkCommandBuffer recorded = pool.Record(run, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    constexpr uint32_t kPending = 3;
    constexpr uint32_t kChoices[] = {0, kFavouriteNode, kSkewNodes, kSkewNodes - 1, kFavouriteNode, 0};
    for (const uint32_t choice : kChoices) {
      run.buffer(1).words()[0] = choice;
      for (uint32_t i = 0; i < kPending; ++i)
        ASSERT_EQ(Submit(SubmitCommand::kQueueSubmit, {.queue = context().queue, .command_buffers = {recorded}}),
                  VK_SUCCESS);
      WaitForQueues(context());
    }
    EXPECT_TRUE(run.GuardsIntact());
    const uint32_t executions = kPending * static_cast<uint32_t>(std::size(kChoices));
    EXPECT_TRUE(run.Matches(std::vector<uint32_t>(skew.Sent(), skew.Readings() * executions)));
    EXPECT_TRUE(run.Matches({0}, 1)) << "the last choice, and nothing else";
  }
  EXPECT_EQ(LostRecords(), 0u);
}

// With the settings that everybody has: 1.9 million records, of which any node may get all.
class LargeSkews : public OwnDeviceTest {};

TEST_F(LargeSkews, EveryRecordArrives) {
  for (const Spread spread : {Spread::kHalving, Spread::kOne})
    ExpectAllArrive(context(), {.spread = spread, .reader = Reader::kCoalescing7, .workgroups = 30000}, 1);
}

}  // namespace
}  // namespace trellis::test
