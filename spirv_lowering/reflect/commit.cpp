// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/commit.h"

#include <algorithm>
#include <utility>

#include "spirv_lowering/ir/control_flow.h"

namespace trellis::spirv {
namespace {

struct Place {
  const Instruction* instruction;
  size_t block;
  size_t index;
};

bool OnlyLooksAtPayloads(spv::Op op) {
  return op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain ||
         op == spv::Op::OpNodePayloadArrayLengthAMDX || op == spv::Op::OpIsNodePayloadValidAMDX ||
         op == spv::Op::OpCompositeExtract;
}

// Follows one allocation's handle.
class HandleTrace {
 public:
  HandleTrace(const DefUse& def_use, const std::unordered_set<Id>& own_variables, Id allocation)
      : def_use_(def_use), own_variables_(own_variables) {
    for (const DefUse::Use& use : def_use.Of(allocation)) {
      if (def_use.UserOf(use).opcode == spv::Op::OpLoad) {
        FollowValue(def_use.UserOf(use).result_id);
      } else {
        Note(use);
      }
    }
  }
  [[nodiscard]] bool escapes() const { return escapes_; }
  [[nodiscard]] const std::vector<Place>& enqueues() const { return enqueues_; }
  [[nodiscard]] const std::vector<Place>& stores() const { return stores_; }

 private:
  [[nodiscard]] Place PlaceOf(const DefUse::Use& use) const { return {&def_use_.UserOf(use), use.block, use.index}; }

  void FollowValue(Id value) {
    for (const DefUse::Use& use : def_use_.Of(value)) {
      if (def_use_.UserOf(use).opcode != spv::Op::OpStore || use.operand != 1) {
        Note(use);
      } else {
        FollowVariable(PlaceOf(use));
      }
    }
  }
  void FollowVariable(const Place& store) {
    const Id variable = store.instruction->operands[0];
    // Others may be used by other functions.
    escapes_ = escapes_ || !own_variables_.contains(variable);
    if (escapes_) return;
    stores_.push_back(store);
    for (const DefUse::Use& use : def_use_.Of(variable)) {
      if (&def_use_.UserOf(use) != store.instruction) Note(use);
    }
  }
  void Note(const DefUse::Use& use) {
    const spv::Op opcode = def_use_.UserOf(use).opcode;
    if (opcode == spv::Op::OpEnqueueNodePayloadsAMDX) {
      enqueues_.push_back(PlaceOf(use));
    } else if (!OnlyLooksAtPayloads(opcode)) {
      escapes_ = true;
    }
  }

  const DefUse& def_use_;
  const std::unordered_set<Id>& own_variables_;
  bool escapes_ = false;
  std::vector<Place> enqueues_, stores_;
};

enum Event : unsigned { kAllocates = 1, kStores = 2, kEnqueues = 4, kExits = 8, kUnknown = 16 };

// Blocks that the questions about one function may look at, all together.
constexpr size_t kMaxVisits = size_t{1} << 22;

// First events on the paths through a function. Loops are taken to end: a path is as long as it needs to be.
class Paths {
 public:
  Paths(const ControlFlow& flow, size_t blocks) : flow_(flow), seen_by_(blocks, 0) {}

  // Replaces the events of the last allocation.
  void SetEvents(const Place& allocation, const HandleTrace& trace) {
    events_ = decltype(events_)();  // clear() would keep as many buckets as the largest allocation took
    events_[allocation.block].emplace_back(allocation.index, kAllocates);
    for (const Place& store : trace.stores()) events_[store.block].emplace_back(store.index, kStores);
    for (const Place& enqueue : trace.enqueues()) events_[enqueue.block].emplace_back(enqueue.index, kEnqueues);
    for (auto& [block, events] : events_) std::sort(events.begin(), events.end());
  }

