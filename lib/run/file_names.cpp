// SPDX-License-Identifier: Apache-2.0
// Names are read with any number of digits: what a name's content must be is a rule's business.
#include "run/file_names.h"

#include <fmt/format.h>

#include <charconv>

namespace rlverify::run {

std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_word(std::string_view& text, std::string_view word) {
  const bool found = text.substr(0, word.size()) == word;
  text.remove_prefix(found ? word.size() : 0);
  return found;
}

std::string rank_call_name(std::int64_t rank, std::int64_t call_index) {
  return fmt::format("rank{:05}.call{:08}.pt", rank, call_index);
}

std::optional<RankCall> parse_rank_call_name(std::string_view name) {
  const auto rank = take_word(name, "rank") ? take_number(name) : std::nullopt;
  const auto call = rank && take_word(name, ".call") ? take_number(name) : std::nullopt;
  return call && name == ".pt" ? std::optional(RankCall{*rank, *call}) : std::nullopt;
}

}  // namespace rlverify::run
