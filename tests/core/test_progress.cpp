// SPDX-License-Identifier: Apache-2.0
// Progress under a pseudo-terminal, and its silence everywhere else.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <regex>
#include <string>
#include <thread>

#include "core/progress.h"
#include "test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;
using Catch::Matchers::Contains;

namespace {

/// Puts `descriptor` in the place of stderr for the time of `action`.
void with_stderr(int descriptor, const std::function<void()>& action) {
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(descriptor, STDERR_FILENO);
  action();
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
}

/// What `action` writes to stderr when that is a terminal of `columns` columns and TERM is `terminal`.
std::string terminal_output(const char* terminal, unsigned short columns, const std::function<void()>& action) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(master >= 0);
  REQUIRE(::grantpt(master) == 0);
  REQUIRE(::unlockpt(master) == 0);
  const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  REQUIRE(slave >= 0);
  winsize size{};
  size.ws_col = columns;
  size.ws_row = 24;
  ::ioctl(slave, TIOCSWINSZ, &size);
  ::setenv("TERM", terminal, 1);
  with_stderr(slave, action);
  // After the last writer has gone, reads give what is left and then an error.
  ::close(slave);
  std::string output;
  char block[4096];
  for (ssize_t count = 0; (count = ::read(master, block, sizeof block)) > 0;) {
    output.append(block, static_cast<std::size_t>(count));
  }
  ::close(master);
  return output;
}

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void work_for_a_while(bool enabled) {
  Progress progress("sidecars", 200, enabled);
  progress.add(1);
  sleep_ms(520);
  progress.add(49);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// Rate and time left depend on the machine's load: "  98/s, 2 s left" is taken out.
std::string without_rate(const std::string& text) {
  return std::regex_replace(text, std::regex("  [0-9]+/s, [0-9]+ s left"), "");
}

}  // namespace

TEST_CASE("progress is drawn after half a second and cleared at the end") {
  const std::string once = terminal_output("xterm", 80, [] { work_for_a_while(true); });
  CHECK(once != without_rate(once));
  CHECK(without_rate(once) == "\r\x1b[Ksidecars 25%\r\x1b[K");
  const std::string twice = terminal_output("xterm", 80, [] {
    Progress progress("b", 10, true);
    sleep_ms(520);
    progress.add(5);
    sleep_ms(120);
    progress.add(50);
  });
  CHECK(without_rate(twice) == "\r\x1b[Kb 50%\r\x1b[Kb 100%\r\x1b[K");
}

TEST_CASE("progress is drawn at most ten times a second, however many threads add") {
  std::int64_t elapsed_ms = 0;
  const std::string output = terminal_output("xterm", 80, [&] {
    const auto start = std::chrono::steady_clock::now();
    const auto add_for_a_while = [&](Progress& progress) {
      while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(900)) {
        progress.add(1);
      }
    };
    Progress progress("b", 1ULL << 40, true);
    std::thread other([&] { add_for_a_while(progress); });
    add_for_a_while(progress);
    other.join();
    elapsed_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
  });
  const std::size_t draws = count_of(output, "b 0%");
  CHECK(draws >= 1);
  CHECK(draws <= static_cast<std::size_t>((elapsed_ms - 500) / 100 + 1));
}

TEST_CASE("a line is never wider than the terminal") {
  CHECK(terminal_output("xterm", 6, [] { work_for_a_while(true); }) ==
        "\r\x1b[Kside"
        "c\r\x1b[K");
}

TEST_CASE("nothing is written when progress is off, the terminal is dumb, or the work is short") {
  CHECK(terminal_output("xterm", 80, [] { work_for_a_while(false); }).empty());
  CHECK(terminal_output("dumb", 80, [] { work_for_a_while(true); }).empty());
  CHECK(terminal_output("xterm", 80, [] {
          Progress progress("short", 2, true);
          progress.add(1);
          progress.add(1);
        }).empty());
  CHECK(terminal_output("xterm", 80, [] {
          Progress progress("none", 0, true);
          sleep_ms(520);
          progress.add(1);
        }).empty());
}

TEST_CASE("nothing is written to a file") {
  const TemporaryFolder folder;
  FILE* file = std::fopen(folder.file("err").c_str(), "w");
  REQUIRE(file != nullptr);
  ::setenv("TERM", "xterm", 1);
  with_stderr(::fileno(file), [] {
    CHECK_FALSE(Progress::terminal());
    work_for_a_while(true);
  });
  std::fclose(file);
  CHECK(file_text(folder.file("err")).empty());
}

TEST_CASE("progress tells the rate since the beginning and the time that is left") {
  CHECK(progress_text("sidecars", 50, 200, ProgressUnit::kItems, 2.0) == "sidecars 25%  25/s, 6 s left");
  CHECK(progress_text("w", 1'500'000'000, 3'000'000'000, ProgressUnit::kBytes, 1.0) == "w 50%  1.5 GB/s, 1 s left");
  CHECK(progress_text("w", 512, 1024, ProgressUnit::kBytes, 1.0) == "w 50%  512 bytes/s, 1 s left");
  CHECK(progress_text("w", 1, 601, ProgressUnit::kItems, 1.0) == "w 0%  1/s, 10 min left");
  CHECK(progress_text("w", 1, 9001, ProgressUnit::kItems, 1.0) == "w 0%  1/s, 2.5 h left");
  CHECK(progress_text("w", 12, 10, ProgressUnit::kItems, 1.0) == "w 100%  10/s, 0 s left");
  CHECK(progress_text("w", 0, 10, ProgressUnit::kItems, 1.0) == "w 0%");
  CHECK(progress_text("w", 5, 10, ProgressUnit::kItems, 0.0) == "w 50%");
}
