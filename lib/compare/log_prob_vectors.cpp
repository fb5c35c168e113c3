// SPDX-License-Identifier: Apache-2.0
// Only called for vectors whose digests differ, so one element at a time is fast enough.
#include "compare/log_prob_vectors.h"

#include <algorithm>
#include <cstring>

#include "tensor/difference.h"
#include "tensor/element.h"

namespace rlverify::compare {

VectorDifference compare_vectors(const LogProbs& left, const LogProbs& right, sidecar::MismatchSeries* series) {
  VectorDifference out;
  const std::size_t width = tensor::bytes_per_element(left.dtype);
  for (std::size_t i = 0; i < std::max(left.present.size(), right.present.size()); ++i) {
    const bool a = i < left.present.size() && left.present[i] != 0;
    const bool b = i < right.present.size() && right.present[i] != 0;
    out.reference_only += a && !b ? 1U : 0U;
    out.candidate_only += b && !a ? 1U : 0U;
    if (!a || !b) {
      continue;
    }
    ++out.common;
    const std::byte* const reference = left.values.data() + i * width;
    const std::byte* const candidate = right.values.data() + i * width;
    if (std::memcmp(reference, candidate, width) != 0) {
      if (series != nullptr) {
        series->positions[right.rank_of(i)].add(static_cast<std::int64_t>(i));
        series->magnitudes.add(tensor::real_element(left.dtype, reference),
                               tensor::real_element(left.dtype, candidate));
      }
      ++out.different;
      out.first = out.first ? out.first : i;
    }
  }
  return out;
}

std::string value_at(const LogProbs& vector, std::size_t position) {
  const std::size_t width = tensor::bytes_per_element(vector.dtype);
  return tensor::element_text(vector.dtype, {vector.values.data() + position * width, width});
}

}  // namespace rlverify::compare
