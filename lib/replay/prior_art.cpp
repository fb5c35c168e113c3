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
#include <limits>
#include <set>
#include <span>

#include "core/byte_source.h"
#include "core/errors.h"
#include "core/sha256.h"
#include "core/thread_pool.h"
#include "replay/logits.h"
#include "rlverify_kernels/synthetic.h"
#include "run/logp_inputs_file.h"
#include "tensor/storage_check.h"

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
      for (std::size_t row = 0; row < values.size(); ++row) {
        out.max_abs_vs_fp64 =
            std::max(out.max_abs_vs_fp64, std::fabs(static_cast<double>(values[row]) - reference_[row]));
      }
    } catch (const kernels::KernelError& error) {
      if (error.kind() != kernels::ErrorKind::kInvalidInput && error.kind() != kernels::ErrorKind::kUnsupported) {
        throw core::DeviceError(error.what());
      }
      values.clear();
      PriorArtCandidate unavailable;
      unavailable.name = contract.name;
      unavailable.unavailable = error.what();
      return unavailable;
    }
    return out;
  }

 private:
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

/// Largest distance of two candidates' values; pairs with a value that isn't finite don't count.
double max_abs(const std::vector<float>& a, const std::vector<float>& b) {
  double max = 0.0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    const double distance = std::fabs(static_cast<double>(a[row]) - static_cast<double>(b[row]));
    max = std::isfinite(distance) ? std::max(max, distance) : max;
  }
  return max;
}

/// The logits that count must be numbers, or -inf for a column that can't be chosen.
void require_numbers(const std::string& path, std::size_t sample, const Logits& rows, std::int64_t real_columns) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    for (std::int64_t column = 0; column < real_columns; ++column) {
      const float value = logit(rows, i, column);
      if (std::isnan(value) || value == std::numeric_limits<float>::infinity()) {
        run::fail_field(path, fmt::format("logits[{}] at [{}, {}]", sample, i, column), "a number or -inf",
                        std::isnan(value) ? "nan" : "inf");
      }
    }
  }
}

void require_targets(const std::string& path, std::size_t sample, const std::vector<std::int64_t>& targets,
                     std::int64_t real_columns) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0 || targets[i] >= real_columns) {
      run::fail_field(path, fmt::format("targets[{}] at [{}]", sample, i),
                      fmt::format("a token of the real vocabulary, 0 to {}", real_columns - 1),
                      fmt::format("{}", targets[i]));
    }
  }
}

}  // namespace

SharedLogits synthetic_logits(std::int64_t tokens, std::int64_t vocabulary, std::int64_t real_vocabulary,
                              std::uint64_t seed) {
  SharedLogits logits;
  logits.tokens = tokens;
  logits.vocabulary = vocabulary;
  logits.real_vocabulary = real_vocabulary;
  logits.bytes = kernels::normal_logits(seed, tokens, vocabulary, real_vocabulary, 1.0F, logits.type);
  logits.targets = kernels::uniform_targets(seed, tokens, real_vocabulary);
  return logits;
}

std::uint64_t synthetic_logits_bytes(std::int64_t tokens, std::int64_t vocabulary) {
  return static_cast<std::uint64_t>(tokens) * static_cast<std::uint64_t>(vocabulary) *
         static_cast<std::uint64_t>(kernels::storage_bytes(kernels::StorageType::kBFloat16));
}

namespace {

std::uint64_t matrix_bytes(const run::LogpInputsFile& file) {
  std::uint64_t sum = 0;
  for (const run::LogpInputsSample& sample : file.samples) {
    sum += sample.matrix->logical_bytes();
  }
  return sum;
}

}  // namespace

std::uint64_t logits_of_file_bytes(const std::string& path) {
  const run::LogpInputsFile file = run::read_logp_inputs(core::open_file(path), path);
  std::uint64_t largest = 0;
  for (const run::LogpInputsSample& sample : file.samples) {
    largest = std::max(largest, sample.matrix->logical_bytes());
  }
  return matrix_bytes(file) + largest;  // all samples, and one beside them as it is read
}

void require_contracts(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    (void)contract_called(name);
  }
}

SharedLogits logits_of_file(const std::string& path) {
  const run::LogpInputsFile file = run::read_logp_inputs(core::open_file(path), path);
  tensor::check_storages(*file.source, *file.pt);
  if (file.has_hidden || file.is_local_vocab) {
    run::fail_field(path, "logits", "logits over the whole padded vocabulary",
                    file.has_hidden ? "hidden states" : "one rank's slice");
  }
  SharedLogits logits;
  logits.type = storage_type(file.dtype);
  logits.vocabulary = file.padded_vocab_size;
  logits.real_vocabulary = file.real_vocab_size;
  logits.bytes.reserve(matrix_bytes(file));
  Logits rows;
  rows.type = logits.type;
  rows.columns = file.padded_vocab_size;
  for (std::size_t i = 0; i < file.samples.size(); ++i) {
    const run::LogpInputsSample& sample = file.samples[i];
    require_targets(path, i, sample.targets, file.real_vocab_size);
    rows.rows = static_cast<std::int64_t>(sample.tokens());
    rows.bytes = tensor::read_elements(*file.source, *sample.matrix);
    require_numbers(path, i, rows, file.real_vocab_size);
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      for (std::int64_t column = file.real_vocab_size; column < file.padded_vocab_size; ++column) {
        exclude(rows, row, column);
      }
    }
    const auto* first = reinterpret_cast<const unsigned char*>(rows.bytes.data());
    logits.bytes.insert(logits.bytes.end(), first, first + rows.bytes.size());
    logits.targets.insert(logits.targets.end(), sample.targets.begin(), sample.targets.end());
  }
  logits.tokens = static_cast<std::int64_t>(logits.targets.size());
  if (logits.tokens == 0) {
    run::fail_field(path, "logits", "at least one row", "none");
  }
  return logits;
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
