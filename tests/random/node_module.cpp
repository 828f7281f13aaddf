// SPDX-License-Identifier: Apache-2.0
#include "tests/random/node_module.h"

#include "tests/random/record_asm.h"
#include "tests/random/semantics.h"

namespace trellis::test::random_graphs {
namespace {

class Writer {
 public:
  explicit Writer(const NodeKind& kind) : kind_(kind), m_(kind.shape), records_(m_, kind.input) {
    if (kind.vulkan_memory_model) m_.UseVulkanMemoryModel();
    results_ = m_.StorageBuffer(0);
    tables_ = m_.StorageBuffer(1);
    push_ = m_.PushConstants(kPushWords);
    variant_ = m_.SpecConstant(kSpecVariant, 0);
    coalesce_ = m_.SpecConstant(kSpecCoalesce, kind.input.coalesce);
    for (uint32_t o = 0; o < kind.outputs.size(); ++o) AddOutput(o);
  }

  std::string Run() {
    m_.BeginNode(Options());
    if (kind_.shares_input) AddSharing();
    salt_ = m_.PushWord(push_, kPushSalt);
    place_ = m_.Add(m_.Mul(variant_, kIndices), m_.ShaderIndex());
    result_ = m_.Add(m_.PushWord(push_, kPushResults), m_.Mul(place_, kPlaceWords));
    table_ = m_.PushWord(push_, kPushTables);
    entry_ = m_.Add(table_, m_.Mul(place_, kMaxOutputs * kTableWords));
    lane_ = m_.LocalIndex();
    lanes_sum_ = m_.Local(m_.Uint());
    m_.Store(lanes_sum_, m_.Constant(0));
    if (kind_.Coalescing())
      CoalescingBody();
    else
      GridBody();
    Count(kLanes, m_.Load(m_.Uint(), lanes_sum_));
    m_.EndNode();
    return m_.Text();
  }

 private:
  struct OutputPort {
    Payload payload;
    Id base;
  };

  // What is sent through an output: decided for a workgroup or for each invocation.
  struct Sending {
    Id own;     // hash
    Id weight;  // how often this invocation counts it; empty: once
    Id times;   // allocations joined in one; empty: 1
  };

  void AddOutput(uint32_t o) {
    const OutputForm& form = kind_.outputs[o];
    OutputPort port;
    port.base = m_.SpecConstant(OutputSpec(o, kSpecBase), 0);
    OutputOptions options;
    options.max_payloads = m_.SpecConstant(OutputSpec(o, kSpecMost), 1);
    options.base_index = port.base;
    options.sparse = !form.dense;
    if (form.dense) options.array_size = Value(m_.SpecConstant(OutputSpec(o, kSpecArraySize), 1));
    if (form.shares_limits) options.shares_limits_with = ports_[0].payload.array;
    options.name = m_.SpecString(OutputSpec(o, kSpecName), "unnamed");
    port.payload = m_.Output("", records_.OutputRecord(form.record_words), options);
    ports_.push_back(port);
  }

  NodeOptions Options() {
    const InputForm& input = kind_.input;
    NodeOptions options;
    options.name = kEntryPoint;
    options.launch = input.launch;
    options.is_mesh = kind_.is_mesh;
    for (size_t i = 0; i < 3; ++i) options.local_size[i] = Value(input.lanes[i]);
    if (!kind_.Coalescing()) {
      for (uint32_t i = 0; i < 3; ++i) options.grid[i] = Value(m_.SpecConstant(kSpecGridX + i, 1));
    }
    if (kind_.can_recurse) options.recursion = Value(m_.SpecConstant(kSpecRecursion, 0));
    if (!kind_.is_api_entry) options.is_api_entry = false;
    if (input.declared) options.input = m_.Input(records_.InputRecord(), coalesce_);
    return options;
  }

  void AddSharing() {
    const Id name = m_.SpecString(kSpecSharedName, "unnamed");
    const Id index = m_.SpecConstant(kSpecSharedIndex, 0);
    m_.Mode("OpExecutionModeId " + m_.CurrentFunction() + " SharesInputWithAMDX " + name + " " + index);
  }

  Id Hash(Value a, Value b) { return HashAsm(m_, a, b); }

  void Count(ResultWord word, Value value) {
    m_.AddWord(results_, m_.Add(result_, static_cast<uint32_t>(word)), value);
  }

  void CountXor(ResultWord word, const Id& value) {
    const Id pointer = m_.WordPointer(results_, m_.Add(result_, static_cast<uint32_t>(word)));
    m_.Op("OpAtomicXor", m_.Uint(), pointer, 1, 0, value);
  }

  void Expect(const Id& condition, ErrorCount error) {
    m_.If(
        condition, [] {}, [&] { Count(kErrors, static_cast<uint32_t>(error)); });
  }

