// SPDX-License-Identifier: Apache-2.0
// Sums over parts are joined in batches, so that a tensor of any size costs the memory of a few parts. Indices must be
// visited in order, which is one job; the jobs of all shown tensors run beside each other.
#include "diff/second_pass.h"

#include <algorithm>
#include <memory>

#include "core/byte_source.h"
#include "tensor/buffer_stock.h"

namespace rlverify::diff {
namespace {

/// Both sides of a tensor, open.
struct OpenPair {
  std::shared_ptr<const core::ByteSource> reference_source;
  std::shared_ptr<const core::ByteSource> candidate_source;
  const TensorDiff* tensor = nullptr;

  [[nodiscard]] tensor::TensorBytes reference() const { return {reference_source.get(), &tensor->reference->ref}; }
  [[nodiscard]] tensor::TensorBytes candidate() const { return {candidate_source.get(), &tensor->candidate->ref}; }
};

OpenPair open_pair(const ModelDiff& diff, const TensorDiff& tensor) {
  return {diff.reference.source(tensor.reference->file), diff.candidate.source(tensor.candidate->file), &tensor};
}

/// What one part adds.
struct PartResult {
  tensor::DetailSums sums;
  tensor::Difference ranges;
  std::optional<core::Problem> problem;
};

/// Rows with their first differences, as long as elements come in order.
class RowCollector {
 public:
  RowCollector(const std::vector<std::uint64_t>& shape, bool wanted, TensorDetail& detail)
      : columns_(shape.empty() ? 0 : shape.back()),
        wanted_(wanted && (shape.size() == 1 || shape.size() == 2)),
        detail_(detail) {}

  void add(std::uint64_t element_index) {
    if (!wanted_) {
      return;
    }
    const std::uint64_t row = element_index / columns_;
    const std::uint64_t column = element_index % columns_;
    if (detail_.rows_different == 0 || row != row_) {
      row_ = row;
      ++detail_.rows_different;
      if (detail_.rows.size() == kShownRows) {
        return;
      }
      detail_.rows.push_back({row, 0, column, PositionBins(columns_)});
      detail_.rows.back().bins.cover_all();
    }
    if (!detail_.rows.empty() && detail_.rows.back().row == row) {
      ++detail_.rows.back().different;
      detail_.rows.back().bins.mark(column);
    }
  }

 private:
  std::uint64_t columns_;
  bool wanted_;
  TensorDetail& detail_;
  std::uint64_t row_ = 0;
};

/// Patterns and rows: all that needs the differing elements in order.
void look_at_indices(const OpenPair& pair, bool per_position, tensor::BlockBuffers& buffers, TensorDetail& detail) {
  const TensorDiff& tensor = *pair.tensor;
  IndexSets sets(tensor.reference->ref.shape);
  RowCollector rows(tensor.reference->ref.shape, per_position, detail);
  tensor::for_each_different_batch(pair.reference(), pair.candidate(), buffers,
                                   [&](std::span<const std::uint64_t> indices) {
                                     for (const std::uint64_t index : indices) {
                                       sets.add(index);
                                       rows.add(index);
                                     }
                                     return true;
                                   });
  detail.patterns = sets.patterns(tensor.name);
  if (auto shift = constant_shift(pair.reference(), pair.candidate(), tensor.difference, buffers)) {
    detail.patterns.insert(detail.patterns.begin(), std::move(*shift));
  }
}

/// Norms, quantiles, histogram and ranges of one tensor, batch by batch.
void look_at_values(const OpenPair& pair, core::ThreadPool& pool, tensor::BufferStock& stock, core::Progress& progress,
                    TensorDiff& tensor) {
  const std::uint64_t parts = tensor::part_count(tensor.reference->ref);
  const std::uint64_t batch = 4ULL * pool.threads();
  const std::uint64_t part_bytes = tensor::kBlockBytes * tensor::kBlocksPerPart;
  tensor::DetailSums sums;
  for (std::uint64_t first = 0; first < parts; first += batch) {
    std::vector<PartResult> results(static_cast<std::size_t>(std::min(batch, parts - first)));
    pool.for_each(results.size(), [&](std::size_t i) {
      const tensor::BufferLoan buffers(stock);
      try {
        results[i].sums = tensor::detail_part(pair.reference(), pair.candidate(), first + i, *buffers);
        tensor::extend_ranges(pair.reference(), pair.candidate(), first + i, *buffers, results[i].ranges);
      } catch (const core::ArtifactError& error) {
        results[i].problem = error.problem();
      }
      progress.add(part_bytes);
    });
    for (PartResult& result : results) {
      if (result.problem && !tensor.problem) {
        tensor.problem = std::move(result.problem);
      }
      sums.add(result.sums);
      tensor.difference.add(result.ranges);
    }
  }
  tensor.detail->statistics = tensor::finish_detail(sums, tensor.difference.max_abs_difference);
}

}  // namespace

std::uint64_t second_pass_bytes(const ModelDiff& diff) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < std::min(diff.worst.size(), kShownTensors); ++i) {
    sum +=
        tensor::part_count(diff.tensors[diff.worst[i]].reference->ref) * tensor::kBlockBytes * tensor::kBlocksPerPart;
  }
  return sum;
}

void look_again(ModelDiff& diff, bool per_position, core::ThreadPool& pool, core::Progress& progress) {
  const std::size_t shown = std::min(diff.worst.size(), kShownTensors);
  tensor::BufferStock stock;
  std::vector<OpenPair> pairs(shown);
  std::vector<std::optional<core::Problem>> problems(shown);
  for (std::size_t i = 0; i < shown; ++i) {
    TensorDiff& tensor = diff.tensors[diff.worst[i]];
    try {
      pairs[i] = open_pair(diff, tensor);
      tensor.detail.emplace();
      look_at_values(pairs[i], pool, stock, progress, tensor);
    } catch (const core::ArtifactError& error) {
      problems[i] = error.problem();
    }
  }
  pool.for_each(shown, [&](std::size_t i) {
    TensorDiff& tensor = diff.tensors[diff.worst[i]];
    if (problems[i] || tensor.problem) {
      return;
    }
    const tensor::BufferLoan buffers(stock);
    try {
      look_at_indices(pairs[i], per_position, *buffers, *tensor.detail);
    } catch (const core::ArtifactError& error) {
      problems[i] = error.problem();
    }
  });
  for (std::size_t i = 0; i < shown; ++i) {
    TensorDiff& tensor = diff.tensors[diff.worst[i]];
    if (problems[i] && !tensor.problem) {
      tensor.problem = std::move(problems[i]);
    }
    if (tensor.problem) {
      tensor.detail.reset();
    }
  }
}

}  // namespace rlverify::diff
