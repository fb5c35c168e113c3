// SPDX-License-Identifier: Apache-2.0
// The form that Jenkins, GitLab and the common readers agree on: testsuites, testsuite, testcase, failure, skipped.
// Nothing is timed, so no `time` attribute is written.
#include <fmt/format.h>

#include <algorithm>

#include "report/finding_text.h"
#include "report/findings_parts.h"
#include "report/markup.h"
#include "report/renderers.h"

namespace rlverify::report {

namespace {

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;
};

Counts counts_of(const ViewGroup& group) {
  Counts counts;
  for (const ViewCheck& check : group.checks) {
    ++counts.tests;
    if (counts_as_failure(check)) {
      ++counts.failures;
    } else if (check.verdict == CheckVerdict::kUnavailable) {
      ++counts.skipped;
    }
  }
  return counts;
}

/// "RLV-162 Log-probs differ in bits: PLACE: what: expected X, found Y".
std::string failure_message(const ViewGroup& group, const ViewCheck& check) {
  for (const core::Finding& finding : group.findings) {
    if (belongs(finding, check) && finding.severity == core::Severity::kError) {
      return fmt::format("{}: {}", finding.code, finding_sentence(finding));
    }
  }
  return check.verdict == CheckVerdict::kUnavailable ? "required, and there is no evidence: " + check.compared
                                                     : fmt::format("{}: {}", check.word, check.compared);
}

/// Everything that was found in the section, a sentence each.
std::string failure_body(const ViewGroup& group, const ViewCheck& check) {
  std::string out;
  std::size_t listed = 0;
  std::size_t all = 0;
  for (const core::Finding& finding : group.findings) {
    if (!belongs(finding, check)) {
      continue;
    }
    ++all;
    if (listed == kMaxListedFindings) {
      continue;
    }
    ++listed;
    out += markup_text(fmt::format("{} {}: {}", core::severity_name(finding.severity), finding.code,
                                   finding_sentence(finding))) +
           "\n";
    const std::string hint = finding_hint(finding);
    out += hint.empty() ? "" : markup_text("  " + hint) + "\n";
  }
  return out + (all > listed ? fmt::format("{} more\n", all - listed) : "");
}

std::string test_case(const std::string& class_name, const ViewGroup& group, const ViewCheck& check) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", markup_text(class_name), markup_text(check.title));
  if (counts_as_failure(check)) {
    out += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n", markup_text(check.word),
                       markup_text(failure_message(group, check)), failure_body(group, check));
  } else if (check.verdict == CheckVerdict::kUnavailable) {
    out += fmt::format(">\n      <skipped message=\"{}\"/>\n", markup_text(check.compared));
  } else {
    out += fmt::format(">\n      <system-out>{}</system-out>\n", markup_text(check.word + ": " + check.compared));
  }
  return out + "    </testcase>\n";
}

std::string suite(const ReportView& view, const ViewGroup& group) {
  const Counts counts = counts_of(group);
  std::string out = fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
                                markup_text(group.name), counts.tests, counts.failures, counts.skipped);
  out += "    <properties>\n";
  for (const auto& [label, text] : view.facts) {
    out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", markup_text(label), markup_text(text));
  }
  out += "    </properties>\n";
  const std::string class_name = fmt::format("rlverify.{}.{}", view.command, group.name);
  for (const ViewCheck& check : group.checks) {
    out += test_case(class_name, group, check);
  }
  return out + "  </testsuite>\n";
}

/// Keeps the promise that a file without a failure means an answer that passed.
std::string verdict_suite(const ReportView& view) {
  return fmt::format(
      "  <testsuite name=\"verdict\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
      "    <testcase classname=\"rlverify.{}\" name=\"verdict\">\n"
      "      <failure type=\"{}\" message=\"{}: {}\"/>\n    </testcase>\n  </testsuite>\n",
      markup_text(view.command), verdict_word(view), verdict_word(view), markup_text(view.subject));
}

}  // namespace

std::string render_junit(const ReportView& view) {
  Counts total;
  std::string suites;
  for (const ViewGroup& group : view.groups) {
    const Counts counts = counts_of(group);
    total.tests += counts.tests;
    total.failures += counts.failures;
    total.skipped += counts.skipped;
    suites += suite(view, group);
  }
  if (!view.passed() && total.failures == 0) {
    suites += verdict_suite(view);
    ++total.tests;
    ++total.failures;
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuites name=\"rlverify {}: {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
             markup_text(view.command), markup_text(view.subject), total.tests, total.failures, total.skipped) +
         suites + "</testsuites>\n";
}

}  // namespace rlverify::report
