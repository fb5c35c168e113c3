// SPDX-License-Identifier: Apache-2.0
// Each drawing is one write(), so that lines of several threads never mix; whoever moves the time of the next drawing
// forward draws.
#include "core/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace rlverify::core {

namespace {

constexpr std::int64_t kFirstDrawMs = 500;
constexpr std::int64_t kDrawEveryMs = 100;
constexpr std::string_view kClearLine = "\r\x1b[K";

/// Progress is a courtesy: a write that fails is left alone.
void write_stderr(std::string_view text) {
  const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::string label, std::uint64_t total, bool enabled)
    : label_(std::move(label)),
      total_(total),
      enabled_(enabled && total > 0 && terminal()),
      next_draw_ms_(kFirstDrawMs),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (drawn_.load()) {
    write_stderr(kClearLine);
  }
}

bool Progress::terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

void Progress::add(std::uint64_t done) {
  const std::uint64_t done_now = done_.fetch_add(done, std::memory_order_relaxed) + done;
  if (!enabled_) {
    return;
  }
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  const std::int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  std::int64_t next_ms = next_draw_ms_.load(std::memory_order_relaxed);
  if (now_ms < next_ms || !next_draw_ms_.compare_exchange_strong(next_ms, now_ms + kDrawEveryMs)) {
    return;
  }
  const double percent = 100.0 * static_cast<double>(std::min(done_now, total_)) / static_cast<double>(total_);
  // A line as wide as the terminal would wrap and could not be drawn over.
  std::string line = fmt::format("{} {:.0f}%", label_, percent);
  line.resize(std::min(line.size(), terminal_columns() - 1));
  write_stderr(fmt::format("{}{}", kClearLine, line));
  drawn_.store(true);
}

}  // namespace rlverify::core
