// SPDX-License-Identifier: Apache-2.0
// Big numbers are turned to decimal by repeated division of 32-bit limbs: quadratic, and harmless under the cap on
// their length.
#include "tensor/pickle_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace rlverify::tensor {
namespace {

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto byte = [&out](std::uint32_t value) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(value)));
  };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0U | code_point >> 6U);
    byte(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    byte(0xE0U | code_point >> 12U);
    byte(0x80U | (code_point >> 6U & 0x3FU));
    byte(0x80U | (code_point & 0x3FU));
  } else {
    byte(0xF0U | code_point >> 18U);
    byte(0x80U | (code_point >> 12U & 0x3FU));
    byte(0x80U | (code_point >> 6U & 0x3FU));
    byte(0x80U | (code_point & 0x3FU));
  }
}

std::optional<std::uint32_t> hex_number(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char digit : digits) {
    std::uint32_t nibble = 0;
    if (digit >= '0' && digit <= '9') {
      nibble = static_cast<std::uint32_t>(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      nibble = static_cast<std::uint32_t>(digit - 'a') + 10;
    } else if (digit >= 'A' && digit <= 'F') {
      nibble = static_cast<std::uint32_t>(digit - 'A') + 10;
    } else {
      return std::nullopt;
    }
    value = value << 4U | nibble;
  }
  return value;
}

}  // namespace

std::string decimal_from_twos_complement(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return "0";
  }
  const bool negative = (bytes.back() & std::byte{0x80}) != std::byte{0};
  std::vector<std::uint32_t> limbs((bytes.size() + 3) / 4, negative ? 0xFFFFFFFFU : 0U);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(i % 4) * 8;
    limbs[i / 4] = (limbs[i / 4] & ~(0xFFU << shift)) | static_cast<std::uint32_t>(bytes[i]) << shift;
  }
  if (negative) {
    std::uint64_t carry = 1;
    for (std::uint32_t& limb : limbs) {
      const std::uint64_t sum = static_cast<std::uint64_t>(~limb) + carry;
      limb = static_cast<std::uint32_t>(sum);
      carry = sum >> 32U;
    }
  }
  constexpr std::uint32_t kChunk = 1'000'000'000;
  std::vector<std::uint32_t> chunks;
  while (!limbs.empty()) {
    std::uint64_t remainder = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
      const std::uint64_t value = remainder << 32U | limbs[i];
      limbs[i] = static_cast<std::uint32_t>(value / kChunk);
      remainder = value % kChunk;
    }
    chunks.push_back(static_cast<std::uint32_t>(remainder));
    while (!limbs.empty() && limbs.back() == 0) {
      limbs.pop_back();
    }
  }
  std::string digits = negative ? "-" : "";
  digits += fmt::format("{}", chunks.back());
  for (std::size_t i = chunks.size() - 1; i-- > 0;) {
    digits += fmt::format("{:09}", chunks[i]);
  }
  return digits;
}

bool is_decimal_integer(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char character) { return character >= '0' && character <= '9'; });
}

bool is_pickle_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < length) {
      return false;
    }
    for (std::size_t i = 1; i < length; ++i) {
      if ((static_cast<unsigned char>(text[at + i]) & 0xC0U) != 0x80U) {
        return false;
      }
    }
    const auto second = static_cast<unsigned char>(text[at + 1]);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
      return false;
    }
    at += length;
  }
  return true;
}

std::optional<std::string> decode_raw_unicode_escape(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool escape = text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == 'u' || text[at + 1] == 'U');
    if (!escape) {
      append_utf8(out, static_cast<unsigned char>(text[at]));
      ++at;
      continue;
    }
    const std::size_t digits = text[at + 1] == 'u' ? 4 : 8;
    const auto code_point = text.size() - at - 2 < digits ? std::nullopt : hex_number(text.substr(at + 2, digits));
    if (!code_point || *code_point > 0x10FFFF) {
      return std::nullopt;
    }
    append_utf8(out, *code_point);
    at += 2 + digits;
  }
  return out;
}

std::optional<std::string> decode_quoted_string(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') || text.front() != text.back()) {
    return std::nullopt;
  }
  text = text.substr(1, text.size() - 2);
  constexpr std::string_view kEscapes = "\\'\"abfnrtv";
  constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] != '\\') {
      out.push_back(text[at++]);
      continue;
    }
    if (at + 1 >= text.size()) {
      return std::nullopt;
    }
    const char kind = text[at + 1];
    if (const std::size_t simple = kEscapes.find(kind); simple != std::string_view::npos) {
      out.push_back(kMeanings[simple]);
      at += 2;
    } else if (kind == 'x') {
      const auto value = text.size() - at < 4 ? std::nullopt : hex_number(text.substr(at + 2, 2));
      if (!value) {
        return std::nullopt;
      }
      out.push_back(static_cast<char>(static_cast<unsigned char>(*value)));
      at += 4;
    } else {
      return std::nullopt;  // Python's repr() writes no other escape
    }
  }
  return out;
}

std::optional<std::string> latin1_from_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      out.push_back(text[at]);
      continue;
    }
    if ((lead != 0xC2 && lead != 0xC3) || at + 1 >= text.size()) {
      return std::nullopt;
    }
    const auto second = static_cast<unsigned char>(text[++at]);
    out.push_back(static_cast<char>(static_cast<unsigned char>((lead & 0x03U) << 6U | (second & 0x3FU))));
  }
  return out;
}

}  // namespace rlverify::tensor
