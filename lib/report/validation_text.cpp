// SPDX-License-Identifier: Apache-2.0
// What a person reads after `validate`: the verdict first, then what was looked at, then every fault with its evidence.
// Text from artifacts is made printable before it is laid out, so that no run directory can write to the terminal.
#include <fmt/format.h>

#include <algorithm>

#include "core/python_value.h"
#include "report/check_list.h"
#include "report/finding_text.h"
#include "report/findings_text.h"
#include "report/text_layout.h"
#include "report/utf8.h"
#include "report/validation_document.h"

namespace rlverify::report {

namespace {

/// Writes the parts with one set of options.
class TextWriter {
 public:
  explicit TextWriter(const TextOptions& options) : options_(options) {}

  void headline(const ValidationResult& result) {
    const bool passed = result.passed();
    std::string subject = result.run_directory;
    if (result.run_id) {
      subject = result.run_id.is_string() ? std::string(result.run_id.text()) : core::python_repr(result.run_id);
    }
    const std::string rules = result.rules == RuleSet::kStrict ? "strict rules" : "reference rules";
    const std::string rest =
        fmt::format("{} ({}){}", safe(subject), rules, result.gives_up ? ": the run can't be judged" : "");
    std::string line = wrapped(passed ? "PASSED" : "FAILED", rest, 7, options_.columns);
    out_ += styled(line.substr(0, 6), passed ? Style::kGood : Style::kBad, options_.colour) + line.substr(6);
  }

  void coverage(const ValidationResult& result, const std::vector<Check>& checks) {
    const Coverage total = total_coverage(result);
    const auto with = [&checks](CheckVerdict verdict) {
      return std::count_if(checks.begin(), checks.end(),
                           [verdict](const Check& check) { return check.verdict == verdict; });
    };
    out_ += wrapped("",
                    fmt::format("{} checks ({} passed, {} failed, {} unavailable), {} files, {} elements",
                                checks.size(), with(CheckVerdict::kPassed), with(CheckVerdict::kFailed),
                                with(CheckVerdict::kUnavailable), grouped(total.files), grouped(total.elements)),
                    0, options_.columns);
  }

  void checks_table(const std::vector<Check>& checks) {
    std::size_t title_width = 0;
    for (const Check& check : checks) {
      title_width = std::max(title_width, display_width(section_title(check.section)));
    }
    constexpr std::size_t kVerdictWidth = 13;  // "unavailable" and two spaces
    out_ += '\n';
    for (const Check& check : checks) {
      const std::string title = padded(section_title(check.section), title_width + 2);
      const std::string label = "  " + title + padded(verdict_name(check.verdict), kVerdictWidth);
      const std::string lines = wrapped(label, safe(check.compared), display_width(label), options_.columns);
      const std::size_t verdict_at = 2 + title.size();
      const std::string_view verdict = verdict_name(check.verdict);
      out_ += lines.substr(0, verdict_at) + styled(verdict, style_of(check.verdict), options_.colour) +
              lines.substr(verdict_at + verdict.size());
    }
  }

  void findings(const core::Findings& findings) { out_ += findings_text(findings, options_); }

  std::string take() { return std::move(out_); }

 private:
  [[nodiscard]] std::string safe(std::string_view text) const { return printable(text, !options_.unicode); }

  static Style style_of(CheckVerdict verdict) {
    switch (verdict) {
      case CheckVerdict::kPassed:
        return Style::kGood;
      case CheckVerdict::kFailed:
        return Style::kBad;
      case CheckVerdict::kUnavailable:
        return Style::kWarning;
    }
    return Style::kPlain;
  }

  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string validation_text(const ValidationResult& result, const TextOptions& options) {
  TextWriter writer(options);
  const std::vector<Check> checks = checks_of(result);
  writer.headline(result);
  writer.coverage(result, checks);
  writer.checks_table(checks);
  writer.findings(result.findings);
  return writer.take();
}

}  // namespace rlverify::report
