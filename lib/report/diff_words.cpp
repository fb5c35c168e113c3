// SPDX-License-Identifier: Apache-2.0
// A hint says first what was seen and then what usually does that; the numbers are always in it.
#include "report/diff_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "core/python_value.h"
#include "report/finding_text.h"

namespace rlverify::report {
namespace {

using diff::Pattern;
using diff::PatternKind;

/// "rows", "columns", "elements" or "indices of dimension 1".
std::string dimension_word(const Pattern& pattern, std::size_t dimensions) {
  if (!pattern.dimension || dimensions < 2) {
    return "elements";
  }
  if (dimensions == 2) {
    return *pattern.dimension == 0 ? "rows" : "columns";
  }
  return fmt::format("indices of dimension {}", *pattern.dimension);
}

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? grouped(first) : fmt::format("{} to {}", grouped(first), grouped(last));
}

std::string indices_text(const Pattern& pattern) {
  if (pattern.last - pattern.first + 1 == pattern.indices) {
    return range_text(pattern.first, pattern.last);
  }
  std::string out;
  for (const std::uint64_t index : pattern.listed) {
    out += (out.empty() ? "" : ", ") + grouped(index);
  }
  return pattern.indices > pattern.listed.size() ? out + ", ..." : out;
}

std::string density_text(const Pattern& pattern) {
  return pattern.density >= 1 ? "all their elements differ"
                              : fmt::format("{}% of their elements differ", short_number(100 * pattern.density));
}

std::string shift_text(const Pattern& pattern) {
  return fmt::format("constant shift: all {} differences are {}{}", grouped(pattern.indices),
                     pattern.exact_shift ? core::python_repr(pattern.shift) : short_number(pattern.shift),
                     pattern.exact_shift ? "" : ", up to the rounding of the dtype");
}

std::string index_set_text(const Pattern& pattern, const std::string& word, std::size_t dimensions) {
  const bool whole_rows = pattern.dimension == std::size_t{0} && dimensions > 1 && pattern.density >= 0.9;
  return fmt::format("{} {} of {} {} ({}); {}", whole_rows ? "whole rows: only" : "only", grouped(pattern.indices),
                     grouped(pattern.size), word, indices_text(pattern), density_text(pattern));
}

}  // namespace

std::string_view answer_word(diff::Answer answer) {
  static constexpr std::array<std::string_view, 5> kWords = {"EQUAL", "WITHIN TOLERANCE", "DIFFERENT", "INCOMPLETE",
                                                             "NOTHING COMPARED"};
  return kWords.at(static_cast<std::size_t>(answer));
}

std::string_view answer_key(diff::Answer answer) {
  static constexpr std::array<std::string_view, 5> kKeys = {"equal", "within_tolerance", "different", "incomplete",
                                                            "nothing_compared"};
  return kKeys.at(static_cast<std::size_t>(answer));
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  }
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits.at(unit));
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == whole) {
    return "100%";
  }
  const double percent = 100 * (static_cast<double>(part) / static_cast<double>(whole));
  if (part > 0 && percent < 0.001) {
    return "<0.001%";
  }
  if (percent > 99.9) {
    return ">99.9%";
  }
  return percent < 1 ? fmt::format("{:.3f}%", percent) : fmt::format("{:.1f}%", percent);
}

std::string short_number(double value) {
  return fmt::format("{:.4g}", value);
}

std::string tolerance_text(const diff::Tolerance& tolerance) {
  std::string out;
  if (tolerance.atol > 0) {
    out += fmt::format("atol {}", core::python_repr(tolerance.atol));
  }
  if (tolerance.rtol > 0) {
    out += fmt::format("{}rtol {}", out.empty() ? "" : ", ", core::python_repr(tolerance.rtol));
  }
  if (tolerance.ulp > 0) {
    out += fmt::format("{}{} ULP", out.empty() ? "" : ", ", grouped(tolerance.ulp));
  }
  return out.empty() ? "equal bits" : out;
}

std::string pair_text(tensor::DType dtype, const tensor::FirstDifference& first, std::string_view reference_name,
                      std::string_view candidate_name) {
  const auto side = [dtype](std::string_view name, std::span<const std::byte> bytes) {
    return fmt::format("{}{}{}", name, name.empty() ? "" : " ", tensor::element_text(dtype, bytes));
  };
  const std::string distance = first.ulp_distance == 0 ? ""
                                                       : fmt::format(", {} {} apart", grouped(first.ulp_distance),
                                                                     tensor::is_integer(dtype) ? "steps" : "ULP");
  return fmt::format("{} against {}{}, class {}", side(reference_name, first.reference),
                     side(candidate_name, first.candidate), distance,
                     tensor::difference_class_name(first.difference_class));
}

std::string pattern_text(const Pattern& pattern, std::span<const std::uint64_t> shape) {
  const std::string word = dimension_word(pattern, shape.size());
  switch (pattern.kind) {
    case PatternKind::kConstantShift:
      return shift_text(pattern);
    case PatternKind::kIndices:
      return index_set_text(pattern, word, shape.size());
    case PatternKind::kStripe:
      return fmt::format("one stripe: only {} {} of {}; {}", word, range_text(pattern.first, pattern.last),
                         grouped(pattern.size), density_text(pattern));
    case PatternKind::kTail:
      return fmt::format("only the tail: {} {} to {} of {}; {}", word, grouped(pattern.first), grouped(pattern.last),
                         grouped(pattern.size), density_text(pattern));
    case PatternKind::kVocabulary:
      return fmt::format("only beyond the real vocabulary: {} {} of {}, vocabulary {}; {} (padding that no token uses)",
                         word, range_text(pattern.first, pattern.last), grouped(pattern.size),
                         grouped(pattern.vocabulary), density_text(pattern));
    case PatternKind::kTensorParallel:
      return fmt::format("tensor-parallel shard: only {} {} of {}, which is part {} of {}; {}", word,
                         range_text(pattern.first, pattern.last), grouped(pattern.size), pattern.part + 1,
                         pattern.parts, density_text(pattern));
    case PatternKind::kContextParallel:
      return fmt::format(
          "context-parallel chunks: only {} in chunks {} and {} of {} ({} each), those of rank {} of {}; {}", word,
          pattern.part + 1, 2 * pattern.parts - pattern.part, 2 * pattern.parts, grouped(pattern.chunk), pattern.part,
          pattern.parts, density_text(pattern));
  }
  return "";
}

std::string_view pattern_key(PatternKind kind) {
  static constexpr std::array<std::string_view, 7> kKeys = {
      "constant_shift", "indices", "stripe", "tail", "vocabulary", "tensor_parallel", "context_parallel"};
  return kKeys.at(static_cast<std::size_t>(kind));
}

std::string classes_text(const tensor::Difference& difference) {
  std::string out;
  for (std::size_t i = 0; i < tensor::kDifferenceClassCount; ++i) {
    if (difference.class_counts.at(i) > 0) {
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ",
                         tensor::difference_class_name(static_cast<tensor::DifferenceClass>(i)),
                         grouped(difference.class_counts.at(i)));
    }
  }
  return out;
}

}  // namespace rlverify::report
