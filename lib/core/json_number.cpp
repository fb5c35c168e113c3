// SPDX-License-Identifier: Apache-2.0
// std::from_chars rounds correctly and knows no locale, but doesn't say which end of the range a number left: that is
// decided by the place of its first digit that isn't zero.
#include "core/json_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

namespace rlverify::core {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t offset) {
  while (offset < text.size() && is_digit(text[offset])) {
    ++offset;
  }
  return offset;
}

/// The exponent after 'e', held within +-2^62.
std::int64_t exponent_of(std::string_view digits) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 62;
  if (!digits.empty() && digits.front() == '+') {
    digits.remove_prefix(1);
  }
  std::int64_t exponent = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (result.ec == std::errc::result_out_of_range) {
    return digits.front() == '-' ? -kLargest : kLargest;
  }
  return std::clamp(exponent, -kLargest, kLargest);
}

/// Whether a number that no double is near to is too large (and not too small).
bool is_huge(std::string_view text) {
  const std::size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  const std::int64_t exponent = exponent_at < text.size() ? exponent_of(text.substr(exponent_at + 1)) : 0;
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first_digit = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  return exponent + (point - first_digit) > 0;
}

}  // namespace

JsonNumberSyntax check_json_number(std::string_view text) {
  JsonNumberSyntax syntax;
  std::size_t at = !text.empty() && text.front() == '-' ? 1 : 0;
  const std::size_t whole_at = at;
  at = skip_digits(text, at);
  if (at > whole_at + 1 && text[whole_at] == '0') {
    at = whole_at + 1;
  }
  syntax.error_offset = at;
  if (at == whole_at) {
    return syntax;
  }
  syntax.integral = true;
  if (at < text.size() && text[at] == '.') {
    syntax.integral = false;
    const std::size_t fraction_at = at + 1;
    at = skip_digits(text, fraction_at);
    syntax.error_offset = at;
    if (at == fraction_at) {
      return syntax;
    }
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    syntax.integral = false;
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
      ++at;
    }
    const std::size_t digits_at = at;
    at = skip_digits(text, digits_at);
    syntax.error_offset = at;
    if (at == digits_at) {
      return syntax;
    }
  }
  syntax.valid = at == text.size();
  return syntax;
}

double json_number_value(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc::result_out_of_range) {
    return value;
  }
  const double magnitude = is_huge(text) ? std::numeric_limits<double>::infinity() : 0.0;
  return text.front() == '-' ? -magnitude : magnitude;
}

}  // namespace rlverify::core
