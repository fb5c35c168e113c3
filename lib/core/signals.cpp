// SPDX-License-Identifier: Apache-2.0
// The flag is the program's one global: a signal handler has no other way to reach the rest of the program.
#include "core/signals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace rlverify::core {

namespace {

std::atomic<int> arrived_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "only a lock-free atomic may be written in a signal handler");

extern "C" void remember_signal(int signal_number) {
  arrived_signal.store(signal_number, std::memory_order_relaxed);
}

void handle(int signal_number) {
  struct sigaction old_action {};
  if (::sigaction(signal_number, nullptr, &old_action) == 0 && old_action.sa_handler == SIG_IGN) {
    return;
  }
  struct sigaction action {};
  action.sa_handler = remember_signal;
  ::sigemptyset(&action.sa_mask);
  // Restarted, so that no read or write of ours sees EINTR; the loops look at the flag between blocks.
  action.sa_flags = SA_RESTART;
  if (::sigaction(signal_number, &action, nullptr) != 0) {
    throw Error(ExitCode::kInternal, std::string("can't install a signal handler: ") + std::strerror(errno));
  }
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT);
  handle(SIGTERM);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() noexcept {
  return arrived_signal.load(std::memory_order_relaxed) != 0;
}

void check_interrupted() {
  const int signal_number = arrived_signal.load(std::memory_order_relaxed);
  if (signal_number != 0) {
    throw Interrupted(signal_number == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted);
  }
}

void clear_interrupt() noexcept {
  arrived_signal.store(0, std::memory_order_relaxed);
}

}  // namespace rlverify::core
