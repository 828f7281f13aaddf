// SPDX-License-Identifier: Apache-2.0
// Subgroup operations in nodes, of every class that the device reports, before and after allocations, which must leave
// the subgroup together. Which invocations form a subgroup is the device's choice: the nodes report it, and the
// expected values follow from that.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kSubgroupLanes = 64;  // of a workgroup; a multiple of every subgroup size
constexpr int kSubgroup = 3;             // Scope

// The built-ins that say where an invocation is.
struct SubgroupPlace {
  explicit SubgroupPlace(NodeAsm& m)
      : subgroup(Variable(m, "SubgroupId")),
        lane(Variable(m, "SubgroupLocalInvocationId")),
        size(Variable(m, "SubgroupSize")) {}

  static Id Variable(NodeAsm& m, const std::string& name) {
    const Id id = m.Global("Input", m.Uint());
    m.Decorate("OpDecorate " + id + " BuiltIn " + name);
    return id;
  }

  Id subgroup, lane, size;
};

// Value of invocation i of a workgroup.
uint32_t ValueOf(uint32_t i) { return i * 5 % 17 + i; }

// What a class of operations does and what it must give. `members[k]` is the invocation of the workgroup that is lane k
// of the subgroup; all of them are active.
struct Operation {
  const char* name;
  VkSubgroupFeatureFlags feature;
  std::function<Id(NodeAsm&, const SubgroupPlace&, const Id& value)> emit;
  std::function<uint32_t(const std::vector<uint32_t>& members, uint32_t lane)> expect;
};

Id Emit(NodeAsm& m, const std::string& opcode, const std::string& operands) {
  return m.Op(opcode, m.Uint(), kSubgroup, Id(operands));
}

// For GoogleTest's messages.
void PrintTo(const Operation& operation, std::ostream* stream) { *stream << operation.name; }

uint32_t Fold(const std::vector<uint32_t>& members, uint32_t first, uint32_t end) {
  uint32_t sum = 0;
  for (uint32_t k = first; k < end; ++k) sum += ValueOf(members[k]);
  return sum;
}

