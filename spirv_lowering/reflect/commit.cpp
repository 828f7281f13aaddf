#include "spirv_lowering/reflect/commit.h"

#include <algorithm>

#include "spirv_lowering/ir/control_flow.h"

namespace trellis::spirv {
namespace {

struct Place {
  const Instruction* instruction;
  size_t block;
  size_t index;
};

// Uses of a few chosen ids within one function.
class Uses {
 public:
  Uses(const Function& function, const std::unordered_set<Id>& chosen) {
    for (size_t block = 0; block < function.blocks.size(); ++block) {
      const std::vector<Instruction>& body = function.blocks[block].body;
      for (size_t index = 0; index < body.size(); ++index) {
        // Debug information; no instruction set has any that takes a handle.
        if (body[index].opcode == spv::Op::OpExtInst) continue;
        for (const uint32_t word : body[index].operands) {
          // Literal words that happen to equal a chosen id only make the analysis more careful.
          if (chosen.contains(word)) Add(word, {&body[index], block, index});
        }
      }
    }
  }
  [[nodiscard]] const std::vector<Place>& Of(Id id) const {
    static const std::vector<Place> none;
    const auto found = places_.find(id);
    return found == places_.end() ? none : found->second;
  }

 private:
  void Add(Id id, const Place& place) {
    std::vector<Place>& places = places_[id];
    if (places.empty() || places.back().instruction != place.instruction) places.push_back(place);
  }
  std::unordered_map<Id, std::vector<Place>> places_;
};

bool OnlyLooksAtPayloads(spv::Op op) {
  return op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain ||
         op == spv::Op::OpNodePayloadArrayLengthAMDX || op == spv::Op::OpIsNodePayloadValidAMDX ||
         op == spv::Op::OpCompositeExtract;
}

// Follows one allocation's handle.
class HandleTrace {
 public:
  HandleTrace(const Uses& uses, const std::unordered_set<Id>& own_variables, Id allocation)
      : uses_(uses), own_variables_(own_variables) {
    for (const Place& use : uses.Of(allocation)) {
      if (use.instruction->opcode == spv::Op::OpLoad) {
        FollowValue(use.instruction->result_id);
      } else {
        Note(use);
      }
    }
  }
  [[nodiscard]] bool escapes() const { return escapes_; }
  [[nodiscard]] const std::vector<Place>& enqueues() const { return enqueues_; }
  [[nodiscard]] const std::vector<Place>& stores() const { return stores_; }

 private:
  void FollowValue(Id value) {
    for (const Place& use : uses_.Of(value)) {
      if (use.instruction->opcode != spv::Op::OpStore || use.instruction->operands[1] != value) {
        Note(use);
      } else {
        FollowVariable(use);
      }
    }
  }
  void FollowVariable(const Place& store) {
    const Id variable = store.instruction->operands[0];
    if (!own_variables_.contains(variable)) escapes_ = true;
    stores_.push_back(store);
    for (const Place& use : uses_.Of(variable)) {
      if (use.instruction != store.instruction) Note(use);
    }
  }
  void Note(const Place& use) {
    if (use.instruction->opcode == spv::Op::OpEnqueueNodePayloadsAMDX) {
      enqueues_.push_back(use);
    } else if (!OnlyLooksAtPayloads(use.instruction->opcode)) {
      escapes_ = true;
    }
  }

  const Uses& uses_;
  const std::unordered_set<Id>& own_variables_;
  bool escapes_ = false;
  std::vector<Place> enqueues_, stores_;
};

enum Event : unsigned { kAllocates = 1, kStores = 2, kEnqueues = 4, kExits = 8 };

// First events on the paths through a function. Loops are taken to end: a path is as long as it needs to be.
class Paths {
 public:
  Paths(const Function& function, const ControlFlow& flow) : flow_(flow), events_(function.blocks.size()) {}

  // Adds an event. All of a block must come in the order of the block.
  void Add(const Place& place, Event event) { events_[place.block].emplace_back(place.index, event); }
  void Sort() {
    for (auto& events : events_) std::sort(events.begin(), events.end());
  }

  // Which of the events in `wanted` (kExits too) come first on the paths that start behind `place`, or, without one, at
  // the function's begin.
  [[nodiscard]] unsigned FirstAfter(const Place* place, unsigned wanted) const {
    std::vector<bool> seen(events_.size());
    std::vector<size_t> open;
    unsigned found = Scan(place == nullptr ? 0 : place->block, place == nullptr ? 0 : place->index + 1, wanted, open);
    while (!open.empty()) {
      const size_t block = open.back();
      open.pop_back();
      if (seen[block]) continue;
      seen[block] = true;
      found |= Scan(block, 0, wanted, open);
    }
    return found;
  }

