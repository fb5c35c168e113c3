// SPDX-License-Identifier: Apache-2.0
// Statistics of TP replicas are computed although only the first replica's count: that costs less than deciding which
// is first before all files are known.
#include "sidecar/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/python_value.h"
#include "tensor/element.h"
#include "tensor/storage_check.h"

namespace rlverify::sidecar {
namespace {

using run::fail_field;

/// Python's `payload[field] == size`, where the field may also be a 0-d tensor.
bool equals_size(const run::SidecarFile& file, core::Value value, std::int64_t size) {
  if (!value.is(core::Kind::kTensor)) {
    return core::python_equal(value, size);
  }
  const tensor::TensorRef& tensor = file.pt->tensor(value);
  if (tensor.element_count != 1 || tensor::bytes_per_element(tensor.dtype) == 0 || tensor::is_complex(tensor.dtype)) {
    return false;
  }
  const auto bytes = tensor::read_elements(*file.source, tensor);
  return tensor::real_element(tensor.dtype, bytes.data()) == static_cast<double>(size);
}

void check_layout(const run::SidecarFile& file, const Layout& layout) {
  const auto check = [&file](const char* field, core::Value value, std::int64_t wanted) {
    if (!equals_size(file, value, wanted)) {
      fail_field(file.source->name(), field, fmt::format("{}, as the manifest has", wanted),
                 run::describe(*file.pt, value));
    }
  };
  check("tensor_parallel_size", file.tensor_parallel_size, layout.tensor_parallel_size);
  check("context_parallel_size", file.context_parallel_size, layout.context_parallel_size);
}

/// Whether the element at each address is not 0. Integers and booleans, which masks are in practice, are looked at as
/// bytes.
template <typename Word>
void append_nonzero(std::span<const std::byte> mask, const Range& range, std::vector<std::uint8_t>& active) {
  for (std::int64_t at = range.begin; at < range.end; ++at) {
    active.push_back(tensor::load_element<Word>(mask.data() + static_cast<std::size_t>(at) * sizeof(Word)) != 0 ? 1
                                                                                                                : 0);
  }
}

/// One byte per position that the rank owns: is the token active?
std::vector<std::uint8_t> active_slice(const run::SidecarFile& file, const run::SidecarSample& sample,
                                       const std::array<Range, 2>& ranges) {
  const run::ElementBytes mask = run::load(*file.source, sample.loss_mask);
  const tensor::DType dtype = sample.loss_mask.dtype;
  const std::size_t element_bytes = tensor::bytes_per_element(dtype);
  if (tensor::is_complex(dtype)) {
    fail_field(file.source->name(), "loss_masks", "real numbers", "complex numbers");
  }
  const bool whole = tensor::is_integer(dtype) || dtype == tensor::DType::kBool;
  std::vector<std::uint8_t> active;
  active.reserve(static_cast<std::size_t>(owned_count(ranges)));
  for (const Range& range : ranges) {
    if (whole && element_bytes == 4) {
      append_nonzero<std::uint32_t>(mask.view, range, active);
    } else if (whole && element_bytes == 8) {
      append_nonzero<std::uint64_t>(mask.view, range, active);
    } else if (whole && element_bytes == 1) {
      append_nonzero<std::uint8_t>(mask.view, range, active);
    } else {
      for (std::int64_t at = range.begin; at < range.end; ++at) {
        // NaN is not 0, so it is active, as it is for torch.
        active.push_back(
            tensor::real_element(dtype, mask.view.data() + static_cast<std::size_t>(at) * element_bytes) != 0.0 ? 1
                                                                                                                : 0);
      }
    }
  }
  return active;
}

core::Sha256Digest shard_digest(core::Sha256& hash, const run::SidecarSample& sample, const core::Sha256Digest& train,
                                const core::Sha256Digest& rollout, std::span<const std::uint8_t> active) {
  struct Header {
    std::uint64_t train_dtype, rollout_dtype, train_count, rollout_count, active_count;
    std::int64_t total_length, response_length;
  };
  const Header header = {static_cast<std::uint64_t>(sample.train_log_probs.dtype),
                         static_cast<std::uint64_t>(sample.rollout_log_probs.dtype),
                         sample.train_log_probs.element_count,
                         sample.rollout_log_probs.element_count,
                         active.size(),
                         sample.total_length,
                         sample.response_length};
  hash.update(std::as_bytes(std::span(&header, 1)));
  hash.update(train);
  hash.update(rollout);
  hash.update(std::as_bytes(active));
  return hash.finish();
}

/// Digests of both sides; equal bytes are hashed once.
void add_digests(core::Sha256& hash, Shard& shard, const run::SidecarSample& sample, std::span<const std::byte> train,
                 std::span<const std::byte> rollout, std::span<const std::uint8_t> active) {
  const auto digest_of = [&hash](std::span<const std::byte> bytes) {
    hash.update(bytes);
    return hash.finish();
  };
  const bool equal =
      train.size() == rollout.size() && (train.empty() || std::memcmp(train.data(), rollout.data(), train.size()) == 0);
  const core::Sha256Digest whole_train = digest_of(train);
  const core::Sha256Digest whole_rollout = equal ? whole_train : digest_of(rollout);
  shard.digest = shard_digest(hash, sample, whole_train, whole_rollout, active);
  if (std::find(active.begin(), active.end(), std::uint8_t{0}) == active.end()) {
    shard.active_train = whole_train;
    shard.active_rollout = whole_rollout;
    return;
  }
  shard.active.assign(active.begin(), active.end());
  if (active.size() != sample.train_log_probs.element_count ||
      active.size() != sample.rollout_log_probs.element_count) {
    return;  // nothing is compared in a shard whose lengths disagree
  }
  shard.active_train = active_digest(train, tensor::bytes_per_element(sample.train_log_probs.dtype), active, hash);
  shard.active_rollout =
      equal ? shard.active_train
            : active_digest(rollout, tensor::bytes_per_element(sample.rollout_log_probs.dtype), active, hash);
}

/// Elements that differ as numbers, masked ones included.
std::int64_t count_mismatches(tensor::DType dtype, std::span<const std::byte> train,
                              std::span<const std::byte> rollout) {
  if (train.empty() || std::memcmp(train.data(), rollout.data(), train.size()) == 0) {
    return 0;  // NaN beside the same NaN would count for the log; it fails elsewhere
  }
  const std::size_t element_bytes = tensor::bytes_per_element(dtype);
  std::int64_t count = 0;
  for (std::size_t at = 0; at < train.size(); at += element_bytes) {
    count += tensor::real_element(dtype, train.data() + at) != tensor::real_element(dtype, rollout.data() + at) ? 1 : 0;
  }
  return count;
}

Shard survey_sample(const run::SidecarFile& file, std::size_t index, const Layout& layout, core::Sha256& hash,
                    FileMismatches& mismatches) {
  const run::SidecarSample& sample = file.samples[index];
  Shard shard;
  const std::int64_t tp = layout.tensor_parallel_size;
  const std::int64_t cp = layout.context_parallel_size;
  shard.rank = file.rank;
  shard.cp_rank = (file.rank / tp) % cp;
  shard.dp = file.rank / tp / cp;
  shard.call = file.call_index;
  shard.sample = static_cast<std::int64_t>(index);
  shard.total_length = sample.total_length;
  shard.response_length = sample.response_length;
  const auto ranges = owned_ranges(sample.total_length, sample.response_length, cp, shard.cp_rank);
  const std::vector<std::uint8_t> active = active_slice(file, sample, ranges);
  const run::ElementBytes train = run::load(*file.source, sample.train_log_probs);
  const run::ElementBytes rollout = run::load(*file.source, sample.rollout_log_probs);
  add_digests(hash, shard, sample, train.view, rollout.view, active);
  shard.train_dtype = sample.train_log_probs.dtype;
  shard.rollout_dtype = sample.rollout_log_probs.dtype;
  shard.train_count = sample.train_log_probs.element_count;
  shard.rollout_count = sample.rollout_log_probs.element_count;
  shard.slice_count = active.size();
  if (shard.train_count != shard.rollout_count) {
    shard.state = Shard::State::kShapeDiffers;
  } else if (shard.train_dtype != shard.rollout_dtype) {
    shard.state = Shard::State::kDtypeDiffers;
  } else if (shard.slice_count != shard.train_count) {
    shard.state = Shard::State::kMaskLengthDiffers;
  } else if (tensor::is_complex(shard.train_dtype) || tensor::bytes_per_element(shard.train_dtype) == 0) {
    shard.state = Shard::State::kNotReal;
  } else {
    shard.statistics = compare_log_probs(shard.train_dtype, train.view, rollout.view, active);
    shard.unmasked_mismatch_count = count_mismatches(shard.train_dtype, train.view, rollout.view);
    if (shard.statistics.bitwise_mismatch_count > 0 || shard.statistics.non_finite) {
      add_mismatches(shard.train_dtype, train.view, rollout.view, active, ranges, mismatches);
    }
  }
  return shard;
}

std::optional<core::Problem> damage_of(const run::SidecarFile& file) {
  try {
    tensor::check_storages(*file.source, *file.pt);
    return std::nullopt;
  } catch (const core::ArtifactError& error) {
    return error.problem();
  }
}

}  // namespace

core::Sha256Digest active_digest(std::span<const std::byte> values, std::size_t element_bytes,
                                 std::span<const std::uint8_t> active, core::Sha256& hash) {
  if (active.empty()) {
    hash.update(values);
    return hash.finish();
  }
  for (std::size_t begin = 0; begin < active.size();) {
    std::size_t end = begin;
    while (end < active.size() && active[end] != 0) {
      ++end;
    }
    hash.update(values.subspan(begin * element_bytes, (end - begin) * element_bytes));
    begin = end + 1;
  }
  return hash.finish();
}

SurveyedFile survey_sidecar(std::unique_ptr<core::ByteSource> source, std::string name, const Layout& layout) {
  SurveyedFile surveyed;
  surveyed.name = name;
  surveyed.bytes = source->size();
  try {
    const run::SidecarFile file = run::read_sidecar(std::move(source), std::move(name));
    check_layout(file, layout);
    surveyed.rank = file.rank;
    surveyed.call_index = file.call_index;
    surveyed.tensors = file.pt->tensors.size();
    surveyed.shards.reserve(file.samples.size());
    surveyed.damage = damage_of(file);
    core::Sha256 hash;  // one for all shards: making one costs more than hashing a shard
    for (std::size_t index = 0; index < file.samples.size(); ++index) {
      surveyed.shards.push_back(survey_sample(file, index, layout, hash, surveyed.mismatches));
    }
  } catch (const core::ArtifactError& error) {
    surveyed.problem = error.problem();
    surveyed.shards.clear();
  }
  return surveyed;
}

}  // namespace rlverify::sidecar
