// SPDX-License-Identifier: Apache-2.0
// By hand and not by regular expression: a line may have 16 MiB, and the pattern's greedy `{.*}` makes the end of the
// record the same for every start, so one look at the line's tail and one pass from the left answer it.
#include "run/record_matcher.h"

#include <array>
#include <limits>
#include <utility>

#include "run/text_scan.h"

namespace rlverify::run {
namespace {

constexpr std::array<std::pair<std::string_view, RecordKind>, 3> kKinds = {
    {{"rollout", RecordKind::kRollout}, {"step", RecordKind::kStep}, {"perf", RecordKind::kPerf}}};

std::size_t skip_space(std::string_view line, std::size_t at) {
  while (true) {
    const Character character = character_at(line, at);
    if (character.bytes == 0 || !is_python_space(character.code)) {
      return at;
    }
    at += character.bytes;
  }
}

std::size_t trim_space_end(std::string_view line, std::size_t end) {
  while (end > 0) {
    const Character character = character_before(line, end);
    if (!is_python_space(character.code)) {
      return end;
    }
    end -= character.bytes;
  }
  return end;
}

/// Behind the number and its colon and space: the position of the brace, or npos.
std::size_t header_end(std::string_view line, std::size_t at, std::int64_t& number) {
  const std::size_t digits_begin = skip_space(line, at);
  if (digits_begin == at) {
    return std::string_view::npos;
  }
  std::size_t end = digits_begin;
  number = 0;
  while (true) {
    const Character character = character_at(line, end);
    const int digit = character.bytes == 0 ? -1 : python_digit(character.code);
    if (digit < 0) {
      break;
    }
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    number = number > (kLargest - digit) / 10 ? kLargest : number * 10 + digit;
    end += character.bytes;
  }
  if (end == digits_begin || end >= line.size() || line[end] != ':') {
    return std::string_view::npos;
  }
  const std::size_t brace = skip_space(line, end + 1);
  return brace > end + 1 && brace < line.size() && line[brace] == '{' ? brace : std::string_view::npos;
}

/// The word before a hyphen that stands directly before the kind: "critic" of "critic-step".
std::string role_before(std::string_view line, std::size_t at) {
  if (at == 0 || line[at - 1] != '-') {
    return {};
  }
  std::size_t begin = at - 1;
  while (begin > 0 && static_cast<unsigned char>(line[begin - 1]) < 0x80 &&
         is_python_word(static_cast<unsigned char>(line[begin - 1]))) {
    --begin;
  }
  return std::string(line.substr(begin, at - 1 - begin));
}

/// What may follow a record and still leave it whole: white space, colour codes, Ray's note about repeats.
bool harmless_tail(std::string_view tail, std::uint64_t& repeated) {
  const std::string plain = strip_csi(tail);
  const std::size_t begin = skip_space(plain, 0);
  if (begin == plain.size()) {
    return true;
  }
  if (std::string_view(plain).substr(begin).rfind("[repeated ", 0) != 0) {
    return false;
  }
  repeated = repeated_count(plain);
  return repeated != 0;
}

}  // namespace

std::uint64_t repeated_count(std::string_view text) {
  static constexpr std::string_view kBegin = "[repeated ";
  static constexpr std::string_view kEnd = "x across cluster]";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
    std::size_t digit = at + kBegin.size();
    std::uint64_t count = 0;
    while (digit < text.size() && text[digit] >= '0' && text[digit] <= '9' && count < 1'000'000'000'000U) {
      count = count * 10 + static_cast<std::uint64_t>(text[digit] - '0');
      ++digit;
    }
    if (count != 0 && text.substr(digit, kEnd.size()) == kEnd) {
      return count;
    }
  }
  return 0;
}

RayPrefix ray_prefix(std::string_view line) {
  RayPrefix prefix;
  std::size_t at = 0;
  for (std::size_t length = csi_length(line, at); length != 0; length = csi_length(line, at)) {
    at += length;
  }
  if (at >= line.size() || line[at] != '(') {
    return prefix;
  }
  const std::size_t close = line.substr(0, at + 512).find(')', at);
  const std::size_t pid = line.substr(0, close).find(" pid=", at);
  if (close == std::string_view::npos || pid == std::string_view::npos) {
    return prefix;
  }
  prefix.actor = std::string(line.substr(at + 1, pid - at - 1));
  std::int64_t value = 0;
  std::size_t digit = pid + 5;
  for (; digit < close && line[digit] >= '0' && line[digit] <= '9' && value < 1'000'000'000'000; ++digit) {
    value = value * 10 + (line[digit] - '0');
  }
  if (digit > pid + 5) {
    prefix.pid = value;
  }
  return prefix;
}

std::optional<RecordMatch> match_record(std::string_view line) {
  if (line.find('{') == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t last_brace = line.rfind('}');
  const bool public_tail = last_brace != std::string_view::npos && trim_space_end(line, line.size()) == last_brace + 1;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c != 'r' && c != 's' && c != 'p') {
      continue;
    }
    for (const auto& [word, kind] : kKinds) {
      if (line.compare(at, word.size(), word) != 0) {
        continue;
      }
      const Character before = character_before(line, at);
      if (before.bytes != 0 && is_python_word(before.code)) {
        continue;
      }
      RecordMatch match;
      const std::size_t brace = header_end(line, at + word.size(), match.number);
      if (brace == std::string_view::npos) {
        continue;
      }
      match.kind = kind;
      match.begin = at;
      match.payload_begin = brace;
      match.payload_end = brace;
      match.role = role_before(line, at);
      const bool ends = last_brace != std::string_view::npos && last_brace > brace;
      match.public_matches = public_tail && ends;
      if (ends && (public_tail || harmless_tail(line.substr(last_brace + 1), match.repeated))) {
        match.payload_end = last_brace + 1;
      }
      return match;
    }
  }
  return std::nullopt;
}

}  // namespace rlverify::run
