// SPDX-License-Identifier: Apache-2.0
// Progress under a pseudo-terminal, and its silence everywhere else.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
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
  ::fcntl(master, F_SETFL, O_NONBLOCK);
  std::string output(100'000, '\0');
  const ssize_t count = ::read(master, output.data(), output.size());
  output.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  ::close(slave);
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
  for (int i = 0; i < 20; ++i) {
    progress.add(1);
  }
}

}  // namespace

TEST_CASE("progress is drawn after half a second, at most ten times a second, and cleared at the end") {
  CHECK(terminal_output("xterm", 80, [] { work_for_a_while(true); }) == "\r\x1b[Ksidecars 25%\r\x1b[K");
  const std::string twice = terminal_output("xterm", 80, [] {
    Progress progress("b", 10, true);
    sleep_ms(520);
    progress.add(5);
    sleep_ms(120);
    progress.add(50);
  });
  CHECK(twice == "\r\x1b[Kb 50%\r\x1b[Kb 100%\r\x1b[K");
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
