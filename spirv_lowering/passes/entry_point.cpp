// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/entry_point.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/passes/entry_built_ins.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/reflect/variable_writes.h"
#include "spirv_lowering/runtime/functions.h"

namespace trellis::spirv {
namespace {

bool IsInitializedPrivate(const Instruction& global) {
  return global.IsVariable(spv::StorageClass::Private) && global.operands.size() == 2;
}

class EntryPoint {
 public:
  EntryPoint(Lowering& lowering, const std::vector<ReplacedBuiltIn>& built_ins, const LaunchMember& launch)
      : lowering_(lowering), module_(lowering.module), types_(lowering.types), built_ins_(built_ins), launch_(launch) {}

  Expected<void> Run() {
    Importer& runtime = lowering_.runtime;
    const bool in_batches = lowering_.info.in_batches;
    std::vector<Imported> imports = {
        {runtime.ImportFunction(in_batches ? runtime::StartInBatch::kName : runtime::Start::kName), start_},
        {runtime.ImportFunction(EnterName()), enter_}};
    if (lowering_.FindsDump()) imports.push_back({runtime.ImportFunction(runtime::FindDump::kName), find_dump_});
    if (InRuns())
      imports.push_back({runtime.ImportFunction(IsDynamic() ? runtime::TakeGrid::kName : runtime::Take::kName), take_});
    if (IsInLoop()) imports.push_back({runtime.ImportFunction(NextName()), next_});
    if (TakesPieces()) imports.push_back({runtime.ImportFunction(runtime::NextPiece::kName), next_});
    if (Expected<void> taken = Take(imports); !taken) return taken;
    Expected<EntryBuiltIns> values = EntryBuiltIns::Import(lowering_);
    if (!values) return values.error();
    values_.emplace(*std::move(values));

    Function main;
    const Id function_type = types_.FunctionType(types_.Void(), {});
    main.definition = Instruction(spv::Op::OpFunction, types_.Void(), module_.NewId(), {0, function_type});
    main.blocks = IsInLoop() || TakesPieces() ? LoopBlocks() : PlainBlocks();
    const Id main_id = main.id();
    module_.functions.push_back(std::move(main));
    Publish(main_id);
    return {};
  }

 private:
  [[nodiscard]] bool IsInLoop() const { return lowering_.info.max_workgroups != UINT32_MAX; }

  // The records of a workgroup may lie in several places, and what a node gets lies in one.
  [[nodiscard]] bool TakesPieces() const {
    return !IsInLoop() && lowering_.info.kind == LaunchKind::kCoalescing && lowering_.info.coalesce > 1;
  }

  // start(); if (enter()) node();
  std::vector<BasicBlock> PlainBlocks() {
    std::vector<BasicBlock> blocks = NewBlocks(3);
    Begin(blocks[0], blocks[1].label, blocks[2].label);
    Builder node(module_, blocks[1].body);
    CallNode(node);
    node.EmitVoid(spv::Op::OpBranch, {blocks[2].label});
    Return(blocks[2]);
    return blocks;
  }

  [[nodiscard]] bool IsDynamic() const { return lowering_.info.kind == LaunchKind::kDynamicGrid; }
  [[nodiscard]] bool InRuns() const { return IsInLoop() && lowering_.options.target.for_cpu; }

  [[nodiscard]] const char* NextName() const {
    if (!InRuns()) return runtime::Stride::kName;
    return IsDynamic() ? runtime::RunOnGrids::kName : runtime::RunOn::kName;
  }

  [[nodiscard]] std::vector<uint32_t> TakeArguments() {
    const NodeInfo& info = lowering_.info;
    if (!IsDynamic()) return runtime::Take{.coalesce = types_.ConstantUint(info.coalesce)}.Operands();
    return runtime::TakeGrid{.grid_member = GridMemberArgument(), .state_words = types_.ConstantUint(info.StateWords())}
        .Operands();
  }

