// SPDX-License-Identifier: Apache-2.0
// What the system says of its memory.
#include <catch2/catch.hpp>

#include "core/memory.h"

using namespace rlverify;

TEST_CASE("MemAvailable is read in kibibytes; a text without it says nothing") {
  CHECK(core::available_of_meminfo("MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:    2048 kB\n") == 2097152U);
  CHECK_FALSE(core::available_of_meminfo("MemTotal: 16384 kB\n").has_value());
  CHECK_FALSE(core::available_of_meminfo("MemAvailable: much\n").has_value());
}

TEST_CASE("this machine has some memory") {
  const auto available = core::available_memory();
  REQUIRE(available.has_value());
  CHECK(*available > (1U << 20U));
}
