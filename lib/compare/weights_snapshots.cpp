// SPDX-License-Identifier: Apache-2.0
// Results are written by part and joined in order, so that nothing depends on which thread was faster.
#include "compare/weights_snapshots.h"

#include <algorithm>
#include <atomic>

#include "tensor/buffer_stock.h"
#include "tensor/element.h"

namespace rlverify::compare {
namespace {

using tensor::Model;
using tensor::ModelTensor;

std::vector<TensorPair> pair_names(const Model& reference, const Model& candidate) {
  std::vector<TensorPair> pairs;
  pairs.reserve(std::max(reference.tensors().size(), candidate.tensors().size()));
  tensor::for_each_name(reference, candidate, [&pairs](const ModelTensor* left, const ModelTensor* right) {
    TensorPair pair;
    pair.name = left != nullptr ? left->name : right->name;
    pair.reference = left;
    pair.candidate = right;
    pairs.push_back(std::move(pair));
  });
  return pairs;
}

/// What names, shapes and dtypes alone decide.
void judge_layout(const Model& reference, const Model& candidate, TensorPair& pair) {
  if (pair.candidate == nullptr) {
    pair.verdict = candidate.may_hold(pair.name) ? TensorVerdict::kNotJudged : TensorVerdict::kOnlyReference;
  } else if (pair.reference == nullptr) {
    pair.verdict = reference.may_hold(pair.name) ? TensorVerdict::kNotJudged : TensorVerdict::kOnlyCandidate;
  } else if (pair.reference->ref.shape != pair.candidate->ref.shape) {
    pair.verdict = TensorVerdict::kOtherShape;
  } else if (pair.reference->ref.dtype != pair.candidate->ref.dtype) {
    pair.verdict = TensorVerdict::kOtherDtype;
  }
}

/// One part of one pair.
struct Task {
  std::uint32_t pair;
  std::uint32_t part;
};

struct Outcome {
  tensor::Difference difference;
  std::optional<core::Problem> problem;
};

std::vector<Task> list_tasks(const std::vector<TensorPair>& pairs) {
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].verdict) {
      order.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::stable_sort(order.begin(), order.end(), [&pairs](std::uint32_t a, std::uint32_t b) {
    return pairs[a].reference->ref.logical_bytes() > pairs[b].reference->ref.logical_bytes();
  });
  std::vector<Task> tasks;
  for (const std::uint32_t pair : order) {
    for (std::uint64_t part = 0; part < tensor::part_count(pairs[pair].reference->ref); ++part) {
      tasks.push_back({pair, static_cast<std::uint32_t>(part)});
    }
  }
  return tasks;
}

}  // namespace

std::vector<TensorPair> compare_models(const Model& reference, const Model& candidate, core::ThreadPool& pool,
                                       core::Progress* progress) {
  std::vector<TensorPair> pairs = pair_names(reference, candidate);
  for (TensorPair& pair : pairs) {
    judge_layout(reference, candidate, pair);
  }
  const std::vector<Task> tasks = list_tasks(pairs);
  std::vector<Outcome> outcomes(tasks.size());
  tensor::BufferStock stock;
  pool.for_each(tasks.size(), [&](std::size_t i) {
    const TensorPair& pair = pairs[tasks[i].pair];
    const tensor::BufferLoan buffers(stock);
    try {
      const auto reference_source = reference.source(pair.reference->file);
      const auto candidate_source = candidate.source(pair.candidate->file);
      outcomes[i].difference =
          tensor::compare_part({reference_source.get(), &pair.reference->ref},
                               {candidate_source.get(), &pair.candidate->ref}, tasks[i].part, *buffers);
    } catch (const core::ArtifactError& error) {
      outcomes[i].problem = error.problem();
    }
    if (progress != nullptr) {
      progress->add(outcomes[i].difference.elements * tensor::bits_per_element(pair.reference->ref.dtype) / 8);
    }
  });
  // The tasks of a pair follow each other in ascending order of parts.
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    TensorPair& pair = pairs[tasks[i].pair];
    pair.difference.add(outcomes[i].difference);
    if (outcomes[i].problem && !pair.problem) {
      pair.problem = std::move(outcomes[i].problem);
    }
  }
  for (TensorPair& pair : pairs) {
    if (pair.problem) {
      pair.verdict = TensorVerdict::kNotJudged;
    } else if (!pair.verdict && !pair.difference.equal()) {
      pair.verdict = TensorVerdict::kDifferent;
    }
  }
  return pairs;
}

