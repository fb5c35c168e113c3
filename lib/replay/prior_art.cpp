// SPDX-License-Identifier: Apache-2.0
// Rows alone and sub-batches are batches of their own (batch_rows 0), as a system that is called with them would have
// them; everything is compared by bits.
#include "replay/prior_art.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <span>

#include "core/errors.h"
#include "core/sha256.h"
#include "core/thread_pool.h"

namespace rlverify::replay {
namespace {

using kernels::CollectiveOrder;
using kernels::CollectiveSetting;
using kernels::Contract;
using kernels::ContractId;
using kernels::LogpInput;

constexpr std::array<std::string_view, 6> kPublished = {"rl_kernel_ws2", "vllm_gather", "megatron_ce",
                                                        "vime_default",  "miles_fused", "verl_fused"};
constexpr std::array<CollectiveSetting, 3> kSettings = {CollectiveSetting{CollectiveOrder::kRing, 16},
                                                        CollectiveSetting{CollectiveOrder::kChain, 16},
                                                        CollectiveSetting{CollectiveOrder::kRing, 1}};
constexpr std::array<std::int64_t, 2> kSubBatches = {7, 256};

const Contract& contract_called(const std::string& name) {
  if (const Contract* const contract = kernels::find_contract(name); contract != nullptr) {
    return *contract;
  }
  std::vector<std::string_view> known;
  for (const Contract& contract : kernels::contracts()) {
    known.push_back(contract.name);
  }
  throw core::UsageError(
      fmt::format("--candidate: there is no contract \"{}\"; there are {}", name, fmt::join(known, ", ")));
}

std::vector<const Contract*> chosen(const std::vector<std::string>& names) {
  std::vector<const Contract*> contracts;
  for (const std::string_view name : kPublished) {
    if (names.empty()) {
      contracts.push_back(kernels::find_contract(name));
    }
  }
  for (const std::string& name : names) {
    const Contract* const contract = &contract_called(name);
    if (std::find(contracts.begin(), contracts.end(), contract) == contracts.end()) {
      contracts.push_back(contract);
    }
  }
  return contracts;
}

class Runner {
 public:
  Runner(const SharedLogits& logits, const kernels::Execution& execution, int repeats)
      : logits_(logits), execution_(execution), repeats_(repeats) {
    input_.logits = logits.bytes.data();
    input_.logits_type = logits.type;
    input_.targets = logits.targets.data();
    input_.rows = logits.tokens;
    input_.padded_vocab_size = logits.vocabulary;
    input_.real_vocab_size = logits.real_vocabulary;
    input_.collective = kSettings.front();
    reference_.resize(static_cast<std::size_t>(logits.tokens));
    kernels::compute_logp(ContractId::kFp64, input_, execution_, {nullptr, reference_.data()});
  }

  /// Measures a candidate; its values at four ranks go to `values` for the comparison with the others.
  PriorArtCandidate measure(const Contract& contract, std::vector<float>& values) {
    PriorArtCandidate out;
    out.name = contract.name;
    try {
      LogpInput four = input_;
      four.tensor_parallel_size = kPriorArtRanks;
      repeat(contract.id, four, out, values);
      out.tp4_equals_tp1 = same(values, run(contract.id, input_));
      out.nccl_setting_invariant = true;
      for (const CollectiveSetting& setting : kSettings) {
        LogpInput other = four;
        other.collective = setting;
        out.nccl_setting_invariant = *out.nccl_setting_invariant && same(values, run(contract.id, other));
      }
      out.batch_bitwise = rows_alone_agree(contract.id, four, values) && sub_batches_agree(contract.id, four, values);
      if (const auto reason = measure_distance(values, out)) {
        return unavailable(contract, fmt::format("{}: {}", contract.name, *reason), values);
      }
    } catch (const kernels::KernelError& error) {
      if (error.kind() != kernels::ErrorKind::kInvalidInput && error.kind() != kernels::ErrorKind::kUnsupported) {
        throw core::DeviceError(error.what());
      }
      return unavailable(contract, error.what(), values);
    }
    return out;
  }

 private:
  static PriorArtCandidate unavailable(const Contract& contract, std::string reason, std::vector<float>& values) {
    values.clear();
    PriorArtCandidate out;
    out.name = contract.name;
    out.unavailable = std::move(reason);
    return out;
  }

  /// The largest distance from fp64; or why there is none: a row that is a number on one side only is no distance, and
  /// to leave it out would make what failed look exact.
  std::optional<std::string> measure_distance(const std::vector<float>& values, PriorArtCandidate& out) const {
    for (std::size_t row = 0; row < values.size(); ++row) {
      const auto value = static_cast<double>(values[row]);
      const double distance = value == reference_[row] ? 0.0 : std::fabs(value - reference_[row]);
      if (!std::isfinite(distance)) {
        return fmt::format("row {} gives {} and fp64 {}: there is no distance", row, values[row], reference_[row]);
      }
      out.max_abs_vs_fp64 = std::max(out.max_abs_vs_fp64, distance);
    }
    return std::nullopt;
  }

