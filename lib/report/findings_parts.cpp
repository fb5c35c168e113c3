// SPDX-License-Identifier: Apache-2.0
// A finding as an object: title and hint come from the table of rules where the finding has none of its own.
#include "report/findings_parts.h"

#include "report/rule_table.h"

namespace rlverify::report {

namespace {

using core::NodeId;

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

}  // namespace

NodeId coverage_object(Document& document, const Coverage& coverage) {
  return document.object({{"files", document.unsigned_integer(coverage.files)},
                          {"tensors", document.unsigned_integer(coverage.tensors)},
                          {"elements", document.unsigned_integer(coverage.elements)},
                          {"bytes", document.unsigned_integer(coverage.bytes)}});
}

NodeId findings_array(Document& document, const core::Findings& findings) {
  core::Findings sorted = findings;
  sorted.sort();
  const NodeId out = document.array();
  for (std::size_t i = 0; i < sorted.list().size() && i < kMaxListedFindings; ++i) {
    document.append(out, finding_object(document, sorted.list()[i]));
  }
  return out;
}

std::string_view verdict_key(core::ExitCode code) {
  switch (code) {
    case core::ExitCode::kPassed:
      return "passed";
    case core::ExitCode::kFailed:
      return "failed";
    default:
      return "not_judged";
  }
}

NodeId tool_object(Document& document, std::string_view version) {
  return document.object({{"name", document.string("rlverify")}, {"version", document.string(version)}});
}

}  // namespace rlverify::report
