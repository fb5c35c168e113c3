// SPDX-License-Identifier: Apache-2.0
// The tables here are Unicode 14's, as Python 3.11 has them. Letters and numbers of other scripts are asked of RE2,
// which carries the full tables.
#include "run/text_scan.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace rlverify::run {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

/// The code points of the digit zero in every script beyond ASCII whose digits are decimal (category Nd).
constexpr std::array<std::uint32_t, 65> kZeroDigits = {
    0x660,   0x6F0,   0x7C0,   0x966,   0x9E6,   0xA66,   0xAE6,   0xB66,   0xBE6,   0xC66,   0xCE6,
    0xD66,   0xDE6,   0xE50,   0xED0,   0xF20,   0x1040,  0x1090,  0x17E0,  0x1810,  0x1946,  0x19D0,
    0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,  0xA900,  0xA9D0,  0xA9F0,
    0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450,
    0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0,
    0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0};

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Length of the well-formed sequence at `at`, or 0; `bad` then gets the length of the part that one replacement
/// character stands for.
std::size_t sequence_length(std::string_view text, std::size_t at, std::size_t& bad) {
  const unsigned char lead = byte_at(text, at);
  bad = 1;
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and code points beyond Unicode.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) {
      return 0;
    }
    const unsigned char next = byte_at(text, at + i);
    if (i == 1 ? (next < low || next > high) : (next < 0x80 || next > 0xBF)) {
      return 0;
    }
    bad = i + 1;
  }
  return length;
}

std::uint32_t decode(std::string_view text, std::size_t at, std::size_t length) {
  const std::uint32_t lead = byte_at(text, at);
  if (length == 1) {
    return lead;
  }
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (byte_at(text, at + i) & 0x3FU);
  }
  return code;
}

bool is_line_break(std::uint32_t code) {
  return code == '\r' || code == '\v' || code == '\f' || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
         code == 0x2028 || code == 0x2029;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return {};
  }
  std::size_t bad = 0;
  const std::size_t length = sequence_length(text, at, bad);
  return length != 0 ? Character{decode(text, at, length), length} : Character{kReplacement, bad};
}

Character character_before(std::string_view text, std::size_t at) {
  if (at == 0) {
    return {};
  }
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (byte_at(text, begin) & 0xC0U) == 0x80) {
    --begin;
  }
  std::size_t bad = 0;
  const std::size_t length = sequence_length(text.substr(0, at), begin, bad);
  return begin + length == at ? Character{decode(text, begin, length), length} : Character{kReplacement, 1};
}

bool is_python_space(std::uint32_t code) {
  return code == ' ' || (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x1F) || code == 0x85 ||
         code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_python_word(std::uint32_t code) {
  if (code < 0x80) {
    return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || code == '_';
  }
  static const RE2 kWord("[\\pL\\pN]");
  std::string text;
  for (int shift = code < 0x800 ? 6 : code < 0x10000 ? 12 : 18; shift >= 0; shift -= 6) {
    const std::uint32_t part = (code >> shift) & 0x3F;
    const std::uint32_t lead = code < 0x800     ? 0xC0 | (code >> 6)
                               : code < 0x10000 ? 0xE0 | (code >> 12)
                                                : 0xF0 | (code >> 18);
    text += static_cast<char>(text.empty() ? lead : 0x80 | part);
  }
  return RE2::FullMatch(text, kWord);
}

int python_digit(std::uint32_t code) {
  if (code < 0x80) {
    return code >= '0' && code <= '9' ? static_cast<int>(code - '0') : -1;
  }
  const auto* const next = std::upper_bound(kZeroDigits.begin(), kZeroDigits.end(), code);
  if (next == kZeroDigits.begin()) {
    return -1;
  }
  const std::uint32_t distance = code - *(next - 1);
  return distance < 10 ? static_cast<int>(distance) : -1;
}

void split_python_lines(std::string_view text, std::vector<LinePiece>& pieces) {
  pieces.clear();
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const unsigned char byte = byte_at(text, at);
    // Only control characters and the leads of U+0085, U+2028 and U+2029 can break a line.
    if ((byte >= 0x20 && byte != 0xC2 && byte != 0xE2) || byte == '\t') {
      ++at;
      continue;
    }
    const Character character = character_at(text, at);
    if (!is_line_break(character.code)) {
      at += character.bytes;
      continue;
    }
    pieces.push_back({begin, at});
    at += character.bytes;
    begin = at;
  }
  if (begin < text.size()) {
    pieces.push_back({begin, text.size()});
  }
}

bool is_valid_utf8(std::string_view bytes) {
  std::size_t bad = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = sequence_length(bytes, at, bad);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

std::string decode_with_replacement(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t bad = 0;
    const std::size_t length = sequence_length(bytes, at, bad);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      at += bad;
    } else {
      out += bytes.substr(at, length);
      at += length;
    }
  }
  return out;
}

std::size_t csi_length(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || text[at] != '\x1b' || text[at + 1] != '[') {
    return 0;
  }
  std::size_t end = at + 2;
  const auto skip = [&](unsigned char low, unsigned char high) {
    while (end < text.size() && byte_at(text, end) >= low && byte_at(text, end) <= high) {
      ++end;
    }
  };
  skip(0x30, 0x3F);
  skip(0x20, 0x2F);
  return end < text.size() && byte_at(text, end) >= 0x40 && byte_at(text, end) <= 0x7E ? end + 1 - at : 0;
}

std::string strip_csi(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = csi_length(text, at);
    if (length == 0) {
      out += text[at];
      ++at;
    } else {
      at += length;
    }
  }
  return out;
}

}  // namespace rlverify::run
