// SPDX-License-Identifier: Apache-2.0
// Reading JSON texts in blocks of any size, for the tests of the JSON reader.
#pragma once

#include <array>
#include <string_view>

#include "core/json_reader.h"
#include "test_support.h"

namespace rlverify::core::test {

inline constexpr std::array<std::size_t, 5> kBlockSizes = {1, 2, 3, 7, 1U << 20};

inline JsonDocument read_text(std::string_view text, JsonMode mode, std::size_t block_bytes = 1U << 20,
                              JsonLimits limits = {}) {
  limits.block_bytes = block_bytes;
  return read_json(CopyingSource("t.json", text), mode, limits);
}

/// The problem of a text that goes over a limit.
inline Problem limit_of(std::string_view text, const JsonLimits& limits) {
  Problem problem =
      problem_of([&] { static_cast<void>(read_text(text, JsonMode::kStrict, limits.block_bytes, limits)); });
  CHECK(problem.kind == ProblemKind::kLimit);
  return problem;
}

}  // namespace rlverify::core::test
