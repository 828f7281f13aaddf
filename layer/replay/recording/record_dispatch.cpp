// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/recording/record_dispatch.h"

#include <memory>

#include "layer/diagnostics/label.h"
#include "layer/objects/device.h"
#include "layer/replay/planning/relocatable_plan.h"
#include "layer/replay/recording/draws.h"
#include "layer/replay/recording/recorder.h"
#include "layer/replay/recording/split.h"
#include "layer/replay/recording/timing.h"

namespace trellis {
namespace {

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
        placed_(*plan.placed),
        scratch_(scratch),
        name_(NameOf(command_buffer.device, pipeline, plan)),
        recorder_(command_buffer, pipeline, scratch, plan.push_constant_copy) {}

  Recorded Run() {
    if (placed_.steps && plan_.has_draws()) {
      RecordRounds();
    } else {
      RecordPass();
    }
    Recorded recorded = recorder_.recorded();
    recorded.draws = draws_;
    return recorded;
  }

 private:
  void RecordPass() {
    {
      ScopedSplit split(command_buffer_, plan_.has_draws() ? SecondPart::kWithDraws : SecondPart::kOfApplication);
      RecordReleases(command_buffer_);
      const ScopedLabel label = Label(name_);
      const ScopedComputeState state(command_buffer_);
      Begin();
      RecordLevels();
      if (plan_.has_draws() && placed_.losses) {
        split.RecordBarrier();
        RecordLosses();
      }
      End();
    }
    if (plan_.has_draws()) Draw({plan_.root_draws, placed_.draws});
  }

  // Draws read what their step leaves and the next step overwrites, so the instance is split for each step.
  void RecordRounds() {
    const ScopedComputeState state(command_buffer_);
    for (uint32_t step = 0; step < placed_.steps->count; ++step) {
      {
        const ScopedSplit split(command_buffer_, SecondPart::kWithDraws);
        if (step == 0) RecordReleases(command_buffer_);
        const ScopedLabel label = Label(name_);
        if (step == 0) {
          Begin();
          recorder_.TimeWith(nullptr);
        }
        RecordStep(step);
      }
      Draw({step == 0 ? std::span(plan_.root_draws) : std::span<const NodeLaunch>(), placed_.draws});
    }
    const ScopedSplit split(command_buffer_, SecondPart::kOfApplication);
    const ScopedLabel label = Label(name_);
    EndSteps();
    End();
  }

  void Begin() {
    if (command_buffer_.device.settings.timing) timer_ = GraphTimer::Start(command_buffer_, plan_, name_, pipeline_.id);
    recorder_.TimeWith(timer_.get());
    RecordBegin();
    recorder_.BindNodeSets();
    RecordEntry();
  }

  void RecordBegin() {
    if (!placed_.begin && !placed_.prepared) return;
    RecordEnter();
    if (!placed_.begin && !plan_.copy) return;
    const ScopedLabel label = Label("trellis begin");
    if (placed_.begin) {
      recorder_.Run(Kernel::kBeginGraph, *placed_.begin);
      recorder_.Barrier(GraphBarrier::kWork);
      recorder_.Mark("begin");
    }
    if (placed_.open && placed_.begin) recorder_.Run(Kernel::kOpenRegions, *placed_.open);
    if (plan_.copy) recorder_.Run(Kernel::kCopyInputs, *plan_.copy);
    if (!plan_.copy && !(placed_.begin && placed_.open)) return;
    recorder_.Barrier(GraphBarrier::kWork);
    recorder_.Mark(plan_.copy ? "input copies" : "regions");
  }

  // The graph follows another one of its recording, which may have had the same scratch, and had the same ring.
  void RecordEnter() {
    RecordedGraphs& graphs = command_buffer_.graphs;
    if (graphs.need_leaving) recorder_.Barrier(GraphBarrier::kEnter);
    graphs.need_leaving = true;
    graphs.have_drawn = false;
  }

  void RecordEntry() {
    if (!plan_.entry) return;
    const ScopedLabel label = Label("trellis infos");
    recorder_.Run(Kernel::kCountInfos, plan_.entry->count_infos);
    recorder_.Barrier(GraphBarrier::kWork);
    recorder_.Run(Kernel::kAppendInfos, plan_.entry->append_infos);
    recorder_.Barrier(GraphBarrier::kArguments);
    recorder_.RunIndirect(Kernel::kCopyChunks, plan_.entry->copy_chunks, plan_.entry->chunk_arguments);
    recorder_.Mark("infos");
  }

  void RecordLevels() {
    if (placed_.steps) {
      recorder_.TimeWith(nullptr);
      for (uint32_t step = 0; step < placed_.steps->count; ++step) RecordStep(step);
      return EndSteps();
    }
    for (uint32_t level = 0; level < placed_.levels.size(); ++level) RecordLevel(level);
    RecordBeforeDraws();
  }

  void RecordLevel(uint32_t number) {
    // Before the launches, so that what it takes is hidden behind them. Where all roots are drawn, later levels need
    // it.
    if (number == 0) RecordOpenings();
    if (IsEmpty(number)) return;
    const LevelPlan& level = placed_.levels[number];
    if (level.sizing || level.batches)
      RecordSizing(level, number);
    else if (number != 0 || plan_.entry)
      recorder_.Barrier(GraphBarrier::kArguments);
    RecordCount(number);
    const bool is_last = number + 1 == placed_.levels.size();
    if (is_last && !plan_.has_draws()) RecordLosses();
    for (const NodeLaunch& launch : plan_.launches_of(number)) recorder_.Launch(launch, number);
  }

