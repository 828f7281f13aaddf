// SPDX-License-Identifier: Apache-2.0
// Load: threads that make random graphs, run and destroy them for a given time, on devices that they share.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/random/random.h"
#include "tests/random/semantics.h"
#include "tests/soak/flight.h"
#include "tests/soak/options.h"
#include "tests/soak/soak_device.h"
#include "tests/soak/tally.h"

namespace trellis::test::soak {
namespace {

constexpr int kSkipped = 77;  // what ctest is told to understand as that
constexpr size_t kDevices = 2;
constexpr uint32_t kFlightsOfADevice = 100;
constexpr size_t kMaxInTheAir = 3;  // flights of a thread
constexpr uint64_t kMaxComplaints = 10;
constexpr std::chrono::minutes kReportInterval{1};

// Devices that threads share; every one is replaced after a while, and dies when nobody uses it any more.
class Fleet {
 public:
  Fleet(Tally& tally, std::string& error) : tally_(tally) {
    for (Slot& slot : slots_)
      if (error.empty()) slot.device = SoakDevice::Create(tally, error);
  }

  // Null if a new one could not be made.
  [[nodiscard]] std::shared_ptr<SoakDevice> Take(size_t which) {
    Slot& slot = slots_[which];
    const std::lock_guard lock(slot.mutex);
    if (slot.flights++ == kFlightsOfADevice) {
      std::string error;
      slot.flights = 0;
      slot.device = SoakDevice::Create(tally_, error);
      if (!error.empty()) tally_.Complain(error);
    }
    return slot.device;
  }

 private:
  struct Slot {
    std::mutex mutex;  // guards what follows
    std::shared_ptr<SoakDevice> device;
    uint32_t flights = 0;
  };

  Tally& tally_;
  std::array<Slot, kDevices> slots_;
};

class Soak {
 public:
  Soak(const Options& options, std::string& error) : options_(options), fleet_(tally_, error) {}

  // False if anything was wrong.
  [[nodiscard]] bool Run() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options_.seconds);
    std::vector<std::thread> threads;
    for (uint32_t thread = 0; thread < options_.threads; ++thread)
      threads.emplace_back([this, thread, end] { Work(thread, end); });
    ReportUntil(end);
    for (std::thread& thread : threads) thread.join();
    tally_.Print();
    return tally_.complaints() == 0 && tally_.submissions > 0;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;

  void Work(uint32_t thread, Time end) {
    random_graphs::Random random(random_graphs::Hash(options_.seed, thread));
    std::deque<Flight> in_the_air;
    while (std::chrono::steady_clock::now() < end && tally_.complaints() < kMaxComplaints) {
      const uint32_t number = options_.flight.value_or(random.Word());
      std::shared_ptr<SoakDevice> device = fleet_.Take(random.Below(kDevices));
      if (device == nullptr) return;
      in_the_air.emplace_back(std::move(device), number, options_, tally_);
      if (in_the_air.size() > random.Below(kMaxInTheAir + 1)) in_the_air.pop_front();
    }
  }

  void ReportUntil(Time end) {
    for (Time next = std::chrono::steady_clock::now() + kReportInterval; next < end; next += kReportInterval) {
      std::this_thread::sleep_until(next);
      tally_.Print();
    }
  }

  const Options options_;
  Tally tally_;
  Fleet fleet_;
};

int Main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::optional<Options> options = ParseOptions(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::string error;
  bool right = false;
  {
    Soak soak(*options, error);
    if (error.empty()) right = soak.Run();
  }
  if (!error.empty()) {
    std::fprintf(stderr, "trellis_soak: %s\n", error.c_str());
    return error == "no hardware device" ? kSkipped : 1;
  }
  // What the fixtures expect on their own.
  return right && !testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 0 : 1;
}

}  // namespace
}  // namespace trellis::test::soak

int main(int argc, char** argv) { return trellis::test::soak::Main(argc, argv); }
