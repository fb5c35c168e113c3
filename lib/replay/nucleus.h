// SPDX-License-Identifier: Apache-2.0
// Was a side renormalised over a top-p nucleus, and over which p? A value of such a side is larger than the one over
// the whole vocabulary by -log of the nucleus' mass, so each row tells the mass of its nucleus, and that p lies between
// this mass and the mass without the least probable member. One p has to fit all rows.
#pragma once

#include <cstdint>

#include "replay/logits.h"

namespace rlverify::replay {

/// What the rows seen so far say about p, for one side and one temperature.
class NucleusEstimate {
 public:
  /// Counts one row: `reference` is its log-prob over the whole vocabulary in fp64, `recorded` the side's.
  /// `logits` has -inf outside the real vocabulary; `divisor` is the temperature.
  void look(const Logits& logits, std::int64_t row, std::int64_t target, double divisor, double reference,
            double recorded);
  /// Some rows were renormalised, none is below its value over the whole vocabulary, and one p fits all that were
  /// examined.
  [[nodiscard]] bool plausible() const { return examined_ > 0 && below_ == 0 && !broken_ && low_ < high_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  void examine(const Logits& logits, std::int64_t row, std::int64_t target, double divisor, double mass);

  std::uint64_t below_ = 0;
  std::uint64_t examined_ = 0;
  double low_ = 0.0;
  double high_ = 1.0;
  bool broken_ = false;
};

/// Makes -inf of every logit of the row outside the nucleus of mass `p`: the most probable columns (the lower one of
/// equals first), each kept while those before it hold less than p.
void keep_nucleus(Logits& logits, std::int64_t row, double divisor, double p);

}  // namespace rlverify::replay
