// SPDX-License-Identifier: Apache-2.0
// What a side follows is said in the words of the text. No pictures: a table of contracts says more than bars would.
#include "report/replay_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/wording.h"
#include "report/finding_text.h"

namespace rlverify::report {

namespace {

using replay::ReplayResult;
using replay::SideResult;
using replay::SideVerdict;

ViewCheck side_check(const ReplayResult& result, const SideResult& side) {
  ViewCheck check;
  check.section = core::Section::kReplay;
  check.title = replay::side_name(side.side);
  check.required = true;
  switch (side.verdict) {
    case SideVerdict::kNoEvidence:
      check.word = result.no_usable_input() ? "no usable input" : "no log-probs";
      check.compared = result.no_usable_input() ? "no input could be used" : "the run kept no log-probs of this side";
      return check;
    case SideVerdict::kNone:
      check.verdict = CheckVerdict::kFailed;
      check.word = "follows none";
      check.compared =
          side.nearest ? "nearest is " + replay::followed_text(result.settings, side, {*side.nearest}) : "";
      return check;
    case SideVerdict::kExact:
    case SideVerdict::kNamed:
      break;
  }
  check.verdict = CheckVerdict::kPassed;
  check.word = side.verdict == SideVerdict::kExact ? "follows" : "follows nearly";
  check.compared = fmt::format("{}: {}", replay::followed_text(result.settings, side, side.followed),
                               replay::tally_text(side.rows[side.followed.front()].tally));
  return check;
}

ViewCheck common_check(const ReplayResult& result) {
  ViewCheck check;
  check.section = core::Section::kReplay;
  check.title = "both sides";
  check.required = true;
  const bool known = std::all_of(result.sides.begin(), result.sides.end(),
                                 [](const SideResult& side) { return side.verdict != SideVerdict::kNoEvidence; });
  if (known) {
    check.verdict = result.common.empty() ? CheckVerdict::kFailed : CheckVerdict::kPassed;
  }
  check.word = !known ? "no evidence" : result.common.empty() ? "part" : "the same";
  check.compared = result.direct.tally.compared == 0
                       ? "no values of both sides"
                       : "train against rollout: " + replay::tally_text(result.direct.tally);
  return check;
}

}  // namespace

ReportView replay_view(const ReplayResult& result, std::string_view tool_version) {
  ReportView view;
  view.command = "replay";
  view.subject = result.input;
  view.exit_code = result.exit_code();
  view.tool_version = tool_version;
  view.facts = {{"input", result.input},
                {"computed", fmt::format("{} rows of logits from {} files on {} ({})", grouped(result.values),
                                         grouped(result.files), result.backend, result.device)}};
  if (!result.exactness.empty()) {
    view.facts.emplace_back("bits", result.exactness);
  }
  ViewGroup group;
  group.name = view.subject;
  group.passed = view.passed();
  for (const SideResult& side : result.sides) {
    group.checks.push_back(side_check(result, side));
  }
  group.checks.push_back(common_check(result));
  group.findings = sorted_list(result.findings);
  group.first = divergence_of(group.findings);
  view.groups.push_back(std::move(group));
  return view;
}

}  // namespace rlverify::report
