// SPDX-License-Identifier: Apache-2.0
// The logits that all candidates of prior-art share: made from a seed, or read from a file and refused there when no
// log-prob can be computed from them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/byte_source.h"
#include "replay/logits.h"
#include "replay/prior_art.h"
#include "rlverify_kernels/synthetic.h"
#include "run/logp_inputs_file.h"
#include "tensor/storage_check.h"

namespace rlverify::replay {
namespace {

std::uint64_t matrix_bytes(const run::LogpInputsFile& file) {
  std::uint64_t sum = 0;
  for (const run::LogpInputsSample& sample : file.samples) {
    sum += sample.matrix->logical_bytes();
  }
  return sum;
}

/// The logits that count must be numbers, or -inf for a column that can't be chosen; one of a row must be a number.
void require_numbers(const std::string& path, std::size_t sample, const Logits& rows, std::int64_t real_columns) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    bool any_finite = false;
    for (std::int64_t column = 0; column < real_columns; ++column) {
      const float value = logit(rows, i, column);
      if (std::isnan(value) || value == std::numeric_limits<float>::infinity()) {
        run::fail_field(path, fmt::format("logits[{}] at [{}, {}]", sample, i, column), "a number or -inf",
                        std::isnan(value) ? "nan" : "inf");
      }
      any_finite = any_finite || std::isfinite(value);
    }
    if (!any_finite) {
      run::fail_field(path, fmt::format("logits[{}] at [{}]", sample, i), "a number in a real column", "only -inf");
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

std::uint64_t logits_of_file_bytes(const std::string& path) {
  const run::LogpInputsFile file = run::read_logp_inputs(core::open_file(path), path);
  std::uint64_t largest = 0;
  for (const run::LogpInputsSample& sample : file.samples) {
    largest = std::max(largest, sample.matrix->logical_bytes());
  }
  return matrix_bytes(file) + largest;  // all samples, and one beside them as it is read
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

}  // namespace rlverify::replay
