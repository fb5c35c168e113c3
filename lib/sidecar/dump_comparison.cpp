// SPDX-License-Identifier: Apache-2.0
// Digests are compared, not bytes: the sidecars have been closed by the time the dumps are read.
#include "sidecar/dump_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/python_value.h"
#include "run/number_vector.h"
#include "tensor/element.h"

namespace rlverify::sidecar {
namespace {

using core::Section;

/// The elements of a whole response that a shard owns.
std::vector<std::byte> cut(std::span<const std::byte> whole, std::size_t element_bytes, const Shard& shard,
                           const Layout& layout) {
  std::vector<std::byte> piece;
  for (const Range& range :
       owned_ranges(shard.total_length, shard.response_length, layout.context_parallel_size, shard.cp_rank)) {
    const auto bytes = whole.subspan(static_cast<std::size_t>(range.begin) * element_bytes,
                                     static_cast<std::size_t>(range.size()) * element_bytes);
    piece.insert(piece.end(), bytes.begin(), bytes.end());
  }
  return piece;
}

/// Refuses what an engine writes in place of a number, by position: null for a NaN or an infinity, or its name.
std::optional<std::string> engine_null(core::Value vector, std::size_t sample) {
  for (std::size_t i = 0; vector.is_sequence() && i < vector.size(); ++i) {
    const core::Value element = vector.at(i);
    if (element.is(core::Kind::kNull)) {
      return fmt::format("sample {} position {}: logprob is null (engine produced a non-finite value)", sample, i);
    }
    if (element.is_string()) {
      return fmt::format("sample {} position {}: logprob is the string {}", sample, i,
                         core::python_repr(element.text().substr(0, 40)));
    }
  }
  return std::nullopt;
}

}  // namespace

void DumpComparison::step(const std::vector<DumpedSample>& samples, const StepShards& step) {
  bool numbers = true;
  for (const DumpedSample& sample : samples) {
    numbers = !refuse_nulls(sample) && numbers;
  }
  if (!numbers) {
    return;
  }
  if (samples.size() != step.shards.size()) {
    skip(fmt::format("the dump holds {} samples and the sidecars {}", samples.size(), step.shards.size()));
    return;
  }
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!compare(samples[i], *step.shards[i]).agree()) {
      open.push_back(i);
    }
  }
  std::vector<std::size_t> free = open;
  for (const std::size_t i : open) {
    const auto match = std::find_if(free.begin(), free.end(), [&](std::size_t at) {
      return step.calls > 1 && compare(samples[i], *step.shards[at]).agree();
    });
    if (match != free.end()) {
      free.erase(match);
    } else {
      report(samples[i], *step.shards[i]);
    }
  }
}

void DumpComparison::skip(std::string reason) {
  if (surveyed_.unavailable.empty()) {
    surveyed_.unavailable = std::move(reason);
  }
}

DumpComparison::Outcomes DumpComparison::compare(const DumpedSample& sample, const Shard& shard) {
  if (shard.state != Shard::State::kCompared) {
    return {Outcome::kUnavailable, Outcome::kUnavailable};
  }
  const Side train = load(sample.train, shard, "log_probs", shard.train_dtype);
  const Side rollout = load(sample.rollout, shard, "rollout_log_probs", shard.rollout_dtype);
  Outcomes outcomes = {train.settled ? *train.settled : hashed(train, shard, shard.train_dtype, shard.active_train),
                       rollout.settled.value_or(Outcome::kEqual)};
  if (rollout.settled) {
    return outcomes;
  }
  const bool same = !train.settled && shard.active_train == shard.active_rollout &&
                    train.view.size() == rollout.view.size() &&
                    (train.view.empty() || std::memcmp(train.view.data(), rollout.view.data(), train.view.size()) == 0);
  outcomes.rollout = same ? outcomes.train : hashed(rollout, shard, shard.rollout_dtype, shard.active_rollout);
  return outcomes;
}

bool DumpComparison::refuse_nulls(const DumpedSample& sample) {
  bool refused = false;
  for (const core::Value vector : {sample.train, sample.rollout}) {
    if (auto what = engine_null(vector, sample.number)) {
      core::Finding finding = finding_of("RLV-159", std::move(*what), "a number", "none");
      finding.place.sample = static_cast<std::int64_t>(sample.number);
      finding.section = Section::kLogProbs;
      surveyed_.findings.add(std::move(finding));
      refused = true;
    }
  }
  return refused;
}

void DumpComparison::report(const DumpedSample& sample, const Shard& shard) {
  const Outcomes outcomes = compare(sample, shard);
  const std::pair<const char*, Outcome> sides[] = {{"log_probs", outcomes.train},
                                                   {"rollout_log_probs", outcomes.rollout}};
  for (const auto& [field, outcome] : sides) {
    if (is_agreement(outcome)) {
      continue;
    }
    core::Finding finding = finding_of("RLV-191", fmt::format("{} of a train dump differ from the sidecar's", field),
                                       outcome == Outcome::kOtherLength
                                           ? fmt::format("{} values", shard.train_count)
                                           : fmt::format("the bytes of call {} at active positions", shard.call),
                                       outcome == Outcome::kOtherLength ? "another number" : "others");
    finding.place.rank = shard.rank;
    finding.place.sample = static_cast<std::int64_t>(sample.number);
    surveyed_.findings.add(std::move(finding));
  }
}

core::Finding DumpComparison::finding_of(const char* code, std::string what, std::string expected,
                                         std::string found) const {
  core::Finding finding = core::bare_finding(code, core::Severity::kError, Section::kDumps, std::move(what));
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  finding.place.file = dump_.source->name();
  return finding;
}

DumpComparison::Side DumpComparison::load(core::Value value, const Shard& shard, const char* field,
                                          tensor::DType dtype) {
  Side side;
  if (!value.present()) {
    side.settled = Outcome::kUnavailable;
    return side;
  }
  side.numbers = run::number_vector(*dump_.pt, value, dump_.source->name(), field);
  if (side.numbers.dtype != dtype) {
    skip(fmt::format("{} is {} in the dump and {} in the sidecar", field, tensor::torch_name(side.numbers.dtype),
                     tensor::torch_name(dtype)));
    side.settled = Outcome::kUnavailable;
    return side;
  }
  const bool whole_response = side.numbers.element_count == static_cast<std::uint64_t>(shard.response_length);
  if (side.numbers.element_count != shard.train_count && !whole_response) {
    side.settled = Outcome::kOtherLength;
    return side;
  }
  side.elements = run::load(*dump_.source, side.numbers);
  side.view = side.elements.view;
  if (side.numbers.element_count != shard.train_count) {
    side.piece = cut(side.view, tensor::bytes_per_element(dtype), shard, layout_);
    side.view = side.piece;
  }
  ++surveyed_.compared;
  return side;
}

DumpComparison::Outcome DumpComparison::hashed(const Side& side, const Shard& shard, tensor::DType dtype,
                                               const core::Sha256Digest& wanted) {
  const bool equal = active_digest(side.view, tensor::bytes_per_element(dtype), shard.active, hash_) == wanted;
  return equal ? Outcome::kEqual : Outcome::kOtherBytes;
}

}  // namespace rlverify::sidecar