  [[nodiscard]] std::vector<uint32_t> NextArguments() {
    const NodeInfo& info = lowering_.info;
    const Id coalesce = types_.ConstantUint(info.coalesce);
    if (!InRuns()) return runtime::Stride{.coalesce = coalesce}.Operands();
    if (IsDynamic()) return runtime::RunOnGrids{.state_words = types_.ConstantUint(info.StateWords())}.Operands();
    return runtime::RunOn{.coalesce = coalesce}.Operands();
  }

  // start(); if (enter()) do { node(); } while (stride());
  // or, in runs: start(); if (enter()) do { take(); node(); } while (run_on());
  // or, in pieces: start(); if (enter()) for (;;) { node(); if (!next_piece()) break; barrier(); }
  std::vector<BasicBlock> LoopBlocks() {
    std::vector<BasicBlock> blocks = NewBlocks(5);
    const Id header = blocks[1].label;
    const Id next = blocks[2].label;
    const Id behind_loop = blocks[3].label;
    const Id done = blocks[4].label;
    Begin(blocks[0], header, done);
    Builder node(module_, blocks[1].body);
    ResetVariables(node);
    if (InRuns()) node.Call(types_.Void(), take_, TakeArguments());
    CallNode(node);
    Builder end(module_, blocks[2].body);
    if (TakesPieces()) {
      const Id more = node.Call(types_.Bool(), next_, {});
      node.EmitVoid(spv::Op::OpLoopMerge, {behind_loop, next, 0});
      node.EmitVoid(spv::Op::OpBranchConditional, {more, next, behind_loop});
      ResetSharedMemory(end);
      end.EmitVoid(spv::Op::OpBranch, {header});
    } else {
      node.EmitVoid(spv::Op::OpLoopMerge, {behind_loop, next, 0});
      node.EmitVoid(spv::Op::OpBranch, {next});
      const Id more = end.Call(types_.Bool(), next_, NextArguments());
      end.EmitVoid(spv::Op::OpBranchConditional, {more, header, behind_loop});
    }
    Builder(module_, blocks[3].body).EmitVoid(spv::Op::OpBranch, {done});
    Return(blocks[4]);
    return blocks;
  }

  void WorkgroupBarrier(Builder& builder) {
    if (lowering_.info.Invocations() == 1) return;
    constexpr uint32_t kAcquireRelease = 0x8, kWorkgroupMemory = 0x100;
    builder.EmitVoid(spv::Op::OpControlBarrier,
                     {types_.ConstantUint(kScopeWorkgroup), types_.ConstantUint(kScopeWorkgroup),
                      types_.ConstantUint(kAcquireRelease | kWorkgroupMemory)});
  }

  // Where one workgroup of the node has all of the dispatch's workgroup, when all of its invocations are done.
  void ResetSharedMemory(Builder& builder) {
    if (lowering_.info.packed != 1) return;
    WorkgroupBarrier(builder);
    bool resets = false;
    for (const Instruction& global : module_.globals) {
      if (!global.IsVariable(spv::StorageClass::Workgroup) || global.operands.size() != 2) continue;
      builder.EmitVoid(spv::Op::OpStore, {global.result_id, global.operands[1]});
      resets = true;
    }
    if (resets) WorkgroupBarrier(builder);
  }

  std::vector<BasicBlock> NewBlocks(size_t count) {
    std::vector<BasicBlock> blocks(count);
    for (BasicBlock& block : blocks) block.label = module_.NewId();
    return blocks;
  }

  void Return(BasicBlock& block) { Builder(module_, block.body).EmitVoid(spv::Op::OpReturn, {}); }

  // Invocations that have something to do go on to `node`.
  void Begin(BasicBlock& block, Id node, Id done) {
    Builder builder(module_, block.body);
    builder.Call(types_.Void(), start_, StartArguments(builder));
    if (lowering_.FindsDump()) builder.Call(types_.Void(), find_dump_, {});
    const Id entered = builder.Call(types_.Bool(), enter_, EnterArguments());
    builder.EmitVoid(spv::Op::OpSelectionMerge, {done, 0});
    builder.EmitVoid(spv::Op::OpBranchConditional, {entered, node, done});
  }

