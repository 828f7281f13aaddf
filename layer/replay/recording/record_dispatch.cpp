// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/recording/record_dispatch.h"

#include <memory>

#include "layer/diagnostics/label.h"
#include "layer/objects/device.h"
#include "layer/replay/planning/relocatable_plan.h"
#include "layer/replay/recording/draws.h"
#include "layer/replay/recording/split.h"
#include "layer/replay/recording/timing.h"

namespace trellis {
namespace {

// The graph follows another one of its recording, which may have had the same scratch, and had the same ring.
void RecordEnter(CommandBuffer& command_buffer, Recorder& recorder) {
  RecordedGraphs& graphs = command_buffer.graphs;
  if (graphs.need_leaving) recorder.Barrier(GraphBarrier::kEnter);
  graphs.need_leaving = true;
  graphs.have_drawn = false;
}

void RecordBegin(CommandBuffer& command_buffer, const DispatchPlan& plan, Recorder& recorder) {
  const PlacedPlan& placed = *plan.placed;
  if (!placed.begin && !placed.prepared) return;
  RecordEnter(command_buffer, recorder);
  if (!placed.begin && !plan.copy) return;
  const ScopedLabel label(command_buffer.device, command_buffer.handle, "trellis begin");
  if (placed.begin) {
    recorder.Run(Kernel::kBeginGraph, *placed.begin);
    recorder.Barrier(GraphBarrier::kWork);
    recorder.Mark("begin");
  }
  if (placed.open && placed.begin) recorder.Run(Kernel::kOpenRegions, *placed.open);
  if (plan.copy) recorder.Run(Kernel::kCopyInputs, *plan.copy);
  if (!plan.copy && !(placed.begin && placed.open)) return;
  recorder.Barrier(GraphBarrier::kWork);
  recorder.Mark(plan.copy ? "input copies" : "regions");
}

// Beside level 0, for later levels.
void RecordOpenings(const Device& device, VkCommandBuffer command_buffer, const PlacedPlan& plan, Recorder& recorder) {
  if (!plan.prepared) return;
  const ScopedLabel label(device, command_buffer, "trellis regions");
  recorder.Run(Kernel::kOpenRegions, *plan.open);
  recorder.Mark("regions", 0);
}

void RecordEntry(const Device& device, VkCommandBuffer command_buffer, const DispatchPlan& plan, Recorder& recorder) {
  if (!plan.entry) return;
  const ScopedLabel label(device, command_buffer, "trellis infos");
  recorder.Run(Kernel::kCountInfos, plan.entry->count_infos);
  recorder.Barrier(GraphBarrier::kWork);
  recorder.Run(Kernel::kAppendInfos, plan.entry->append_infos);
  recorder.Barrier(GraphBarrier::kArguments);
  recorder.RunIndirect(Kernel::kCopyChunks, plan.entry->copy_chunks, plan.entry->chunk_arguments);
  recorder.Mark("infos");
}

void RecordClose(const Device& device, VkCommandBuffer command_buffer, const LevelPlan& level, uint32_t number,
                 Recorder& recorder) {
  const ScopedLabel label(device, command_buffer, "level " + std::to_string(number) + " close");
  recorder.Barrier(GraphBarrier::kWork);
  if (level.close && level.close->sum) {
    recorder.Run(Kernel::kSumGrids, *level.close->sum);
    recorder.Barrier(GraphBarrier::kWork);
  }
  if (level.close) recorder.Run(Kernel::kCloseLevel, level.close->close);
  if (level.batches) recorder.Run(Kernel::kLaunchBatches, *level.batches);
  recorder.Barrier(GraphBarrier::kArguments);
  recorder.Mark("close", number);
}

// In the last level, when everything has been sent; or beside the draws, which may be sized behind the last level.
void RecordLosses(const Device& device, VkCommandBuffer command_buffer, const PlacedPlan& plan, Recorder& recorder) {
  if (!plan.losses) return;
  const ScopedLabel label(device, command_buffer, "trellis losses");
  recorder.Run(Kernel::kReportLosses, *plan.losses);
  recorder.Mark("losses", static_cast<uint32_t>(plan.levels.size()) - 1);
}

// Before anything changes what the level consumes. Launches change payloads at most.
void RecordCount(const Device& device, VkCommandBuffer command_buffer, const PlacedPlan& plan, uint32_t level,
                 Recorder& recorder) {
  if (!plan.levels[level].count) return;
  const ScopedLabel label(device, command_buffer, "trellis counts");
  recorder.Run(Kernel::kCountRecords, *plan.levels[level].count);
  if (plan.levels[level].copies_payloads) recorder.Barrier(GraphBarrier::kWork);
  recorder.Mark("counts", level);
}

// Launches of the last level may all be drawn, which is done later.
bool IsEmpty(const DispatchPlan& plan, uint32_t level) { return plan.launches_of(level).empty(); }

void RecordLevel(const Device& device, VkCommandBuffer command_buffer, const DispatchPlan& plan, uint32_t number,
                 Recorder& recorder) {
  // Before the launches, so that what it takes is hidden behind them. Where all roots are drawn, later levels need it.
  if (number == 0) RecordOpenings(device, command_buffer, *plan.placed, recorder);
  if (IsEmpty(plan, number)) return;
  const LevelPlan& level = plan.placed->levels[number];
  if (level.close || level.batches)
    RecordClose(device, command_buffer, level, number, recorder);
  else if (number != 0 || plan.entry)
    recorder.Barrier(GraphBarrier::kArguments);
  RecordCount(device, command_buffer, *plan.placed, number, recorder);
  const bool is_last = number + 1 == plan.placed->levels.size();
  if (is_last && !plan.has_draws()) RecordLosses(device, command_buffer, *plan.placed, recorder);
  for (const NodeLaunch& launch : plan.launches_of(number)) recorder.Launch(launch, number);
}

// Behind the last level: what draws need that no level has done for its dispatches' sake.
void RecordBeforeDraws(const Device& device, VkCommandBuffer command_buffer, const DispatchPlan& plan,
                       Recorder& recorder) {
  const PlacedPlan& placed = *plan.placed;
  const auto last = static_cast<uint32_t>(placed.levels.size()) - 1;
  const bool counts = placed.levels[last].count && IsEmpty(plan, last);
  if (placed.late_closes.empty() && !counts) return;
  const ScopedLabel label(device, command_buffer, "trellis draws");
  recorder.Barrier(GraphBarrier::kWork);
  if (counts) RecordCount(device, command_buffer, placed, last, recorder);
  bool has_sums = false;
  for (const ClosePasses& passes : placed.late_closes) {
    if (passes.sum) recorder.Run(Kernel::kSumGrids, *passes.sum);
    has_sums |= passes.sum.has_value();
  }
  if (has_sums) recorder.Barrier(GraphBarrier::kWork);
  for (const ClosePasses& passes : placed.late_closes) recorder.Run(Kernel::kCloseLevel, passes.close);
  recorder.Mark("draws");
}

// Step number StepPasses::count, the last one, runs nothing and reports what is left.
void RecordStep(CommandBuffer& command_buffer, const DispatchPlan& plan, uint32_t step, Recorder& recorder) {
  const StepPasses& steps = *plan.placed->steps;
  const Device& device = command_buffer.device;
  // Nothing has waited yet for the kernel that copies payloads of infos.
  if (step != 0 || plan.entry) recorder.Barrier(GraphBarrier::kStep);
  command_buffer.graphs.have_drawn = false;
  if (step == steps.count) {
    recorder.Run(Kernel::kStepGraph, {steps.after});
    return RecordLosses(device, command_buffer.handle, *plan.placed, recorder);
  }
  const ScopedLabel label(device, command_buffer.handle, "step " + std::to_string(step));
  recorder.Run(Kernel::kStepGraph, {step == 0 ? steps.first : steps.later});
  recorder.Barrier(GraphBarrier::kArguments);
  for (uint32_t level = 0; level < plan.placed->levels.size(); ++level)
    for (const NodeLaunch& launch : plan.launches_of(level)) recorder.Launch(launch, level);
}

void RecordEnd(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const DispatchPlan& plan,
               Recorder& recorder) {
  const PlacedPlan& placed = *plan.placed;
  // Inputs that find no ring are reported when they are copied.
  command_buffer.graphs.may_report |= placed.reports || (plan.copy && placed.release);
  if (!placed.release) return;
  if (plan.has_draws() && !placed.steps) {
    const KernelPipelines& kernels = pipeline.kernels;
    command_buffer.graphs.releases.push_back({kernels.of(Kernel::kReleaseRing), kernels.layout, placed.release->plan});
    return;
  }
  const ScopedLabel label(command_buffer.device, command_buffer.handle, "trellis end");
  recorder.Barrier(GraphBarrier::kWork);
  recorder.Run(Kernel::kReleaseRing, *placed.release);
  recorder.Mark("end");
}

std::string NameOf(const Device& device, const ExecutionGraphPipeline& pipeline, const DispatchPlan& plan) {
  if (!LabelsEnabled(device) && !device.settings.timing) return {};
  return GraphLabel(pipeline, plan.entry ? " infos on the device" : plan.placed->counted->root_labels);
}

class DispatchRecorder {
 public:
  DispatchRecorder(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const DispatchPlan& plan,
                   const BufferPlace& scratch)
      : command_buffer_(command_buffer),
        pipeline_(pipeline),
        plan_(plan),
        scratch_(scratch),
        name_(NameOf(command_buffer.device, pipeline, plan)),
        recorder_(command_buffer, pipeline, scratch) {}

