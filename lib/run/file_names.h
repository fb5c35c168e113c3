// SPDX-License-Identifier: Apache-2.0
// The names that a run's files of one rank and call have: sidecars and kernel inputs (spec/run-artifacts.md section 6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rlverify::run {

struct RankCall {
  std::int64_t rank = 0;
  std::int64_t call = 0;
};

/// The decimal number that `text` begins with, from 0 to the largest of 64 signed bits; `text` is moved behind it.
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text);
/// Whether `text` begins with `word`; it is moved behind it then.
[[nodiscard]] bool take_word(std::string_view& text, std::string_view word);

/// "rank00003.call00000012.pt".
[[nodiscard]] std::string rank_call_name(std::int64_t rank, std::int64_t call_index);
/// The other way round, with any number of digits; nothing for a name of another form.
[[nodiscard]] std::optional<RankCall> parse_rank_call_name(std::string_view name);

}  // namespace rlverify::run
