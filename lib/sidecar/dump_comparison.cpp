// SPDX-License-Identifier: Apache-2.0
// Digests are compared, not bytes: the sidecars have been closed by the time the dumps are read.
#include "sidecar/dump_comparison.h"

#include <fmt/format.h>

#include <algorithm>
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
    if (!agree(samples[i], *step.shards[i])) {
      open.push_back(i);
    }
  }
  std::vector<std::size_t> free = open;
  for (const std::size_t i : open) {
    const auto match = std::find_if(free.begin(), free.end(), [&](std::size_t at) {
      return step.calls > 1 && agree(samples[i], *step.shards[at]);
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

bool DumpComparison::agree(const DumpedSample& sample, const Shard& shard) {
  return is_agreement(vector(sample.train, shard, "log_probs", false)) &&
         is_agreement(vector(sample.rollout, shard, "rollout_log_probs", true));
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
  const std::pair<const char*, core::Value> sides[] = {{"log_probs", sample.train},
                                                       {"rollout_log_probs", sample.rollout}};
  for (const auto& [field, value] : sides) {
    const bool rollout_side = field != sides[0].first;
    const Outcome outcome = vector(value, shard, field, rollout_side);
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
  core::Finding finding;
  finding.code = code;
  finding.section = Section::kDumps;
  finding.what = std::move(what);
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  finding.place.file = dump_.source->name();
  return finding;
}

DumpComparison::Outcome DumpComparison::vector(core::Value value, const Shard& shard, const char* field,
                                               bool rollout_side) {
  if (shard.state != Shard::State::kCompared || !value.present()) {
    return Outcome::kUnavailable;
  }
  const run::NumberVector numbers = run::number_vector(*dump_.pt, value, dump_.source->name(), field);
  const tensor::DType dtype = rollout_side ? shard.rollout_dtype : shard.train_dtype;
  if (numbers.dtype != dtype) {
    skip(fmt::format("{} is {} in the dump and {} in the sidecar", field, tensor::torch_name(numbers.dtype),
                     tensor::torch_name(dtype)));
    return Outcome::kUnavailable;
  }
  const bool whole_response = numbers.element_count == static_cast<std::uint64_t>(shard.response_length);
  if (numbers.element_count != shard.train_count && !whole_response) {
    return Outcome::kOtherLength;
  }
  const run::ElementBytes elements = run::load(*dump_.source, numbers);
  const std::size_t element_bytes = tensor::bytes_per_element(dtype);
  std::vector<std::byte> piece;
  std::span<const std::byte> view = elements.view;
  if (numbers.element_count != shard.train_count) {
    piece = cut(view, element_bytes, shard, layout_);
    view = piece;
  }
  ++surveyed_.compared;
  const core::Sha256Digest& wanted = rollout_side ? shard.active_rollout : shard.active_train;
  return active_digest(view, element_bytes, shard.active) == wanted ? Outcome::kEqual : Outcome::kOtherBytes;
}

}  // namespace rlverify::sidecar
