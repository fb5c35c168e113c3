// SPDX-License-Identifier: Apache-2.0
// The samples of one train dump against the shards of one step. Where dtype or sample count don't line up, the
// comparison is unavailable and says why, which is no failure by itself; where they do, bytes and lengths must agree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sidecar/dump_survey.h"

namespace rlverify::sidecar {

/// A sample of the dump: what it holds of both sides, and where it stands in the dump's list.
struct DumpedSample {
  core::Value train;
  core::Value rollout;
  std::size_t number = 0;
};

class DumpComparison {
 public:
  DumpComparison(const run::DumpFile& dump, const Layout& layout, SurveyedDump& surveyed)
      : dump_(dump), layout_(layout), surveyed_(surveyed) {}

  /// The samples against the shards of one step of one rank. One call keeps the order of the dump; several may deal the
  /// samples out in another one, so there each sample needs a shard of its own that holds the same.
  void step(const std::vector<DumpedSample>& samples, const StepShards& step);
  /// Why nothing could be compared; the first reason stands.
  void skip(std::string reason);

 private:
  enum class Outcome { kEqual, kOtherLength, kOtherBytes, kUnavailable };
  static bool is_agreement(Outcome outcome) { return outcome == Outcome::kEqual || outcome == Outcome::kUnavailable; }

  bool agree(const DumpedSample& sample, const Shard& shard);
  bool refuse_nulls(const DumpedSample& sample);
  void report(const DumpedSample& sample, const Shard& shard);
  core::Finding finding_of(const char* code, std::string what, std::string expected, std::string found) const;
  /// One vector of the dump against one side of a shard. It holds the rank's piece or the whole response.
  Outcome vector(core::Value value, const Shard& shard, const char* field, bool rollout_side);

  const run::DumpFile& dump_;
  const Layout& layout_;
  SurveyedDump& surveyed_;
};

}  // namespace rlverify::sidecar
