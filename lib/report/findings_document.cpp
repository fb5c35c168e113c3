// SPDX-License-Identifier: Apache-2.0
// The findings document (spec/documents.md section 6): what every other rendering can be drawn from. Keys keep the
// order below, most telling first. Version rule: a new optional key keeps rlverify.findings.v1; a key that changes its
// meaning or goes away makes v2.
#include "report/check_list.h"
#include "report/rule_table.h"
#include "report/validation_document.h"

namespace rlverify::report {

namespace {

using core::NodeId;

constexpr std::size_t kMaxListed = 1000;

NodeId coverage_object(Document& document, const Coverage& coverage) {
  return document.object({{"files", document.unsigned_integer(coverage.files)},
                          {"tensors", document.unsigned_integer(coverage.tensors)},
                          {"elements", document.unsigned_integer(coverage.elements)},
                          {"bytes", document.unsigned_integer(coverage.bytes)}});
}

NodeId checks_array(Document& document, const std::vector<Check>& checks) {
  const NodeId out = document.array();
  for (const Check& check : checks) {
    document.append(out, document.object({{"section", document.string(core::section_name(check.section))},
                                          {"verdict", document.string(verdict_name(check.verdict))},
                                          {"compared", document.string(check.compared)}}));
  }
  return out;
}

NodeId coverage_section(Document& document, const std::vector<Check>& checks) {
  const NodeId out = document.object();
  for (const Check& check : checks) {
    document.put(out, core::section_name(check.section), coverage_object(document, check.coverage));
  }
  return out;
}

/// Only the parts that are known.
NodeId place_object(Document& document, const core::FindingPlace& place) {
  const NodeId out = document.object();
  const auto text = [&document, out](std::string_view key, const std::string& value) {
    if (!value.empty()) {
      document.put(out, key, document.string(value));
    }
  };
  const auto count = [&document, out](std::string_view key, const std::optional<std::uint64_t>& value) {
    if (value) {
      document.put(out, key, document.unsigned_integer(*value));
    }
  };
  const auto number = [&document, out](std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) {
      document.put(out, key, document.integer(*value));
    }
  };
  text("file", place.file);
  count("offset", place.offset);
  count("line", place.line);
  count("column", place.column);
  number("step", place.step);
  number("rank", place.rank);
  number("call", place.call);
  number("sample", place.sample);
  number("position", place.position);
  text("tensor", place.tensor);
  text("field", place.field);
  return out;
}

NodeId text_or_null(Document& document, const std::string& text) {
  return text.empty() ? document.null() : document.string(text);
}

NodeId finding_object(Document& document, const core::Finding& finding) {
  const RuleRow* rule = find_rule(finding.code);
  const NodeId more = document.array();
  for (const core::FindingPlace& place : finding.more_places) {
    document.append(more, place_object(document, place));
  }
  return document.object(
      {{"code", document.string(finding.code)},
       {"severity", document.string(core::severity_name(finding.severity))},
       {"section", document.string(core::section_name(finding.section))},
       {"title", rule == nullptr ? document.null() : document.string(rule->title)},
       {"what", document.string(finding.what)},
       {"place", place_object(document, finding.place)},
       {"expected", text_or_null(document, finding.expected)},
       {"found", text_or_null(document, finding.found)},
       {"hint", text_or_null(document, finding.hint.empty() && rule != nullptr ? rule->hint : finding.hint)},
       {"count", document.unsigned_integer(finding.count)},
       {"more_places", more},
       {"because_of", text_or_null(document, finding.because_of)}});
}

std::string_view overall_verdict(const ValidationResult& result) {
  if (result.gives_up) {
    return "not_judged";
  }
  return result.passed() ? "passed" : "failed";
}

}  // namespace

Document findings_document(const ValidationResult& result, std::string_view tool_version) {
  Document document;
  core::Findings sorted = result.findings;
  sorted.sort();
  const NodeId findings = document.array();
  for (std::size_t i = 0; i < sorted.list().size() && i < kMaxListed; ++i) {
    document.append(findings, finding_object(document, sorted.list()[i]));
  }
  const std::vector<Check> checks = checks_of(result);
  document.set_root(document.object(
      {{"schema_version", document.string("rlverify.findings.v1")},
       {"verdict", document.string(overall_verdict(result))},
       {"exit_code", document.integer(static_cast<std::int64_t>(result.exit_code()))},
       {"rules", document.string(result.rules == RuleSet::kStrict ? "strict" : "reference")},
       {"run_directory", document.string(result.run_directory)},
       {"run_id", result.run_id.is_string() ? document.copy(result.run_id) : document.null()},
       {"checks", checks_array(document, checks)},
       {"coverage", coverage_section(document, checks)},
       {"findings_total", document.unsigned_integer(sorted.list().size())},
       {"findings", findings},
       {"tool",
        document.object({{"name", document.string("rlverify")}, {"version", document.string(tool_version)}})}}));
  return document;
}

}  // namespace rlverify::report
