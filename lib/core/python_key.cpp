// SPDX-License-Identifier: Apache-2.0
// Numbers that are equal across types get one text: integral ones their decimal digits, the others the bits of the
// double.
#include "core/python_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "core/errors.h"

namespace rlverify::core {

namespace {

constexpr std::size_t kMaxKeyBytes = 16U << 20;
constexpr int kMaxKeyDepth = 200;  // as deep as a literal can nest

[[noreturn]] void refuse_key() {
  Problem problem;
  problem.kind = ProblemKind::kLimit;
  problem.expected = "keys of at most 16 MiB and 200 levels";
  problem.found = "a larger one";
  throw ArtifactError(std::move(problem));
}

/// Nothing but the very same node has this text.
std::string identity_key(Value value) {
  return fmt::format("@{}:{};", static_cast<const void*>(value.table()), value.id());
}

std::string real_key(double value) {
  if (std::trunc(value) != value || std::isinf(value)) {
    return fmt::format("r{:016x};", std::bit_cast<std::uint64_t>(value));
  }
  // The longest double has 309 digits; adding zero turns -0.0 into 0.0.
  char digits[400];
  const auto end = std::to_chars(digits, digits + sizeof digits, value + 0.0, std::chars_format::fixed, 0).ptr;
  return fmt::format("i{};", std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

std::string big_integer_key(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  text.remove_prefix(std::min(text.find_first_of("123456789"), text.size()));
  if (text.empty()) {
    return "i0;";
  }
  return fmt::format("i{}{};", negative ? "-" : "", text);
}

std::string complex_key(Value value) {
  const std::span<const NodeId> parts = value.table()->items(value.id());
  const double real = value.table()->real(parts[0]);
  const double imaginary = value.table()->real(parts[1]);
  return imaginary == 0 ? real_key(real) : "c" + real_key(real) + real_key(imaginary);
}

std::string scalar_key(Value value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "N;";
    case Kind::kEllipsis:
      return "E;";
    case Kind::kBoolean:
      return value.boolean() ? "i1;" : "i0;";
    case Kind::kInteger:
      return fmt::format("i{};", value.integer());
    case Kind::kBigInteger:
      return big_integer_key(value.text());
    case Kind::kReal:
      return number_has_key(value) ? real_key(value.real()) : identity_key(value);
    case Kind::kComplex:
      return number_has_key(value) ? complex_key(value) : identity_key(value);
    case Kind::kString:
      return fmt::format("s{}:{};", value.text().size(), value.text());
    case Kind::kBytes:
      return fmt::format("b{}:{};", value.text().size(), value.text());
    case Kind::kType:
      return fmt::format("t{}:{};", value.text().size(), value.text());
    case Kind::kTensor:
      return fmt::format("T{}:{};", static_cast<const void*>(value.table()), value.index());
    case Kind::kOpaque:
      return fmt::format("o{}:{};", static_cast<const void*>(value.table()), value.index());
    default:
      return identity_key(value);
  }
}

// Recursive, since tuples in keys are shallow and the depth is capped.
std::string key_text(Value value, int depth) {
  if (!value.is(Kind::kTuple) && !value.is(Kind::kFrozenSet)) {
    return scalar_key(value);
  }
  if (depth >= kMaxKeyDepth) {
    refuse_key();
  }
  std::vector<std::string> elements;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    elements.push_back(key_text(value.at(i), depth + 1));
    bytes += elements.back().size();
    if (bytes > kMaxKeyBytes) {
      refuse_key();
    }
  }
  const bool ordered = value.is(Kind::kTuple);
  if (!ordered) {
    std::sort(elements.begin(), elements.end());
  }
  std::string text = ordered ? "(" : "{";
  for (const std::string& element : elements) {
    text += element;
  }
  return text + (ordered ? ")" : "}");
}

}  // namespace

std::string python_key(Value value) {
  return key_text(value, 0);
}

bool is_hashable(Value value) {
  if (value.is(Kind::kList) || value.is(Kind::kDict) || value.is(Kind::kSet)) {
    return false;
  }
  if (value.is(Kind::kTuple)) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!is_hashable(value.at(i))) {
        return false;
      }
    }
  }
  return true;
}

bool number_has_key(Value number) {
  if (number.is(Kind::kComplex)) {
    const std::span<const NodeId> parts = number.table()->items(number.id());
    return !std::isnan(number.table()->real(parts[0])) && !std::isnan(number.table()->real(parts[1]));
  }
  return !number.is(Kind::kReal) || !std::isnan(number.real());
}

PythonKeyIndex::PythonKeyIndex(Value container) {
  keys_.reserve(container.size());
  for (std::size_t i = 0; i < container.size(); ++i) {
    keys_.emplace_back(python_key(container.is_dict() ? container.key_at(i) : container.at(i)), i);
  }
  std::sort(keys_.begin(), keys_.end());
}

std::optional<std::size_t> PythonKeyIndex::find(Value key) const {
  const std::string text = python_key(key);
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), std::pair<std::string, std::size_t>(text, 0));
  return found != keys_.end() && found->first == text ? std::optional(found->second) : std::nullopt;
}

}  // namespace rlverify::core
