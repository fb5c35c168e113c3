// SPDX-License-Identifier: Apache-2.0
// Sums run over groups by call and rank, samples in list order, rows in order, so that no number depends on threads or
// on the size of a piece.
#include "replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/errors.h"
#include "replay/comparison.h"
#include "replay/nucleus.h"
#include "replay/rows.h"
#include "replay/table.h"
#include "replay/verdict.h"
#include "replay/walk.h"

namespace rlverify::replay {
namespace {

constexpr std::array<Temperature, 2> kTemperatures = {Temperature::kOfFile, Temperature::kOne};

/// Rows of one group, with what is needed to compute from them.
class Replayer {
 public:
  Replayer(const std::string& path, const ReplayOptions& options)
      : options_(options),
        table_(options.contracts, options.execution, result_.unavailable),
        walk_(found_, options.execution, options.show_progress) {
    result_.input = path;
    check_backend();
    found_ = find_inputs(path, options.sidecar);
    result_.files = found_.files;
    result_.findings = std::move(found_.findings);
    result_.sides[0].side = Side::kTrain;
    result_.sides[1].side = Side::kRollout;
    for (SideResult& side : result_.sides) {
      side.rows.resize(table_.candidates().size() * kOutputs);
    }
  }

  ReplayResult run() {
    walk_.run([this](const LoadedGroup& group) { enter(group); }, [this](const Piece& piece) { first_pass(piece); },
              result_.findings);
    finish_settings();
    for (SideResult& side : result_.sides) {
      name_rows(side, table_, RowFilter{temperatures_ == std::set<double>{1.0}, has_padding_});
      judge_side(side);
    }
    for (SideResult& side : result_.sides) {
      explain_by_nucleus(side);
    }
    judge_sides(result_);
    list_contracts();
    report_unavailable();
    return std::move(result_);
  }

 private:
  void check_backend() {
    const kernels::BackendStatus status =
        kernels::backend_status(options_.execution.backend, options_.execution.device);
    result_.backend = kernels::backend_name(options_.execution.backend);
    result_.device = status.device;
    if (!status.available) {
      throw core::DeviceError(fmt::format("--backend {}: {}", result_.backend, status.reason));
    }
  }

  void enter(const LoadedGroup& group) {
    const run::LogpInputsFile& head = group.head();
    temperatures_.insert(head.temperature);
    real_sizes_.insert(head.real_vocab_size);
    padded_sizes_.insert(head.padded_vocab_size);
    ranks_.insert(head.tensor_parallel_size);
    has_padding_ = has_padding_ || head.real_vocab_size != head.padded_vocab_size;
    result_.settings.scaled = result_.settings.scaled || head.logits_are_temperature_scaled;
    for (std::size_t i = 0; i < group.samples.size(); ++i) {
      for (const tensor::TensorRef* part : group.samples[i].parts) {
        ++result_.tensors;
        result_.bytes += part->logical_bytes();
      }
      result_.values += group.samples[i].rows();
      compare_sides(group, i);
    }
  }

  /// Train against rollout, before anything is computed.
  void compare_sides(const LoadedGroup& group, std::size_t index) {
    const LoadedSample& sample = group.samples[index];
    const auto& [train, rollout] = sample.sides;
    for (std::size_t side = 0; side < kSides; ++side) {
      if (sample.sides.at(side) && !dtype_known_.at(side)) {
        result_.sides.at(side).dtype = sample.sides.at(side)->dtype;
        dtype_known_.at(side) = true;
      }
    }
    for (std::size_t row = 0; train && rollout && row < sample.rows(); ++row) {
      if (!sample.is_active(row)) {
        continue;
      }
      const tensor::DType dtype = train->dtype == rollout->dtype ? train->dtype : tensor::DType::kFloat32;
      const bool fresh = result_.direct.tally.differing == 0;
      const Place place = fresh ? group.place(index, row) : Place{};
      add_pair(result_.direct.tally, dtype, train->values[row], rollout->values[row], place);
      if (fresh && result_.direct.tally.differing != 0) {
        result_.direct.first = Parting{place, train->values[row], rollout->values[row]};
      }
    }
  }

