// SPDX-License-Identifier: Apache-2.0
// The caller works too, so a pool of n threads has n - 1 workers and a pool of one runs everything in place. An index
// that was handed out is always run: whichever thread sees a failure first, every lower index has run, which makes the
// exception thrown the same on any machine.
#include "core/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/signals.h"

namespace rlverify::core {

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable idle;
  const std::function<void(std::size_t)>* job = nullptr;
  std::size_t count = 0;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> halted{false};
  std::uint64_t generation = 0;
  std::size_t busy_workers = 0;
  bool closing = false;
  std::size_t failed_index = 0;
  std::exception_ptr failure;
  std::vector<std::thread> workers;

  void run_share();
  void work();
  void keep_failure(std::size_t index);
  void close();
};

namespace {

unsigned usable_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) {
    return static_cast<unsigned>(std::max(CPU_COUNT(&cores), 1));
  }
  return std::max(std::thread::hardware_concurrency(), 1U);
}

}  // namespace

void ThreadPool::State::keep_failure(std::size_t index) {
  const std::lock_guard lock(mutex);
  if (!failure || index < failed_index) {
    failed_index = index;
    failure = std::current_exception();
  }
  halted.store(true);
}

void ThreadPool::State::run_share() {
  while (!halted.load() && !interrupted()) {
    const std::size_t index = next.fetch_add(1);
    if (index >= count) {
      return;
    }
    try {
      (*job)(index);
    } catch (...) {
      keep_failure(index);
    }
  }
}

void ThreadPool::State::work() {
  std::uint64_t seen_generation = 0;
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return closing || generation != seen_generation; });
    if (closing) {
      return;
    }
    seen_generation = generation;
    lock.unlock();
    run_share();
    lock.lock();
    if (--busy_workers == 0) {
      idle.notify_one();
    }
  }
}

void ThreadPool::State::close() {
  {
    const std::lock_guard lock(mutex);
    closing = true;
  }
  wake.notify_all();
  for (std::thread& worker : workers) {
    worker.join();
  }
}

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_unique<State>()) {
  const unsigned wanted = threads == 0 ? usable_cores() : threads;
  try {
    for (unsigned i = 1; i < wanted; ++i) {
      state_->workers.emplace_back([state = state_.get()] { state->work(); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: the ones we have do the work.
  }
}

ThreadPool::~ThreadPool() {
  state_->close();
}

unsigned ThreadPool::threads() const {
  return static_cast<unsigned>(state_->workers.size()) + 1;
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t)>& job) {
  State& state = *state_;
  // One job needs no other thread, and waking them would cost more than many a small one.
  const std::size_t helpers = count > 1 ? state.workers.size() : 0;
  {
    const std::lock_guard lock(state.mutex);
    state.job = &job;
    state.count = count;
    state.next.store(0);
    state.halted.store(false);
    state.failure = nullptr;
    if (helpers > 0) {
      state.busy_workers = helpers;
      ++state.generation;
    }
  }
  if (helpers > 0) {
    state.wake.notify_all();
  }
  state.run_share();
  std::exception_ptr failure;
  {
    std::unique_lock lock(state.mutex);
    state.idle.wait(lock, [&] { return state.busy_workers == 0; });
    state.job = nullptr;
    failure = std::exchange(state.failure, nullptr);
  }
  check_interrupted();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace rlverify::core
