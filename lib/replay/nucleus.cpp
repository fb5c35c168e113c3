// SPDX-License-Identifier: Apache-2.0
// Columns come off a heap in descending order: a nucleus is small beside the vocabulary, so sorting a whole row would
// be wasted.
#include "replay/nucleus.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rlverify::replay {
namespace {

/// A log-prob in fp32 carries about 2e-6 of error near -16, its exponential as much of itself.
constexpr double kMassTolerance = 1e-5;
/// Differences below this say nothing: they are the rounding of any order of operations.
constexpr double kNoise = 1e-4;
constexpr std::uint64_t kRowsExamined = 64;

struct Column {
  float logit;
  std::int64_t column;
  /// Later in descending order: smaller, or equal and further right.
  friend bool operator<(const Column& a, const Column& b) {
    return a.logit < b.logit || (a.logit == b.logit && a.column > b.column);
  }
};

/// The columns of one row in descending order of probability.
class Descending {
 public:
  Descending(const Logits& logits, std::int64_t row, double divisor) : divisor_(divisor) {
    heap_.reserve(static_cast<std::size_t>(logits.columns));
    for (std::int64_t column = 0; column < logits.columns; ++column) {
      const float value = logit(logits, row, column);
      if (std::isfinite(value)) {
        heap_.push_back({value, column});
      }
    }
    std::make_heap(heap_.begin(), heap_.end());
    if (!heap_.empty()) {
      max_ = static_cast<double>(heap_.front().logit);
      for (const Column& column : heap_) {
        sum_ += weight(column.logit);
      }
    }
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  Column next() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Column column = heap_.back();
    heap_.pop_back();
    return column;
  }
  [[nodiscard]] double probability(float value) const { return weight(value) / sum_; }

 private:
  [[nodiscard]] double weight(float value) const { return std::exp((static_cast<double>(value) - max_) / divisor_); }

  std::vector<Column> heap_;
  double divisor_;
  double max_ = 0.0;
  double sum_ = 0.0;
};

}  // namespace

void NucleusEstimate::look(const Logits& logits, std::int64_t row, std::int64_t target, double divisor,
                           double reference, double recorded) {
  if (std::isinf(recorded) && recorded < 0.0) {
    return;  // the token lies outside the nucleus
  }
  const double gain = recorded - reference;
  if (!(gain > -kNoise)) {
    ++below_;  // NaN, too
  } else if (gain > kNoise && examined_ < kRowsExamined && !broken_) {
    examine(logits, row, target, divisor, std::exp(-gain));
  }
}

void NucleusEstimate::examine(const Logits& logits, std::int64_t row, std::int64_t target, double divisor,
                              double mass) {
  ++examined_;
  Descending columns(logits, row, divisor);
  double before = 0.0;
  double held = 0.0;
  bool has_target = false;
  while (!columns.empty() && held < mass - kMassTolerance) {
    const Column column = columns.next();
    before = held;
    held += columns.probability(column.logit);
    // Of equal logits any may have been kept.
    has_target = has_target || column.column == target || column.logit == logit(logits, row, target);
  }
  if (std::fabs(held - mass) > kMassTolerance || !has_target) {
    broken_ = true;
    return;
  }
  low_ = std::max(low_, before);
  high_ = std::min(high_, std::max(held, mass + kMassTolerance));
}

void keep_nucleus(Logits& logits, std::int64_t row, double divisor, double p) {
  Descending columns(logits, row, divisor);
  std::vector<Column> kept;
  double held = 0.0;
  while (!columns.empty() && held < p) {
    kept.push_back(columns.next());
    held += columns.probability(kept.back().logit);
  }
  std::vector<std::uint8_t> stays(static_cast<std::size_t>(logits.columns), 0);
  for (const Column& column : kept) {
    stays[static_cast<std::size_t>(column.column)] = 1;
  }
  for (std::int64_t column = 0; column < logits.columns; ++column) {
    if (stays[static_cast<std::size_t>(column)] == 0) {
      exclude(logits, row, column);
    }
  }
}

}  // namespace rlverify::replay
