// SPDX-License-Identifier: Apache-2.0
// How far apart two elements may be. Without a tolerance only equal bits are equal. With one, a pair whose bits differ
// is within it when |candidate - reference| <= atol + rtol * |reference|, or when at most `ulp` steps lie between them;
// NaN and infinity are never within any. What is within is still counted and shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diff/name_filter.h"
#include "tensor/difference_reader.h"

namespace rlverify::diff {

/// All zero: equal bits.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
  std::uint64_t ulp = 0;

  [[nodiscard]] bool exact() const { return atol == 0 && rtol == 0 && ulp == 0; }
};

/// One tolerance for all names, or rules of which the first that matches a name counts.
class Tolerances {
 public:
  Tolerances() = default;
  explicit Tolerances(const Tolerance& all) : all_(all) {}
  /// Reads `[{"pattern": RE2, "atol": X, "rtol": X, "ulp": N}, ...]` (numbers may be left out: 0). Throws
  /// core::ArtifactError for a file that can't be read as JSON, core::UsageError with line and column for a rule of
  /// another form.
  [[nodiscard]] static Tolerances read(const std::string& path);

  /// The tolerance of a name; nothing when no rule matches it.
  [[nodiscard]] std::optional<Tolerance> find(std::string_view name) const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct Rule {
    NamePattern pattern;
    Tolerance tolerance;
  };
  Tolerance all_;
  std::string file_;  ///< empty: all_ counts
  std::vector<Rule> rules_;
};

/// Elements that no tolerance covers.
struct OutsideCount {
  std::uint64_t elements = 0;
  std::optional<tensor::FirstDifference> first;

  void add(const OutsideCount& next);
};

/// Of the elements of part `part` whose bits differ, those outside `tolerance` (complex: in either component). `part`'s
/// own difference decides without reading where it can.
[[nodiscard]] OutsideCount count_outside(const tensor::TensorBytes& reference, const tensor::TensorBytes& candidate,
                                         std::uint64_t part, const tensor::Difference& difference,
                                         const Tolerance& tolerance, tensor::BlockBuffers& buffers);

/// The same for elements in memory, from element `first_element` on.
[[nodiscard]] OutsideCount count_outside(tensor::DType dtype, std::uint64_t first_element, std::uint64_t count,
                                         std::span<const std::byte> reference, std::span<const std::byte> candidate,
                                         const Tolerance& tolerance);

}  // namespace rlverify::diff
