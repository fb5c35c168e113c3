// SPDX-License-Identifier: Apache-2.0
// Parts of a sentence about differences, shared by the texts and the document of `diff`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diff/model_diff.h"

namespace rlverify::report {

/// "DIFFERENT", "WITHIN TOLERANCE", ...
[[nodiscard]] std::string_view answer_word(diff::Answer answer);
/// The same for documents: "different", "within_tolerance", ...
[[nodiscard]] std::string_view answer_key(diff::Answer answer);

/// 1536 as "1.5 KiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// A share for people: "0.03%", "100%"; never rounded to 0 or to 100.
[[nodiscard]] std::string share_text(std::uint64_t part, std::uint64_t whole);
/// Four significant digits.
[[nodiscard]] std::string short_number(double value);

/// "atol 1e-06, rtol 0.001, 4 ULP"; "equal bits" for an exact one.
[[nodiscard]] std::string tolerance_text(const diff::Tolerance& tolerance);

/// "0.5 (0x3f00) against 0.50390625 (0x3f01), 1 ULP apart (1 ULP)" with the two sides' names before the values.
[[nodiscard]] std::string pair_text(tensor::DType dtype, const tensor::FirstDifference& first,
                                    std::string_view reference_name, std::string_view candidate_name);

/// A hint as one sentence with its numbers.
[[nodiscard]] std::string pattern_text(const diff::Pattern& pattern, std::span<const std::uint64_t> shape);
/// The hint's kind as a key for documents.
[[nodiscard]] std::string_view pattern_key(diff::PatternKind kind);

/// "1 ULP 3, NaN payload 1": classes with a count.
[[nodiscard]] std::string classes_text(const tensor::Difference& difference);

}  // namespace rlverify::report