 private:
  unsigned Scan(size_t block, size_t from, unsigned wanted, std::vector<size_t>& open) const {
    for (const auto& [index, event] : events_[block]) {
      if (index >= from && (event & wanted) != 0) return event;
    }
    const std::vector<uint32_t>& successors = flow_.Successors(block);
    open.insert(open.end(), successors.begin(), successors.end());
    return successors.empty() ? kExits & wanted : 0;
  }

  const ControlFlow& flow_;
  std::vector<std::vector<std::pair<size_t, Event>>> events_;  // by block
};

bool RunsOnce(const Function& function, const ControlFlow& flow, const Place& allocation) {
  Paths paths(function, flow);
  paths.Add(allocation, kAllocates);
  return paths.FirstAfter(&allocation, kAllocates) == 0;
}

bool EnqueuedExactlyOnce(const Function& function, const ControlFlow& flow, const Place& allocation,
                         const HandleTrace& trace) {
  if (trace.escapes() || trace.enqueues().empty() || trace.stores().size() > 1) return false;
  Paths paths(function, flow);
  paths.Add(allocation, kAllocates);
  for (const Place& store : trace.stores()) paths.Add(store, kStores);
  for (const Place& enqueue : trace.enqueues()) paths.Add(enqueue, kEnqueues);
  paths.Sort();
  constexpr unsigned kAny = kAllocates | kEnqueues | kExits;
  if ((paths.FirstAfter(nullptr, kAny) & kEnqueues) != 0) return false;
  if (paths.FirstAfter(&allocation, kAny) != kEnqueues) return false;
  // An enqueue through the variable must meet this handle there.
  if (!trace.stores().empty() && paths.FirstAfter(&allocation, kAny | kStores) != kStores) return false;
  return std::none_of(trace.enqueues().begin(), trace.enqueues().end(),
                      [&](const Place& enqueue) { return (paths.FirstAfter(&enqueue, kAny) & kEnqueues) != 0; });
}

}  // namespace

std::unordered_map<Id, HandleFate> FindHandleFates(const Function& function) {
  std::vector<Place> allocations;
  std::unordered_set<Id> own_variables;
  std::unordered_set<Id> values;
  // Ids through which handles may pass: allocations, values loaded from them, variables these are stored to.
  std::unordered_set<Id> ids;
  for (size_t block = 0; block < function.blocks.size(); ++block) {
    const std::vector<Instruction>& body = function.blocks[block].body;
    for (size_t index = 0; index < body.size(); ++index) {
      const Instruction& instruction = body[index];
      if (instruction.opcode == spv::Op::OpVariable) own_variables.insert(instruction.result_id);
      if (instruction.opcode == spv::Op::OpAllocateNodePayloadsAMDX) {
        allocations.push_back({&instruction, block, index});
        ids.insert(instruction.result_id);
      }
    }
  }
  std::unordered_map<Id, HandleFate> fates;
  if (allocations.empty()) return fates;
  for (const BasicBlock& block : function.blocks) {
    for (const Instruction& instruction : block.body) {
      if (instruction.opcode == spv::Op::OpLoad && ids.contains(instruction.operands[0]))
        values.insert(instruction.result_id);
    }
  }
  ids.insert(values.begin(), values.end());
  for (const BasicBlock& block : function.blocks) {
    for (const Instruction& instruction : block.body) {
      if (instruction.opcode == spv::Op::OpStore && values.contains(instruction.operands[1]))
        ids.insert(instruction.operands[0]);
    }
  }
  const ControlFlow flow(function);
  const Uses uses(function, ids);
  for (const Place& allocation : allocations) {
    const Id id = allocation.instruction->result_id;
    const HandleTrace trace(uses, own_variables, id);
    HandleFate& fate = fates[id];
    fate.runs_once = RunsOnce(function, flow, allocation);
    fate.never_enqueued = !trace.escapes() && trace.enqueues().empty();
    fate.exactly_once = EnqueuedExactlyOnce(function, flow, allocation, trace);
    if (!fate.exactly_once) continue;
    for (const Place& enqueue : trace.enqueues()) fate.enqueues.push_back(enqueue.instruction);
  }
  return fates;
}

}  // namespace trellis::spirv