std::optional<bool> same_models(const Model& earlier, const Model& later, core::ThreadPool& pool) {
  const std::vector<TensorPair> pairs = pair_names(earlier, later);
  for (const TensorPair& pair : pairs) {
    if (pair.reference == nullptr || pair.candidate == nullptr ||
        pair.reference->ref.dtype != pair.candidate->ref.dtype ||
        pair.reference->ref.shape != pair.candidate->ref.shape) {
      return false;
    }
  }
  const std::vector<Task> tasks = list_tasks(pairs);
  std::atomic<bool> different{false};
  std::atomic<bool> unreadable{false};
  tensor::BufferStock stock;
  const auto look = [&](std::size_t i, bool first_block_only) {
    if (different.load() || (first_block_only && tasks[i].part > 0)) {
      return;
    }
    const TensorPair& pair = pairs[tasks[i].pair];
    const tensor::BufferLoan buffers(stock);
    try {
      const auto source_a = earlier.source(pair.reference->file);
      const auto source_b = later.source(pair.candidate->file);
      const std::uint64_t elements = first_block_only ? tensor::block_elements(pair.reference->ref.dtype)
                                                      : tensor::part_elements(pair.reference->ref.dtype);
      const std::uint64_t begin = tasks[i].part * elements;
      if (!tensor::same_elements({source_a.get(), &pair.reference->ref}, {source_b.get(), &pair.candidate->ref}, begin,
                                 elements, *buffers)) {
        different.store(true);
      }
    } catch (const core::ArtifactError&) {
      unreadable.store(true);
    }
  };
  for (const bool first_block_only : {true, false}) {
    pool.for_each(tasks.size(), [&](std::size_t i) { look(i, first_block_only); });
    if (different.load()) {
      return false;
    }
  }
  return unreadable.load() ? std::nullopt : std::optional(true);
}

bool same_values(const Model& reference, const ModelTensor& a, const Model& candidate, const ModelTensor& b) {
  const auto comparable = [](tensor::DType dtype) {
    return tensor::bytes_per_element(dtype) != 0 && !tensor::is_complex(dtype);
  };
  if (!comparable(a.ref.dtype) || !comparable(b.ref.dtype)) {
    return false;
  }
  const std::size_t size_a = tensor::bytes_per_element(a.ref.dtype);
  const std::size_t size_b = tensor::bytes_per_element(b.ref.dtype);
  const std::uint64_t step = tensor::kBlockBytes / std::max(size_a, size_b);
  const auto source_a = reference.source(a.file);
  const auto source_b = candidate.source(b.file);
  tensor::BlockBuffers buffers;
  for (std::uint64_t first = 0; first < a.ref.element_count; first += step) {
    const std::uint64_t count = std::min(step, a.ref.element_count - first);
    const auto bytes_a = buffers.reference.read({source_a.get(), &a.ref}, first, count);
    const auto bytes_b = buffers.candidate.read({source_b.get(), &b.ref}, first, count);
    for (std::size_t i = 0; i < count; ++i) {
      const double value_a = tensor::real_element(a.ref.dtype, bytes_a.data() + i * size_a);
      const double value_b = tensor::real_element(b.ref.dtype, bytes_b.data() + i * size_b);
      // NaN has no value to be the same; bits tell +0 from -0.
      if (value_a != value_b || std::signbit(value_a) != std::signbit(value_b)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace rlverify::compare
