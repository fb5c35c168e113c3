// SPDX-License-Identifier: Apache-2.0
// What is said about two judged sides: first that they part, or that one can't be explained, then what a team should
// know of each even where the other does the same.
#include <fmt/format.h>

#include <algorithm>

#include "replay/verdict.h"
#include "replay/wording.h"

namespace rlverify::replay {
namespace {

class Judge {
 public:
  explicit Judge(ReplayResult& result) : result_(result) {}

  void run() {
    for (const Row& row : followed_rows(Side::kTrain)) {
      for (const Row& other : followed_rows(Side::kRollout)) {
        if (row.hypothesis == other.hypothesis && same_nucleus()) {
          result_.common.push_back(row.hypothesis);
        }
      }
    }
    for (const SideResult& side : result_.sides) {
      report_side(side);
    }
    const bool both = !followed(Side::kTrain).empty() && !followed(Side::kRollout).empty();
    if (both && result_.common.empty()) {
      report_parting();
    } else if (both && result_.direct.tally.differing > 0) {
      report_difference_within();
    }
  }

 private:
  [[nodiscard]] const std::vector<std::size_t>& followed(Side side) const { return result_.side(side).followed; }

  [[nodiscard]] std::vector<Row> followed_rows(Side which) const {
    std::vector<Row> rows;
    for (const std::size_t row : followed(which)) {
      rows.push_back(result_.side(which).rows[row]);
    }
    return rows;
  }

  /// Two sides over nuclei of ranges that overlap may have used one p.
  [[nodiscard]] bool same_nucleus() const {
    const auto& train = result_.side(Side::kTrain).nucleus;
    const auto& rollout = result_.side(Side::kRollout).nucleus;
    return !train || !rollout || std::max(train->low, rollout->low) < std::min(train->high, rollout->high);
  }

  core::Finding make(const char* code, core::Severity severity, std::string what) const {
    core::Finding out = core::bare_finding(code, severity, core::Section::kReplay, std::move(what));
    return out;
  }

  static void put_place(core::Finding& finding, const Place& place) {
    finding.place.file = place.file;
    finding.place.rank = place.rank;
    finding.place.call = place.call;
    finding.place.sample = place.sample;
    finding.place.position = place.position;
    finding.place.field = fmt::format("targets[{}][{}]", place.sample, place.index);
  }

  void report_side(const SideResult& side) {
    switch (side.verdict) {
      case SideVerdict::kNoEvidence:
        return;
      case SideVerdict::kNone:
        report_none(side);
        return;
      case SideVerdict::kExact:
      case SideVerdict::kNamed:
        break;
    }
    report_not_finite(side);
    report_tie(side);
    report_setting(side);
  }

  /// NaN equals NaN in the counts, so a side of nothing else follows everything, which proves nothing.
  void report_not_finite(const SideResult& side) {
    const Tally& tally = side.rows[side.followed.front()].tally;
    if (!tally.first_not_finite) {
      return;
    }
    core::Finding out = make("RLV-518", core::Severity::kError,
                             fmt::format("log-probs of the {} side are not finite", side_name(side.side)));
    put_place(out, tally.first_not_finite->place);
    out.expected = "finite log-probs";
    out.found = fmt::format("{} here, computed {}; {} of {} pairs are not finite",
                            value_text(side.dtype, tally.first_not_finite->recorded),
                            value_text(side.dtype, tally.first_not_finite->computed), tally.not_finite, tally.compared);
    result_.findings.add(std::move(out));
  }

  void report_none(const SideResult& side) {
    const Row& nearest = side.rows[*side.nearest];
    core::Finding out =
        make("RLV-511", core::Severity::kError, fmt::format("the {} side follows no contract", side_name(side.side)));
    const std::string told = followed_text(result_.settings, side, {*side.nearest});
    if (nearest.tally.first) {
      put_place(out, nearest.tally.first->place);
      out.expected = fmt::format("{} by {}", value_text(side.dtype, nearest.tally.first->computed), told);
      out.found = value_text(side.dtype, nearest.tally.first->recorded);
    }
    out.hint = fmt::format("Nearest: {}: {}.", told, tally_text(nearest.tally));
    if (side.setting_is_clear) {
      out.hint +=
          " Its temperature, vocabulary and output are told by the mean difference: every other setting is at "
          "least five times farther.";
    }
    if (side.tied.size() > 1) {
      out.hint += " Not ruled out: " + followed_text(result_.settings, side, side.tied) + ".";
    }
    if (nearest.tally.first) {
      out.hint += fmt::format(" The token there is {}.", nearest.tally.first->place.token);
    }
    result_.findings.add(std::move(out));
  }