  void CallNode(Builder& builder) {
    for (const ReplacedBuiltIn& built_in : built_ins_) values_->Fill(builder, built_in);
    builder.Call(types_.Void(), lowering_.entry_function, {});
  }

  // What one workgroup of the node left in them is nothing for the next one. Tables, which are never written, stay
  // constant.
  void ResetVariables(Builder& builder) {
    if (std::none_of(module_.globals.begin(), module_.globals.end(), IsInitializedPrivate)) return;
    const DefUse def_use(module_);
    const TypeMap type_of = TypesOfResults(module_);
    for (const Instruction& global : module_.globals)
      if (IsInitializedPrivate(global) && WritesVariable(def_use, types_, type_of, global.result_id))
        builder.EmitVoid(spv::Op::OpStore, {global.result_id, global.operands[1]});
  }

  [[nodiscard]] const char* EnterName() const {
    switch (lowering_.info.kind) {
      case LaunchKind::kStaticGrid:
        return runtime::EnterStatic::kName;
      case LaunchKind::kDynamicGrid:
        return runtime::EnterDynamic::kName;
      case LaunchKind::kCoalescing:
        return runtime::EnterCoalescing::kName;
    }
    return "";
  }

  std::vector<uint32_t> StartArguments(Builder& builder) {
    const Id uint = types_.Uint();
    const Id uvec3 = types_.Vector(uint, 3);
    const Id address = types_.Vector(uint, 2);
    const Id pointer = builder.Emit(spv::Op::OpAccessChain, types_.Pointer(spv::StorageClass::PushConstant, address),
                                    {launch_.variable, types_.ConstantUint(launch_.member)});
    const Id launch = builder.Emit(spv::Op::OpLoad, address, {pointer});
    const Id workgroup = values_->Load(builder, spv::BuiltIn::WorkgroupId, uvec3);
    const Id workgroups = values_->Load(builder, spv::BuiltIn::NumWorkgroups, uvec3);
    const Id local_index = values_->LocalIndex(builder);
    const NodeInfo& info = lowering_.info;
    const runtime::Start start = {.pushed = launch,
                                  .place = workgroup,
                                  .size = workgroups,
                                  .local_index = local_index,
                                  .each = types_.ConstantUint(RecordsAWorkgroup()),
                                  .counted = types_.ConstantUint(IsDynamic() && !InRuns() ? info.packed : 1),
                                  .invocations = types_.ConstantUint(info.packed == 1 ? 0 : info.Invocations()),
                                  .has_record_state = types_.ConstantBool(IsDynamic() && !info.launches_bounds),
                                  .in_runs = types_.ConstantBool(InRuns())};
    std::vector<uint32_t> operands = start.Operands();
    static_assert(runtime::StartInBatch::kParameters.starts_with(runtime::Start::kParameters) &&
                  runtime::StartInBatch::kParameters.substr(runtime::Start::kParameters.size()) == ", for_cpu");
    if (info.in_batches) operands.push_back(types_.ConstantBool(lowering_.options.target.for_cpu));
    return operands;
  }

  // Returns the records that a workgroup of the dispatch takes, where nothing but their number makes workgroups; else
  // 0.
  [[nodiscard]] uint32_t RecordsAWorkgroup() const {
    const NodeInfo& info = lowering_.info;
    if (info.kind == LaunchKind::kCoalescing) return info.coalesce * info.packed;
    if (info.kind == LaunchKind::kDynamicGrid) return info.RecordsOfBounds();
    if (info.packed == 1) return 0;
    // 0 if they are only a part of a record's workgroups.
    return info.packed / info.WorkgroupsOfGrid();
  }

