// SPDX-License-Identifier: Apache-2.0
// The samples of one train dump against the shards of one step. Where dtype or sample count don't line up, the
// comparison is unavailable and says why, which is no failure by itself; where they do, bytes and lengths must agree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/sha256.h"
#include "run/number_vector.h"
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

  struct Outcomes {
    Outcome train;
    Outcome rollout;
    [[nodiscard]] bool agree() const { return is_agreement(train) && is_agreement(rollout); }
  };
  /// What the sample and the shard have in common. Equal bytes of both sides are hashed once.
  Outcomes compare(const DumpedSample& sample, const Shard& shard);
  bool refuse_nulls(const DumpedSample& sample);
  void report(const DumpedSample& sample, const Shard& shard);
  core::Finding finding_of(const char* code, std::string what, std::string expected, std::string found) const;

  /// One vector of the dump as the shard would hold it, or why it can't be compared.
  struct Side {
    std::optional<Outcome> settled;
    run::NumberVector numbers;
    run::ElementBytes elements;
    std::vector<std::byte> piece;
    std::span<const std::byte> view;  ///< into one of the above
  };
  /// The dump holds the rank's piece or the whole response.
  Side load(core::Value value, const Shard& shard, const char* field, tensor::DType dtype);
  Outcome hashed(const Side& side, const Shard& shard, tensor::DType dtype, const core::Sha256Digest& wanted);

  const run::DumpFile& dump_;
  const Layout& layout_;
  SurveyedDump& surveyed_;
  core::Sha256 hash_;  ///< one for all vectors: to set one up costs as much as a vector
};

}  // namespace rlverify::sidecar
