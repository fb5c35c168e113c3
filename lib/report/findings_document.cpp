// SPDX-License-Identifier: Apache-2.0
// The findings document (spec/documents.md section 6): what every other rendering can be drawn from. Keys keep the
// order below, most telling first. Version rule: a new optional key keeps rlverify.findings.v1; a key that changes its
// meaning or goes away makes v2.
#include "report/check_list.h"
#include "report/findings_parts.h"
#include "report/validation_document.h"

namespace rlverify::report {

namespace {

using core::NodeId;

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

std::string_view overall_verdict(const ValidationResult& result) {
  if (result.gives_up) {
    return "not_judged";
  }
  return result.passed() ? "passed" : "failed";
}

}  // namespace

Document findings_document(const ValidationResult& result, std::string_view tool_version) {
  Document document;
  const std::vector<Check> checks = checks_of(result);
  document.set_root(
      document.object({{"schema_version", document.string("rlverify.findings.v1")},
                       {"verdict", document.string(overall_verdict(result))},
                       {"exit_code", document.integer(static_cast<std::int64_t>(result.exit_code()))},
                       {"rules", document.string(result.rules == RuleSet::kStrict ? "strict" : "reference")},
                       {"run_directory", document.string(result.run_directory)},
                       {"run_id", result.run_id.is_string() ? document.copy(result.run_id) : document.null()},
                       {"checks", checks_array(document, checks)},
                       {"coverage", coverage_section(document, checks)},
                       {"findings_total", document.unsigned_integer(result.findings.list().size())},
                       {"findings", findings_array(document, result.findings)},
                       {"tool", tool_object(document, tool_version)}}));
  return document;
}

}  // namespace rlverify::report