  std::vector<uint32_t> EnterArguments() {
    const NodeInfo& info = lowering_.info;
    const Id packed = types_.ConstantUint(info.packed);
    switch (info.kind) {
      case LaunchKind::kStaticGrid: {
        // A grid with a zero runs no workgroup; its divisions must be defined all the same.
        const std::array<uint32_t, 3>& grid = info.grid;
        const std::array<uint32_t, 3> divisors = {std::max(grid[0], 1u), std::max(grid[1], 1u), std::max(grid[2], 1u)};
        return runtime::EnterStatic{
            .grid = ConstantVector(types_, divisors), .packed = packed, .in_runs = types_.ConstantBool(InRuns())}
            .Operands();
      }
      case LaunchKind::kDynamicGrid:
        return runtime::EnterDynamic{.grid_member = GridMemberArgument(),
                                     .packed = packed,
                                     .records = types_.ConstantUint(info.RecordsOfBounds()),
                                     .state_words = types_.ConstantUint(info.StateWords()),
                                     .by_search_index = types_.ConstantBool(info.UsesSearchIndex()),
                                     .for_cpu = types_.ConstantBool(lowering_.options.target.for_cpu),
                                     .in_runs = types_.ConstantBool(InRuns())}
            .Operands();
      case LaunchKind::kCoalescing:
        return runtime::EnterCoalescing{
            .coalesce = types_.ConstantUint(info.coalesce), .packed = packed, .in_runs = types_.ConstantBool(InRuns())}
            .Operands();
    }
    return {};
  }

  // As shared::LaunchPlan::grid_member is packed.
  [[nodiscard]] Id GridMemberArgument() {
    const GridMember member = lowering_.info.grid_member.value_or(GridMember{0, 4, 3});
    return types_.ConstantUint(member.offset | member.component_width << 16 | member.component_count << 20);
  }

  // All of the packed workgroups, where the node has one of its own size.
  void SetPackedSize(Id main) {
    constexpr auto kLocalSize = static_cast<uint32_t>(spv::ExecutionMode::LocalSize);
    std::erase_if(module_.execution_modes, [](const Instruction& mode) { return mode.operands[1] == kLocalSize; });
    const uint32_t size = lowering_.info.packed * lowering_.info.Invocations();
    module_.execution_modes.push_back({spv::Op::OpExecutionMode, kNoId, kNoId, {main, kLocalSize, size, 1, 1}});
    // It would win over the mode; the constant itself keeps the node's own size.
    RemoveBuiltIn(module_, spv::BuiltIn::WorkgroupSize);
  }

  void Publish(Id main) {
    for (Instruction& mode : module_.execution_modes) {
      mode.operands[0] = main;
      if (mode.operands[1] != static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) continue;
      // Its value is known by now, and as literals it needs neither Vulkan 1.3 nor maintenance4.
      const std::array<uint32_t, 3>& size = lowering_.info.local_size;
      mode = Instruction(spv::Op::OpExecutionMode, kNoId, kNoId,
                         {main, static_cast<uint32_t>(spv::ExecutionMode::LocalSize), size[0], size[1], size[2]});
    }
    if (lowering_.info.packed > 1) SetPackedSize(main);
    Instruction& entry = module_.entry_points.front();
    const std::vector<uint32_t> name = EncodeString("main");
    std::vector<uint32_t> operands = {entry.operands[0], main};
    operands.insert(operands.end(), name.begin(), name.end());
    // SPIR-V 1.4 lists every global variable, earlier versions inputs and outputs only.
    const bool lists_all = module_.version >= 0x00010400;
    for (const Instruction& global : module_.globals) {
      if (global.opcode != spv::Op::OpVariable) continue;
      const auto storage = static_cast<spv::StorageClass>(global.operands[0]);
      if (lists_all || storage == spv::StorageClass::Input || storage == spv::StorageClass::Output)
        operands.push_back(global.result_id);
    }
    entry.operands = std::move(operands);
  }

  Lowering& lowering_;
  Module& module_;
  Types& types_;
  const std::vector<ReplacedBuiltIn>& built_ins_;
  const LaunchMember& launch_;
  std::optional<EntryBuiltIns> values_;
  Id start_ = kNoId;
  Id enter_ = kNoId;
  Id find_dump_ = kNoId;
  Id take_ = kNoId;
  Id next_ = kNoId;
};

}  // namespace

Expected<void> AddEntryPoint(Lowering& lowering, const std::vector<ReplacedBuiltIn>& built_ins,
                             const LaunchMember& launch) {
  return EntryPoint(lowering, built_ins, launch).Run();
}

}  // namespace trellis::spirv
