// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/parallel_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/pipeline/rendezvous.h"

namespace trellis {
namespace {

TEST(ParallelFor, EveryIndexOnce) {
  for (uint32_t threads : {0u, 1u, 2u, 7u}) {
    std::vector<std::atomic<int>> runs(100);
    ParallelFor(runs.size(), threads, [&](size_t i) { return ++runs[i] != 0; });
    for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, AllThreadsWorkAtTheSameTime) {
  for (const size_t threads : {2u, 5u}) {
    test::Rendezvous rendezvous(threads);
    ParallelFor(2 * threads, static_cast<uint32_t>(threads), [&](size_t) {
      rendezvous.Arrive();
      return true;
    });
    EXPECT_EQ(rendezvous.Arrived(), threads);
  }
}

TEST(ParallelFor, NothingToDo) {
  ParallelFor(0, 4, [](size_t) -> bool { throw std::runtime_error("called"); });
}

TEST(ParallelFor, OneThreadIsTheCallersAndKeepsTheOrder) {
  const std::thread::id thread_of_test = std::this_thread::get_id();
  std::vector<size_t> order;
  ParallelFor(5, 1, [&](size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), thread_of_test);
    order.push_back(i);
    return true;
  });
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(ParallelFor, NothingIsBegunBehindAFailure) {
  std::vector<size_t> order;
  ParallelFor(5, 1, [&](size_t i) {
    order.push_back(i);
    return i != 2;
  });
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2));
}

// Whatever the timing, the lowest index that fails is among those that ran.
TEST(ParallelFor, TheFirstFailureDoesNotDependOnTiming) {
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<bool>> failed(64);
    ParallelFor(failed.size(), 4, [&](size_t i) {
      if (i < 20) return true;
      if (i == 20) std::this_thread::yield();
      failed[i] = true;
      return false;
    });
    EXPECT_TRUE(failed[20]);
  }
}

TEST(ParallelFor, WhatIsThrownArrives) {
  std::atomic<int> running{0};
  EXPECT_THROW(ParallelFor(8, 4,
                           [&](size_t i) -> bool {
                             ++running;
                             if (i == 1) throw std::bad_alloc();
                             return true;
                           }),
               std::bad_alloc);
  EXPECT_GE(running, 1);
}

TEST(ParallelFor, ASettingOfZeroMeansAllCores) {
  EXPECT_EQ(ThreadCount(0), std::max(std::thread::hardware_concurrency(), 1u));
  EXPECT_EQ(ThreadCount(3), 3u);
}

}  // namespace
}  // namespace trellis