std::vector<Operation> Operations() {
  using Members = std::vector<uint32_t>;
  std::vector<Operation> operations;
  operations.push_back({"Elect", VK_SUBGROUP_FEATURE_BASIC_BIT,
                        [](NodeAsm& m, const SubgroupPlace&, const Id&) {
                          m.Capability("GroupNonUniform");
                          return m.Select(m.Op("OpGroupNonUniformElect", m.Bool(), kSubgroup), 1, 0);
                        },
                        [](const Members&, uint32_t lane) { return lane == 0 ? 1u : 0u; }});
  operations.push_back({"Vote", VK_SUBGROUP_FEATURE_VOTE_BIT,
                        [](NodeAsm& m, const SubgroupPlace&, const Id& value) {
                          m.Capability("GroupNonUniformVote");
                          const Id some = m.Less(value, 20);
                          const Id all = m.Op("OpGroupNonUniformAll", m.Bool(), kSubgroup, some);
                          const Id any = m.Op("OpGroupNonUniformAny", m.Bool(), kSubgroup, some);
                          return m.Add(m.Select(all, 2, 0), m.Select(any, 1, 0));
                        },
                        [](const Members& members, uint32_t) {
                          const auto some = [](uint32_t i) { return ValueOf(i) < 20; };
                          return (std::all_of(members.begin(), members.end(), some) ? 2u : 0u) +
                                 (std::any_of(members.begin(), members.end(), some) ? 1u : 0u);
                        }});
  operations.push_back({"Reduce", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT,
                        [](NodeAsm& m, const SubgroupPlace&, const Id& value) {
                          m.Capability("GroupNonUniformArithmetic");
                          return Emit(m, "OpGroupNonUniformIAdd", "Reduce " + value);
                        },
                        [](const Members& members, uint32_t) { return Fold(members, 0, uint32_t(members.size())); }});
  operations.push_back({"Scan", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT,
                        [](NodeAsm& m, const SubgroupPlace&, const Id& value) {
                          m.Capability("GroupNonUniformArithmetic");
                          return Emit(m, "OpGroupNonUniformIAdd", "ExclusiveScan " + value);
                        },
                        [](const Members& members, uint32_t lane) { return Fold(members, 0, lane); }});
  operations.push_back({"Ballot", VK_SUBGROUP_FEATURE_BALLOT_BIT,
                        [](NodeAsm& m, const SubgroupPlace&, const Id& value) {
                          m.Capability("GroupNonUniformBallot");
                          const Id odd = m.Equal(m.And(value, 1), 1);
                          const Id ballot = m.Op("OpGroupNonUniformBallot", m.Vector(m.Uint(), 4), kSubgroup, odd);
                          const Id first = m.Op("OpGroupNonUniformBroadcastFirst", m.Uint(), kSubgroup, value);
                          const Id count = Emit(m, "OpGroupNonUniformBallotBitCount", "Reduce " + ballot);
                          return m.Add(m.Mul(first, 100), count);
                        },
                        [](const Members& members, uint32_t) {
                          const auto odd = [](uint32_t i) { return ValueOf(i) % 2 == 1; };
                          return ValueOf(members[0]) * 100 +
                                 static_cast<uint32_t>(std::count_if(members.begin(), members.end(), odd));
                        }});
  operations.push_back({"Shuffle", VK_SUBGROUP_FEATURE_SHUFFLE_BIT,
                        [](NodeAsm& m, const SubgroupPlace& place, const Id& value) {
                          m.Capability("GroupNonUniformShuffle");
                          const Id last = m.Sub(m.Load(m.Uint(), place.size), 1);
                          const Id other = m.Sub(last, m.Load(m.Uint(), place.lane));
                          const Id mirrored = m.Op("OpGroupNonUniformShuffle", m.Uint(), kSubgroup, value, other);
                          const Id neighbour = m.Op("OpGroupNonUniformShuffleXor", m.Uint(), kSubgroup, value, 1);
                          return m.Add(m.Mul(mirrored, 1000), neighbour);
                        },
                        [](const Members& members, uint32_t lane) {
                          return ValueOf(members[members.size() - 1 - lane]) * 1000 + ValueOf(members[lane ^ 1]);
                        }});
  operations.push_back({"ShuffleRelative", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
                        [](NodeAsm& m, const SubgroupPlace& place, const Id& value) {
                          m.Capability("GroupNonUniformShuffleRelative");
                          const Id lane = m.Load(m.Uint(), place.lane);
                          const Id last = m.Sub(m.Load(m.Uint(), place.size), 1);
                          const Id lower = m.Op("OpGroupNonUniformShuffleUp", m.Uint(), kSubgroup, value, 1);
                          const Id higher = m.Op("OpGroupNonUniformShuffleDown", m.Uint(), kSubgroup, value, 1);
                          return m.Add(m.Mul(m.Select(m.Equal(lane, 0), 0, lower), 1000),
                                       m.Select(m.Equal(lane, last), 0, higher));
                        },
                        [](const Members& members, uint32_t lane) {
                          const uint32_t lower = lane == 0 ? 0 : ValueOf(members[lane - 1]);
                          return lower * 1000 + (lane + 1 == members.size() ? 0 : ValueOf(members[lane + 1]));
                        }});
  operations.push_back(
      {"Clustered", VK_SUBGROUP_FEATURE_CLUSTERED_BIT,
       [](NodeAsm& m, const SubgroupPlace&, const Id& value) {
         m.Capability("GroupNonUniformClustered");
         return Emit(m, "OpGroupNonUniformIAdd", "ClusteredReduce " + value + " " + m.Constant(4));
       },
       [](const Members& members, uint32_t lane) { return Fold(members, lane / 4 * 4, lane / 4 * 4 + 4); }});
  operations.push_back({"Quad", VK_SUBGROUP_FEATURE_QUAD_BIT,
                        [](NodeAsm& m, const SubgroupPlace&, const Id& value) {
                          m.Capability("GroupNonUniformQuad");
                          const auto swap = [&](int direction) {
                            return m.Op("OpGroupNonUniformQuadSwap", m.Uint(), kSubgroup, value, direction);
                          };
                          const Id third = m.Op("OpGroupNonUniformQuadBroadcast", m.Uint(), kSubgroup, value, 2);
                          const Id swaps = m.Add(m.Add(m.Mul(swap(0), 1000), m.Mul(swap(1), 100000)), swap(2));
                          return m.Add(swaps, m.Mul(third, 10000000));
                        },
                        [](const Members& members, uint32_t lane) {
                          return ValueOf(members[lane ^ 1]) * 1000 + ValueOf(members[lane ^ 2]) * 100000 +
                                 ValueOf(members[lane ^ 3]) + ValueOf(members[lane / 4 * 4 + 2]) * 10000000;
                        }});
  return operations;
}

