// SPDX-License-Identifier: Apache-2.0
// One line of progress on stderr, rewritten in place, only where stderr is a terminal; everywhere else nothing is
// written. The log of --verbose, which shares stderr, takes its place: it is told how long the work took.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace rlverify::core {

enum class ProgressUnit : std::uint8_t { kItems, kBytes };

class Progress {
 public:
  /// `total` units of work under a label like "sidecars". Shows nothing in the first half second; then the share that
  /// is done, the rate since the beginning, and the time that the rest takes at that rate.
  Progress(std::string label, std::uint64_t total, bool enabled, ProgressUnit unit = ProgressUnit::kItems);
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
  ProgressUnit unit_;
  bool enabled_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_ms_{0};
  std::chrono::steady_clock::time_point start_;
  std::atomic<bool> drawn_{false};
};

/// "sidecars 42%  830/s, 3 s left": what is shown after `seconds` with `done` of `total` units finished.
[[nodiscard]] std::string progress_text(std::string_view label, std::uint64_t done, std::uint64_t total,
                                        ProgressUnit unit, double seconds);

}  // namespace rlverify::core