  void AddToLanes(const Id& value) { m_.Store(lanes_sum_, m_.Add(m_.Load(m_.Uint(), lanes_sum_), value)); }

  Id Linear(const Id& x, const Id& y, const Id& z) { return m_.Add(m_.Add(x, m_.Mul(y, kRow)), m_.Mul(z, kSlice)); }

  // Of record `element` of the input.
  Id RecordHash(Value element) {
    const Id digest = kind_.input.declared ? records_.Digest(salt_, element) : salt_;
    const Id levels = m_.Mul(place_, kLevels);
    return Hash(digest, kind_.is_mesh ? levels : m_.Add(levels, m_.RemainingRecursion()));
  }

  void CountRun(const Id& run) {
    Count(kSum, run);
    CountXor(kXor, Hash(run, kXorSalt));
  }

  void GridBody() {
    const Id run = Hash(RecordHash(0), Linear(m_.GroupId(0), m_.GroupId(1), m_.GroupId(2)));
    const Id first = m_.Equal(lane_, 0);
    m_.If(first, [&] {
      Count(kRuns, 1);
      CountRun(run);
    });
    AddToLanes(Hash(run, Linear(m_.GlobalId(0), m_.GlobalId(1), m_.GlobalId(2))));
    for (uint32_t o = 0; o < ports_.size(); ++o) {
      const Id own = Hash(run, OutputSalt(o));
      const Id late = Hash(run, OutputSalt(o) + kLateSalt);
      if (kind_.outputs[o].scope == Scope::kWorkgroup)
        SendFromGroup(o, {own, m_.Select(first, 1, 0), {}}, late,
                      [&](const Id& i) { return Hash(own, m_.Add(i, kRecordSalt)); });
      else
        SendFromLane(o, {Hash(run, m_.Add(m_.Add(lane_, 1), OutputSalt(o))), {}, {}}, {}, late);
    }
  }

  void CoalescingBody() {
    const Id length = kind_.input.declared ? m_.Length(m_.NodeInput()) : m_.Constant(1);
    Expect(m_.Op("OpLogicalAnd", m_.Bool(), m_.Less(0, length), m_.Less(length, m_.Add(coalesce_, 1))),
           kBadInputLength);
    const Id groups = Linear(m_.GroupId(0), m_.GroupId(1), m_.GroupId(2));
    const Id moved = m_.Sub(m_.GlobalId(0), m_.LocalId(0));
    Expect(m_.Equal(m_.Add(groups, moved), 0), kBadIds);
    m_.If(m_.Equal(lane_, 0), [&] { Count(kRuns, length); });
    if (kind_.input.coalesce <= kind_.Lanes()) {
      CoalescedRecord(lane_, length);
    } else {
      m_.For(m_.Div(m_.Add(length, kind_.Lanes() - 1), kind_.Lanes()),
             [&](const Id& round) { CoalescedRecord(m_.Add(m_.Mul(round, kind_.Lanes()), lane_), length); });
    }
    for (uint32_t o = 0; o < ports_.size(); ++o) {
      if (kind_.outputs[o].scope == Scope::kWorkgroup) SendCoalesced(o, length);
    }
    if (kind_.input.overwrites) Overwrite(length);
  }

  // What invocations do with one record each, or with none: `element` may be past the end.
  void CoalescedRecord(const Id& element, const Id& length) {
    const Id active = m_.Less(element, length);
    const Id run = RecordHash(m_.Select(active, element, 0));
    m_.If(active, [&] { CountRun(run); });
    for (uint32_t o = 0; o < ports_.size(); ++o) {
      if (kind_.outputs[o].scope != Scope::kInvocation) continue;
      SendFromLane(o, {Hash(run, OutputSalt(o)), m_.Select(active, 1, 0), {}}, active,
                   Hash(place_, OutputSalt(o) + kLateSalt));
    }
  }

  void SendCoalesced(uint32_t o, const Id& length) {
    const Id own = Hash(place_, OutputSalt(o));
    const Id each = Wanted(o, own);
    SendFromGroup(o, {own, m_.Select(m_.Equal(lane_, 0), length, 0), length}, Hash(place_, OutputSalt(o) + kLateSalt),
                  [&](const Id& i) {
                    // No record is written where `each` is 0.
                    const Id divisor = m_.Select(m_.Equal(each, 0), 1, each);
                    const Id run = RecordHash(m_.Div(i, divisor));
                    return Hash(Hash(run, OutputSalt(o)), m_.Add(m_.Mod(i, divisor), kRecordSalt));
                  });
  }

  void Overwrite(const Id& length) {
    m_.WorkgroupBarrier();  // everybody has read
    m_.If(m_.Less(lane_, length), [&] {
      const Id value = Hash(lane_, salt_);
      records_.SetInputWord(lane_, 1, value);
      Expect(m_.Equal(records_.InputWord(lane_, 1), value), kBadReadBack);
    });
  }