  static bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
  }

  std::vector<float> run(ContractId id, const LogpInput& input) const {
    std::vector<float> values(static_cast<std::size_t>(input.rows));
    kernels::compute_logp(id, input, execution_, {values.data(), nullptr});
    return values;
  }

  void repeat(ContractId id, const LogpInput& input, PriorArtCandidate& out, std::vector<float>& values) const {
    std::set<core::Sha256Digest> digests;
    std::vector<double> times;
    for (int i = 0; i < repeats_; ++i) {
      values.assign(static_cast<std::size_t>(input.rows), 0.0F);
      times.push_back(kernels::compute_logp(id, input, execution_, {values.data(), nullptr}).microseconds);
      digests.insert(core::sha256(std::as_bytes(std::span(values))));
    }
    std::sort(times.begin(), times.end());
    const std::size_t middle = times.size() / 2;
    out.latency_us = times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2.0;
    out.distinct_results = static_cast<std::int64_t>(digests.size());
  }

  [[nodiscard]] LogpInput part(const LogpInput& all, std::int64_t first, std::int64_t rows) const {
    LogpInput input = all;
    const std::int64_t row_bytes = logits_.vocabulary * kernels::storage_bytes(logits_.type);
    input.logits = logits_.bytes.data() + first * row_bytes;
    input.targets = logits_.targets.data() + first;
    input.rows = rows;
    return input;
  }

  /// Rows are spread over threads here: a call for one row has nothing to share out. A GPU takes them one by one.
  bool rows_alone_agree(ContractId id, const LogpInput& all, const std::vector<float>& values) const {
    kernels::Execution single = execution_;
    single.threads = 1;
    core::ThreadPool pool(execution_.backend == kernels::Backend::kCpu ? 0 : 1);
    std::vector<float> alone(values.size());
    pool.for_each(values.size(), [&](std::size_t row) {
      kernels::compute_logp(id, part(all, static_cast<std::int64_t>(row), 1), single, {&alone[row], nullptr});
    });
    return same(values, alone);
  }

  bool sub_batches_agree(ContractId id, const LogpInput& all, const std::vector<float>& values) const {
    std::vector<float> parts(values.size());
    for (const std::int64_t size : kSubBatches) {
      for (std::int64_t first = 0; first < all.rows; first += size) {
        const std::int64_t rows = std::min(size, all.rows - first);
        kernels::compute_logp(id, part(all, first, rows), execution_, {parts.data() + first, nullptr});
      }
      if (!same(values, parts)) {
        return false;
      }
    }
    return true;
  }

  const SharedLogits& logits_;
  kernels::Execution execution_;
  int repeats_;
  LogpInput input_;
  std::vector<double> reference_;
};

/// Largest distance of two candidates' values. Where one isn't finite, the other and fp64 give the same (a target at
/// -inf): that pair doesn't count.
double max_abs(const std::vector<float>& a, const std::vector<float>& b) {
  double max = 0.0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    const double distance = std::fabs(static_cast<double>(a[row]) - static_cast<double>(b[row]));
    max = std::isfinite(distance) ? std::max(max, distance) : max;
  }
  return max;
}

}  // namespace

void require_contracts(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    (void)contract_called(name);
  }
}

PriorArt run_prior_art(const SharedLogits& logits, const PriorArtOptions& options) {
  PriorArt result;
  result.tokens = logits.tokens;
  result.repeats = options.repeats;
  result.settings.assign(kSettings.begin(), kSettings.end());
  kernels::Execution execution;
  const kernels::BackendStatus gpu = kernels::backend_status(kernels::Backend::kCuda);
  if (gpu.available) {
    execution.backend = kernels::Backend::kCuda;
    result.gpu = gpu.device;
  } else {
    result.cpu = kernels::backend_status(kernels::Backend::kCpu).device;
  }
  const std::vector<const Contract*> contracts = chosen(options.candidates);
  std::vector<std::vector<float>> values(contracts.size());
  try {
    Runner runner(logits, execution, options.repeats);
    for (std::size_t i = 0; i < contracts.size(); ++i) {
      result.candidates.push_back(runner.measure(*contracts[i], values[i]));
    }
  } catch (const kernels::KernelError& error) {
    throw core::DeviceError(error.what());
  }
  for (std::size_t i = 0; i < contracts.size(); ++i) {
    for (std::size_t j = 0; j < contracts.size(); ++j) {
      if (i != j && !values[i].empty() && !values[j].empty()) {
        result.candidates[i].max_abs_vs.emplace_back(result.candidates[j].name, max_abs(values[i], values[j]));
      }
    }
  }
  return result;
}

}  // namespace rlverify::replay
