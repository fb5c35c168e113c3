// SPDX-License-Identifier: Apache-2.0
// One line of progress on stderr, rewritten in place, only where stderr is a terminal; everywhere else nothing is
// written.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace rlverify::core {

class Progress {
 public:
  /// `total` units of work (files or bytes) under a label like "sidecars". Shows nothing in the first half second.
  Progress(std::string label, std::uint64_t total, bool enabled);
  ~Progress();  ///< clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Adds finished work; cheap and safe from several threads, draws at most ten times a second.
  void add(std::uint64_t done);
  /// Whether progress may be drawn at all: stderr is a terminal and TERM isn't "dumb".
  [[nodiscard]] static bool terminal();

 private:
  std::string label_;
  std::uint64_t total_;
  bool enabled_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_ms_{0};
  std::chrono::steady_clock::time_point start_;
  std::atomic<bool> drawn_{false};
};

}  // namespace rlverify::core