// Each invocation sends a record to a thread leaf, with two results of the operation: from before and from after an
// allocation whose counts and node indices differ within the subgroup. Words of the workgroup: for invocation i the
// place {subgroup, lane, size} and both results at i * 8.
std::string OperationModule(const Operation& operation, Launch launch) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const SubgroupPlace place(m);
  m.Capability("GroupNonUniform");
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4, launch == Launch::kDynamicGrid}});
  const Payload to_node = m.Output("Node", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records one = m.Allocate(to_node, Scope::kInvocation, 1);
  SetLeaf(m, one, 0, 0, 1);
  m.Enqueue(one);
  m.EndNode();

  const Payload to_leaf = m.Output("Leaf", record, {.max_payloads = 3 * kSubgroupLanes, .array_size = 2});
  m.BeginNode({.name = "Node",
               .launch = launch,
               .local_size = {kSubgroupLanes, 1, 1},
               .grid = {1, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  const Id i = m.LocalIndex();
  const Id value = m.Add(m.Mod(m.Mul(i, 5), 17), i);
  const Id before = operation.emit(m, place, value);
  const Id count = m.Mod(i, 4);
  const Records records = m.Allocate(to_leaf, Scope::kInvocation, count, m.Mod(i, 2));
  const Id between = operation.emit(m, place, value);
  m.For(count, [&](const Id& k) { SetLeaf(m, records, k, 600, 1); });
  m.Enqueue(records);
  const Id after = operation.emit(m, place, value);
  const Id base = m.Mul(i, 8);
  m.StoreWord(words, base, m.Load(m.Uint(), place.subgroup));
  m.StoreWord(words, m.Add(base, 1), m.Load(m.Uint(), place.lane));
  m.StoreWord(words, m.Add(base, 2), m.Load(m.Uint(), place.size));
  m.StoreWord(words, m.Add(base, 3), before);
  m.StoreWord(words, m.Add(base, 4), between);
  m.StoreWord(words, m.Add(base, 5), after);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Add(m.Get(m.NodeInput(), 0, 0), m.ShaderIndex()), 1);
  m.EndNode();
  return m.Text();
}

// invocation number of each lane, per subgroup, from what the nodes reported.
std::map<uint32_t, std::vector<uint32_t>> SubgroupsOf(std::span<const uint32_t> words, uint32_t size) {
  std::map<uint32_t, std::vector<uint32_t>> subgroups;
  for (uint32_t i = 0; i < kSubgroupLanes; ++i) {
    std::vector<uint32_t>& members = subgroups[words[i * 8]];
    members.resize(size, ~0u);
    const uint32_t lane = words[i * 8 + 1];
    EXPECT_LT(lane, size);
    if (lane < size) members[lane] = i;
  }
  return subgroups;
}

class Subgroups : public GpuTest, public testing::WithParamInterface<Operation> {
 protected:
  void Expect(Launch launch) {
    if ((context().subgroup.supportedOperations & GetParam().feature) == 0) GTEST_SKIP() << "no such operations";
    GraphRun run(context());
    const std::string text = OperationModule(GetParam(), launch);
    run.Nodes(text, {"Root", "Node", "Leaf"});
    run.Node({.text = text, .entry = "Leaf", .index = 1});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Execute());
    const uint32_t size = run.Words()[2];
    ASSERT_EQ(kSubgroupLanes % size, 0u);
    const auto subgroups = SubgroupsOf(run.Words(), size);
    EXPECT_EQ(subgroups.size(), kSubgroupLanes / size);
    std::vector<uint32_t> expected(602);
    for (const auto& [id, members] : subgroups) {
      ASSERT_EQ(std::count(members.begin(), members.end(), ~0u), 0) << "subgroup " << id << " is not full";
      for (uint32_t lane = 0; lane < size; ++lane) {
        const uint32_t result = GetParam().expect(members, lane);
        const std::vector<uint32_t> row = {id, lane, size, result, result, result};
        std::copy(row.begin(), row.end(), expected.begin() + members[lane] * 8);
      }
    }
    for (uint32_t i = 0; i < kSubgroupLanes; ++i) expected[600 + i % 2] += i % 4;
    EXPECT_TRUE(run.Matches(expected));
  }
};

TEST_P(Subgroups, InStaticGrids) { Expect(Launch::kStaticGrid); }

TEST_P(Subgroups, InDynamicGrids) { Expect(Launch::kDynamicGrid); }

TEST_P(Subgroups, InCoalescingNodes) { Expect(Launch::kCoalescing); }

INSTANTIATE_TEST_SUITE_P(Classes, Subgroups, testing::ValuesIn(Operations()),
                         [](const testing::TestParamInfo<Operation>& info) { return std::string(info.param.name); });

// ---- derivative groups ----

using DerivativeGroups = GpuTest;

// Derivatives of x * x + 10 * y * y over the invocations of a node.
std::string DerivativeModule(const std::string& mode, const std::string& capability, std::array<Value, 3> local_size) {
  NodeAsm m;
  m.Capability(capability);
  m.Extension("SPV_KHR_compute_shader_derivatives");
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Node", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Set(records, 0, 0, 10);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Node",
               .launch = Launch::kStaticGrid,
               .local_size = local_size,
               .grid = {1, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.Mode("OpExecutionMode " + m.CurrentFunction() + " " + mode);
  const Id x = m.LocalId(0), y = m.LocalId(1);
  const Id value = m.Add(m.Mul(x, x), m.Mul(m.Mul(y, y), m.Get(m.NodeInput(), 0, 0)));
  const Id number = m.Op("OpConvertUToF", m.Float(), value);
  const auto store = [&](int place, const Id& derivative) {
    m.StoreWord(words, m.Add(m.Mul(m.LocalIndex(), 2), place), m.Op("OpConvertFToU", m.Uint(), derivative));
  };
  store(0, m.Op("OpDPdx", m.Float(), number));
  store(1, m.Op("OpDPdy", m.Float(), number));
  m.EndNode();
  return m.Text();
}

// Coarse or fine, the difference within the quad is one of two values; each is what the quad's rows or columns give.
void ExpectOneOf(uint32_t word, std::initializer_list<uint32_t> allowed, uint32_t index) {
  EXPECT_NE(std::find(allowed.begin(), allowed.end(), word), allowed.end()) << "word " << index << " is " << word;
}

TEST_F(DerivativeGroups, Quads) {
  if (!context().features.derivative_quads) GTEST_SKIP() << "no computeDerivativeGroupQuads";
  GraphRun run(context());
  run.Nodes(DerivativeModule("DerivativeGroupQuadsKHR", "ComputeDerivativeGroupQuadsKHR", {8, 4, 1}), {"Root", "Node"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 32; ++i) {
    // (x + 1)^2 - x^2 from the even x of the quad.
    const uint32_t x = i % 8 / 2 * 2, y = i / 8 / 2 * 2;
    expected.insert(expected.end(), {2 * x + 1, 10 * (2 * y + 1)});
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(DerivativeGroups, Linear) {
  if (!context().features.derivative_linear) GTEST_SKIP() << "no computeDerivativeGroupLinear";
  GraphRun run(context());
  run.Nodes(DerivativeModule("DerivativeGroupLinearKHR", "ComputeDerivativeGroupLinearKHR", {32, 1, 1}),
            {"Root", "Node"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  for (uint32_t i = 0; i < 32; ++i) {
    // Invocations b, b + 1 over b + 2, b + 3; x is the local index.
    const uint32_t b = i / 4 * 4;
    ExpectOneOf(run.Words()[i * 2], {2 * b + 1, 2 * (b + 2) + 1}, i * 2);
    ExpectOneOf(run.Words()[i * 2 + 1], {4 * b + 4, 4 * (b + 1) + 4}, i * 2 + 1);
  }
}

}  // namespace
}  // namespace trellis::test