  void first_pass(const Piece& piece) {
    const LoadedSample& sample = piece.group.samples[piece.sample];
    table_.compute(piece);
    for (std::size_t side = 0; side < kSides; ++side) {
      if (!sample.sides.at(side)) {
        continue;
      }
      for (std::size_t row = 0; row < static_cast<std::size_t>(piece.rows); ++row) {
        const std::size_t index = static_cast<std::size_t>(piece.first_row) + row;
        if (sample.is_active(index)) {
          tally_row(piece, side, row);
          look_at_nucleus(piece, side, row);
        }
      }
    }
  }

  [[nodiscard]] bool is_parting(const Piece& piece, std::size_t index) const {
    const auto& first = result_.direct.first;
    return first && first->place.file == piece.group.name &&
           first->place.sample == static_cast<std::int64_t>(piece.sample) &&
           first->place.index == static_cast<std::int64_t>(index);
  }

  void tally_row(const Piece& piece, std::size_t side, std::size_t row) {
    const std::size_t index = static_cast<std::size_t>(piece.first_row) + row;
    const SideValues& recorded = *piece.group.samples[piece.sample].sides.at(side);
    const bool parting = is_parting(piece, index);
    const Place place = piece.group.place(piece.sample, index);
    for (std::size_t i = 0; i < table_.candidates().size(); ++i) {
      const Candidate& candidate = table_.candidates()[i];
      for (std::size_t output = 0; output < kOutputs; ++output) {
        const double computed = output_value(candidate, row, output, recorded.dtype);
        Row& into = result_.sides.at(side).rows[row_index(i, output)];
        add_pair(into.tally, recorded.dtype, recorded.values[index], computed, place);
        if (parting) {
          into.at_parting = computed;
        }
      }
    }
  }

  void look_at_nucleus(const Piece& piece, std::size_t side, std::size_t row) {
    const LoadedSample& sample = piece.group.samples[piece.sample];
    const std::size_t index = static_cast<std::size_t>(piece.first_row) + row;
    const std::int64_t target = (*sample.targets)[index];
    if (target < 0 || target >= piece.group.head().real_vocab_size) {
      return;
    }
    const Logits& logits = table_.masked(piece, kernels::ContractId::kFp64);
    for (const Temperature temperature : kTemperatures) {
      estimates_.at(side)
          .at(static_cast<std::size_t>(temperature))
          .look(logits, static_cast<std::int64_t>(row), target, Table::divisor(piece.group.head(), temperature),
                table_.reference(temperature).wide[row], sample.sides.at(side)->values[index]);
    }
  }

  void finish_settings() {
    result_.settings.temperatures.assign(temperatures_.begin(), temperatures_.end());
    result_.settings.real_vocab_sizes.assign(real_sizes_.begin(), real_sizes_.end());
    result_.settings.padded_vocab_sizes.assign(padded_sizes_.begin(), padded_sizes_.end());
    result_.settings.tensor_parallel_sizes.assign(ranks_.begin(), ranks_.end());
    result_.exactness = table_.report().exactness;
  }

  void list_contracts() {
    const bool nucleus = std::any_of(result_.sides.begin(), result_.sides.end(),
                                     [](const SideResult& side) { return side.nucleus.has_value(); });
    // ATen's own operations stand in for nothing but themselves: `exactness` says what they are not.
    const bool own = options_.execution.backend == kernels::Backend::kTorch;
    for (const Candidate& candidate : table_.candidates()) {
      const kernels::Contract& entry = kernels::contract(candidate.contract);
      const bool first = result_.contracts.empty() || result_.contracts.back().contract != entry.name;
      if (candidate.listed && candidate.fits && (candidate.whole || nucleus) && first) {
        result_.contracts.push_back(
            {std::string(entry.name), std::string(entry.used_by), own ? "" : std::string(entry.stand_in)});
      }
    }
  }

  /// A second pass for a side that nothing explains and that may be renormalised.
  void explain_by_nucleus(SideResult& side) {
    for (const Temperature temperature : kTemperatures) {
      const NucleusEstimate& estimate =
          estimates_.at(static_cast<std::size_t>(side.side)).at(static_cast<std::size_t>(temperature));
      const bool same_again = temperature == Temperature::kOne && temperatures_ == std::set<double>{1.0};
      if (side.verdict == SideVerdict::kNone && !side.nucleus && estimate.plausible() && !same_again) {
        try_nucleus(side, {estimate.low(), estimate.high(), temperature});
      }
    }
    judge_side(side);
  }

