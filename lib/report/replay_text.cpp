// SPDX-License-Identifier: Apache-2.0
// What a person reads after `replay`: the verdict, what each side follows, where they part, then per side one row for
// each contract at its best setting.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "replay/wording.h"
#include "report/finding_text.h"
#include "report/findings_text.h"
#include "report/replay_document.h"
#include "report/text_layout.h"
#include "report/utf8.h"

namespace rlverify::report {

namespace {

using replay::ReplayResult;
using replay::Row;
using replay::SideResult;
using replay::SideVerdict;

constexpr std::array<std::string_view, 6> kColumns = {"contract", "differ", "max", "ulp", "mean", "nearest setting"};
constexpr std::size_t kLabel = 9;

std::string line(std::string_view label, const std::string& text, const TextOptions& options) {
  return wrapped(label, printable(text, !options.unicode), kLabel, options.columns);
}

std::string counted(std::uint64_t number, const char* one) {
  return fmt::format("{} {}{}", grouped(number), one, number == 1 ? "" : "s");
}

std::string summary(const ReplayResult& result) {
  switch (result.exit_code()) {
    case core::ExitCode::kPassed:
      return "both sides follow the same contract, temperature and vocabulary";
    case core::ExitCode::kNothingComparable:
      return "nothing could be compared: no inputs with log-probs";
    default:
      break;
  }
  const SideResult& train = result.side(replay::Side::kTrain);
  const SideResult& rollout = result.side(replay::Side::kRollout);
  if (!train.followed.empty() && !rollout.followed.empty()) {
    return result.common.empty() ? "the sides part" : "both sides follow the same contract, and an input is at fault";
  }
  for (const SideResult* side : {&train, &rollout}) {
    if (side->verdict == SideVerdict::kNone) {
      return fmt::format("the {} side follows no contract", replay::side_name(side->side));
    }
  }
  return result.no_usable_input() ? "no input could be used" : "a side has no log-probs";
}

std::string side_line(const ReplayResult& result, const SideResult& side) {
  switch (side.verdict) {
    case SideVerdict::kNoEvidence:
      return result.no_usable_input() ? "no input could be used" : "no log-probs";
    case SideVerdict::kNone:
      return fmt::format("follows none; nearest is {}: {}",
                         replay::followed_text(result.settings, side, {*side.nearest}),
                         replay::tally_text(side.rows[*side.nearest].tally));
    case SideVerdict::kExact:
    case SideVerdict::kNamed:
      break;
  }
  return fmt::format("follows {}: {}", replay::followed_text(result.settings, side, side.followed),
                     replay::tally_text(side.rows[side.followed.front()].tally));
}

std::string place_text(const replay::Place& place) {
  const std::string position =
      place.position ? fmt::format("position {}", *place.position) : fmt::format("row {}", place.index);
  return fmt::format("{}, sample {}, {}, token {}", place.file, place.sample, position, place.token);
}

std::string parting_text(const ReplayResult& result) {
  const auto& first = result.direct.first;
  if (!first) {
    return result.direct.tally.compared == 0
               ? ""
               : fmt::format("the sides' {} values have the same bits", grouped(result.direct.tally.compared));
  }
  std::string text = fmt::format("the sides part first at {}: ", place_text(first->place));
  for (const SideResult& side : result.sides) {
    const bool train = side.side == replay::Side::kTrain;
    text += fmt::format("{}{} {}", train ? "" : "; ", replay::side_name(side.side),
                        replay::value_text(side.dtype, train ? first->train : first->rollout));
    const std::size_t row = side.followed.empty() ? side.nearest.value_or(0) : side.followed.front();
    if (row < side.rows.size() && side.rows[row].at_parting) {
      text += fmt::format(", computed {}", replay::value_text(side.dtype, *side.rows[row].at_parting));
    }
  }
  return text + fmt::format(". In all, {}.", replay::tally_text(result.direct.tally));
}

/// What was chosen in the contracts that a side follows because it is not known of their systems.
std::string stand_ins(const ReplayResult& result, const TextOptions& options) {
  std::string out;
  for (const replay::ContractNote& note : result.contracts) {
    const bool followed = std::any_of(result.sides.begin(), result.sides.end(), [&note](const SideResult& side) {
      return std::any_of(side.followed.begin(), side.followed.end(),
                         [&](std::size_t row) { return side.rows[row].hypothesis.contract == note.contract; });
    });
    if (followed && !note.stand_in.empty()) {
      out += line("stand-in", note.contract + ": " + note.stand_in, options);
    }
  }
  return out;
}

/// The row of each contract that is nearest: fewest differing values, then the smallest mean.
std::vector<const Row*> best_rows(const SideResult& side) {
  std::vector<const Row*> best;
  for (const Row& row : side.rows) {
    const auto known = std::find_if(best.begin(), best.end(), [&row](const Row* other) {
      return other->hypothesis.contract == row.hypothesis.contract;
    });
    if (known == best.end()) {
      best.push_back(&row);
      continue;
    }
    const replay::Tally& a = row.tally;
    const replay::Tally& b = (*known)->tally;
    if (a.differing < b.differing || (a.differing == b.differing && a.mean_abs() < b.mean_abs())) {
      *known = &row;
    }
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Row* a, const Row* b) { return a->tally.differing < b->tally.differing; });
  return best;
}

using Cells = std::array<std::string, kColumns.size()>;

Cells cells_of(const ReplayResult& result, const SideResult& side, const Row& row) {
  const replay::Tally& tally = row.tally;
  return {row.hypothesis.contract,
          fmt::format("{} of {}", grouped(tally.differing), grouped(tally.compared)),
          fmt::format("{:.4g}", tally.max_abs),
          grouped(tally.max_ulp),
          fmt::format("{:.4g}", tally.mean_abs()),
          replay::setting_text(result.settings, side, row.hypothesis)};
}

std::string table(const ReplayResult& result, const SideResult& side) {
  std::vector<Cells> rows;
  rows.emplace_back();
  std::copy(kColumns.begin(), kColumns.end(), rows.front().begin());
  for (const Row* row : best_rows(side)) {
    rows.push_back(cells_of(result, side, *row));
  }
  std::array<std::size_t, kColumns.size()> widths{};
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths.at(i) = std::max(widths.at(i), display_width(row.at(i)));
    }
  }
  std::string out = fmt::format("\n{}\n", replay::side_name(side.side));
  for (const Cells& row : rows) {
    std::string text = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += ' ' + (i + 1 < row.size() ? padded(row.at(i), widths.at(i)) + ' ' : row.at(i));
    }
    out += text + '\n';
  }
  return out;
}

}  // namespace

std::string replay_text(const ReplayResult& result, const TextOptions& options) {
  const bool passed = result.exit_code() == core::ExitCode::kPassed;
  const std::string head = wrapped(passed ? "PASSED" : "FAILED", summary(result), 7, options.columns);
  std::string out = styled(head.substr(0, 6), passed ? Style::kGood : Style::kBad, options.colour) + head.substr(6);
  out += line("computed",
              fmt::format("{} from {} on {} ({})", counted(result.values, "row"), counted(result.files, "file"),
                          result.backend, result.device),
              options);
  if (!result.exactness.empty()) {
    out += line("bits", result.exactness, options);
  }
  for (const SideResult& side : result.sides) {
    out += line(replay::side_name(side.side), side_line(result, side), options);
  }
  out += stand_ins(result, options);
  const std::string parting = parting_text(result);
  if (!parting.empty()) {
    out += wrapped("", printable(parting, !options.unicode), 0, options.columns);
  }
  for (const SideResult& side : result.sides) {
    if (side.verdict != SideVerdict::kNoEvidence) {
      out += table(result, side);
    }
  }
  return out + findings_text(result.findings, options);
}

}  // namespace rlverify::report
