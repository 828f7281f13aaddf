// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/recording/timing.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "layer/dispatch/struct_type.h"
#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/replay/placing/dispatch_plan.h"

namespace trellis {
namespace {

// Nodes of a level that are listed one by one: the slowest.
constexpr size_t kMaxListed = 16;

std::string Microseconds(double nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f us", nanoseconds / 1000);
  return text;
}

double Sum(std::span<const TimedPlace> steps) {
  double sum = 0;
  for (const TimedPlace& step : steps) sum += step.nanoseconds;
  return sum;
}

// `steps`: all of one level.
std::string DescribeLevel(std::vector<TimedPlace> steps) {
  std::string text = "\n  level " + std::to_string(steps.front().level) + ": " + Microseconds(Sum(steps));
  std::stable_sort(steps.begin(), steps.end(),
                   [](const TimedPlace& a, const TimedPlace& b) { return a.nanoseconds > b.nanoseconds; });
  const size_t listed = std::min(steps.size(), kMaxListed);
  for (size_t i = 0; i < listed; ++i)
    text += (i == 0 ? " = " : " + ") + steps[i].what + " " + Microseconds(steps[i].nanoseconds);
  if (listed < steps.size())
    text += " + " + std::to_string(steps.size() - listed) + " others " +
            Microseconds(Sum(std::span(steps).subspan(listed)));
  return text;
}

// The start, begin, copies, infos, regions, losses, steps, draws, end; sizing, counts and the launches of each level.
uint32_t MaxTimestamps(const DispatchPlan& plan) {
  return static_cast<uint32_t>(9 + plan.roots.size() + 2 * plan.placed->levels.size() + plan.placed->launches.size());
}

uint32_t TimestampBits(const CommandBuffer& command_buffer) {
  const std::vector<VkQueueFamilyProperties>& families = command_buffer.device.queue_families;
  return command_buffer.queue_family < families.size() ? families[command_buffer.queue_family].timestampValidBits : 0;
}

}  // namespace

std::shared_ptr<GraphTimer> GraphTimer::Start(CommandBuffer& command_buffer, const DispatchPlan& plan, std::string name,
                                              uint32_t graph) {
  Device& device = command_buffer.device;
  const uint32_t bits = TimestampBits(command_buffer);
  auto timer = std::make_shared<GraphTimer>(device, command_buffer.handle, std::move(name), graph);
  if (bits == 0 || !timer->CreateQueries(MaxTimestamps(plan))) {
    device.diagnostics.Warning("TRELLIS-timing", bits == 0 ? "this queue family writes no timestamps: no timing"
                                                           : "no memory for timestamps: no timing");
    return nullptr;
  }
  timer->valid_bits_ = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  timer->WriteTimestamp();
  command_buffer.keep_alive.push_back(timer);
  return timer;
}

GraphTimer::~GraphTimer() {
  if (queries_ != VK_NULL_HANDLE) device_.dispatch.DestroyQueryPool(device_.handle, queries_, nullptr);
}

bool GraphTimer::CreateQueries(uint32_t count) {
  auto info = MakeStruct<VkQueryPoolCreateInfo>();
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  if (device_.dispatch.CreateQueryPool(device_.handle, &info, nullptr, &queries_) != VK_SUCCESS) return false;
  Expected<DeviceBuffer> results =
      DeviceBuffer::Create(device_, count * sizeof(uint64_t), BufferMemory::kHost, "trellis timestamps");
  if (!results) return false;
  results_ = *std::move(results);
  device_.dispatch.CmdResetQueryPool(command_buffer_, queries_, 0, count);
  return true;
}

void GraphTimer::Mark(TimedPlace step) {
  steps_.push_back(std::move(step));
  WriteTimestamp();
}

void GraphTimer::WriteTimestamp() {
  device_.dispatch.CmdWriteTimestamp(command_buffer_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_,
                                     static_cast<uint32_t>(steps_.size()));
}

void GraphTimer::Finish(Device& device, const std::shared_ptr<GraphTimer>& timer) {
  timer->CopyResults();
  device.components.GetOrCreate<GraphTimers>([] { return std::make_shared<GraphTimers>(); })->Add(timer);
}

void GraphTimer::CopyResults() {
  // Not before the graph is done: until then the host can read what the execution before left.
  device_.dispatch.CmdPipelineBarrier(command_buffer_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                      VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 0, nullptr);
  device_.dispatch.CmdFillBuffer(command_buffer_, results_.handle(), 0, VK_WHOLE_SIZE, 0);
  FinishTransfer();
  device_.dispatch.CmdCopyQueryPoolResults(command_buffer_, queries_, 0, static_cast<uint32_t>(steps_.size()) + 1,
                                           results_.handle(), results_.offset(), sizeof(uint64_t),
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  FinishTransfer();
}

void GraphTimer::FinishTransfer() {
  auto arrived = MakeStruct<VkMemoryBarrier>();
  arrived.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  arrived.dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  device_.dispatch.CmdPipelineBarrier(command_buffer_, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                      VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &arrived, 0,
                                      nullptr, 0, nullptr);
}

std::vector<TimedPlace> GraphTimer::TakeTimes() {
  const auto read = [this] {
    std::vector<uint64_t> times(steps_.size() + 1);
    std::memcpy(times.data(), results_.data(), times.size() * sizeof(uint64_t));
    return times;
  };
  // The next execution may write them while they are read: it clears them just before, so that what is the same twice,
  // without zeros, belongs together.
  const std::vector<uint64_t> times = read();
  if (times == taken_ || std::find(times.begin(), times.end(), 0) != times.end() || times != read()) return {};
  taken_ = times;
  std::vector<TimedPlace> steps = steps_;
  for (size_t i = 0; i < steps.size(); ++i)
    steps[i].nanoseconds = static_cast<double>((times[i + 1] - times[i]) & valid_bits_) *
                           static_cast<double>(device_.traits.limits.timestampPeriod);
  return steps;
}

std::string GraphTimer::Describe(const std::vector<TimedPlace>& steps) const {
  std::string text = name_ + ": " + Microseconds(Sum(steps));
  for (auto step = steps.begin(); step != steps.end();) {
    if (step->level == TimedPlace::kNone) {
      text += "\n  " + step->what + ": " + Microseconds(step->nanoseconds);
      ++step;
      continue;
    }
    const auto end =
        std::find_if(step, steps.end(), [step](const TimedPlace& other) { return other.level != step->level; });
    text += DescribeLevel({step, end});
    step = end;
  }
  return text;
}

void GraphTimers::Add(const std::shared_ptr<GraphTimer>& timer) {
  std::lock_guard lock(mutex_);
  std::erase_if(timers_, [](const auto& known) { return known.expired(); });
  timers_.push_back(timer);
}

void GraphTimers::Poll(Device& device) {
  std::vector<std::string> texts;
  const std::shared_ptr<Report> report = Report::Of(device);
  // The application's callbacks may call Vulkan, and a timer may die here: neither under the lock.
  std::vector<std::shared_ptr<GraphTimer>> alive;
  {
    std::lock_guard lock(mutex_);
    for (const std::weak_ptr<GraphTimer>& known : timers_)
      if (std::shared_ptr<GraphTimer> timer = known.lock()) alive.push_back(std::move(timer));
    for (const std::shared_ptr<GraphTimer>& timer : alive)
      if (const std::vector<TimedPlace> steps = timer->TakeTimes(); !steps.empty()) {
        texts.push_back(timer->Describe(steps));
        if (report) report->AddTimes(timer->graph(), steps);
      }
  }
  for (const std::string& text : texts) device.diagnostics.Info("TRELLIS-timing", text);
}

}  // namespace trellis
