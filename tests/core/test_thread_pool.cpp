// SPDX-License-Identifier: Apache-2.0
// Every index once, results by index, and the exception of the lowest index that threw.
#include <sched.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/signals.h"
#include "core/thread_pool.h"

using namespace rlverify::core;

TEST_CASE("every index is run once, with any number of threads and jobs") {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<std::atomic<int>> runs(count);
      pool.for_each(count, [&](std::size_t i) { ++runs[i]; });
      const bool each_once =
          std::all_of(runs.begin(), runs.end(), [](const std::atomic<int>& number) { return number == 1; });
      CHECK(each_once);
    }
  }
}

TEST_CASE("by default there is a thread for each core this process may use") {
  cpu_set_t cores;
  REQUIRE(::sched_getaffinity(0, sizeof cores, &cores) == 0);
  CHECK(ThreadPool().threads() == static_cast<unsigned>(CPU_COUNT(&cores)));
}

TEST_CASE("indices are handed out in ascending order") {
  ThreadPool pool(1);
  std::vector<std::size_t> order;
  pool.for_each(50, [&](std::size_t i) { order.push_back(i); });
  std::vector<std::size_t> ascending(50);
  std::iota(ascending.begin(), ascending.end(), 0U);
  CHECK(order == ascending);
}

TEST_CASE("jobs of a pool of several threads run at the same time") {
  ThreadPool pool(2);
  std::atomic<int> arrived{0};
  std::atomic<bool> met{true};
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  pool.for_each(2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2 && met) {
      if (std::chrono::steady_clock::now() > give_up) {
        met = false;
      }
      std::this_thread::yield();
    }
  });
  CHECK(met);
}

TEST_CASE("the exception of the lowest index that threw is the one that comes out") {
  for (const unsigned threads : {1U, 2U, 4U}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> lower_runs{0};
      const auto job = [&](std::size_t i) {
        lower_runs += i < 13 ? 1 : 0;
        if (i == 13) {
          // Let other threads fail first.
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        if (i >= 13) {
          throw std::runtime_error("job " + std::to_string(i));
        }
      };
      CHECK_THROWS_WITH(pool.for_each(200, job), "job 13");
      CHECK(lower_runs == 13);
    }
    int runs = 0;
    pool.for_each(1, [&](std::size_t) { ++runs; });
    CHECK(runs == 1);
  }
}

TEST_CASE("no more indices are handed out after a failure or an interruption") {
  ThreadPool pool(2);
  std::atomic<std::size_t> runs{0};
  CHECK_THROWS_AS(pool.for_each(1'000'000,
                                [&](std::size_t) {
                                  ++runs;
                                  throw std::logic_error("at once");
                                }),
                  std::logic_error);
  CHECK(runs <= 2);

  runs = 0;
  install_signal_handlers();
  CHECK_THROWS_AS(pool.for_each(1'000'000,
                                [&](std::size_t) {
                                  if (++runs == 1) {
                                    std::raise(SIGINT);
                                  }
                                }),
                  Interrupted);
  clear_interrupt();
  CHECK(runs < 1'000'000);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}