  Id Table(uint32_t o, TableWord word) {
    return m_.LoadWord(tables_, m_.Add(entry_, o * kTableWords + static_cast<uint32_t>(word)));
  }
  // A word that a table entry points to.
  Id Pointed(uint32_t o, TableWord word, Value offset) {
    return m_.LoadWord(tables_, m_.Add(m_.Add(table_, Table(o, word)), offset));
  }

  Id Wanted(uint32_t o, const Id& own) { return m_.Mod(Hash(own, kCountSalt), m_.Add(Table(o, kTableMost), 1)); }

  struct Allocation {
    Id count;
    Id operand;  // Node Index
  };

  // `within`: a condition for sending at all; empty: none.
  Allocation Decide(uint32_t o, const Sending& sending, const Id& within) {
    const Id choices = Table(o, kTableIndexCount);
    const Id own_index = m_.Equal(choices, 0);
    const Id choice = m_.Mod(Hash(sending.own, kIndexSalt), m_.Select(own_index, 1, choices));
    const Id index = m_.Select(own_index, m_.ShaderIndex(), Pointed(o, kTableIndices, choice));
    const Id operand = m_.Sub(index, ports_[o].base);
    // A dense array has all its elements, but there must be a level left.
    const Id valid = kind_.outputs[o].dense ? m_.Op("OpLogicalOr", m_.Bool(), m_.NotEqual(choices, 0),
                                                    m_.NotEqual(m_.RemainingRecursion(), 0))
                                            : m_.IsValid(ports_[o].payload, operand);
    const Id said = m_.Select(valid, Hash(sending.own, kValidSalt), 0);
    AddToLanes(sending.weight.empty() ? said : m_.Mul(sending.weight, said));
    Id wanted = Wanted(o, sending.own);
    if (!sending.times.empty()) wanted = m_.Mul(wanted, sending.times);
    const Id count = m_.Select(valid, wanted, 0);
    return {within.empty() ? count : m_.Select(within, count, 0), operand};
  }

  void SendFromLane(uint32_t o, const Sending& sending, const Id& within, const Id& late) {
    const Allocation allocation = Decide(o, sending, within);
    Send(o, allocation, late, [&](const Records& records) {
      m_.For(allocation.count,
             [&](const Id& i) { WriteRecord(o, records, i, Hash(sending.own, m_.Add(i, kRecordSalt))); });
    });
  }

  // One array for the workgroup, written by all its invocations. `seed_of(i)`: seed of record i.
  template <typename SeedOf>
  void SendFromGroup(uint32_t o, const Sending& sending, const Id& late, const SeedOf& seed_of) {
    const Allocation allocation = Decide(o, sending, {});
    Send(o, allocation, late, [&](const Records& records) {
      m_.For(allocation.count, [&](const Id& i) {
        m_.If(m_.Equal(m_.Mod(i, kind_.Lanes()), lane_), [&] { WriteRecord(o, records, i, seed_of(i)); });
      });
    });
  }

  template <typename Write>
  void Send(uint32_t o, const Allocation& allocation, const Id& late, const Write& write) {
    const OutputForm& form = kind_.outputs[o];
    const Payload& payload = ports_[o].payload;
    if (form.record_words == 0) return m_.Increment(payload, form.scope, allocation.count, allocation.operand);
    const Records records = m_.Allocate(payload, form.scope, allocation.count, allocation.operand);
    Expect(m_.Equal(m_.Length(records), allocation.count), kBadOutputLength);
    write(records);
    if (!form.late) return m_.Enqueue(records);
    m_.If(m_.Less(m_.Mod(late, 4), Table(o, kTableQuarters)), [&] { m_.Enqueue(records); });
  }

  void WriteRecord(uint32_t o, const Records& records, const Id& element, const Id& seed) {
    records_.WriteOutput(records, kind_.outputs[o].record_words, element, [&](Value word) {
      const Id rule = m_.Mul(word, 2);
      const Id mask = Pointed(o, kTableRecord, rule);
      const Id set = Pointed(o, kTableRecord, m_.Add(rule, 1));
      return m_.Op("OpBitwiseOr", m_.Uint(), m_.And(Hash(seed, word), mask), set);
    });
  }

  const NodeKind& kind_;
  NodeAsm m_;
  RecordAsm records_;
  Id results_, tables_, push_, variant_, coalesce_;
  std::vector<OutputPort> ports_;
  // In the function.
  Id salt_, place_, result_, table_, entry_, lane_, lanes_sum_;
};

}  // namespace

std::string NodeModule(const NodeKind& kind) { return Writer(kind).Run(); }

}  // namespace trellis::test::random_graphs
