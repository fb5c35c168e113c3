// SPDX-License-Identifier: Apache-2.0
// Contracts are compared by their best setting, so that a setting can't be its own contract's runner-up.
#include "replay/verdict.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace rlverify::replay {
namespace {

constexpr std::uint64_t kClearFactor = 5;  ///< a contract is named under a fifth of the runner-up's count
constexpr double kClearMeanFactor = 5.0;

std::uint64_t differing(const SideResult& side, std::size_t row) {
  return side.rows[row].tally.differing;
}

void follow(SideResult& side, SideVerdict verdict, std::uint64_t count) {
  side.verdict = verdict;
  for (std::size_t row = 0; row < side.rows.size(); ++row) {
    if (differing(side, row) == count) {
      side.followed.push_back(row);
    }
  }
}

/// The row of the smallest mean difference, then of the fewest differing values; rows that compare nothing finite last.
std::size_t nearest_row(const SideResult& side) {
  const auto key = [&side](std::size_t row) {
    const Tally& tally = side.rows[row].tally;
    return std::tuple(tally.not_finite, tally.mean_abs(), tally.differing, row);
  };
  std::size_t best = 0;
  for (std::size_t row = 1; row < side.rows.size(); ++row) {
    if (key(row) < key(best)) {
      best = row;
    }
  }
  return best;
}

bool same_setting(const Hypothesis& a, const Hypothesis& b) {
  return a.temperature == b.temperature && a.vocabulary == b.vocabulary && a.output == b.output && a.top_p == b.top_p;
}

bool is_clear(const SideResult& side, std::size_t nearest) {
  const Row& best = side.rows[nearest];
  return std::all_of(side.rows.begin(), side.rows.end(), [&best](const Row& row) {
    return same_setting(row.hypothesis, best.hypothesis) || row.tally.not_finite > best.tally.not_finite ||
           row.tally.mean_abs() > kClearMeanFactor * best.tally.mean_abs();
  });
}

/// Smallest count of each contract over its settings.
std::map<std::string, std::uint64_t> best_counts(const SideResult& side) {
  std::map<std::string, std::uint64_t> best;
  for (const Row& row : side.rows) {
    const auto [entry, fresh] = best.emplace(row.hypothesis.contract, row.tally.differing);
    if (!fresh) {
      entry->second = std::min(entry->second, row.tally.differing);
    }
  }
  return best;
}

/// Rows that share their values with row `row` everywhere.
std::vector<std::size_t> twins(const SideResult& side, std::size_t row) {
  std::vector<std::size_t> rows;
  for (std::size_t other = 0; other < side.rows.size(); ++other) {
    if (side.rows[other].same_as == side.rows[row].same_as) {
      rows.push_back(other);
    }
  }
  return rows;
}

}  // namespace

void judge_side(SideResult& side) {
  side.followed.clear();
  side.tied.clear();
  side.nearest.reset();
  if (side.rows.empty() || side.rows.front().tally.compared == 0) {
    side.verdict = SideVerdict::kNoEvidence;
    return;
  }
  side.nearest = nearest_row(side);
  side.setting_is_clear = is_clear(side, *side.nearest);
  std::size_t best = 0;
  for (std::size_t row = 1; row < side.rows.size(); ++row) {
    best = differing(side, row) < differing(side, best) ? row : best;
  }
  const std::uint64_t count = differing(side, best);
  if (count == 0) {
    follow(side, SideVerdict::kExact, 0);
    return;
  }
  std::map<std::string, std::uint64_t> rivals = best_counts(side);
  for (const std::size_t row : twins(side, best)) {
    rivals.erase(side.rows[row].hypothesis.contract);
  }
  const bool named = !rivals.empty() && std::all_of(rivals.begin(), rivals.end(), [count](const auto& rival) {
    return count * kClearFactor < rival.second;
  });
  if (named) {
    follow(side, SideVerdict::kNamed, count);
    return;
  }
  side.verdict = SideVerdict::kNone;
  for (std::size_t row = 0; row < side.rows.size(); ++row) {
    if (differing(side, row) <= kClearFactor * count && differing(side, row) < side.rows[row].tally.compared) {
      side.tied.push_back(row);
    }
  }
}

namespace {

bool any_judged(const ReplayResult& result) {
  return std::any_of(result.sides.begin(), result.sides.end(),
                     [](const SideResult& side) { return side.verdict != SideVerdict::kNoEvidence; });
}

/// Whether something is at fault beyond log-probs that are missing.
bool any_fault(const core::Findings& findings) {
  return std::any_of(findings.list().begin(), findings.list().end(), [](const core::Finding& finding) {
    return finding.severity == core::Severity::kError && finding.code != "RLV-504";
  });
}

}  // namespace

bool ReplayResult::no_usable_input() const {
  return !any_judged(*this) && any_fault(findings);
}

core::ExitCode ReplayResult::exit_code() const {
  if (!any_judged(*this) && !any_fault(findings)) {
    return core::ExitCode::kNothingComparable;
  }
  return common.empty() || findings.has_error() ? core::ExitCode::kFailed : core::ExitCode::kPassed;
}

}  // namespace rlverify::replay
