// SPDX-License-Identifier: Apache-2.0
// Truth, types and int() as Python 3.11 has them. Equality is in python_equal.cpp, text in python_repr.cpp.
#include "core/python_value.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/unicode.h"

namespace rlverify::core {

namespace {

/// `text` with every decimal digit as ASCII and all other characters that int() may meet as they are; nothing for any
/// other character.
std::optional<std::string> ascii_number_text(std::string_view text) {
  std::string ascii;
  while (!text.empty()) {
    const CodePoint code_point = decode_utf8(text);
    if (!code_point.valid) {
      return std::nullopt;
    }
    text.remove_prefix(code_point.bytes);
    if (const std::optional<int> digit = decimal_digit(code_point.value)) {
      ascii += static_cast<char>('0' + *digit);
    } else if (is_number_space(code_point.value)) {
      ascii += ' ';
    } else if (code_point.value == '+' || code_point.value == '-' || code_point.value == '_') {
      ascii += static_cast<char>(code_point.value);
    } else {
      return std::nullopt;
    }
  }
  return ascii;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// int(str) in base 10: space around it, one sign, single underscores between digits.
std::optional<std::int64_t> int_of_text(std::string_view text) {
  const std::optional<std::string> ascii = ascii_number_text(text);
  if (!ascii) {
    return std::nullopt;
  }
  std::string_view rest = trim(*ascii);
  std::string digits;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    digits = rest.front() == '-' ? "-" : "";
    rest.remove_prefix(1);
  }
  bool after_digit = false;
  for (const char c : rest) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c != '_' || !after_digit)) {
      return std::nullopt;
    }
    after_digit = is_digit;
    if (is_digit) {
      digits += c;
    }
  }
  std::int64_t value = 0;
  if (!after_digit || std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> int_of_real(double value) {
  const double whole = std::trunc(value);
  // 2^63 itself is one too many; NaN fails both comparisons.
  if (!(whole >= -0x1p63 && whole < 0x1p63)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(whole);
}

}  // namespace

bool python_truth(Value value) {
  if (!value.present()) {
    return false;
  }
  switch (value.kind()) {
    case Kind::kNull:
      return false;
    case Kind::kBoolean:
      return value.boolean();
    case Kind::kInteger:
      return value.integer() != 0;
    case Kind::kReal:
      return value.real() != 0;
    case Kind::kComplex: {
      const std::span<const NodeId> parts = value.table()->items(value.id());
      return value.table()->real(parts[0]) != 0 || value.table()->real(parts[1]) != 0;
    }
    case Kind::kString:
    case Kind::kBytes:
      return !value.text().empty();
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
    case Kind::kSet:
    case Kind::kFrozenSet:
      return value.size() != 0;
    case Kind::kBigInteger:
    case Kind::kEllipsis:
    case Kind::kTensor:
    case Kind::kType:
    case Kind::kOpaque:
      return true;
  }
  return true;
}

std::optional<std::int64_t> python_int(Value value) {
  switch (value.kind()) {
    case Kind::kBoolean:
      return value.boolean() ? 1 : 0;
    case Kind::kInteger:
      return value.integer();
    case Kind::kReal:
      return int_of_real(value.real());
    case Kind::kString:
      return int_of_text(value.text());
    default:
      return std::nullopt;
  }
}

bool python_is_int(Value value) {
  return value.is(Kind::kBoolean) || value.is(Kind::kInteger) || value.is(Kind::kBigInteger);
}

bool python_is_number(Value value) {
  return value.is(Kind::kInteger) || value.is(Kind::kBigInteger) || value.is(Kind::kReal);
}

}  // namespace rlverify::core
