// SPDX-License-Identifier: Apache-2.0
// A view filled by hand for the tests of the renderers.
#pragma once

#include <string>
#include <vector>

#include "report/report_view.h"

namespace rlverify::report::test {

inline core::Finding finding(std::string code, core::Section section, std::string what, std::string file = "") {
  core::Finding out;
  out.code = std::move(code);
  out.section = section;
  out.what = std::move(what);
  out.place.file = std::move(file);
  return out;
}

/// Weights passed, log-probs failed with one finding, dumps without evidence.
inline ReportView small_view() {
  ReportView view;
  view.command = "validate";
  view.subject = "run-1";
  view.exit_code = core::ExitCode::kFailed;
  view.tool_version = "0.1.0";
  view.facts = {{"run directory", "runs/one"}};
  ViewGroup group;
  group.name = "run-1";
  group.checks = {
      {core::Section::kWeights, "weights", CheckVerdict::kPassed, "passed", false, "3 files"},
      {core::Section::kLogProbs, "log-probs", CheckVerdict::kFailed, "failed", false, "16 files"},
      {core::Section::kDumps, "train dumps", CheckVerdict::kUnavailable, "unavailable", false, "no evidence"}};
  core::Finding first = finding("RLV-162", core::Section::kLogProbs, "train and rollout differ", "runs/one/side.pt");
  first.place.rank = 4;
  first.expected = "train -0.5 (0xbf000000)";
  first.found = "rollout -0.25 (0xbe800000)";
  group.findings = {first};
  group.first = ViewDivergence{"Log-probs differ in bits", "everything before is equal", first};
  view.groups = {group};
  return view;
}

/// What an artifact may hold to break out of any of the forms.
inline const char* hostile_text() {
  return "a\x1b[31m\"b\"'c' <script>alert(1)</script> & | `x` @someone #12 ]]> %0A\r\n::error::\xff\xef\xbf\xbe"
         "##[error]x https://evil.example www.evil.example";
}

/// The small view with hostile text wherever an artifact's text goes.
inline ReportView hostile_view() {
  ReportView view = small_view();
  view.subject = hostile_text();
  view.facts.emplace_back("run", hostile_text());
  ViewGroup& group = view.groups.front();
  group.name = hostile_text();
  group.checks[1].compared = hostile_text();
  core::Finding& first = group.findings.front();
  first.what = first.expected = first.found = first.hint = first.place.file = hostile_text();
  group.first = ViewDivergence{hostile_text(), hostile_text(), first};
  return view;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace rlverify::report::test
