// SPDX-License-Identifier: Apache-2.0
// What the places of the differences have in common, as a hint to their cause. A hint is given only where chance can't
// explain it: if every differing element lay anywhere with equal probability, the pattern (or any other of its kind)
// would come up with a probability below 1e-12. So noise gets none, however many tensors are looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/difference_reader.h"

namespace rlverify::diff {

enum class PatternKind : std::uint8_t {
  kConstantShift,    ///< candidate - reference is one value, up to the rounding of the dtype
  kIndices,          ///< only at some indices of one dimension (whole rows, where `density` is near 1)
  kStripe,           ///< only in one run of neighbouring indices of the last dimension
  kTail,             ///< only from an index (or an element) on
  kVocabulary,       ///< only beyond the real vocabulary of an embedding or of logits
  kTensorParallel,   ///< only in one of 2, 4 or 8 equal parts of a dimension
  kContextParallel,  ///< only in the two chunks that one context-parallel rank owns (zigzag)
};

/// One hint and the numbers behind it.
struct Pattern {
  PatternKind kind = PatternKind::kIndices;
  std::optional<std::size_t> dimension;  ///< of the tensor; nothing: elements in C order
  std::uint64_t size = 0;                ///< of that dimension (or of the tensor)
  std::uint64_t indices = 0;             ///< how many of its indices hold a difference
  std::uint64_t first = 0;               ///< the smallest and the largest of them
  std::uint64_t last = 0;
  std::vector<std::uint64_t> listed;  ///< kIndices: the smallest of them, at most kListedIndices
  double density = 0;                 ///< share of the elements at these indices that differ
  std::uint64_t part = 0;             ///< rank, from 0
  std::uint64_t parts = 0;            ///< ranks
  std::uint64_t chunk = 0;            ///< kContextParallel: size of a chunk
  std::uint64_t vocabulary = 0;       ///< kVocabulary: the size beyond which the differences lie
  double shift = 0;                   ///< kConstantShift
  bool exact_shift = false;           ///< it is the same double everywhere
};
inline constexpr std::size_t kListedIndices = 8;

/// Takes the indices of the elements that differ, in ascending order, and keeps which indices of each dimension they
/// touch: one bit per index, dimensions of up to kMaxDimension. Memory doesn't depend on the number of differences.
class IndexSets {
 public:
  explicit IndexSets(std::vector<std::uint64_t> shape);
  void add(std::uint64_t element_index);
  /// The spatial patterns, the most telling first; at most one for each dimension.
  [[nodiscard]] std::vector<Pattern> patterns(std::string_view tensor_name) const;

  static constexpr std::uint64_t kMaxDimension = 1ULL << 26;

 private:
  void mark(std::size_t dimension, std::uint64_t index);
  [[nodiscard]] std::optional<Pattern> flat_tail() const;

  std::vector<std::uint64_t> shape_;
  std::uint64_t elements_ = 1;
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t row_begin_ = 0;  ///< of the row that the last element lay in
  std::uint64_t row_end_ = 0;
  std::vector<std::vector<bool>> touched_;  ///< by dimension; empty where it isn't kept
};

/// Whether all pairs that differ are finite and one value apart: then that pattern. Stops at the first pair that
/// contradicts, so noise costs a block. Not for complex and bool.
[[nodiscard]] std::optional<Pattern> constant_shift(const tensor::TensorBytes& reference,
                                                    const tensor::TensorBytes& candidate,
                                                    const tensor::Difference& first_pass,
                                                    tensor::BlockBuffers& buffers);

}  // namespace rlverify::diff