  Recorded Run() {
    if (plan_.placed->steps && plan_.has_draws()) {
      RecordRounds();
    } else {
      RecordPass();
    }
    return {recorder_.dispatches(), recorder_.binds(), recorder_.barriers(), draws_};
  }

 private:
  void RecordPass() {
    {
      ScopedSplit split(command_buffer_, plan_.has_draws() ? SecondPart::kWithDraws : SecondPart::kOfApplication);
      RecordReleases(command_buffer_);
      const ScopedLabel label(command_buffer_.device, command_buffer_.handle, name_);
      const ScopedComputeState state(command_buffer_);
      Begin();
      RecordLevels();
      if (plan_.has_draws()) RecordBesideDraws(split);
      End();
    }
    if (plan_.has_draws()) Draw({plan_.root_draws, plan_.placed->draws});
  }

  // Draws read what their step leaves and the next step overwrites, so the instance is split for each step.
  void RecordRounds() {
    const uint32_t steps = plan_.placed->steps->count;
    const ScopedComputeState state(command_buffer_);
    for (uint32_t step = 0; step < steps; ++step) {
      {
        const ScopedSplit split(command_buffer_, SecondPart::kWithDraws);
        if (step == 0) RecordReleases(command_buffer_);
        const ScopedLabel label(command_buffer_.device, command_buffer_.handle, name_);
        if (step == 0) {
          Begin();
          recorder_.TimeWith(nullptr);
        }
        RecordStep(command_buffer_, plan_, step, recorder_);
      }
      Draw({step == 0 ? std::span(plan_.root_draws) : std::span<const NodeLaunch>(), plan_.placed->draws});
    }
    const ScopedSplit split(command_buffer_, SecondPart::kOfApplication);
    const ScopedLabel label(command_buffer_.device, command_buffer_.handle, name_);
    EndSteps();
    End();
  }