  // Returns which of the events in `wanted` (kExits too) come first on the paths that start behind `place`; with
  // kUnknown, others may too.
  [[nodiscard]] unsigned FirstAfter(const Place& place, unsigned wanted) {
    ++question_;
    std::vector<size_t> open;
    unsigned found = Scan(place.block, place.index + 1, wanted, open);
    while (!open.empty()) {
      const size_t block = open.back();
      open.pop_back();
      if (visits_left_ == 0) return found | kUnknown;
      --visits_left_;
      if (std::exchange(seen_by_[block], question_) != question_) found |= Scan(block, 0, wanted, open);
    }
    return found;
  }

 private:
  unsigned Scan(size_t block, size_t from, unsigned wanted, std::vector<size_t>& open) const {
    if (const auto events = events_.find(block); events != events_.end()) {
      for (const auto& [index, event] : events->second) {
        if (index >= from && (event & wanted) != 0) return event;
      }
    }
    const std::vector<uint32_t>& successors = flow_.Successors(block);
    open.insert(open.end(), successors.begin(), successors.end());
    return successors.empty() ? kExits & wanted : 0;
  }

  const ControlFlow& flow_;
  std::unordered_map<size_t, std::vector<std::pair<size_t, Event>>> events_;  // by block
  std::vector<uint32_t> seen_by_;                                             // by block: the last question
  uint32_t question_ = 0;
  size_t visits_left_ = kMaxVisits;
};

bool Dominates(const ControlFlow& flow, const Place& a, const Place& b) {
  return a.block == b.block ? a.index < b.index : flow.Dominates(a.block, b.block);
}

bool EnqueuedExactlyOnce(const ControlFlow& flow, const Place& allocation, const HandleTrace& trace, Paths& paths) {
  const std::vector<Place>& enqueues = trace.enqueues();
  if (trace.escapes() || enqueues.empty() || trace.stores().size() > 1) return false;
  const bool follow = std::all_of(enqueues.begin(), enqueues.end(), [&](const Place& enqueue) {
    return !flow.Reachable(enqueue.block) || Dominates(flow, allocation, enqueue);
  });
  if (!follow) return false;
  paths.SetEvents(allocation, trace);
  constexpr unsigned kAny = kAllocates | kEnqueues | kExits;
  if (paths.FirstAfter(allocation, kAny) != kEnqueues) return false;
  // An enqueue through the variable must meet this handle there.
  if (!trace.stores().empty() && paths.FirstAfter(allocation, kAny | kStores) != kStores) return false;
  if (enqueues.size() == 1 && !flow.InCycle(enqueues[0].block)) return true;
  return std::none_of(enqueues.begin(), enqueues.end(), [&](const Place& enqueue) {
    return (paths.FirstAfter(enqueue, kAny) & (kEnqueues | kUnknown)) != 0;
  });
}

}  // namespace

std::unordered_map<Id, HandleFate> FindHandleFates(const Function& function, const DefUse& def_use) {
  std::vector<Place> allocations;
  std::unordered_set<Id> own_variables;
  for (size_t block = 0; block < function.blocks.size(); ++block) {
    const std::vector<Instruction>& body = function.blocks[block].body;
    for (size_t index = 0; index < body.size(); ++index) {
      if (body[index].opcode == spv::Op::OpVariable) own_variables.insert(body[index].result_id);
      if (body[index].opcode == spv::Op::OpAllocateNodePayloadsAMDX)
        allocations.push_back({&body[index], block, index});
    }
  }
  std::unordered_map<Id, HandleFate> fates;
  if (allocations.empty()) return fates;
  const ControlFlow flow(function);
  Paths paths(flow, function.blocks.size());
  for (const Place& allocation : allocations) {
    const Id id = allocation.instruction->result_id;
    const HandleTrace trace(def_use, own_variables, id);
    HandleFate& fate = fates[id];
    fate.runs_once = !flow.InCycle(allocation.block);
    fate.never_enqueued = !trace.escapes() && trace.enqueues().empty();
    fate.exactly_once = EnqueuedExactlyOnce(flow, allocation, trace, paths);
    if (!fate.exactly_once) continue;
    for (const Place& enqueue : trace.enqueues()) fate.enqueues.push_back(enqueue.instruction);
  }
  return fates;
}

}  // namespace trellis::spirv