  void report_tie(const SideResult& side) {
    if (side.followed.size() > 1) {
      core::Finding out = make("RLV-512", core::Severity::kNote,
                               fmt::format("several hypotheses explain the {} side equally", side_name(side.side)));
      out.found = followed_text(result_.settings, side, side.followed);
      result_.findings.add(std::move(out));
    }
  }

  template <typename Property>
  [[nodiscard]] static bool all_followed(const SideResult& side, Property property) {
    return std::all_of(side.followed.begin(), side.followed.end(),
                       [&](std::size_t row) { return property(side.rows[row].hypothesis); });
  }

  /// What a team should know of a side even where the other one does the same.
  void report_setting(const SideResult& side) {
    const char* name = side_name(side.side);
    if (all_followed(side, [](const Hypothesis& h) { return h.output == Output::kBfloat16; })) {
      core::Finding out = make("RLV-513", core::Severity::kWarning,
                               fmt::format("the log-probs of the {} side were rounded to bfloat16", name));
      out.found = fmt::format("values of {} that hold 8 significant bits", tensor::torch_name(side.dtype));
      result_.findings.add(std::move(out));
    }
    if (all_followed(side, [](const Hypothesis& h) { return h.vocabulary == Vocabulary::kPadded; })) {
      core::Finding out =
          make("RLV-514", core::Severity::kWarning, fmt::format("the {} side sums the padding columns", name));
      out.expected = vocabulary_text(result_.settings, Vocabulary::kReal);
      out.found = vocabulary_text(result_.settings, Vocabulary::kPadded);
      result_.findings.add(std::move(out));
    }
    if (side.nucleus && all_followed(side, [](const Hypothesis& h) { return h.top_p; })) {
      core::Finding out = make("RLV-515", core::Severity::kWarning,
                               fmt::format("the {} side is renormalised over a top-p nucleus", name));
      out.expected = "log-probs over the whole real vocabulary";
      out.found = output_text(side.rows[side.followed.front()].hypothesis, side);
      result_.findings.add(std::move(out));
    }
    if (all_followed(side, [](const Hypothesis& h) { return h.temperature == Temperature::kOne; })) {
      core::Finding out =
          make("RLV-516", core::Severity::kWarning, fmt::format("the {} side leaves out the temperature", name));
      out.expected = temperature_text(result_.settings, Temperature::kOfFile);
      out.found = temperature_text(result_.settings, Temperature::kOne);
      result_.findings.add(std::move(out));
    }
  }

  void report_parting() {
    const SideResult& train = result_.side(Side::kTrain);
    const SideResult& rollout = result_.side(Side::kRollout);
    core::Finding out = make("RLV-510", core::Severity::kError, "train and rollout follow different arithmetic");
    out.expected = "train: " + followed_text(result_.settings, train, train.followed);
    out.found = "rollout: " + followed_text(result_.settings, rollout, rollout.followed);
    if (const auto& first = result_.direct.first) {
      put_place(out, first->place);
      out.expected += fmt::format(": {} here", value_text(train.dtype, first->train));
      out.found += fmt::format(": {} here", value_text(rollout.dtype, first->rollout));
      out.hint = fmt::format("{}. The token there is {}.", tally_text(result_.direct.tally), first->place.token);
    }
    result_.findings.add(std::move(out));
  }

  void report_difference_within() {
    const SideResult& train = result_.side(Side::kTrain);
    const SideResult& rollout = result_.side(Side::kRollout);
    core::Finding out =
        make("RLV-517", core::Severity::kWarning, "the sides follow one contract and are not bit-identical");
    if (const auto& first = result_.direct.first) {
      put_place(out, first->place);
      out.expected = "train " + value_text(train.dtype, first->train);
      out.found = "rollout " + value_text(rollout.dtype, first->rollout);
    }
    out.hint = tally_text(result_.direct.tally) + ".";
    result_.findings.add(std::move(out));
  }

  ReplayResult& result_;
};

}  // namespace

void judge_sides(ReplayResult& result) {
  Judge(result).run();
}

}  // namespace rlverify::replay