  void try_nucleus(SideResult& side, const Nucleus& nucleus) {
    const Temperature temperature = nucleus.temperature;
    const std::size_t first = side.rows.size();
    std::map<kernels::ContractId, std::size_t> row_of;
    for (const Candidate& candidate : table_.candidates()) {
      if (candidate.temperature == temperature && candidate.vocabulary == Vocabulary::kReal && candidate.listed &&
          candidate.fits) {
        row_of[candidate.contract] = side.rows.size();
        Row row;
        row.hypothesis = {std::string(kernels::contract(candidate.contract).name), temperature, Vocabulary::kReal,
                          Output::kAsComputed, true};
        row.same_as = side.rows.size();
        side.rows.push_back(std::move(row));
      }
    }
    const auto index = static_cast<std::size_t>(side.side);
    core::Findings told_before;
    walk_.run([](const LoadedGroup&) {},
              [&](const Piece& piece) {
                table_.compute_nucleus(piece, temperature, (nucleus.low + nucleus.high) / 2.0);
                tally_nucleus(piece, index, temperature, row_of);
              },
              told_before);
    const Tally& nearest = side.rows[nearest_of(side, first)].tally;
    const Tally& before = side.rows[*side.nearest].tally;
    if (nearest.differing == 0 || nearest.mean_abs() * 5.0 < before.mean_abs()) {
      side.nucleus = nucleus;
    } else {
      side.rows.resize(first);
    }
  }

  static std::size_t nearest_of(const SideResult& side, std::size_t first) {
    std::size_t best = first;
    for (std::size_t row = first; row < side.rows.size(); ++row) {
      best = side.rows[row].tally.mean_abs() < side.rows[best].tally.mean_abs() ? row : best;
    }
    return best;
  }

  void tally_nucleus(const Piece& piece, std::size_t side, Temperature temperature,
                     const std::map<kernels::ContractId, std::size_t>& row_of) {
    const LoadedSample& sample = piece.group.samples[piece.sample];
    if (!sample.sides.at(side)) {
      return;
    }
    const SideValues& recorded = *sample.sides.at(side);
    for (std::size_t row = 0; row < static_cast<std::size_t>(piece.rows); ++row) {
      const std::size_t index = static_cast<std::size_t>(piece.first_row) + row;
      if (!sample.is_active(index)) {
        continue;
      }
      const Place place = piece.group.place(piece.sample, index);
      for (const Candidate& candidate : table_.candidates()) {
        const auto found = row_of.find(candidate.contract);
        if (found == row_of.end() || candidate.temperature != temperature ||
            candidate.vocabulary != Vocabulary::kReal) {
          continue;
        }
        const double computed = output_value(candidate, row, 0, recorded.dtype);
        Row& into = result_.sides.at(side).rows[found->second];
        add_pair(into.tally, recorded.dtype, recorded.values[index], computed, place);
        if (is_parting(piece, index)) {
          into.at_parting = computed;
        }
      }
    }
  }

  void report_unavailable() {
    for (const Unavailable& unavailable : result_.unavailable) {
      core::Finding finding = core::bare_finding("RLV-508", core::Severity::kNote, core::Section::kReplay,
                                                 fmt::format("{} was not tried", unavailable.contract));
      finding.found = unavailable.reason;
      result_.findings.add(std::move(finding));
    }
  }

  const ReplayOptions& options_;
  ReplayResult result_;
  Table table_;
  FoundInputs found_;
  GroupWalk walk_;
  std::set<double> temperatures_;
  std::set<std::int64_t> real_sizes_;
  std::set<std::int64_t> padded_sizes_;
  std::set<std::int64_t> ranks_;
  bool has_padding_ = false;
  std::array<bool, kSides> dtype_known_{};
  std::array<std::array<NucleusEstimate, 2>, kSides> estimates_;
};

}  // namespace

ReplayResult replay(const std::string& path, const ReplayOptions& options) {
  return Replayer(path, options).run();
}

}  // namespace rlverify::replay
