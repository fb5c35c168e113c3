// SPDX-License-Identifier: Apache-2.0
// Strings of JSON text: runs of plain ASCII are skipped eight bytes at a time, everything else byte by byte with the
// state kept in the lexer, so that a block may end anywhere. UTF-8 is checked against the table of the Unicode standard
// (chapter 3.9, table 3-7).
#include <fmt/format.h>

#include <cstring>

#include "core/json_lexer.h"

namespace rlverify::core {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

/// Whether any byte of `word` is a quote, a backslash, a control character or outside ASCII.
bool has_special_byte(std::uint64_t word) {
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t below_space = (word - kOnes * 0x20) & ~word;
  return (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) | below_space | word) & kHighBits;
}

bool is_plain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

const char* skip_plain(const char* first, const char* last) {
  while (last - first >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, first, sizeof word);
    if (has_special_byte(word)) {
      break;
    }
    first += 8;
  }
  while (first != last && is_plain(static_cast<unsigned char>(*first))) {
    ++first;
  }
  return first;
}

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xE0) {
    return 2;
  }
  return lead < 0xF0 ? 3 : 4;
}

/// `text`, which was cut somewhere, without the incomplete sequence at its end.
std::string_view whole_characters(std::string_view text) {
  std::size_t lead = text.size();
  while (lead > 0 && (static_cast<unsigned char>(text[lead - 1]) & 0xC0U) == 0x80U) {
    --lead;
  }
  if (lead == 0) {
    return {};
  }
  --lead;
  const bool complete = lead + sequence_length(static_cast<unsigned char>(text[lead])) <= text.size();
  return complete ? text : text.substr(0, lead);
}

}  // namespace

std::string_view JsonLexer::scan_string(bool is_key) {
  const Place start = place();
  advance();
  scratch_.clear();
  cut_ = false;
  bool in_scratch = false;
  const char* run = cursor_;
  for (;;) {
    if (cursor_ == end_) {
      keep(run, cursor_);
      in_scratch = true;
      if (!refill()) {
        fail(fmt::format("the closing quote of the string at byte {}", start.offset));
      }
      run = cursor_;
    }
    if (sequence_left_ > 0) {
      scan_utf8_sequence_byte();
      continue;
    }
    cursor_ = skip_plain(cursor_, end_);
    if (cursor_ == end_) {
      continue;
    }
    const auto byte = static_cast<unsigned char>(*cursor_);
    if (byte == '"') {
      const char* last = cursor_;
      if (in_scratch) {
        keep(run, last);
      }
      advance();
      return finish_string(in_scratch ? scratch_ : std::string_view(run, static_cast<std::size_t>(last - run)), is_key,
                           start);
    }
    if (byte == '\\') {
      keep(run, cursor_);
      in_scratch = true;
      advance();
      scan_escape();
      run = cursor_;
    } else if (byte < 0x20) {
      fail("no control character in a string");
    } else {
      scan_utf8_sequence_byte();
    }
  }
}

std::string_view JsonLexer::finish_string(std::string_view text, bool is_key, Place start) const {
  const bool too_long = cut_ || text.size() > max_kept_bytes_;
  if (!too_long) {
    return text;
  }
  if (is_key) {
    fail(start, ProblemKind::kLimit, fmt::format("keys of at most {} bytes", max_kept_bytes_), "a longer one");
  }
  return whole_characters(text.substr(0, static_cast<std::size_t>(max_kept_bytes_)));
}

void JsonLexer::keep(const char* first, const char* last) {
  const auto count = static_cast<std::uint64_t>(last - first);
  const std::uint64_t room = max_kept_bytes_ - scratch_.size();
  if (count > room) {
    cut_ = true;
    last = first + room;
  }
  scratch_.append(first, last);
}

void JsonLexer::keep_code_point(std::uint32_t code_point) {
  const auto continuation = [&](unsigned shift) { return static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    const char bytes[] = {static_cast<char>(code_point)};
    keep(bytes, bytes + 1);
  } else if (code_point < 0x800) {
    const char bytes[] = {static_cast<char>(0xC0U | (code_point >> 6)), continuation(0)};
    keep(bytes, bytes + 2);
  } else if (code_point < 0x10000) {
    const char bytes[] = {static_cast<char>(0xE0U | (code_point >> 12)), continuation(6), continuation(0)};
    keep(bytes, bytes + 3);
  } else {
    const char bytes[] = {static_cast<char>(0xF0U | (code_point >> 18)), continuation(12), continuation(6),
                          continuation(0)};
    keep(bytes, bytes + 4);
  }
}

// As Python does: a high surrogate followed by an escaped low one is one character, every other surrogate stands for
// itself.
void JsonLexer::scan_escape() {
  if (peek() != 'u') {
    scan_simple_escape();
    return;
  }
  advance();
  std::uint32_t unit = scan_hex_digits();
  while (is_high_surrogate(unit) && peek() == '\\') {
    advance();
    if (peek() != 'u') {
      keep_code_point(unit);
      scan_simple_escape();
      return;
    }
    advance();
    const std::uint32_t second = scan_hex_digits();
    if (is_low_surrogate(second)) {
      keep_code_point(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00));
      return;
    }
    keep_code_point(unit);
    unit = second;
  }
  keep_code_point(unit);
}

void JsonLexer::scan_simple_escape() {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const int letter = peek();
  const std::size_t index = letter <= 0 ? std::string_view::npos : kLetters.find(static_cast<char>(letter));
  if (index == std::string_view::npos) {
    fail("one of \" \\ / b f n r t u after a backslash");
  }
  keep(kMeanings.data() + index, kMeanings.data() + index + 1);
  advance();
}

std::uint32_t JsonLexer::scan_hex_digits() {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = peek();
    std::uint32_t value = 0;
    if (digit >= '0' && digit <= '9') {
      value = static_cast<std::uint32_t>(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      value = static_cast<std::uint32_t>(digit - 'a' + 10);
    } else if (digit >= 'A' && digit <= 'F') {
      value = static_cast<std::uint32_t>(digit - 'A' + 10);
    } else {
      fail("four hex digits after \\u");
    }
    unit = unit * 16 + value;
    advance();
  }
  return unit;
}

void JsonLexer::scan_utf8_sequence_byte() {
  const auto byte = static_cast<unsigned char>(*cursor_);
  if (sequence_left_ > 0) {
    if (byte < sequence_low_ || byte > sequence_high_) {
      fail("UTF-8 text");
    }
    --sequence_left_;
    sequence_low_ = 0x80;
    sequence_high_ = 0xBF;
    advance();
    return;
  }
  if (byte < 0xC2 || byte > 0xF4) {
    fail("UTF-8 text");
  }
  sequence_left_ = static_cast<unsigned>(sequence_length(byte)) - 1;
  sequence_low_ = 0x80;
  sequence_high_ = 0xBF;
  // Over-long forms, surrogates and what lies beyond U+10FFFF are told by the second byte.
  if (byte == 0xE0) {
    sequence_low_ = 0xA0;
  } else if (byte == 0xED) {
    sequence_high_ = 0x9F;
  } else if (byte == 0xF0) {
    sequence_low_ = 0x90;
  } else if (byte == 0xF4) {
    sequence_high_ = 0x8F;
  }
  advance();
}

}  // namespace rlverify::core
