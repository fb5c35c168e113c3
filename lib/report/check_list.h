// SPDX-License-Identifier: Apache-2.0
// The checks of a validation, one per section in causal order, each with its verdict and what it looked at: the table
// of the text output, the `checks` of the findings document, the test cases of JUnit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"
#include "report/validation_result.h"

namespace rlverify::report {

/// `kUnavailable` is no pass: there was no evidence, it was not judged because of an earlier fault, or this run does
/// not need the check.
enum class CheckVerdict { kPassed, kFailed, kUnavailable };

struct Check {
  core::Section section = core::Section::kLaunch;
  CheckVerdict verdict = CheckVerdict::kUnavailable;
  std::string compared;  ///< what was compared, or why nothing was: "8 and 11 processes, 6 operators"
  Coverage coverage;
};

[[nodiscard]] std::vector<Check> checks_of(const ValidationResult& result);
[[nodiscard]] std::string_view verdict_name(CheckVerdict verdict);  ///< "passed", "failed", "unavailable"
/// What a section is called in text: "log-probs", "CUDA graphs".
[[nodiscard]] std::string_view section_title(core::Section section);
/// The sum over all sections.
[[nodiscard]] Coverage total_coverage(const ValidationResult& result);

}  // namespace rlverify::report
