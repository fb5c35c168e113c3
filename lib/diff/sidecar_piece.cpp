// SPDX-License-Identifier: Apache-2.0
// Active elements are laid side by side first, so that they are compared as any tensor is; their indices are turned
// into response positions afterwards.
#include "diff/sidecar_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sidecar/cp_slice.h"
#include "tensor/element.h"

namespace rlverify::diff {
namespace {

/// The response position of each element that the rank holds.
std::vector<std::uint64_t> owned_positions(const std::array<sidecar::Range, 2>& ranges) {
  std::vector<std::uint64_t> positions;
  for (std::int64_t i = 0; i < sidecar::owned_count(ranges); ++i) {
    positions.push_back(static_cast<std::uint64_t>(sidecar::response_position(ranges, i)));
  }
  return positions;
}

struct SideBytes {
  std::vector<std::byte> train;
  std::vector<std::byte> rollout;
  std::vector<std::uint64_t> positions;
};

void require_comparable(const run::SidecarFile& file, const run::SidecarSample& sample, std::size_t index,
                        std::uint64_t owned) {
  const run::NumberVector& train = sample.train_log_probs;
  const run::NumberVector& rollout = sample.rollout_log_probs;
  const auto refuse = [&file, index](const std::string& expected, const std::string& found) {
    run::fail_field(file.source->name(), fmt::format("sample {}", index), expected, found);
  };
  if (train.element_count != rollout.element_count) {
    refuse(fmt::format("{} rollout log-probs, as many as train log-probs", train.element_count),
           fmt::format("{}", rollout.element_count));
  }
  if (train.dtype != rollout.dtype) {
    refuse(fmt::format("rollout log-probs of {}, as train log-probs are", tensor::torch_name(train.dtype)),
           std::string(tensor::torch_name(rollout.dtype)));
  }
  if (train.element_count != owned) {
    refuse(fmt::format("{} log-probs, the positions that the rank owns", owned),
           fmt::format("{}", train.element_count));
  }
  if (tensor::is_complex(train.dtype) || tensor::bytes_per_element(train.dtype) == 0) {
    refuse("real numbers", std::string(tensor::torch_name(train.dtype)));
  }
}

/// Active elements of both sides; the masked ones are counted.
SideBytes take_active(const run::SidecarFile& file, const run::SidecarSample& sample,
                      const std::vector<std::uint64_t>& owned, SamplePiece& piece) {
  const run::ElementBytes mask = run::load(*file.source, sample.loss_mask);
  const run::ElementBytes train = run::load(*file.source, sample.train_log_probs);
  const run::ElementBytes rollout = run::load(*file.source, sample.rollout_log_probs);
  const std::size_t mask_bytes = tensor::bytes_per_element(sample.loss_mask.dtype);
  const std::size_t element_bytes = tensor::bytes_per_element(piece.dtype);
  SideBytes active;
  for (std::size_t i = 0; i < owned.size(); ++i) {
    const auto left = train.view.subspan(i * element_bytes, element_bytes);
    const auto right = rollout.view.subspan(i * element_bytes, element_bytes);
    if (tensor::real_element(sample.loss_mask.dtype, mask.view.data() + owned[i] * mask_bytes) == 0) {
      ++piece.masked;
      piece.masked_different += std::memcmp(left.data(), right.data(), element_bytes) != 0 ? 1U : 0U;
      continue;
    }
    active.train.insert(active.train.end(), left.begin(), left.end());
    active.rollout.insert(active.rollout.end(), right.begin(), right.end());
    active.positions.push_back(owned[i]);
  }
  return active;
}

/// Element indices become response positions.
void use_positions(const std::vector<std::uint64_t>& positions, SamplePiece& piece) {
  const auto at = [&positions](std::uint64_t& index) { index = positions.empty() ? 0 : positions[index]; };
  at(piece.difference.max_abs_index);
  at(piece.difference.max_ulp_index);
  if (piece.difference.first) {
    at(piece.difference.first->element_index);
  }
  if (piece.outside.first) {
    at(piece.outside.first->element_index);
  }
}

void mark_positions(const SideBytes& active, std::size_t element_bytes, SamplePiece& piece) {
  piece.bins.emplace(static_cast<std::uint64_t>(piece.response_length));
  for (std::size_t i = 0; i < active.positions.size(); ++i) {
    piece.bins->cover(active.positions[i]);
    if (std::memcmp(active.train.data() + i * element_bytes, active.rollout.data() + i * element_bytes,
                    element_bytes) != 0) {
      piece.bins->mark(active.positions[i]);
    }
  }
}

}  // namespace

SamplePiece compare_piece(const run::SidecarFile& file, std::size_t index, const SidecarOptions& options) {
  const run::SidecarSample& sample = file.samples[index];
  const std::int64_t tp =
      run::whole_number(*file.source, *file.pt, file.tensor_parallel_size, 1, "tensor_parallel_size");
  const std::int64_t cp =
      run::whole_number(*file.source, *file.pt, file.context_parallel_size, 1, "context_parallel_size");
  SamplePiece piece;
  piece.rank = file.rank;
  piece.cp_rank = file.rank / tp % cp;
  piece.dp = file.rank / tp / cp;
  piece.call = file.call_index;
  piece.sample = static_cast<std::int64_t>(index);
  piece.response_length = sample.response_length;
  piece.dtype = sample.train_log_probs.dtype;
  const auto ranges = sidecar::owned_ranges(sample.total_length, sample.response_length, cp, piece.cp_rank);
  require_comparable(file, sample, index, static_cast<std::uint64_t>(sidecar::owned_count(ranges)));
  if (tensor::is_complex(sample.loss_mask.dtype)) {
    run::fail_field(file.source->name(), fmt::format("loss_masks[{}]", index), "real numbers", "complex numbers");
  }
  const SideBytes active = take_active(file, sample, owned_positions(ranges), piece);
  const std::size_t element_bytes = tensor::bytes_per_element(piece.dtype);
  const std::uint64_t step = tensor::block_elements(piece.dtype);
  for (std::uint64_t first = 0; first < active.positions.size(); first += step) {
    const std::uint64_t count = std::min<std::uint64_t>(step, active.positions.size() - first);
    const auto begin = static_cast<std::size_t>(first) * element_bytes;
    const auto bytes = static_cast<std::size_t>(count) * element_bytes;
    const auto left = std::span(active.train).subspan(begin, bytes);
    const auto right = std::span(active.rollout).subspan(begin, bytes);
    piece.difference.add(tensor::compare_block(piece.dtype, first, count, left, right));
    piece.outside.add(count_outside(piece.dtype, first, count, left, right, options.tolerance));
  }
  use_positions(active.positions, piece);
  if (options.per_position) {
    mark_positions(active, element_bytes, piece);
  }
  return piece;
}

}  // namespace rlverify::diff
