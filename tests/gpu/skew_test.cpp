// Records go where shaders send them: how they are spread over the nodes of an array is known to no plan, and nothing
// may be lost, whatever it is.
#include <gtest/gtest.h>

#include "tests/gpu/small_ring.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kNodes = 16;
constexpr uint32_t kFavourite = 11;
constexpr uint32_t kLanes = 64;

enum class Spread { kEven, kHalving, kOne };
// What reads the records: two of the kinds have two workgroups for each record.
enum class Reader { kThread, kCoalescing7, kStatic, kStaticPair, kDynamicPair };

struct Skew {
  Spread spread = Spread::kOne;
  Reader reader = Reader::kThread;
  Scope scope = Scope::kInvocation;
  uint32_t payloads = 1;  // of each allocation
  uint32_t workgroups = 128;
  bool written = false;  // readers write to their input

  [[nodiscard]] uint32_t Allocations() const { return workgroups * (scope == Scope::kWorkgroup ? 1 : kLanes); }
  [[nodiscard]] uint32_t Sent() const { return Allocations() * payloads; }
  [[nodiscard]] uint32_t Readings() const {
    return reader == Reader::kStaticPair || reader == Reader::kDynamicPair ? 2 : 1;
  }
};

// The words of a record, behind its grid if it has one.
constexpr uint32_t kNumber = 1;
constexpr uint32_t kSeal = 2;

// Which node gets what allocation `number` sends.
Id Choose(NodeAsm& m, Spread spread, const Id& number) {
  switch (spread) {
    case Spread::kEven:
      return m.Mod(m.Mul(number, 7), kNodes);
    case Spread::kHalving: {
      const Id set = m.ImportSet("GLSL.std.450");
      return m.Op("OpExtInst", m.Uint(), set, "FindILsb", m.Op("OpBitwiseOr", m.Uint(), number, 1u << (kNodes - 1)));
    }
    case Spread::kOne:
      break;
  }
  return m.Constant(kFavourite);
}

void WriteReader(NodeAsm& m, const Skew& skew, const Id& words, const Payload& input, uint32_t index) {
  NodeOptions options = {.name = "Leaf" + std::to_string(index), .shader_index = index, .input = input};
  switch (skew.reader) {
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
  m.For(m.Length(m.NodeInput()), [&](const Id& i) {
    const Id number = m.Get(m.NodeInput(), i, kNumber);
    const Id seal = m.Get(m.NodeInput(), i, kSeal);
    const Id is_right = m.Equal(seal, m.Add(m.Mul(number, 5), index));
    m.AddWord(words, number, m.Select(is_right, 1, 1u << 16));
    if (skew.written) m.Set(m.NodeInput(), i, kSeal, m.Add(seal, 0x1000000));
  });
  m.EndNode();
}

std::string SkewModule(const Skew& skew) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0, skew.reader == Reader::kDynamicPair}, {m.Uint(), 4}, {m.Uint(), 8}});
  const uint32_t most = skew.payloads * (skew.scope == Scope::kWorkgroup ? 1 : kLanes);
  const Payload to = m.Output("Leaf", record, {.max_payloads = most, .array_size = kNodes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {skew.workgroups, 1, 1},
               .shader_index = 0});
  const Id sender = skew.scope == Scope::kWorkgroup ? m.GroupId(0) : m.GlobalId(0);
  const Id index = Choose(m, skew.spread, sender);
  const Records records = m.Allocate(to, skew.scope, skew.payloads, index);
  const auto fill = [&] {
    m.For(skew.payloads, [&](const Id& i) {
      const Id number = m.Add(m.Mul(sender, skew.payloads), i);
      m.Set(records, i, 0, 2);
      m.Set(records, i, kNumber, number);
      m.Set(records, i, kSeal, m.Add(m.Mul(number, 5), index));
    });
  };
  if (skew.scope == Scope::kWorkgroup)
    m.If(m.Equal(m.LocalIndex(), 0), fill);
  else
    fill();
  m.Enqueue(records);
  m.EndNode();
  const Payload input = m.Input(record, skew.reader == Reader::kCoalescing7 ? 7 : 1);
  for (uint32_t node = 0; node < kNodes; ++node) WriteReader(m, skew, words, input, node);
  return m.Text();
}

// Every record is read as often as its reader has workgroups, by the node that it was sent to.
void ExpectAllArrive(Context& context, const Skew& skew, uint32_t dispatches) {
  GraphRun run(context, {.words = skew.Sent() + 1, .dispatches = dispatches, .submits = 2});
  const std::string module = SkewModule(skew);
  run.Node({.text = module, .entry = "Root"});
  for (uint32_t node = 0; node < kNodes; ++node)
    run.Node({.text = module, .entry = "Leaf" + std::to_string(node), .name = "Leaf"});
  run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(skew.Sent(), skew.Readings() * dispatches * 2)));
}

std::string NameOf(const Skew& skew) {
  constexpr const char* kSpreads[] = {"even", "halving", "one"};
  constexpr const char* kReaders[] = {"thread", "coalescing", "static", "pair", "dynamic"};
  return std::string(kSpreads[static_cast<int>(skew.spread)]) + "_" + kReaders[static_cast<int>(skew.reader)] +
         (skew.scope == Scope::kWorkgroup ? "_workgroup" : "_invocation") + std::to_string(skew.payloads) +
         (skew.written ? "_written" : "");
}

std::vector<Skew> AllSkews() {
  std::vector<Skew> all;
  for (const Spread spread : {Spread::kEven, Spread::kHalving, Spread::kOne}) {
    for (const Reader reader :
         {Reader::kThread, Reader::kCoalescing7, Reader::kStatic, Reader::kStaticPair, Reader::kDynamicPair})
      all.push_back({.spread = spread, .reader = reader});
  }
  for (const Reader reader : {Reader::kThread, Reader::kCoalescing7, Reader::kDynamicPair}) {
    all.push_back({.reader = reader, .payloads = 3, .workgroups = 60});
    all.push_back({.reader = reader, .scope = Scope::kWorkgroup, .workgroups = 3000});
    all.push_back({.reader = reader, .scope = Scope::kWorkgroup, .payloads = 7, .workgroups = 1500});
    all.push_back({.reader = reader, .scope = Scope::kWorkgroup, .payloads = 1000, .workgroups = 12});
  }
  all.push_back({.reader = Reader::kThread, .written = true});
  all.push_back({.reader = Reader::kCoalescing7, .written = true});
  return all;
}

// Where a few nodes at most could get everything.
class Skews : public SmallRingTest, public testing::WithParamInterface<Skew> {};

TEST_P(Skews, EveryRecordArrives) {
  ExpectAllArrive(context(), GetParam(), 3);
  EXPECT_EQ(LostRecords(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Skews, testing::ValuesIn(AllSkews()),
                         [](const testing::TestParamInfo<Skew>& skew) { return NameOf(skew.param); });

// With the settings that everybody has: 1.9 million records, of which any node may get all.
class LargeSkews : public OwnDeviceTest {};

TEST_F(LargeSkews, EveryRecordArrives) {
  for (const Spread spread : {Spread::kHalving, Spread::kOne})
    ExpectAllArrive(context(), {.spread = spread, .reader = Reader::kCoalescing7, .workgroups = 30000}, 1);
}

}  // namespace
}  // namespace trellis::test