  // Launches of the last level may all be drawn, which is done later.
  [[nodiscard]] bool IsEmpty(uint32_t level) const { return plan_.launches_of(level).empty(); }

  // Without a barrier next to level 0, for later levels.
  void RecordOpenings() {
    if (!placed_.prepared) return;
    const ScopedLabel label = Label("trellis regions");
    recorder_.Run(Kernel::kOpenRegions, *placed_.open);
    recorder_.Mark("regions", 0);
  }

  void RecordSizing(const LevelPlan& level, uint32_t number) {
    const ScopedLabel label = Label("level " + std::to_string(number) + " sizing");
    recorder_.Barrier(GraphBarrier::kWork);
    if (level.sizing && level.sizing->sum) {
      recorder_.Run(Kernel::kSumGrids, *level.sizing->sum);
      recorder_.Barrier(GraphBarrier::kWork);
    }
    if (level.sizing) recorder_.Run(Kernel::kSizeLaunches, level.sizing->size);
    if (level.batches) recorder_.Run(Kernel::kLaunchBatches, *level.batches);
    recorder_.Barrier(GraphBarrier::kArguments);
    recorder_.Mark("sizing", number);
  }

  // Before anything changes what the level consumes. Launches change payloads at most.
  void RecordCount(uint32_t number) {
    const LevelPlan& level = placed_.levels[number];
    if (!level.count) return;
    const ScopedLabel label = Label("trellis counts");
    recorder_.Run(Kernel::kCountRecords, *level.count);
    if (level.copies_payloads) recorder_.Barrier(GraphBarrier::kWork);
    recorder_.Mark("counts", number);
  }

  // In the last level, when everything has been sent; or concurrently with the draws, which may be sized behind the
  // last level.
  void RecordLosses() {
    if (!placed_.losses) return;
    const ScopedLabel label = Label("trellis losses");
    recorder_.Run(Kernel::kReportLosses, *placed_.losses);
    recorder_.Mark("losses", LastLevel());
  }

  [[nodiscard]] uint32_t LastLevel() const { return static_cast<uint32_t>(placed_.levels.size()) - 1; }

  // Behind the last level: what draws need that no level has done for its dispatches' sake.
  void RecordBeforeDraws() {
    const bool counts = placed_.levels.back().count && IsEmpty(LastLevel());
    if (placed_.late_sizings.empty() && !counts) return;
    const ScopedLabel label = Label("trellis draws");
    recorder_.Barrier(GraphBarrier::kWork);
    if (counts) RecordCount(LastLevel());
    bool has_sums = false;
    for (const SizingPasses& passes : placed_.late_sizings) {
      if (passes.sum) recorder_.Run(Kernel::kSumGrids, *passes.sum);
      has_sums |= passes.sum.has_value();
    }
    if (has_sums) recorder_.Barrier(GraphBarrier::kWork);
    for (const SizingPasses& passes : placed_.late_sizings) recorder_.Run(Kernel::kSizeLaunches, passes.size);
    recorder_.Mark("draws");
  }

  // Step number StepPasses::count, the last one, runs nothing and reports what is left.
  void RecordStep(uint32_t step) {
    const StepPasses& steps = *placed_.steps;
    // Nothing has waited yet for the kernel that copies payloads of infos.
    if (step != 0 || plan_.entry) recorder_.Barrier(GraphBarrier::kStep);
    command_buffer_.graphs.have_drawn = false;
    if (step == steps.count) {
      recorder_.Run(Kernel::kStepGraph, {steps.after});
      return RecordLosses();
    }
    const ScopedLabel label = Label("step " + std::to_string(step));
    recorder_.Run(Kernel::kStepGraph, {step == 0 ? steps.first : steps.later});
    recorder_.Barrier(GraphBarrier::kArguments);
    for (uint32_t level = 0; level < placed_.levels.size(); ++level)
      for (const NodeLaunch& launch : plan_.launches_of(level)) recorder_.Launch(launch, level);
  }

  // Steps are timed as a whole: what a node takes is spread over all of them.
  void EndSteps() {
    RecordStep(placed_.steps->count);
    recorder_.TimeWith(timer_.get());
    recorder_.Mark("steps");
  }

  void End() {
    // Inputs that find no ring are reported when they are copied.
    command_buffer_.graphs.may_report |= placed_.reports || (plan_.copy && placed_.release);
    RecordRelease();
    if (timer_) GraphTimer::Finish(command_buffer_.device, timer_);
  }

  void RecordRelease() {
    if (!placed_.release) return;
    if (plan_.has_draws() && !placed_.steps) {
      const KernelPipelines& kernels = pipeline_.kernels;
      command_buffer_.graphs.releases.push_back(
          {kernels.of(Kernel::kReleaseRing), kernels.layout, placed_.release->plan});
      return;
    }
    const ScopedLabel label = Label("trellis end");
    recorder_.Barrier(GraphBarrier::kWork);
    recorder_.Run(Kernel::kReleaseRing, *placed_.release);
    recorder_.Mark("end");
  }

  void Draw(std::initializer_list<std::span<const NodeLaunch>> draws) {
    RecordDraws(command_buffer_, pipeline_, scratch_, draws, name_);
    for (const std::span<const NodeLaunch> part : draws) draws_ += static_cast<uint32_t>(part.size());
    command_buffer_.graphs.have_drawn = true;
  }

  [[nodiscard]] ScopedLabel Label(const std::string& text) const {
    return {command_buffer_.device, command_buffer_.handle, text};
  }

  CommandBuffer& command_buffer_;
  const ExecutionGraphPipeline& pipeline_;
  const DispatchPlan& plan_;
  const PlacedPlan& placed_;
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
