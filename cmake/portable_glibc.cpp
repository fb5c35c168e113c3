// SPDX-License-Identifier: Apache-2.0
// libstdc++'s random device calls arc4random, which glibc has from 2.36 on: the portable program brings its own, so that
// it starts where glibc is older.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept;

std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    if (errno != EINTR) {
      std::abort();
    }
  }
  return value;
}
