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

#include "core/log.h"

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

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string bytes_text(double bytes) {
  constexpr double kStep = 1000;
  const char* unit = "bytes";
  for (const char* const larger : {"kB", "MB", "GB", "TB"}) {
    if (bytes < kStep) {
      break;
    }
    bytes /= kStep;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 && unit[0] != 'b' ? 1 : 0, unit);
}

std::string time_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds < kMinute) {
    return fmt::format("{:.0f} s", seconds);
  }
  if (seconds < kHour) {
    return fmt::format("{:.0f} min", seconds / kMinute);
  }
  return fmt::format("{:.1f} h", seconds / kHour);
}

}  // namespace

std::string progress_text(std::string_view label, std::uint64_t done, std::uint64_t total, ProgressUnit unit,
                          double seconds) {
  const double finished = static_cast<double>(std::min(done, total));
  const double percent = total == 0 ? 100.0 : 100.0 * finished / static_cast<double>(total);
  std::string text = fmt::format("{} {:.0f}%", label, percent);
  if (done == 0 || seconds <= 0) {
    return text;
  }
  const double rate = finished / seconds;
  text += "  " + (unit == ProgressUnit::kBytes ? bytes_text(rate) + "/s" : fmt::format("{:.0f}/s", rate));
  return text + ", " + time_text((static_cast<double>(total) - finished) / rate) + " left";
}

Progress::Progress(std::string label, std::uint64_t total, bool enabled, ProgressUnit unit)
    : label_(std::move(label)),
      total_(total),
      unit_(unit),
      enabled_(enabled && total > 0 && terminal() && !log_enabled()),
      next_draw_ms_(kFirstDrawMs),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (drawn_.load()) {
    write_stderr(kClearLine);
  }
  if (log_enabled()) {
    const std::uint64_t done = done_.load();
    log_line(
        fmt::format("{}: {} in {:.3f} s", label_,
                    unit_ == ProgressUnit::kBytes ? bytes_text(static_cast<double>(done)) : fmt::format("{}", done),
                    seconds_since(start_)));
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
  // A line as wide as the terminal would wrap and could not be drawn over.
  std::string line = progress_text(label_, done_now, total_, unit_, seconds_since(start_));
  line.resize(std::min(line.size(), terminal_columns() - 1));
  write_stderr(fmt::format("{}{}", kClearLine, line));
  drawn_.store(true);
}

}  // namespace rlverify::core
