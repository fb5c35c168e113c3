// SPDX-License-Identifier: Apache-2.0
// Mappings begin at multiples of 2 MiB of the file where they can: the kernel then maps its large pages whole, with one
// fault for each.
#include "tensor/mapped_window.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace rlverify::tensor {
namespace {

constexpr std::uint64_t kLargePageBytes = 2ULL << 20;

/// One mapped stretch.
class Mapping {
 public:
  explicit Mapping(const FileStretch& stretch)
      : skipped_(stretch.offset % kLargePageBytes), size_(stretch.bytes + skipped_) {
    const int descriptor = stretch.source->descriptor();
    if (descriptor >= 0 && stretch.bytes > 0) {
      address_ =
          ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(stretch.offset - skipped_));
    }
  }
  ~Mapping() {
    if (mapped()) {
      ::munmap(address_, size_);
    }
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] bool mapped() const { return address_ != MAP_FAILED; }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::span(static_cast<const std::byte*>(address_), size_).subspan(skipped_);
  }

 private:
  std::size_t skipped_;
  std::size_t size_;
  void* address_ = MAP_FAILED;
};

/// Where a thread goes when a page of its stretches can't be had.
struct Guard {
  sigjmp_buf jump{};
  std::span<const std::byte> stretches[2];
};
thread_local Guard* volatile active_guard = nullptr;

/// The process's own action for faults that are none of ours.
struct sigaction previous_action;

void on_bus_error(int signal, siginfo_t* info, void* context) {
  Guard* const guard = active_guard;
  const auto* const address = static_cast<const std::byte*>(info->si_addr);
  for (std::size_t i = 0; guard != nullptr && i < 2; ++i) {
    const auto stretch = guard->stretches[i];
    if (address >= stretch.data() && address < stretch.data() + stretch.size()) {
      active_guard = nullptr;
      siglongjmp(guard->jump, 1);
    }
  }
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else {
    // The fault comes again at once and then ends the program as it would have without us.
    ::sigaction(SIGBUS, &previous_action, nullptr);
  }
}

void install_handler() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

/// A file that was cut within a page gives zeros up to the page's end and no fault, so its length is looked at once
/// more.
bool is_still_whole(const FileStretch& stretch) {
  struct stat status {};
  return ::fstat(stretch.source->descriptor(), &status) == 0 &&
         static_cast<std::uint64_t>(status.st_size) >= stretch.offset + stretch.bytes;
}

/// Makes the guard the thread's own for as long as it lives.
class Activation {
 public:
  explicit Activation(Guard& guard) { active_guard = &guard; }
  ~Activation() { active_guard = nullptr; }
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;
};

}  // namespace

bool look_at_mapped(const FileStretch& reference, const FileStretch& candidate,
                    const std::function<void(std::span<const std::byte>, std::span<const std::byte>)>& look) {
  const Mapping left(reference);
  const Mapping right(candidate);
  if (!left.mapped() || !right.mapped()) {
    return false;
  }
  install_handler();
  Guard guard;
  guard.stretches[0] = left.bytes();
  guard.stretches[1] = right.bytes();
  if (sigsetjmp(guard.jump, 1) != 0) {
    return false;
  }
  {
    const Activation activation(guard);
    look(guard.stretches[0], guard.stretches[1]);
  }
  return is_still_whole(reference) && is_still_whole(candidate);
}

}  // namespace rlverify::tensor