  void Begin() {
    if (command_buffer_.device.settings.timing) timer_ = GraphTimer::Start(command_buffer_, plan_, name_, pipeline_.id);
    recorder_.TimeWith(timer_.get());
    RecordBegin(command_buffer_, plan_, recorder_);
    recorder_.BindNodeState(plan_.push_constant_copy);
    RecordEntry(command_buffer_.device, command_buffer_.handle, plan_, recorder_);
  }

  void RecordLevels() {
    if (plan_.placed->steps) {
      recorder_.TimeWith(nullptr);
      for (uint32_t step = 0; step < plan_.placed->steps->count; ++step)
        RecordStep(command_buffer_, plan_, step, recorder_);
      return EndSteps();
    }
    for (uint32_t level = 0; level < plan_.placed->levels.size(); ++level)
      RecordLevel(command_buffer_.device, command_buffer_.handle, plan_, level, recorder_);
    RecordBeforeDraws(command_buffer_.device, command_buffer_.handle, plan_, recorder_);
  }

  void RecordBesideDraws(ScopedSplit& split) {
    if (!plan_.placed->losses) return;
    split.RecordBarrier();
    RecordLosses(command_buffer_.device, command_buffer_.handle, *plan_.placed, recorder_);
  }

  // Steps are timed as a whole: what a node takes is spread over all of them.
  void EndSteps() {
    RecordStep(command_buffer_, plan_, plan_.placed->steps->count, recorder_);
    recorder_.TimeWith(timer_.get());
    recorder_.Mark("steps");
  }

  void End() {
    RecordEnd(command_buffer_, pipeline_, plan_, recorder_);
    if (timer_) GraphTimer::Finish(command_buffer_.device, timer_);
  }

  void Draw(std::initializer_list<std::span<const NodeLaunch>> draws) {
    RecordDraws(command_buffer_, pipeline_, scratch_, draws, name_);
    for (const std::span<const NodeLaunch> part : draws) draws_ += static_cast<uint32_t>(part.size());
    command_buffer_.graphs.have_drawn = true;
  }

  CommandBuffer& command_buffer_;
  const ExecutionGraphPipeline& pipeline_;
  const DispatchPlan& plan_;
  const BufferPlace scratch_;
  const std::string name_;
  Recorder recorder_;
  std::shared_ptr<GraphTimer> timer_;
  uint32_t draws_ = 0;
};

}  // namespace

std::string GraphLabel(const ExecutionGraphPipeline& pipeline, const std::string& roots) {
  const std::string name = pipeline.Name();
  return "execution graph " + (name.empty() ? "" : "'" + name + "' ") + "from" + roots;
}

Recorded RecordDispatch(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const DispatchPlan& plan,
                        const BufferPlace& scratch) {
  return DispatchRecorder(command_buffer, pipeline, plan, scratch).Run();
}

}  // namespace trellis
