// SPDX-License-Identifier: Apache-2.0
// Finds a metric record on one line of the log: the public validator's pattern, and a wider one that survives what
// terminals and Ray append.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "run/run_log.h"

namespace rlverify::run {

struct RecordMatch {
  RecordKind kind = RecordKind::kStep;
  std::int64_t number = 0;
  std::size_t begin = 0;          ///< of the kind word
  std::size_t payload_begin = 0;  ///< of the opening brace
  std::size_t payload_end = 0;    ///< behind the last closing brace; equal to payload_begin when the record has no end
  bool public_matches = false;
  std::uint64_t repeated = 0;
  std::string role;
};

/// `line` has no line break (split_python_lines). Absent when the line begins no record.
[[nodiscard]] std::optional<RecordMatch> match_record(std::string_view line);

/// Ray's prefix at the start of a line, colour codes skipped: actor class and pid.
struct RayPrefix {
  std::string actor;
  std::optional<std::int64_t> pid;
};
[[nodiscard]] RayPrefix ray_prefix(std::string_view line);

/// N of "[repeated Nx across cluster]" in `text`, or 0.
[[nodiscard]] std::uint64_t repeated_count(std::string_view text);

}  // namespace rlverify::run
