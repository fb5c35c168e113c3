// SPDX-License-Identifier: Apache-2.0
// Signals become an exception with the right exit code, at the next block; ignored ones stay ignored.
#include <catch2/catch.hpp>
#include <csignal>
#include <string>

#include "core/byte_source.h"
#include "core/json_reader.h"
#include "core/signals.h"
#include "json_test_support.h"

using namespace rlverify::core;
using namespace rlverify::core::test;

namespace {

/// Puts everything back that a test of signals changes.
struct SignalGuard {
  SignalGuard() = default;
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() {
    clear_interrupt();
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
  }
};

ExitCode code_after(int signal_number) {
  std::raise(signal_number);
  try {
    check_interrupted();
  } catch (const Interrupted& error) {
    return error.exit_code();
  }
  return ExitCode::kPassed;
}

}  // namespace

TEST_CASE("nothing is thrown before a signal, and 130 or 143 after one") {
  const SignalGuard guard;
  install_signal_handlers();
  CHECK_FALSE(interrupted());
  CHECK_NOTHROW(check_interrupted());
  CHECK(code_after(SIGINT) == ExitCode::kInterrupted);
  CHECK(interrupted());
  clear_interrupt();
  CHECK(code_after(SIGTERM) == ExitCode::kTerminated);
}

TEST_CASE("a signal that was ignored before stays ignored") {
  const SignalGuard guard;
  std::signal(SIGINT, SIG_IGN);
  install_signal_handlers();
  CHECK(code_after(SIGINT) == ExitCode::kPassed);
}

TEST_CASE("a closed pipe is an error code after the handlers are installed") {
  const SignalGuard guard;
  install_signal_handlers();
  struct sigaction action {};
  REQUIRE(::sigaction(SIGPIPE, nullptr, &action) == 0);
  CHECK(action.sa_handler == SIG_IGN);
}

TEST_CASE("readers stop at the next block, and not as if the file were bad") {
  const SignalGuard guard;
  install_signal_handlers();
  std::raise(SIGTERM);
  CHECK_THROWS_AS(read_text("[1]", JsonMode::kStrict), Interrupted);
  const MemorySource source("m", std::string_view("abc"));
  BlockReader reader(source, 0, 3);
  CHECK_THROWS_AS(reader.next(), Interrupted);
}
