// SPDX-License-Identifier: Apache-2.0
// A small pool: independent jobs over an index range, results written by index, so that output never depends on the
// number of threads. Ours because TBB gives false reports under the thread sanitizer.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace rlverify::core {

class ThreadPool {
 public:
  /// `threads` = 0 takes as many as the machine has cores that this process may use.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  [[nodiscard]] unsigned threads() const;
  /// Calls job(i) for every i in [0, count), each once, handed out in ascending order; returns when all are done. The
  /// exception of the lowest index that threw is thrown again (later indices may not have run then). Not reentrant: a
  /// job must not call for_each of the same pool.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& job);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rlverify::core
